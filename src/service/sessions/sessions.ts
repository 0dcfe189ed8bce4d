import { randomUUID } from 'node:crypto';
import type { RunEvent } from '../../contract/embedded.ts';
import type { CreatedSession, CreateSessionBody, DeletedSession, ListedSession } from '../../contract/sessions.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { Caller } from '../http/keys.ts';
import type { Log } from '../log.ts';
import type { OpenProfile, ProfileSummary, Profiles } from '../profiles/profiles.ts';
import type { Activity } from '../team/activity.ts';
import type { Billing } from './billing.ts';
import { type BrowserHost, type HostOptions, openHost } from './host.ts';
import { createSession, type RenewedLife, type Session } from './session.ts';
import type { SessionRow, SessionStatus, SessionTable } from './session-table.ts';
import { createSpares } from './spares.ts';

/** All browser sessions of the service. */
export interface Sessions {
  create(caller: Caller, body: CreateSessionBody): Promise<CreatedSession>;
  /** Starts a session on a browser that `prepare` has set up. If `prepare` fails, no session is created. */
  start(caller: Caller, body: CreateSessionBody, prepare?: (host: BrowserHost) => Promise<void>): Promise<Session>;
  list(caller: Caller, status?: SessionStatus): ListedSession[];
  /** Returns the running session with this ID. Throws 404, 403 or 410. */
  live(caller: Caller, id: string): Session;
  /** Keeps a session open for longer. Throws 402 if the credits don't cover it, and as `live` does. */
  renew(caller: Caller, id: string, life: RenewedLife): Session;
  /** Ends a session, if it hasn't ended, and returns its duration and credits. Throws 404 or 403. */
  destroy(caller: Caller, id: string): Promise<DeletedSession>;
  /** Lists the team's saved profiles. */
  profiles(caller: Caller): Promise<ProfileSummary[]>;
  /** Whether a session is open or starting. */
  busy(): boolean;
  /** Starts opening spare browsers. */
  warm(): void;
  /** Ends all sessions and closes spare browsers. */
  close(): Promise<void>;
}

export interface SessionsOptions {
  hosts: HostOptions;
  table: SessionTable;
  capabilities: Capabilities;
  profiles: Profiles;
  billing: Billing;
  activity: Activity;
  clock: Clock;
  log: Log;
  maxSessions: number;
  spareBrowsers: number;
  onRunEvent(team: string, event: RunEvent): void;
  onChange(team: string, sessionId: string, reason: string): void;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { table, clock, log, maxSessions } = options;
  const running = new Map<string, Session>();
  /** The ttls of sessions that are starting, by team: they count toward its limits. */
  const starting = new Map<string, number[]>();
  const open = (profile?: OpenProfile) => openHost(options.hosts, profile);
  const spares = createSpares({ count: options.spareBrowsers, open: () => open(), clock, log });

  function lifetimes(team: string, except?: Session): number[] {
    return [...running.values()]
      .filter((session) => session.team === team && session !== except)
      .map((session) => session.lifetime);
  }

  function reserve(team: string, ttl: number): () => void {
    const ttls = lifetimes(team);
    const reserved = starting.get(team) ?? [];
    options.billing.require(team, ttl, [...ttls, ...reserved]);
    if (ttls.length + reserved.length >= maxSessions) {
      throw new ServiceError(
        429,
        `You have reached the maximum number of concurrent browser sessions (${maxSessions}). Destroy one, or start the service with a higher --max-sessions.`,
        { code: 'TOO_MANY_SESSIONS' },
      );
    }
    starting.set(team, [...reserved, ttl]);
    return () => {
      const left = starting.get(team) ?? [];
      starting.set(team, left.toSpliced(left.indexOf(ttl), 1));
    };
  }

  function add(caller: Caller, body: CreateSessionBody, host: BrowserHost): Session {
    const id = randomUUID();
    const now = clock.now();
    table.insert({
      id,
      team: caller.team,
      key_label: caller.keyLabel,
      status: 'active',
      ttl: body.ttl,
      activity_ttl: body.activityTtl,
      stream_web_view: Number(body.streamWebView),
      profile_name: body.profile?.name ?? null,
      profile_save: body.profile ? Number(body.profile.saveChanges) : null,
      created_at: now,
      last_activity_at: now,
      downloads: host.downloads,
    });
    const session = createSession({
      id,
      caller,
      ttl: body.ttl,
      activityTtl: body.activityTtl,
      saveProfile: body.profile?.saveChanges ?? false,
      streamWebView: body.streamWebView,
      host,
      table,
      billing: options.billing,
      capabilities: options.capabilities,
      clock,
      log,
      socketOrigin: options.hosts.socketOrigin,
      onRunEvent: (event) => options.onRunEvent(caller.team, event),
      onChange: (reason) => options.onChange(caller.team, id, reason),
      onEnd: () => running.delete(id),
    });
    running.set(id, session);
    log.info({ session: id, ttl: body.ttl }, 'a session started');
    options.onChange(caller.team, id, 'created');
    return session;
  }

