import { randomUUID } from 'node:crypto';
import type { RenewedLife, RunEvent } from '../../../contract/embedded.ts';
import type {
  CreatedSession,
  CreateSessionBody,
  DeletedSession,
  ListedSession,
} from '../../../contract/sessions/sessions.ts';
import { transaction } from '../../../storage/storage.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Fleet } from '../../platform/fleet/fleet.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { Platform } from '../../platform/platform.ts';
import { type Database, plainText } from '../../platform/storage/storage.ts';
import type { StartedHost } from '../ahead.ts';
import type { Profiles } from '../profiles/profiles.ts';
import { createTraffic } from '../traffic/traffic.ts';
import { createAdmission } from './admission.ts';
import type { Billing } from './billing.ts';
import { type BrowserHost, checkKeepsProfiles, checkShowsWindows, type HostOptions, openHost } from './host.ts';
import { createPageNotes } from './page-notes.ts';
import { createSession, type Session } from './session.ts';
import type { SessionRow, SessionStatus, SessionTable } from './session-table.ts';
import { createElsewhere, listedSession } from './shown-sessions.ts';
import { createSpares } from './spares.ts';

/** All browser sessions of the service. */
export type Sessions = ReturnType<typeof createSessions>;

/** What is done when a session starts. */
export interface StartSteps {
  /** Narrows what its browser may connect to. */
  policy?: AddressPolicy | undefined;
  /** Sets its browser up. */
  prepare?: ((host: BrowserHost) => Promise<void>) | undefined;
  /** Stores what belongs to it, in the transaction that stores the session. */
  store(sessionId: string, tx: Database): Promise<void>;
}

export interface SessionsOptions extends Pick<Platform, 'database' | 'clock' | 'log' | 'capabilities' | 'activity'> {
  hosts: HostOptions;
  table: SessionTable;
  /** Returns the service's origin in links, such as `http://127.0.0.1:PORT`. */
  origin(): string;
  profiles: Profiles;
  billing: Billing;
  maxSessions: number;
  /** The nodes that share the database, of which this is one. */
  fleet: Pick<Fleet, 'id' | 'nodes' | 'checkAccepts' | 'claim'> | undefined;
  spareBrowsers: number;
  /** How many spare browsers the machine has room for. */
  mostSpares: number;
  /** What was started of the first spare browser while the service was loaded. */
  ahead?: StartedHost | undefined;
  /** Whether jobs run, which a starting browser would slow down. */
  isBusy(): boolean;
  onRunEvent(team: string, event: RunEvent): void;
  onChange(team: string, sessionId: string, reason: string): void;
  /** Called when one can't be created. */
  onFailed(): void;
  /** Called when a person takes or releases control of a session in a live view. */
  onControl(team: string, sessionId: string, controlled: boolean): void;
  /** Called when a session has ended. */
  onEnd(sessionId: string): void;
}

/** How long to wait before a start that failed is removed again. */
const abandonRetryMs = 30_000;
/** How often a node of a fleet stores when its sessions were last used. */
const activityMs = 5_000;

