import type { ListedSession } from '../../contract/sessions.ts';

/** A browser session as this window knows it; times are milliseconds since 1970, undefined where the server says nothing. */
export interface SessionInfo {
  id: string;
  shortId: string;
  /** Its profile, else the host of its page. */
  name: string | undefined;
  /** `active`, `destroyed`, `error`, or whatever else the server says. */
  status: string;
  createdAt: number | undefined;
  expiresAt: number | undefined;
  endedAt: number | undefined;
  endReason: string | undefined;
  cdpUrl: string | undefined;
  liveViewUrl: string | undefined;
  interactiveLiveViewUrl: string | undefined;
  pageUrl: string | undefined;
  pageTitle: string | undefined;
  profile: string | undefined;
  /** Whether what it changes is saved to its profile. */
  saveChanges: boolean | undefined;
  /** When it ends if nobody uses it any more; undefined where the server does not say when it was last used. */
  idleAt: number | undefined;
  /** All that the server listed of it, else what it was created with. */
  details: ListedSession | undefined;
}

/** Whether it can still be used. */
export function isActive(session: SessionInfo): boolean {
  return session.status === 'active';
}
