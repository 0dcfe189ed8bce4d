import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { startCluster, whyNoPostgres } from '../../scripts/lib/postgres.mjs';
import { writerTable } from '../../src/service/browsers/profiles/writer-table.ts';
import { systemClock } from '../../src/service/platform/clock.ts';
import { checkClock, createFleet, type Fleet } from '../../src/service/platform/fleet/fleet.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { connectPostgres, migratePostgres } from '../../src/service/platform/storage/postgres.ts';
import type { Database } from '../../src/service/platform/storage/storage.ts';
import { transaction } from '../../src/storage/storage.ts';
import { eventually } from '../harness/eventually.ts';
import { createFakeClock, type FakeClock } from '../harness/fake-clock.ts';
import { createDatabase } from '../harness/postgres.ts';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

describe('a fleet', () => {
  let cluster: Cluster;
  let database: Database;
  let fleets: Fleet[] = [];
  before(async function () {
    if (whyNoPostgres() !== undefined) return this.skip();
    cluster = await startCluster();
  });
  after(async () => {
    await cluster?.stop();
    cluster?.remove();
  });
  beforeEach(async () => {
    const url = await createDatabase(cluster.url);
    await migratePostgres(url, silentLog);
    database = connectPostgres(url, silentLog);
  });
  afterEach(async () => {
    await Promise.all(fleets.map((fleet) => fleet.leave()));
    fleets = [];
    await database.destroy();
  });

  /** A node with a clock of its own, and what it was told. */
  async function join(home: string) {
    const clock = createFakeClock(Date.now());
    const taken: string[] = [];
    const excluded: string[] = [];
    const active: boolean[] = [];
    const fleet = createFleet({
      database,
      home,
      version: '1',
      clock,
      log: silentLog,
      onExcluded: (reason) => excluded.push(reason),
    });
    fleet.onDead(async (node) => void taken.push(node));
    fleet.onActive((now) => active.push(now));
    fleets.push(fleet);
    await fleet.join(`http://${home}`);
    return { fleet, clock, taken, excluded, active };
  }

  /** Lets time pass for a node, in steps that its turns in the database keep up with. */
  async function live(clock: FakeClock, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1000) {
      clock.advance(1000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  const age = (fleet: Fleet, ms: number) =>
    sql`UPDATE node SET beat_at = beat_at - ${ms} WHERE id = ${fleet.id}`.execute(database);

  const beatOf = async ({ id }: Fleet) =>
    (await database.selectFrom('node').select('beat_at').where('id', '=', id).executeTakeFirst())?.beat_at;

  it('finds its nodes, and those that take no new work', async () => {
    const one = await join('a');
    const other = await join('b');
    assert.deepEqual(
      (await one.fleet.nodes()).map(({ id, url, draining }) => ({ id, url, draining })),
      [
        { id: one.fleet.id, url: 'http://a', draining: false },
        { id: other.fleet.id, url: 'http://b', draining: false },
      ],
    );
    await other.fleet.drain();
    assert.equal((await one.fleet.find(other.fleet.id))?.draining, true);
    await other.fleet.leave();
    assert.equal(await one.fleet.find(other.fleet.id), undefined);
    assert.deepEqual(one.taken, []);
  });

  it('has no node at an address where none can be (F27)', async () => {
    const one = await join('a');
    const other = await join('b');
    for (const url of ['', 'b', 'http://', 'http://b:99999', 'file:///b']) {
      await database.updateTable('node').set({ url }).where('id', '=', other.fleet.id).execute();
      assert.equal(await one.fleet.find(other.fleet.id), undefined);
      assert.deepEqual(
        (await one.fleet.nodes()).map(({ id }) => id),
        [one.fleet.id],
      );
    }
  });

  it('has no node whose clock is wrong, which would delete what the others need', async () => {
    const hour = 60 * 60_000;
    const check = (off: number) => checkClock({ database, clock: { ...systemClock, now: () => Date.now() + off } });
    for (const off of [-55_000, 0, 55_000]) await check(off);
    await assert.rejects(
      check(25 * hour),
      /^Error: A node can't join the others: the clock of this machine, .*, is (89\d{3}|90000) seconds ahead of that of the database: set both/,
    );
    await assert.rejects(check(-25 * hour), /is (89\d{3}|90000) seconds behind that of the database/);

    const one = await join('a');
    const other = await join('b');
    one.clock.setWall(Date.now() + 10 * 60_000);
    other.clock.setWall(Date.now() + 25 * hour);
    await eventually(() => {
      other.clock.advance(1000);
      assert.match(
        other.excluded[0] ?? '',
        /^the clock of this machine, .*, is \d+ seconds ahead of that of the database/,
      );
    });
    await live(one.clock, 4_000);
    assert.deepEqual(one.excluded, []);
  });

  it('takes over the work of a dead node, which must stop when it comes back', async () => {
    const one = await join('a');
    const other = await join('b');
    await live(one.clock, 16_000);
    assert.deepEqual(one.taken, []);
    await age(other.fleet, 20_000);
    await eventually(async () => {
      one.clock.advance(1000);
      assert.deepEqual(one.taken, [other.fleet.id]);
    });
    assert.equal(await one.fleet.find(other.fleet.id), undefined);
    await eventually(() => {
      other.clock.advance(1000);
      assert.equal(other.excluded.length, 1);
    });
  });

  it('takes over the work of an earlier service with the same data directory at once', async () => {
    const earlier = await join('a');
    const one = await join('a');
    assert.deepEqual(one.taken, [earlier.fleet.id]);
  });

  it('declares no node dead shortly after the database could not be reached', async () => {
    const one = await join('a');
    const other = await join('b');
    await live(one.clock, 16_000);
    // As in an outage of the database: nobody could say that it lives.
    one.clock.advance(20_000);
    await age(other.fleet, 20_000);
    await live(one.clock, 6_000);
    assert.deepEqual(one.taken, []);
  });

  it('declares no node dead after a heartbeat that waited for the database', async () => {
    const one = await join('a');
    const other = await join('b');
    await live(one.clock, 16_000);
    const { promise: outage, resolve: recover } = Promise.withResolvers<void>();
    const held = database.transaction().execute(async (tx) => {
      await tx.selectFrom('node').select('id').where('id', '=', one.fleet.id).forUpdate().execute();
      await outage;
    });
    one.clock.advance(20_000);
    await age(other.fleet, 20_000);
    recover();
    await held;
    await live(one.clock, 6_000);
    assert.deepEqual(one.taken, []);
  });

  it('has a node stop its jobs when it cannot reach the database, and go on when it can', async () => {
    const one = await join('a');
    assert.deepEqual(one.active, [true]);
    await database.schema.alterTable('node').renameTo('away').execute();
    await eventually(() => {
      one.clock.advance(1000);
      assert.equal(one.fleet.isActive(), false);
    });
    assert.deepEqual(one.active, [true, false]);
    await database.schema.alterTable('away').renameTo('node').execute();
    await eventually(() => {
      one.clock.advance(1000);
      assert.deepEqual(one.active, [true, false, true]);
    });
  });

  it('repeats a takeover that failed', async () => {
    const earlier = await join('a');
    let attempts = 0;
    const one = await join('b');
    one.fleet.onDead(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('the database is busy');
    });
    await live(one.clock, 16_000);
    await age(earlier.fleet, 20_000);
    await eventually(async () => {
      one.clock.advance(1000);
      assert.equal(attempts, 2);
    });
    await eventually(async () => assert.equal((await database.selectFrom('node').selectAll().execute()).length, 1));
  });

  it('goes on living while it takes over work that others still hold', async () => {
    const one = await join('a');
    const stalled = await join('b');
    const gone = await join('c');
    const release = Promise.withResolvers<void>();
    one.fleet.onDead(() => release.promise);
    for (const { fleet } of [stalled, gone]) await age(fleet, 20_000);
    const claimed = Promise.withResolvers<void>();
    const storing = transaction(database, async (tx) => {
      await stalled.fleet.claim(tx);
      claimed.resolve();
      await release.promise;
    });
    await claimed.promise;
    await eventually(() => {
      one.clock.advance(1000);
      assert.deepEqual(one.taken, [gone.fleet.id]);
    });
    for (let beats = 0; beats < 3; beats++) {
      const before = await beatOf(one.fleet);
      await eventually(async () => {
        one.clock.advance(1000);
        assert.notEqual(await beatOf(one.fleet), before);
      });
    }
    release.resolve();
    await storing;
    await eventually(() => {
      one.clock.advance(1000);
      assert.deepEqual(one.taken, [gone.fleet.id, stalled.fleet.id]);
    });
  });

  it('stores nothing as the work of a node that was declared dead', async () => {
    const one = await join('a');
    const other = await join('b');
    const begun = Promise.withResolvers<void>();
    const committed: string[] = [];
    const storing = transaction(database, async (tx) => {
      await other.fleet.claim(tx);
      begun.resolve();
      // The others wait for it, so that they find what it stores.
      await new Promise((resolve) => setTimeout(resolve, 200));
      committed.push('stored');
    });
    await begun.promise;
    await database.updateTable('node').set({ dead: 1 }).where('id', '=', other.fleet.id).execute();
    committed.push('declared dead');
    await storing;
    assert.deepEqual(committed, ['stored', 'declared dead']);
    await assert.rejects(
      transaction(database, (tx) => other.fleet.claim(tx)),
      { status: 503, code: 'NODE_INACTIVE' },
    );
    await assert.rejects(writerTable(database, other.fleet).add('profile'), { status: 503 });
    assert.equal(await writerTable(database, one.fleet).add('profile'), true);
  });

  it('lets a node save a profile only while it is its writer', async () => {
    const [one, other] = [await join('a'), await join('b')].map(({ fleet }) => writerTable(database, fleet));
    assert.ok(one && other);
    let saved = 0;
    const save = async () => void saved++;
    assert.equal(await one.add('profile'), true);
    assert.equal(await other.add('profile'), false);
    assert.equal(await one.whileHeld('profile', save), true);
    await other.clear({ node: fleets[0]?.id ?? '' });
    assert.equal(await other.add('profile'), true);
    assert.equal(await one.whileHeld('profile', save), false);
    await one.remove('profile');
    assert.equal(await other.whileHeld('profile', save), true);
    assert.equal(saved, 2);
  });

  it('takes no new work while it drains, and says so once it reaches the database', async () => {
    const { fleet, clock } = await join('a');
    fleet.checkAccepts();
    await database.schema.alterTable('node').renameTo('away').execute();
    await fleet.drain();
    assert.throws(() => fleet.checkAccepts(), { status: 503, code: 'NODE_DRAINING' });
    await database.schema.alterTable('away').renameTo('node').execute();
    await eventually(async () => {
      clock.advance(1000);
      assert.equal((await fleet.find(fleet.id))?.draining, true);
    });
  });
});