export function createSessions(options: SessionsOptions) {
  const { database, table, clock, log, maxSessions, fleet } = options;
  const running = new Map<string, Session>();
  /** How many sessions are starting. */
  let starting = 0;
  let stopping = false;
  const elsewhere = createElsewhere(fleet, options.origin);
  const admission = createAdmission({ database, table, billing: options.billing, maxSessions, fleet });
  const pageNotes = createPageNotes(table.setPages, { clock, log });
  const ahead = options.ahead ? [options.ahead] : [];
  const spares = createSpares({
    count: options.spareBrowsers,
    most: Math.max(options.spareBrowsers, Math.min(maxSessions, options.mostSpares)),
    open: () => openHost(options.hosts, { started: ahead.pop() }),
    isBusy: options.isBusy,
    isUsed: () => running.size + starting > 0,
    clock,
    log,
  });
  if (options.ahead) spares.fill();

  /** When each session was last used, as far as that is stored. */
  const storedActivity = new WeakMap<Session, number>();

  /** Stores when sessions were last used, for the nodes that list them, and bill them if this one is gone. Never rejects. */
  async function storeActivity(): Promise<void> {
    if (stopping) return;
    const used = [...running.values()].flatMap((session) => {
      const { id, lastActivityAt, ended } = session;
      return ended || storedActivity.get(session) === lastActivityAt ? [] : { session, id, lastActivityAt };
    });
    try {
      if (used.length > 0) await table.setActivity(used);
      for (const { session, lastActivityAt } of used) storedActivity.set(session, lastActivityAt);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, "when sessions were last used couldn't be stored");
    }
    clock.after(activityMs, () => void storeActivity());
  }
  if (fleet) void storeActivity();

  /** Abandons a start, and ends the session if it may have been stored. */
  async function abandon(id: string): Promise<void> {
    try {
      await transaction(database, async (tx) => {
        await table.removeStart(id, tx);
        await table.abandon(id, clock.now(), tx);
      });
    } catch (error) {
      log.warn({ session: id, reason: messageOf(error) }, "a start that failed couldn't be removed");
      clock.after(abandonRetryMs, () => void abandon(id));
    }
  }

  async function add(
    id: string,
    caller: Caller,
    body: CreateSessionBody,
    host: BrowserHost,
    store: StartSteps['store'],
  ): Promise<Session> {
    const traffic = createTraffic(host.relay, caller.team, clock, log);
    // Others begin to record when a person or a program first looks. A session that is stored can be ended at once.
    if (caller.agent !== undefined) {
      await traffic
        .begin()
        .catch((error: unknown) =>
          log.warn({ session: id, reason: messageOf(error) }, 'a session is not recorded yet'),
        );
    }
    const now = clock.now();
    await transaction(database, async (tx) => {
      await fleet?.claim(tx);
      await table.removeStart(id, tx);
      await table.insert(
        {
          id,
          team: caller.team,
          key_label: caller.keyLabel,
          status: 'active',
          ttl: body.ttl,
          activity_ttl: body.activityTtl,
          stream_web_view: Number(body.streamWebView),
          profile_name: body.profile ? plainText(body.profile.name) : null,
          profile_save: body.profile ? Number(body.profile.saveChanges) : null,
          created_at: now,
          last_activity_at: now,
          expires_at: now + body.ttl * 1000,
          downloads: host.downloads,
          agent: caller.agent ? plainText(caller.agent) : null,
          node: fleet?.id ?? null,
        },
        tx,
      );
      await store(id, tx);
    });
    const session = createSession({
      ...options,
      id,
      caller,
      body,
      createdAt: now,
      host,
      traffic,
      pageNotes,
      onChange: (reason) => options.onChange(caller.team, id, reason),
      onEnd: () => {
        running.delete(id);
        options.onEnd(id);
      },
      isStopping: () => stopping,
    });
    running.set(id, session);
    log.info({ session: id, ttl: body.ttl }, 'a session started');
    options.onChange(caller.team, id, 'created');
    return session;
  }

  async function tryStart(caller: Caller, body: CreateSessionBody, { policy, prepare, store }: StartSteps) {
    if (body.profile) checkKeepsProfiles(options.hosts.provider);
    if (body.headed) checkShowsWindows(options.hosts);
    fleet?.checkAccepts();
    const id = randomUUID();
    starting++;
    try {
      await admission.admit({ id, team: caller.team, ttl: body.ttl });
      const profile = body.profile && (await options.profiles.open(caller.team, body.profile));
      const isPlain = !profile && !policy && !body.headed;
      const spare = isPlain ? await spares.take() : undefined;
      const host = spare ?? (await openHost(options.hosts, { profile, policy, headed: body.headed }));
      try {
        await prepare?.(host);
        return await add(id, caller, body, host, store);
      } catch (error) {
        await host.close();
        throw error;
      }
    } catch (error) {
      await abandon(id);
      throw error;
    } finally {
      starting--;
    }
  }

  /** Starts a session. If `prepare` or `store` fails, no session is created. */
  const start: typeof tryStart = (...args) =>
    tryStart(...args).catch((error: unknown) => {
      options.onFailed();
      throw error;
    });

  async function owned(caller: Caller, id: string): Promise<SessionRow> {
    const row = await table.find(id);
    if (!row) throw new ServiceError(404, 'Browser session not found.');
    if (row.team !== caller.team) throw new ServiceError(403, 'Forbidden.');
    return row;
  }

  /** Returns the running session with this ID. Throws 404, 403 or 410. */
  async function live(caller: Caller, id: string): Promise<Session> {
    const session = running.get(id);
    // Without a query, so that runs are queued in the order of their requests.
    if (session && !session.expired && !session.endStored) {
      if (session.team !== caller.team) throw new ServiceError(403, 'Forbidden.');
      return session;
    }
    const row = await owned(caller, id);
    elsewhere.check(row);
    session?.end('expired').catch(() => undefined);
    const reason = session ? session.ended?.reason : row.end_reason;
    throw destroyed(reason);
  }

  async function prolong(session: Session, life: RenewedLife): Promise<Session> {
    await admission.prolong(
      { id: session.id, team: session.team, lifetime: session.age + life.ttl },
      { activityTtl: life.activityTtl ?? session.activityTtl, expiresAt: session.expiryWith(life.ttl) },
    );
    // It may have ended meanwhile.
    if (!session.renew(life)) throw destroyed(session.ended?.reason);
    return session;
  }

  return {
    start,
    live,
    /** @param signal aborts if the caller won't learn of the session, which then ends */
    async create(caller: Caller, body: CreateSessionBody, signal?: AbortSignal): Promise<CreatedSession> {
      const session = await start(caller, body, {
        store: (id, tx) =>
          options.activity.record({ id, team: caller.team, endpoint: 'browser', target: 'Browser session' }, tx),
      });
      const isStopping = signal?.reason instanceof ServiceError && signal.reason.status === 503;
      const reason = isStopping ? 'the service stopped' : 'its caller disconnected or canceled the request';
      // A failure is logged, and tried again.
      if (signal?.aborted) session.end(reason).catch(() => undefined);
      return {
        success: true,
        id: session.id,
        cdpUrl: session.cdpUrl,
        liveViewUrl: session.liveViewUrl,
        interactiveLiveViewUrl: session.interactiveLiveViewUrl,
        expiresAt: new Date(session.expiresAt).toISOString(),
      };
    },
    async list(caller: Caller, status?: SessionStatus): Promise<ListedSession[]> {
      await Promise.all([...running.values()].map((session) => session.endStored));
      const rows = await table.list(caller.team, status);
      const shownElsewhere = await elsewhere.shown(rows);
      const sessions = rows.map((row) => listedSession(row, running.get(row.id) ?? shownElsewhere(row)));
      return status ? sessions.filter((session) => session.status === status) : sessions;
    },
    /** Whether this node runs a session. */
    isHere: (id: string): boolean => running.has(id),
    /** Whether a session is open or starting. */
    busy: (): boolean => running.size + starting > 0,
    /** Keeps a session open for longer. Throws 402 if the credits don't cover it, and as `live` does. */
    renew: async (caller: Caller, id: string, life: RenewedLife): Promise<Session> =>
      await prolong(await live(caller, id), life),
    /** Keeps the sessions that windows keep open for so long without them, also if nothing is done in them. */
    async keep(ttl: number): Promise<void> {
      const kept = [...running.values()].filter((session) => session.renewed);
      await Promise.all(
        kept.map((session) => {
          const activityTtl = Math.max(session.activityTtl, ttl);
          return prolong(session, { ttl, activityTtl, once: false }).catch((error: unknown) =>
            log.warn({ session: session.id, reason: messageOf(error) }, "a session couldn't be kept without a window"),
          );
        }),
      );
    },
    /** Ends a session, if it hasn't ended, and returns its duration and credits. Throws 404 or 403. */
    async destroy(caller: Caller, id: string): Promise<DeletedSession> {
      elsewhere.check(await owned(caller, id));
      await running.get(id)?.end('destroyed by request');
      const { duration_ms, credits_billed } = await owned(caller, id);
      return { success: true, sessionDurationMs: duration_ms ?? 0, creditsBilled: credits_billed ?? 0 };
    },
    /** Opens spare browsers, because one may be needed soon. */
    warm: (): void => spares.fill(),
    /** Ends all sessions and closes spare browsers. */
    async close(): Promise<void> {
      stopping = true;
      await Promise.all([
        spares.close(),
        ...[...running.values()].map((session) => session.end('the service stopped').catch(() => undefined)),
      ]);
      await pageNotes.close();
    },
  };
}

function destroyed(reason: string | null | undefined): ServiceError {
  return new ServiceError(410, `Browser session has been destroyed${reason ? `: ${reason}` : ''}.`);
}
