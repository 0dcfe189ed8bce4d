import { ServiceError } from '../errors.ts';
import { keepLast } from '../maps.ts';
import type { Database } from '../storage/storage.ts';
import type { Fleet, FleetNode } from './fleet.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** How many sessions' nodes are remembered. */
const maxKnown = 10_000;

/** Finds the node that a session runs on. */
export function createOwners(database: Database, fleet: Pick<Fleet, 'find'>) {
  // Both never change while a session runs. They are remembered as promises, so that requests stay in order.
  const known = new Map<string, Promise<string | undefined>>();
  const nodes = new Map<string, Promise<FleetNode | undefined>>();

  function remembered<Value>(
    map: Map<string, Promise<Value | undefined>>,
    id: string,
    find: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    const existing = map.get(id);
    if (existing) return existing;
    const found = find();
    keepLast(map, id, found, maxKnown);
    const forgetIt = () => void map.delete(id);
    found.then((value) => value === undefined && forgetIt(), forgetIt);
    return found;
  }

  const stored = (session: string) =>
    database.selectFrom('browser_session').select(['node', 'ended_at']).where('id', '=', session).executeTakeFirst();

  async function nodeIdOf(session: string): Promise<string | undefined> {
    const row = await stored(session);
    return row?.ended_at === null ? (row.node ?? undefined) : undefined;
  }

  const node = (id: string) => remembered(nodes, id, () => fleet.find(id));

  /** Returns the node that runs a session; undefined if none does. Throws 503 if that node is gone. */
  async function ofSession(id: string): Promise<FleetNode | undefined> {
    if (!uuid.test(id)) return undefined;
    const nodeId = await remembered(known, id, () => nodeIdOf(id));
    if (nodeId === undefined) return undefined;
    const owner = await node(nodeId);
    if (owner) return owner;
    known.delete(id);
    throw unreachable();
  }

  return {
    ofSession,
    /** Returns the node that runs the session in which the page of a scrape continues. Throws 503 if that node is gone. */
    async ofScrape(jobId: string): Promise<FleetNode | undefined> {
      if (!uuid.test(jobId)) return undefined;
      const row = await database
        .selectFrom('interaction')
        .select('session_id')
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      return row && (await ofSession(row.session_id));
    },
    /** Whether a session with this ID has ended. */
    async hasEnded(id: string): Promise<boolean> {
      const row = uuid.test(id) ? await stored(id) : undefined;
      return row !== undefined && row.ended_at !== null;
    },
    /** Returns a live node. */
    node: async (id: string): Promise<FleetNode | undefined> => (uuid.test(id) ? await node(id) : undefined),
    /** Forgets what is known about a node that couldn't be reached, so that the database is asked again. */
    forget(id: string): void {
      nodes.delete(id);
      known.clear();
    },
  };
}

/** Returns what to call a node in a message: its host and port. */
export function nodeName({ url }: Pick<FleetNode, 'url'>): string {
  return new URL(url).host;
}

/** The error for a request to a node that doesn't answer, or is gone. */
export function unreachable(node?: Pick<FleetNode, 'url'>, cause?: unknown): ServiceError {
  const which = node ? `The node ${nodeName(node)}, which this request is for,` : 'The node that this request is for';
  return new ServiceError(
    503,
    `${which} can't be reached. Send the request again. If the node isn't back within 15 seconds, its sessions end: create a new one.`,
    { code: 'NODE_UNREACHABLE', cause },
  );
}
