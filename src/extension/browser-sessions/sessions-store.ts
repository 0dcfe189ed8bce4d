import type { CreatedSession, ListedSession } from '../../contract/sessions.ts';
import { type Disposable, Signal } from '../ui/lifecycle.ts';
import { hostOf, shortId } from '../ui/text.ts';
import { isActive, type SessionInfo } from './session-info.ts';
import type { SessionOptions } from './session-options.ts';

/** What the view has to say about its rows. */
export type SessionsState =
  | { kind: 'not-started' }
  | { kind: 'loading' }
  | { kind: 'ready' }
  | { kind: 'restricted' }
  | { kind: 'signed-out'; message: string }
  | { kind: 'unreachable'; message: string }
  | { kind: 'no-browser'; message: string }
  | { kind: 'limited'; message: string; until: number };

export type SessionsChange = { kind: 'all' } | { kind: 'session'; id: string } | { kind: 'state' };

/** Ended sessions that are still shown. */
const mostEnded = 10;
const endedShownMs = 60 * 60_000;

/** The browser sessions of the target, and the one that this window uses. */
export class SessionsStore {
  readonly onChange = new Signal<SessionsChange>();
  #sessions = new Map<string, SessionInfo>();
  #state: SessionsState = { kind: 'not-started' };
  #currentId: string | undefined;
  #updatedAt: number | undefined;
  #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get state(): SessionsState {
    return this.#state;
  }

  /** When the list was last read; undefined before that. */
  get updatedAt(): number | undefined {
    return this.#updatedAt;
  }

  /** Newest first, active ones before ended ones. */
  get sessions(): SessionInfo[] {
    const all = [...this.#sessions.values()];
    const byAge = (a: SessionInfo, b: SessionInfo) => (b.createdAt ?? 0) - (a.createdAt ?? 0);
    const since = this.#now() - endedShownMs;
    const ended = all.filter((session) => !isActive(session) && (session.endedAt ?? session.createdAt ?? 0) > since);
    return [...all.filter(isActive).sort(byAge), ...ended.sort(byAge).slice(0, mostEnded)];
  }

  get active(): SessionInfo[] {
    return this.sessions.filter(isActive);
  }

  /** The session that runs go to; undefined when there is none or it has ended. */
  get current(): SessionInfo | undefined {
    const session = this.#currentId === undefined ? undefined : this.#sessions.get(this.#currentId);
    return session && isActive(session) ? session : undefined;
  }

  /** The session that runs went to, when it has ended and none took its place. */
  get endedCurrent(): SessionInfo | undefined {
    const session = this.#currentId === undefined ? undefined : this.#sessions.get(this.#currentId);
    return session && !isActive(session) ? session : undefined;
  }

  find(id: string): SessionInfo | undefined {
    return this.#sessions.get(id);
  }

  /** Whether there is a live view to open. */
  hasLiveView(id: string): boolean {
    const session = this.find(id);
    return Boolean(session?.liveViewUrl || session?.interactiveLiveViewUrl);
  }

  onDidChange(listener: () => void): Disposable {
    return this.onChange.on(listener);
  }

  /** Makes a session the one that runs go to. */
  use(id: string | undefined): void {
    if (this.#currentId === id) return;
    this.#currentId = id;
    this.onChange.fire({ kind: 'all' });
  }

  /** Takes in the list of the server; sessions that it no longer names are gone. */
  setList(listed: readonly ListedSession[]): void {
    const before = this.#sessions;
    this.#sessions = new Map(listed.map((entry) => [entry.id, fromList(entry, before.get(entry.id))]));
    this.#updatedAt = this.#now();
    this.#state = { kind: 'ready' };
    this.onChange.fire({ kind: 'all' });
  }

  /** Takes in a session that this window has just created, and uses it. */
  addCreated(created: CreatedSession, options: SessionOptions = {}): SessionInfo {
    const { profile, ...others } = options;
    const session: SessionInfo = {
      id: created.id,
      shortId: shortId(created.id),
      name: profile?.name,
      status: 'active',
      createdAt: this.#now(),
      expiresAt: time(created.expiresAt),
      endedAt: undefined,
      endReason: undefined,
      cdpUrl: created.cdpUrl || undefined,
      liveViewUrl: created.liveViewUrl || undefined,
      interactiveLiveViewUrl: created.interactiveLiveViewUrl || undefined,
      pageUrl: undefined,
      pageTitle: undefined,
      profile: profile?.name,
      saveChanges: profile?.saveChanges,
      idleAt: undefined,
      details: { ...created, ...others, profile },
    };
    this.#sessions.set(session.id, session);
    this.#currentId = session.id;
    this.#state = { kind: 'ready' };
    this.onChange.fire({ kind: 'all' });
    return session;
  }

  /** Notes that a session has just been used. */
  touch(id: string): void {
    const session = this.#sessions.get(id);
    const activityTtl = session?.details?.activityTtl;
    if (session?.idleAt === undefined || !activityTtl) return;
    this.#sessions.set(id, { ...session, idleAt: this.#now() + activityTtl * 1000 });
    this.onChange.fire({ kind: 'session', id });
  }

  /** Notes that a session has ended, before the next list says so. */
  markEnded(id: string, reason: string): void {
    const session = this.#sessions.get(id);
    if (!session || !isActive(session)) return;
    this.#sessions.set(id, { ...session, status: 'destroyed', endedAt: this.#now(), endReason: reason });
    this.onChange.fire({ kind: 'all' });
  }

  /** Says why there is no fresh list. What was read before stays, to be shown as stale. */
  setState(state: SessionsState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.onChange.fire({ kind: 'state' });
  }

  /** Forgets everything: another target, or the service is gone. */
  clear(state: SessionsState): void {
    this.#sessions = new Map();
    this.#currentId = undefined;
    this.#updatedAt = undefined;
    this.#state = state;
    this.onChange.fire({ kind: 'all' });
  }
}

function fromList(entry: ListedSession, known: SessionInfo | undefined): SessionInfo {
  const pageUrl = entry.page?.url ?? undefined;
  const profile = entry.profile?.name ?? known?.profile;
  const lastUsed = time(entry.lastActivity);
  const createdAt = time(entry.createdAt) ?? known?.createdAt;
  const ttlMs = entry.ttl ? entry.ttl * 1000 : undefined;
  return {
    id: entry.id,
    shortId: shortId(entry.id),
    name: profile ?? hostOf(pageUrl),
    // Servers that list only what lives give no status.
    status: entry.status ?? 'active',
    createdAt,
    expiresAt: time(entry.expiresAt) ?? known?.expiresAt ?? (createdAt && ttlMs ? createdAt + ttlMs : undefined),
    endedAt: time(entry.endedAt) ?? known?.endedAt,
    endReason: entry.endReason ?? known?.endReason,
    cdpUrl: entry.cdpUrl || known?.cdpUrl,
    liveViewUrl: entry.liveViewUrl || known?.liveViewUrl,
    interactiveLiveViewUrl: entry.interactiveLiveViewUrl || known?.interactiveLiveViewUrl,
    pageUrl,
    pageTitle: entry.page?.title ?? undefined,
    profile,
    saveChanges: entry.profile?.saveChanges ?? known?.saveChanges,
    idleAt: lastUsed && entry.activityTtl ? lastUsed + entry.activityTtl * 1000 : undefined,
    details: entry,
  };
}

/** Milliseconds since 1970 of a date as a server sends it; undefined when it is none. */
function time(text: string | null | undefined): number | undefined {
  const ms = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
