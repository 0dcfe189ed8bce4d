import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endpoints } from '../../../contract/endpoints.ts';
import { decoded, jsonIn } from '../../../contract/lenient-texts.ts';
import { mcpPath } from '../../../contract/mcp/mcp.ts';
import { headerValues } from '../../../contract/raw-headers.ts';
import { ServiceError } from '../errors.ts';
import { sessionOfPath } from '../http/capabilities.ts';
import type { Refusal } from '../http/guards.ts';
import { type Caller, callerSchema, digest } from '../http/keys.ts';
import type { Base } from '../platform.ts';
import type { Fleet, FleetNode } from './fleet.ts';
import { createForward } from './forward.ts';
import { createNodeWatch } from './node-watch.ts';
import { createOwners, unreachable } from './owners.ts';
import { pipeUpgrade } from './upgrade.ts';

export interface PeersParts extends Pick<Base, 'database' | 'clock'> {
  fleet: Fleet;
  /** Whether a session runs on this node. */
  isHere(sessionId: string): boolean;
}

/** A session runs on another node of the fleet. A request for it is forwarded there; other callers get this error. */
export class RunsElsewhere extends ServiceError {
  readonly node: string;

  constructor(node: string) {
    super(
      409,
      'This session runs on another node of the service, which this call cannot reach. Create a session instead.',
      { code: 'SESSION_ELSEWHERE' },
    );
    this.node = node;
  }
}

/** Header with the secret of the node that a request is forwarded to. */
export const nodeHeader = 'x-webdata-node';
/** Header with the caller of a forwarded request, as JSON. */
export const callerHeader = 'x-webdata-caller';

export type Peers = ReturnType<typeof createPeers>;

/** Forwards requests and sockets to the node that they are for, and accepts those that other nodes forward. */
export function createPeers({ fleet, database, clock, isHere }: PeersParts) {
  const owners = createOwners(database, fleet);
  const own = digest(fleet.secret);
  const headersFor = (node: FleetNode, caller: Caller | undefined) => ({
    [nodeHeader]: node.secret,
    [callerHeader]: encodeURIComponent(JSON.stringify(caller ?? null)),
  });
  const { watch } = createNodeWatch(fleet, clock);
  const forward = createForward({ headersFor, onUnreachable: (node) => owners.forget(node.id), watch });

  const others = (node: FleetNode | undefined) => (node?.id === fleet.id ? undefined : node);

  /** Returns the node that a request is for, unless it is this one. */
  async function targetOf(request: FastifyRequest, path: string): Promise<FleetNode | undefined> {
    const { sessionId, jobId } = (request.params ?? {}) as { sessionId?: string; jobId?: string };
    const session = sessionId ?? sessionOfPath(path);
    if (session !== undefined) return isHere(session) ? undefined : others(await owners.ofSession(session));
    const { url } = request.routeOptions;
    if (url === endpoints.interactWithScrape.path && jobId !== undefined) {
      const owner = await owners.ofScrape(jobId);
      if (owner) return others(owner);
    }
    const connection = path === mcpPath ? request.headers['mcp-session-id'] : undefined;
    if (connection !== undefined) return others(await owners.node(String(connection).split('.')[0] ?? ''));
    const startsWork = request.method === 'POST' && url !== undefined && (/^\/v2\//.test(url) || url === mcpPath);
    return fleet.isDraining() && startsWork ? await anyOther() : undefined;
  }

  /** Returns a node that takes new work, if there is another one. */
  async function anyOther(): Promise<FleetNode | undefined> {
    const accepting = (await fleet.nodes()).filter(({ id, draining }) => !draining && id !== fleet.id);
    return accepting[Math.floor(Math.random() * accepting.length)];
  }

  return {
    /** Returns the caller of a request that another node sent on (null for a page, which has none), or why it is refused; undefined for other requests. */
    receive(request: IncomingMessage): { caller: Caller | null } | Refusal | undefined {
      const given = headerValues(request, nodeHeader);
      if (given.length === 0) return undefined;
      if (given.length > 1 || !timingSafeEqual(digest(given[0] ?? ''), own)) {
        return {
          status: 421,
          error: `Only nodes of the service may send the header ${nodeHeader}. Remove it.`,
        };
      }
      const named = jsonIn(decoded(headerValues(request, callerHeader)[0] ?? 'null'));
      const { success, data } = callerSchema.nullable().safeParse(named);
      return success ? { caller: data } : { status: 400, error: `The header ${callerHeader} isn't valid.` };
    },
    /** Makes a server able to send requests on. */
    register: forward.register,
    /** Sends a request on if it is for another node, and returns whether it is. Throws a ServiceError if that node is dead. */
    async forward(request: FastifyRequest, reply: FastifyReply, path: string): Promise<boolean> {
      const node = await targetOf(request, path);
      if (node) forward.send(node, request, reply);
      return node !== undefined;
    },
    /** Sends a request on that failed because it is for another node, and returns whether it did. */
    async redirect(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
      if (!(error instanceof RunsElsewhere)) return false;
      const node = await owners.node(error.node);
      if (!node) throw unreachable();
      forward.send(node, request, reply);
      return true;
    },
    /** Connects a socket to the node that its path is for; `here` if that isn't another one. Returns why it is refused. Never rejects. */
    async upgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      path: string,
    ): Promise<Refusal | 'here' | undefined> {
      const session = sessionOfPath(path);
      if (session === undefined || isHere(session)) return 'here';
      let node: FleetNode | undefined;
      try {
        node = others(await owners.ofSession(session));
        if (!node && (await owners.hasEnded(session)))
          return { status: 410, error: 'The session of this URL has ended.' };
        if (!node) return 'here';
        const upstream = await pipeUpgrade(request, socket, head, node, { ...headersFor(node, undefined) });
        const endWatch = watch(node.id, () => upstream.destroy());
        if (upstream.destroyed) endWatch();
        else upstream.once('close', endWatch);
        return undefined;
      } catch (error) {
        if (error instanceof ServiceError) return { status: error.status, error: error.message };
        return { status: 503, error: unreachable(node).message };
      }
    },
  };
}
