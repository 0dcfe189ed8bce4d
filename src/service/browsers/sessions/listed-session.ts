import type { ListedSession } from '../../../contract/sessions/sessions.ts';
import type { Session } from './session.ts';
import type { SessionRow } from './session-table.ts';

/** What a list shows of a session that runs. */
export type ShownSession = Pick<
  Session,
  'cdpUrl' | 'liveViewUrl' | 'interactiveLiveViewUrl' | 'expiresAt' | 'lastActivityAt'
> &
  Partial<Pick<Session, 'renewed' | 'ended'>>;

/** Returns a session as lists show it. @param session what is known of it if it runs */
export function listedSession(row: SessionRow, session: ShownSession | undefined): ListedSession {
  const date = (at: number) => new Date(at).toISOString();
  // Its end may not be stored yet.
  const ended = session?.ended;
  const open = ended ? undefined : session;
  return {
    id: row.id,
    status: row.status,
    cdpUrl: open?.cdpUrl ?? '',
    liveViewUrl: open?.liveViewUrl ?? '',
    interactiveLiveViewUrl: open?.interactiveLiveViewUrl ?? '',
    streamWebView: row.stream_web_view === 1,
    createdAt: date(row.created_at),
    lastActivity: date(session?.lastActivityAt ?? row.last_activity_at),
    expiresAt: date(session?.expiresAt ?? Math.max(row.created_at + row.ttl * 1000, row.ended_at ?? 0)),
    ttl: row.ttl,
    activityTtl: row.activity_ttl,
    ...(session?.renewed && { renewed: true }),
    ...(row.agent !== null && { agent: row.agent }),
    ...(row.downloads !== null && { downloads: row.downloads }),
    ...(row.profile_name !== null && { profile: { name: row.profile_name, saveChanges: row.profile_save === 1 } }),
    ...(row.page_url && { page: { url: row.page_url, title: row.page_title } }),
    ...(row.ended_at !== null && { endedAt: date(row.ended_at), endReason: row.end_reason }),
    ...(ended && { status: ended.status, endedAt: date(ended.endedAt), endReason: ended.reason }),
  };
}
