import { renewedActivityTtl } from '../../contract/limits.ts';
import type { CreatedSession, ListedSession } from '../../contract/sessions/sessions.ts';
import { type ServerState, ServerStore } from '../connection/polling/server-store.ts';
import type { Disposable } from '../ui/lifecycle.ts';
import { type NamedSession, sessionName } from '../ui/session-mark.ts';
import { serverTime, shortId } from '../ui/text/text.ts';
import type { SessionOptions } from './session-options.ts';

/** The state of the list, as the view shows it. */
export type SessionsState = ServerState | NoBrowser;
interface NoBrowser {
  kind: 'no-browser';
  message: string;
  /** Where one was looked for, as far as the service says. */
  searched: readonly string[];
}

/** How many ended sessions are still shown, and for how long. */
const maxEnded = 10;
const endedShownMs = 60 * 60_000;

/** The browser sessions of the target, and the one that this window uses. */
export class SessionsStore extends ServerStore<{ kind: 'session'; id: string }, NoBrowser> {
  #sessions = new Map<string, SessionInfo>();
  /** The active ones in their order, once somebody has asked for it: each drawn row does. */
  #active: readonly SessionInfo[] | undefined;
  #currentId: string | undefined;
  /** Set when a creation found no Chrome; kept until one succeeds or the target changes. */
  noBrowser: NoBrowser | undefined;
  /** IDs of ended sessions that are no longer shown. */
  #cleared: Set<string>;

  constructor(now: () => number = Date.now, cleared: readonly string[] = []) {
    super(now);
    this.#cleared = new Set(cleared);
  }

  /** Newest first, active ones before ended ones. */
  get sessions(): SessionInfo[] {
    return [...this.active, ...this.ended];
  }

  /** Newest first. */
  get active(): readonly SessionInfo[] {
    this.#active ??= [...this.#sessions.values()].filter(isActive).sort(byAge);
    return this.#active;
  }

