import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { messageOf, ServiceError } from '../errors.ts';
import type { Base } from '../platform.ts';
import type { Database } from '../storage/storage.ts';

/** The nodes that share one PostgreSQL database, from the point of view of this one. */
export type Fleet = ReturnType<typeof createFleet>;

export interface FleetNode {
  id: string;
  /** Where the other nodes reach it. */
  url: string;
  /** What they identify themselves with. Never log or show it. */
  secret: string;
  draining: boolean;
}

export interface FleetOptions extends Pick<Base, 'database' | 'clock' | 'log'> {
  /** Identifies the data directory, which one service at a time can use. */
  home: string;
  version: string;
  timings?: FleetTimings | undefined;
  /** Called when this node must stop: the others have taken over its work, or its clock is wrong. */
  onExcluded(reason: string): void;
}

/**
 * Returns what identifies a data directory, and stays the same as long as it exists. Two machines may have copies of one
 * directory, so the machine's name is part of it.
 */
export function homeOf(dataDir: string): string {
  const path = join(dataDir, 'node-id');
  if (!existsSync(path)) writeFileSync(path, randomUUID(), { mode: 0o600 });
  return `${hostname()}/${readFileSync(path, 'utf8')}`;
}

/** How nodes detect that one is dead, in milliseconds. */
export interface FleetTimings {
  /** Interval of heartbeats. */
  beatMs: number;
  /** How long a node works without a heartbeat, and when the others declare it dead. The difference covers slow statements. */
  leaseMs: number;
  deadMs: number;
}

const defaultTimings: FleetTimings = { beatMs: 2_000, leaseMs: 8_000, deadMs: 15_000 };
export const { leaseMs } = defaultTimings;

const notTakenOver = 'the work of a node that is gone could not be taken over: trying again';

/** The database's clock, in milliseconds, since those of the nodes may differ. */
const databaseNow = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** How far a node's clock may be from the database's, in milliseconds: at its start, and later, when it may be the database that has moved. */
const mostOff = { first: 60_000, later: 60 * 60_000 };

/** Returns how the clock of this machine differs from the database's, which was read after `before`, if by more than `most`. */
function clockProblem(clock: Clock, before: number, databaseTime: number, most: number): string | undefined {
  const ahead = before - databaseTime;
  const behind = databaseTime - clock.now();
  if (Math.max(ahead, behind) <= most) return undefined;
  const seconds = Math.round(Math.max(ahead, behind) / 1000);
  return `the clock of this machine, ${hostname()}, is ${seconds} seconds ${ahead > 0 ? 'ahead of' : 'behind'} that of the database: set both to the right time, such as with NTP`;
}

/** Throws if the clock of this machine is wrong: this node would delete jobs of all nodes that haven't expired, or keep those that have. */
export async function checkClock({ database, clock }: Pick<FleetOptions, 'database' | 'clock'>): Promise<void> {
  const before = clock.now();
  const { rows } = await sql<{ now: number }>`SELECT ${databaseNow} AS now`.execute(database);
  const problem = clockProblem(clock, before, rows[0]?.now ?? before, mostOff.first);
  if (problem) throw new Error(`A node can't join the others: ${problem}.`);
}

