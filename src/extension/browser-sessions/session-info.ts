import { renewedActivityTtl } from '../../contract/limits.ts';
import type { ListedSession } from '../../contract/sessions/sessions.ts';
import type { NamedSession } from '../ui/session-mark.ts';

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