  /** Those that are shown, newest first. */
  get ended(): SessionInfo[] {
    const since = this.now() - endedShownMs;
    const isShown = ({ id, endedAt, createdAt }: SessionInfo) =>
      !this.#cleared.has(id) && (endedAt ?? createdAt ?? 0) > since;
    const ended = [...this.#sessions.values()].filter((session) => !isActive(session) && isShown(session));
    return ended.sort(byAge).slice(0, maxEnded);
  }

  /** The session that runs use; undefined if there is none or it has ended. */
  get current(): SessionInfo | undefined {
    const session = this.#currentId === undefined ? undefined : this.#sessions.get(this.#currentId);
    return session && isActive(session) ? session : undefined;
  }

  /** The ID of the session that runs use, whether it is in the list yet or has ended. */
  get currentId(): string | undefined {
    return this.#currentId;
  }

  /** The session that runs used, if it has ended and wasn't replaced. */
  get endedCurrent(): SessionInfo | undefined {
    const session = this.#currentId === undefined ? undefined : this.#sessions.get(this.#currentId);
    return session && !isActive(session) ? session : undefined;
  }

  find(id: string): SessionInfo | undefined {
    return this.#sessions.get(id);
  }

  /** Whether a session has a live view to open. */
  hasLiveView(id: string): boolean {
    const session = this.find(id);
    return Boolean(session?.liveViewUrl || session?.interactiveLiveViewUrl);
  }

  onDidChange(listener: () => void): Disposable {
    return this.onChange.on(listener);
  }

  /** Hides the ended sessions. Returns the IDs of all hidden ones that the server still lists. */
  clearEnded(): string[] {
    const all = [...this.#sessions.values()];
    this.#cleared = new Set(all.filter((session) => !isActive(session)).map(({ id }) => id));
    this.onChange.fire({ kind: 'all' });
    return [...this.#cleared];
  }

  /** Makes a session the current one, or none. */
  use(id: string | undefined): void {
    if (this.#currentId === id) return;
    this.#currentId = id;
    this.onChange.fire({ kind: 'all' });
  }

  /** The IDs of all sessions, to be passed to `setList` with a list that is asked for now. */
  get ids(): ReadonlySet<string> {
    return new Set(this.#sessions.keys());
  }

  /**
   * Replaces the sessions with the server's list. Of those missing from it only the current one stays, as ended.
   * @param asked the sessions that were known when the list was asked for: others, which are newer, stay as they are
   */
  setList(listed: readonly ListedSession[], asked: ReadonlySet<string> = this.ids): void {
    const before = this.#sessions;
    const sessions = new Map(listed.map((entry) => [entry.id, fromList(entry, before.get(entry.id))]));
    for (const [id, session] of before) if (!asked.has(id) && !sessions.has(id)) sessions.set(id, session);
    const current = this.#currentId === undefined ? undefined : before.get(this.#currentId);
    if (current && !sessions.has(current.id)) sessions.set(current.id, this.#ended(current, 'ended'));
    this.#replace(sessions);
    this.noteRead();
    this.onChange.fire({ kind: 'all' });
  }

  /** Adds a session that this window has just created, and makes it the current one. */
  addCreated(created: CreatedSession, options: SessionOptions = {}): SessionInfo {
    const details = { ...created, ...options };
    const session = fromList({ ...details, createdAt: new Date(this.now()).toISOString() }, undefined);
    this.#set({ ...session, details });
    this.#currentId = session.id;
    this.setState({ kind: 'ready' });
    this.onChange.fire({ kind: 'all' });
    return session;
  }

  /** Records that a session was just used. */
  touch(id: string): void {
    const session = this.#sessions.get(id);
    const activityTtl = session?.details?.activityTtl;
    if (session?.idleAt === undefined || !activityTtl) return;
    this.#set({ ...session, idleAt: this.now() + activityTtl * 1000 });
    this.onChange.fire({ kind: 'session', id });
  }

  /** Records that a session was renewed. */
  setLife(id: string, life: { expiresAt: string; activityTtl: number }): void {
    this.#update(id, ({ idleAt, details, expiresAt }) => {
      const longer = life.activityTtl - (details?.activityTtl ?? life.activityTtl);
      return {
        expiresAt: serverTime(life.expiresAt) ?? expiresAt,
        renewed: true,
        idleAt: idleAt === undefined ? undefined : idleAt + longer * 1000,
        details: { ...details, id, activityTtl: life.activityTtl },
      };
    });
  }

  /** Records that a session was extended once. */
  setExpiry(id: string, expiresAt: string): void {
    this.#update(id, (session) => ({ expiresAt: serverTime(expiresAt) ?? session.expiresAt }));
  }

  #update(id: string, change: (session: SessionInfo) => Partial<SessionInfo>): void {
    const session = this.#sessions.get(id);
    if (!session || !isActive(session)) return;
    this.#set({ ...session, ...change(session) });
    this.onChange.fire({ kind: 'session', id });
  }

  /** Marks a session as ended before the next list says so. */
  markEnded(id: string, reason: string): void {
    const session = this.#sessions.get(id);
    if (!session || !isActive(session)) return;
    this.#set(this.#ended(session, reason));
    this.onChange.fire({ kind: 'all' });
  }

  #set(session: SessionInfo): void {
    this.#sessions.set(session.id, session);
    this.#active = undefined;
  }

  #replace(sessions: Map<string, SessionInfo>): void {
    this.#sessions = sessions;
    this.#active = undefined;
  }

  #ended(session: SessionInfo, reason: string): SessionInfo {
    return isActive(session) ? { ...session, status: 'destroyed', endedAt: this.now(), endReason: reason } : session;
  }

  protected forget(): void {
    this.#replace(new Map());
    this.#currentId = undefined;
    this.noBrowser = undefined;
  }
}

function byAge(a: SessionInfo, b: SessionInfo): number {
  return (b.createdAt ?? 0) - (a.createdAt ?? 0);
}