  async function start(
    caller: Caller,
    body: CreateSessionBody,
    prepare?: (host: BrowserHost) => Promise<void>,
  ): Promise<Session> {
    if (body.profile && !options.hosts.provider.keepsProfiles) {
      throw new ServiceError(
        400,
        'Profiles need a separate browser for each session, but the --browser-endpoint of this service is one shared browser. Omit profile, or use an endpoint that opens a browser for each connection.',
        { code: 'PROFILES_NEED_OWN_BROWSER' },
      );
    }
    const release = reserve(caller.team, body.ttl);
    try {
      const host = body.profile
        ? await open(options.profiles.open(caller.team, body.profile))
        : (spares.take() ?? (await open()));
      try {
        await prepare?.(host);
      } catch (error) {
        await host.close();
        throw error;
      }
      return add(caller, body, host);
    } finally {
      release();
    }
  }

  function owned(caller: Caller, id: string): SessionRow {
    const row = table.find(id);
    if (!row) throw new ServiceError(404, 'Browser session not found.');
    if (row.team !== caller.team) throw new ServiceError(403, 'Forbidden.');
    return row;
  }

  function live(caller: Caller, id: string): Session {
    const row = owned(caller, id);
    const session = running.get(id);
    if (session && !session.expired) return session;
    session?.end('expired').catch(() => undefined);
    const reason = row.end_reason ?? (session ? 'expired' : undefined);
    throw new ServiceError(410, `Browser session has been destroyed${reason ? `: ${reason}` : ''}.`);
  }

  return {
    start,
    live,
    async create(caller, body) {
      const session = await start(caller, body);
      options.activity.record({ id: session.id, team: caller.team, endpoint: 'browser', target: 'Browser session' });
      return {
        success: true,
        id: session.id,
        cdpUrl: session.cdpUrl,
        liveViewUrl: session.liveViewUrl,
        interactiveLiveViewUrl: session.interactiveLiveViewUrl,
        expiresAt: new Date(session.expiresAt).toISOString(),
      };
    },
    list: (caller, status) => table.list(caller.team, status).map((row) => listed(row, running.get(row.id))),
    busy: () => running.size > 0 || [...starting.values()].some((ttls) => ttls.length > 0),
    renew(caller, id, life) {
      const session = live(caller, id);
      options.billing.require(caller.team, session.age + life.ttl, [
        ...lifetimes(caller.team, session),
        ...(starting.get(caller.team) ?? []),
      ]);
      session.renew(life);
      return session;
    },
    async destroy(caller, id) {
      owned(caller, id);
      await running.get(id)?.end('destroyed by request');
      const { duration_ms, credits_billed } = owned(caller, id);
      return { success: true, sessionDurationMs: duration_ms ?? 0, creditsBilled: credits_billed ?? 0 };
    },
    profiles: ({ team }) => options.profiles.list(team),
    warm: () => spares.fill(),
    async close() {
      await Promise.all([
        spares.close(),
        ...[...running.values()].map((session) => session.end('the service stopped').catch(() => undefined)),
      ]);
    },
  };
}

function listed(row: SessionRow, session: Session | undefined): ListedSession {
  const date = (at: number) => new Date(at).toISOString();
  return {
    id: row.id,
    status: row.status,
    cdpUrl: session?.cdpUrl ?? '',
    liveViewUrl: session?.liveViewUrl ?? '',
    interactiveLiveViewUrl: session?.interactiveLiveViewUrl ?? '',
    streamWebView: row.stream_web_view === 1,
    createdAt: date(row.created_at),
    lastActivity: date(session?.lastActivityAt ?? row.last_activity_at),
    expiresAt: date(session?.expiresAt ?? Math.max(row.created_at + row.ttl * 1000, row.ended_at ?? 0)),
    ttl: row.ttl,
    activityTtl: row.activity_ttl,
    ...(session?.renewed && { renewed: true }),
    ...(row.downloads !== null && { downloads: row.downloads }),
    ...(row.profile_name !== null && { profile: { name: row.profile_name, saveChanges: row.profile_save === 1 } }),
    ...(row.page_url && { page: { url: row.page_url, title: row.page_title } }),
    ...(row.ended_at !== null && { endedAt: date(row.ended_at), endReason: row.end_reason }),
  };
}
