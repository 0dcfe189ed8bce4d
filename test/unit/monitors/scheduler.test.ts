import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { silentLog } from '../../../src/service/platform/log.ts';
import { type Database, openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { findMonitor, type MonitorRow } from '../../../src/service/web/monitors/monitor-table.ts';
import { nextRun } from '../../../src/service/web/monitors/schedule.ts';
import { createScheduler, type Scheduler } from '../../../src/service/web/monitors/scheduler.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const hour = 60 * 60_000;
const id = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('the scheduler of monitors', () => {
  let folder: string;
  let database: Database;
  let clock: FakeClock;
  let opened: Scheduler[];
  let pushed: string[];

  beforeEach(async () => {
    folder = temporaryFolder();
    database = await openDatabase(folder, silentLog, 0);
    clock = createFakeClock();
    opened = [];
    pushed = [];
    const now = clock.now();
    const monitor: MonitorRow = {
      id,
      team: 'a',
      key_label: 'k',
      name: 'n',
      status: 'active',
      cron: '0 * * * *',
      timezone: 'UTC',
      targets: '[]',
      webhook: null,
      goal: null,
      judge: 1,
      retention_days: 30,
      next_run_at: now + hour,
      last_run_at: null,
      current_check: null,
      last_summary: null,
      failures: 0,
      created_at: now,
      updated_at: now,
    };
    await database.insertInto('monitor').values(monitor).execute();
  });
  afterEach(async () => {
    for (const scheduler of opened) scheduler.close();
    await database.destroy();
    rmSync(folder, { recursive: true });
  });

  function open(log = silentLog): Scheduler {
    const queue = {
      push: async (job: { id: string }) => {
        pushed.push(job.id);
      },
    };
    const scheduler = createScheduler({ database, queue, clock, log });
    opened.push(scheduler);
    scheduler.start();
    return scheduler;
  }
  const checks = () => database.selectFrom('monitor_check').selectAll().orderBy('num').execute();
  const dueAt = async () => (await findMonitor(database, id))?.next_run_at;
  /** Lets a scheduler look, again and again, until a state is reached. */
  const looking = (reached: () => Promise<void>) =>
    eventually(async () => {
      clock.advance(10_000);
      await reached();
    });
  const end = () => database.updateTable('monitor').set({ current_check: null }).execute();

  it('starts the checks of others while the schedule of one is unreadable, and that one once it is mended (STO-05)', async () => {
    const monitor = await findMonitor(database, id);
    assert.ok(monitor);
    const other = '01890a5d-ac96-774b-bcce-b302099a8058';
    const broken = { ...monitor, id: other, cron: 'often', next_run_at: clock.now() };
    await database.insertInto('monitor').values(broken).execute();
    clock.advance(hour);
    const scheduler = open();
    await eventually(async () =>
      assert.deepEqual(
        (await checks()).map((check) => check.monitor),
        [id],
      ),
    );
    await database.updateTable('monitor').set({ cron: '0 * * * *' }).where('id', '=', other).execute();
    scheduler.changed();
    await eventually(async () =>
      assert.deepEqual(
        (await checks()).map((check) => check.monitor),
        [id, other],
      ),
    );
  });

  it('logs once that the schedule of one is unreadable, however often others are changed', async () => {
    const monitor = await findMonitor(database, id);
    assert.ok(monitor);
    const add = (other: string, cron = monitor.cron) =>
      database
        .insertInto('monitor')
        .values({ ...monitor, id: other, cron, next_run_at: clock.now() })
        .execute();
    await add('a', 'often');
    const errors: unknown[] = [];
    const scheduler = open({ error: (known: object) => errors.push(known), warn: assert.fail } as never);
    for (const other of ['b', 'c', 'd']) {
      await add(other);
      scheduler.changed();
      await eventually(async () => assert.equal((await checks()).at(-1)?.monitor, other));
    }
    assert.equal(errors.length, 1);
  });

  it('starts a check when it is due, and again at the next time', async () => {
    open();
    const first = clock.now() + hour;
    await looking(async () => assert.equal((await checks()).length, 0));
    clock.advance(first - clock.now());
    await looking(async () => assert.equal((await checks())[0]?.scheduled_for, first));
    assert.equal(await dueAt(), first + hour);
    await end();
    clock.advance(hour);
    await looking(async () => assert.equal((await checks()).length, 2));
    assert.equal(pushed.length, 2);
  });

  it('runs once what fell due several times while the service was stopped', async () => {
    clock.advance(10.5 * hour);
    open();
    await looking(async () => assert.equal((await checks()).length, 1));
    assert.equal(((await dueAt()) ?? 0) > clock.now(), true);
  });

  it('runs once what fell due while the machine slept, within a minute of its waking', async () => {
    open();
    // Timers stop while a machine sleeps.
    clock.setWall(clock.now() + 30 * hour);
    await looking(async () => assert.equal((await checks()).length, 1));
    assert.equal(((await dueAt()) ?? 0) - clock.now() <= hour, true);
  });

  it('keeps its times when the clock was far ahead and is set back', async () => {
    open();
    const before = clock.now();
    clock.setWall(before + 1000 * 24 * hour);
    await looking(async () => assert.equal((await checks()).length, 1));
    await end();
    clock.setWall(before);
    await looking(async () => assert.equal(((await dueAt()) ?? 0) <= before + 2 * hour, true));
  });

  it('is one of several nodes, and a check is started by one', async () => {
    for (let node = 0; node < 4; node++) open();
    clock.advance(hour);
    await looking(async () => assert.equal((await checks()).length, 1));
    assert.deepEqual(
      pushed,
      (await checks()).map((check) => check.id),
    );
  });

  it("starts none while one is in progress, and none of a paused monitor's", async () => {
    const scheduler = open();
    const monitor = await findMonitor(database, id);
    assert.ok(monitor);
    const first = await scheduler.begin(monitor, 'manual');
    const second = await scheduler.begin(monitor, 'manual');
    assert.deepEqual([second?.id, second?.cause], [first?.id, 'manual']);
    clock.advance(hour);
    await looking(async () => assert.equal(((await dueAt()) ?? 0) > clock.now(), true));
    assert.equal((await checks()).length, 1);
  });

  it('has one timer and reads nothing for a thousand monitors between their runs', async () => {
    const [monitor] = await database.selectFrom('monitor').selectAll().execute();
    assert.ok(monitor);
    const day = clock.now() + 24 * hour;
    const more = Array.from({ length: 999 }, (_, index) => ({ ...monitor, id: `m${index}`, next_run_at: day }));
    for (let at = 0; at < more.length; at += 100)
      await database
        .insertInto('monitor')
        .values(more.slice(at, at + 100))
        .execute();
    let timers = 0;
    const counted = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after(ms: number, run: () => void) {
        timers++;
        const cancel = clock.after(ms, () => {
          timers--;
          run();
        });
        let isOver = false;
        return () => {
          if (!isOver) cancel();
          isOver = true;
        };
      },
    };
    const scheduler = createScheduler({ database, queue: { push: async () => {} }, clock: counted, log: silentLog });
    opened.push(scheduler);
    scheduler.start();
    await eventually(() => assert.equal(timers, 1));
    for (let minute = 0; minute < 10; minute++) {
      clock.advance(60_000);
      await eventually(() => assert.equal(timers, 1));
    }
    assert.equal((await checks()).length, 0);
  });

  it('TRN-20: reads the schedules of many monitors in short turns', async () => {
    const [monitor] = await database.selectFrom('monitor').selectAll().execute();
    assert.ok(monitor);
    // None of them is changed: only their schedules are read.
    const values = Array.from({ length: 50 }, (_, index) => ({ ...monitor, id: `m${index}` }));
    await database.insertInto('monitor').values(values).execute();
    const [{ UTC }, { now }] = [Date, performance];
    let [dates, time, most] = [0, 0, 0];
    let isOver = false;
    Date.UTC = (...parts) => {
      dates++;
      return UTC(...parts);
    };
    // Each turn is over at once.
    performance.now = () => {
      time += 20;
      return time;
    };
    const count = () => {
      most = Math.max(most, dates);
      dates = 0;
      if (!isOver) setImmediate(count);
    };
    try {
      nextRun(monitor, clock.now());
      const ofOne = dates;
      assert.ok(ofOne > 0);
      dates = 0;
      count();
      const { promise, resolve } = Promise.withResolvers<void>();
      const after = () => {
        resolve();
        return () => {};
      };
      const once = { now: () => clock.now(), monotonic: () => clock.monotonic(), after };
      const scheduler = createScheduler({ database, queue: { push: async () => {} }, clock: once, log: silentLog });
      opened.push(scheduler);
      scheduler.start();
      await promise;
      assert.ok(most > 0 && most <= 2 * ofOne, `${most} dates in one turn, ${ofOne} for one monitor`);
    } finally {
      Date.UTC = UTC;
      performance.now = now;
      isOver = true;
    }
  });

  it('begins what is due after a clock that jumps ahead and back again and again, once for each time', async () => {
    open();
    for (let jump = 0; jump < 3; jump++) {
      clock.setWall(clock.now() + 5 * hour);
      await looking(async () => assert.equal((await checks()).length, jump + 1));
      await end();
      clock.setWall(clock.now() - 4 * hour);
      await looking(async () => assert.equal(((await dueAt()) ?? 0) <= clock.now() + hour, true));
    }
    assert.equal(pushed.length, 3);
  });
});