function fromList(entry: ListedSession, known: SessionInfo | undefined): SessionInfo {
  // Servers that list only active sessions omit the status.
  const listed = entry.status ?? 'active';
  // A list may be from before a session ended, which never becomes active again.
  const status = known?.endedAt !== undefined && listed === 'active' ? known.status : listed;
  const pageUrl = (entry.page ? entry.page.url : known?.pageUrl) ?? undefined;
  const pageTitle = (entry.page ? entry.page.title : known?.pageTitle) ?? undefined;
  const profile = entry.profile?.name ?? known?.profile;
  const lastUsed = serverTime(entry.lastActivity);
  const createdAt = serverTime(entry.createdAt) ?? known?.createdAt;
  const ttlMs = entry.ttl ? entry.ttl * 1000 : undefined;
  return {
    id: entry.id,
    shortId: shortId(entry.id),
    name: sessionName({ pageTitle, pageUrl, profile, createdAt }),
    status,
    createdAt,
    expiresAt: serverTime(entry.expiresAt) ?? known?.expiresAt ?? (createdAt && ttlMs ? createdAt + ttlMs : undefined),
    endedAt: serverTime(entry.endedAt) ?? known?.endedAt,
    endReason: entry.endReason ?? known?.endReason,
    cdpUrl: entry.cdpUrl || known?.cdpUrl,
    liveViewUrl: entry.liveViewUrl || known?.liveViewUrl,
    interactiveLiveViewUrl: entry.interactiveLiveViewUrl || known?.interactiveLiveViewUrl,
    pageUrl,
    pageTitle,
    profile,
    saveChanges: entry.profile?.saveChanges ?? known?.saveChanges,
    agent: entry.agent ?? known?.agent,
    renewed: entry.renewed ?? known?.renewed ?? false,
    idleAt: lastUsed && entry.activityTtl ? lastUsed + entry.activityTtl * 1000 : undefined,
    details: entry,
  };
}

/** A browser session as this window knows it; times are milliseconds since 1970, undefined if the server doesn't report them. */
export interface SessionInfo extends NamedSession {
  id: string;
  shortId: string;
  /** The title or host of its page, else its profile, else when it was created. */
  name: string;
  /** `active`, `destroyed`, `error`, or any other status of the server. */
  status: string;
  expiresAt: number | undefined;
  endedAt: number | undefined;
  /** The server's words: `expired`, `closed after 5 min idle`, or another reason. */
  endReason: string | undefined;
  cdpUrl: string | undefined;
  liveViewUrl: string | undefined;
  interactiveLiveViewUrl: string | undefined;
  /** Name of the agent that opened it. */
  agent: string | undefined;
  /** Whether its changes are saved to its profile. */
  saveChanges: boolean | undefined;
  /** Whether a window keeps it open: `expiresAt` moves on. */
  renewed: boolean;
  /** When it closes if it stays idle; undefined if the server doesn't report when it was last used. */
  idleAt: number | undefined;
  /** Its fields in the server's list, or else those it was created with. */
  details: ListedSession | undefined;
}

/** With less time left than this, in milliseconds, a renewed session is no longer being renewed. */
const renewedMs = 10 * 60_000;

/** Returns when a session ends however it is used, in milliseconds since 1970; undefined if a window keeps it open or the server doesn't say. */
export function deadlineOf({ expiresAt, renewed }: SessionInfo, now: number): number | undefined {
  return renewed && expiresAt !== undefined && expiresAt - now > renewedMs ? undefined : expiresAt;
}

/** Returns how many idle seconds close a session that a window keeps open; undefined for other sessions, and if it stays open. */
export function idleLimit({ renewed, details }: SessionInfo): number | undefined {
  const seconds = renewed && details?.activityTtl;
  return seconds && seconds < renewedActivityTtl.max ? seconds : undefined;
}

/** Whether the session can still be used. */
export function isActive(session: SessionInfo): boolean {
  return session.status === 'active';
}