export function createFleet({
  database,
  home,
  version,
  clock,
  log,
  timings: { beatMs, leaseMs, deadMs } = defaultTimings,
  onExcluded,
}: FleetOptions) {
  const id: string = randomUUID();
  const secret = randomBytes(32).toString('base64url');
  const takers: ((node: string) => Promise<void>)[] = [];
  const listeners: ((active: boolean) => void)[] = [];
  /** When the last stored heartbeat was sent, and since when none has been late. On the monotonic clock. */
  let beatAt = Number.NEGATIVE_INFINITY;
  let steadySince = Number.POSITIVE_INFINITY;
  let active = false;
  let left = false;
  let draining = false;
  let takingOver = false;
  let cancelTimer = () => {};

  const isActive = () => !left && clock.monotonic() - beatAt < leaseMs;

  function noteActive(): void {
    if (isActive() === active) return;
    active = !active;
    if (!active && !left) log.error('the database could not be reached for too long: this node stops its jobs');
    for (const listener of listeners) listener(active);
  }

  /** Stores a heartbeat. Returns why this node must stop, if so. */
  async function beat(): Promise<string | undefined> {
    const before = clock.now();
    const sentAt = clock.monotonic();
    const stored = await database
      .updateTable('node')
      .set({ beat_at: databaseNow, ...(draining && { draining: 1 }) })
      .where('id', '=', id)
      .where('dead', '=', 0)
      .returning('beat_at')
      .executeTakeFirst();
    if (!stored) return 'the other nodes took over, since this one could not reach the database for too long';
    // The heartbeats of the others may have waited for the database as long as this one.
    const storedAt = clock.monotonic();
    if (storedAt - beatAt > leaseMs) steadySince = storedAt;
    beatAt = sentAt;
    return clockProblem(clock, before, stored.beat_at, mostOff.later);
  }

  /** Declares nodes dead, and takes over what they leave. Never rejects. */
  async function takeOver(): Promise<void> {
    if (takingOver) return;
    takingOver = true;
    try {
      // After an outage of the database, the others need time to send heartbeats.
      if (clock.monotonic() - steadySince > deadMs) await declareDead();
      await takeOverDead();
    } catch (error) {
      if (!left) log.warn({ reason: messageOf(error) }, notTakenOver);
    } finally {
      takingOver = false;
    }
  }

  async function declareDead(): Promise<void> {
    // One whose transaction is still open is next time's: waiting for it would hold up the others too.
    const { rows } = await sql<{ id: string }>`
      UPDATE node SET dead = 1 WHERE id IN (
        SELECT id FROM node WHERE dead = 0 AND id <> ${id} AND beat_at < ${databaseNow} - ${deadMs}
        FOR NO KEY UPDATE SKIP LOCKED
      ) RETURNING id`.execute(database);
    for (const { id: node } of rows) log.warn({ node }, 'a node sends no more heartbeats: taking over its work');
  }

  async function takeOverDead(): Promise<void> {
    const dead = await database.selectFrom('node').select('id').where('dead', '=', 1).execute();
    for (const { id: node } of dead) {
      try {
        for (const taker of takers) await taker(node);
        await database.deleteFrom('node').where('id', '=', node).execute();
      } catch (error) {
        if (!left) log.warn({ node, reason: messageOf(error) }, notTakenOver);
      }
    }
  }

  async function turn(): Promise<void> {
    try {
      const reason = await beat();
      if (reason !== undefined) {
        if (!left) onExcluded(reason);
        return;
      }
      noteActive();
      // It may take long, and heartbeats can't wait for it.
      void takeOver();
    } catch (error) {
      if (left) return;
      log.warn({ reason: messageOf(error) }, 'the heartbeat of this node could not be stored');
    }
    if (!left) cancelTimer = clock.after(beatMs, () => void turn());
  }

  /** Detects the end of the lease even while a statement waits for the database. */
  function watchLease(): void {
    if (left) return;
    noteActive();
    clock.after(beatMs / 2, watchLease);
  }

  const living = () => database.selectFrom('node').select(['id', 'url', 'secret', 'draining']).where('dead', '=', 0);

  return {
    /** This node's ID; a restart gets a new one. */
    id,
    /** What the other nodes send with the requests that they forward to this one. Never log or show it. */
    secret,
    /**
     * Whether this node still has its lease. A node that hasn't reached the database for `leaseMs` is inactive: it must start
     * nothing, and must stop what another node may take over.
     */
    isActive,
    /** Whether this node takes no new work, since it is about to stop. */
    isDraining: (): boolean => draining,
    /** Throws 503 unless this node takes new work. */
    checkAccepts(): void {
      if (draining) {
        throw new ServiceError(
          503,
          'This node of the service is about to stop and takes no new work. Send the request again: another node can answer it.',
          { code: 'NODE_DRAINING' },
        );
      }
      if (!isActive()) throw unreachable();
    },
    /**
     * Makes sure that the rows that a transaction stores as this node's are taken over if the node is declared dead. Throws 503
     * if it has been.
     */
    async claim(tx: Database): Promise<void> {
      // Nobody declares this node dead before the transaction ends, and then finds what it has stored.
      const own = tx.selectFrom('node').select('id').where('id', '=', id).where('dead', '=', 0).forShare();
      if (!(await own.executeTakeFirst())) throw unreachable();
    },
    /** Calls `listener` when `isActive` changes. */
    onActive: (listener: (active: boolean) => void): void => void listeners.push(listener),
    /**
     * Registers a function that takes over the work of a dead node. It may be called more than once for a node, by several
     * nodes at the same time; the node is removed once every such function has resolved.
     */
    onDead: (taker: (node: string) => Promise<void>): void => void takers.push(taker),
    /** Returns the live nodes, and whether each accepts new work. */
    nodes: async (): Promise<FleetNode[]> =>
      (await living().orderBy('started_at').execute()).flatMap((row) => nodeOf(row) ?? []),
    /** Returns a live node; undefined if there is none with this ID. */
    async find(node: string): Promise<FleetNode | undefined> {
      const row = await living().where('id', '=', node).executeTakeFirst();
      return row && nodeOf(row);
    },
    /** Adds this node to the fleet. Takes over the work of an earlier service with the same data directory first. */
    async join(url: string): Promise<void> {
      await database.updateTable('node').set({ dead: 1 }).where('home', '=', home).execute();
      const sentAt = clock.monotonic();
      await database
        .insertInto('node')
        .values({ id, home, url, secret, version, started_at: databaseNow, beat_at: databaseNow, draining: 0, dead: 0 })
        .execute();
      beatAt = sentAt;
      steadySince = sentAt;
      noteActive();
      cancelTimer = clock.after(beatMs, () => void turn());
      watchLease();
      await takeOver();
    },
    /** Takes no new work from now on, and tells the others: with the next heartbeat, if not now. Never rejects. */
    async drain(): Promise<void> {
      draining = true;
      try {
        await database.updateTable('node').set({ draining: 1 }).where('id', '=', id).execute();
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'the other nodes could not be told that this one takes no new work');
      }
    },
    /** Removes this node. `unfinished`: the others take over what it leaves. */
    async leave(unfinished = false): Promise<void> {
      left = true;
      cancelTimer();
      noteActive();
      if (unfinished) await database.updateTable('node').set({ dead: 1 }).where('id', '=', id).execute();
      else await database.deleteFrom('node').where('id', '=', id).where('dead', '=', 0).execute();
    },
  };
}

function unreachable(): ServiceError {
  return new ServiceError(
    503,
    'This node of the service cannot reach its database, so it takes no new work. Send the request again: another node may answer it.',
    { code: 'NODE_INACTIVE' },
  );
}

/** Returns a stored node; undefined if it says that it is where no node can be. */
function nodeOf({ draining, ...node }: Omit<FleetNode, 'draining'> & { draining: number }): FleetNode | undefined {
  const { protocol = '' } = URL.parse(node.url) ?? {};
  return /^https?:$/.test(protocol) ? { ...node, draining: draining === 1 } : undefined;
}
