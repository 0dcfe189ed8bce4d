import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors.ts';
import { createPool } from '../pool.ts';
import { createHoldings } from '../turns.ts';
import type { Refusal } from './guards.ts';
import { largeBody } from './large-bodies.ts';

/** Whose connections are counted. */
export interface Owner {
  kind: keyof typeof limitsOf;
  id: string;
}

const limitsOf = {
  team: 'the limit of your team',
  windows: "the limit of your team's windows",
  session: 'the limit of this session',
} as const;

/** Counts what is in use until it is closed, and returns why there can't be more of an owner, if so. */
export type Count = (
  owner: Owner,
  most: number,
  used: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown },
) => Refusal | undefined;

export function createCount(): Count {
  const inUse = createHoldings();
  return ({ kind, id }, most, used) => {
    const owner = `${kind} ${id}`;
    // Its client left while its key was looked up.
    if (used.closed) return undefined;
    if (inUse.of(owner) >= most)
      return {
        status: 429,
        error: `Too many connections at the same time: ${limitsOf[kind]} is ${most}. Try again when some have ended.`,
        retryAfter: 1,
      };
    inUse.change(owner, 1);
    used.once('close', () => inUse.change(owner, -1));
    return undefined;
  };
}

/** Requests with large bodies that are read or answered at the same time, and how many more may be, one for each team that has none. */
const [mostLarge, largeShares] = [32, 8];

/** Leaves the bodies of further requests to their senders: they would fill the memory. */
export function limitLargeBodies(app: FastifyInstance): void {
  const pool = createPool(mostLarge, largeShares);
  app.addHook('preParsing', async (request, reply) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    // Files have a limit of their own.
    if ((encoding === undefined && Number(length) <= largeBody) || request.isMultipart()) return;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort(new ServiceError(499, 'The caller disconnected.')));
    const release = await pool.acquire(request.caller.team, gone.signal);
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
  });
}
