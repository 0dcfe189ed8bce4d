import type { Fleet } from '../../platform/fleet/fleet.ts';
import { RunsElsewhere } from '../../platform/fleet/peers.ts';
import { socketUrl } from '../../platform/http/address.ts';
import { type CapabilityName, capabilityPath, sessionCapabilities } from '../../platform/http/capabilities.ts';
import type { ShownSession } from './listed-session.ts';
import type { SessionRow } from './session-table.ts';

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
