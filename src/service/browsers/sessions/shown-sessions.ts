import type { ListedSession } from '../../../contract/sessions/sessions.ts';
import type { Fleet } from '../../platform/fleet/fleet.ts';
import { RunsElsewhere } from '../../platform/fleet/peers.ts';
import { socketUrl } from '../../platform/http/address.ts';
import { type CapabilityName, capabilityPath, sessionCapabilities } from '../../platform/http/capabilities.ts';
import type { Session } from './session.ts';
import type { SessionRow } from './session-table.ts';

/** What a list shows of a session that runs. */
export type ShownSession = Pick<
  Session,
  'cdpUrl' | 'liveViewUrl' | 'interactiveLiveViewUrl' | 'expiresAt' | 'lastActivityAt'
> &
  Partial<Pick<Session, 'renewed' | 'ended'>>;

/** @param origin returns the service's origin in links */
export function createElsewhere(fleet: Pick<Fleet, 'id' | 'nodes'> | undefined, origin: () => string) {
  const nodeOf = ({ node, ended_at }: SessionRow) =>
    fleet === undefined || ended_at !== null || node === fleet.id ? null : node;
  return {
    /** Throws if a session runs on another node. */
    check(row: SessionRow): void {
      const node = nodeOf(row);
      if (node !== null) throw new RunsElsewhere(node);
    },
    /** Returns a function that returns what to show of a session that runs on another node. */
    async shown(rows: readonly SessionRow[]): Promise<(row: SessionRow) => ShownSession | undefined> {
      const nodes = fleet && rows.some((row) => nodeOf(row) !== null) ? await fleet.nodes() : [];
      const secrets = new Map(nodes.map(({ id, secret }) => [id, secret]));
      return (row) => {
        const secret = secrets.get(nodeOf(row) ?? '');
        if (secret === undefined) return undefined;
        const { cdp, watch, control } = sessionCapabilities(row.id);
        const liveView = (name: CapabilityName) =>
          row.stream_web_view === 1 ? origin() + capabilityPath(secret, name) : '';
        return {
          cdpUrl: socketUrl(origin()) + capabilityPath(secret, cdp),
          liveViewUrl: liveView(watch),
          interactiveLiveViewUrl: liveView(control),
          expiresAt: row.expires_at ?? row.created_at + row.ttl * 1000,
          lastActivityAt: row.last_activity_at,
        };
      };
    },
  };
}

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
