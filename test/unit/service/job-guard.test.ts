import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { guardQueue } from '../../../src/service/platform/job-guard.ts';
import { createJobQueue, type JobHandler } from '../../../src/service/platform/job-queue.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { type Database, openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

/** Runs after which a job runs beside no other one that may end the process, and after which it runs no more. */
const most = { beside: 2, all: 6 };

describe('a job that ends the process that runs it', () => {
  let folder: string;
  let database: Database;
  let clock: FakeClock;
  beforeEach(async () => {
    folder = temporaryFolder();
    database = await openDatabase(folder, silentLog, 0);
    clock = createFakeClock();
  });
  afterEach(async () => {
    await database.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a process that finds these jobs; it ends if nothing of it is used any more. */
  function startProcess(ids: string[]) {
    const stored = async () => ids.map((id) => ({ id, team: id }));
    const inner = createJobQueue({ stored, maxRunning: 5 }, { clock, log: silentLog });
    const queue = guardQueue(inner, { kind: 'crawl' }, { database, clock, log: silentLog });
    const begun: string[] = [];
    const reasons: (string | undefined)[] = [];
    const ends = new Map<string, () => void>();
    const handler: JobHandler = async (id, _claim, givenUp) => {
      begun.push(id);
      reasons.push(givenUp);
      if (givenUp === undefined) await new Promise<void>((resolve) => ends.set(id, resolve));
    };
    queue.consume(handler);
    return { queue, begun, reasons, end: (id: string) => ends.get(id)?.() };
  }
  const rows = () => database.selectFrom('job_begun').select(['id', 'times']).orderBy('id').execute();
  /** Starts processes that end while they run these jobs. */
  async function killed(times: number, ...ids: string[]) {
    for (let at = 0; at < times; at++) {
      const { begun, queue } = startProcess(ids);
      await eventually(() => assert.equal(begun.length, ids.length));
      queue.close();
    }
  }

  it('is given up after six times in a row, and its end is stored (COM-06)', async () => {
    await killed(most.all, 'bad');
    const last = startProcess(['bad']);
    await eventually(() => assert.equal(last.begun.length, 1));
    assert.match(last.reasons[0] ?? '', /^The service ended 6 times in a row .* so it isn't run again\./);
    await eventually(async () => assert.deepEqual(await rows(), []));
  });

  it('runs beside no other that may be the cause, so that these come to their end', async () => {
    await killed(most.beside, 'bad', 'good');
    assert.deepEqual(await rows(), [
      { id: 'bad', times: most.beside },
      { id: 'good', times: most.beside },
    ]);
    const next = startProcess(['bad', 'good', 'new']);
    await eventually(() => assert.deepEqual(next.begun.toSorted(), ['bad', 'new']));
    next.end('bad');
    await eventually(() => assert.deepEqual(next.begun.toSorted(), ['bad', 'good', 'new']));
    assert.deepEqual(next.reasons, [undefined, undefined, undefined]);
  });

  it('is none if it ends, if the process gives it back, or if it has run for ten minutes', async () => {
    for (const end of ['ends', 'is given back', 'runs on'] as const) {
      await killed(most.all - 1, 'slow');
      const { begun, queue, end: endOf } = startProcess(['slow']);
      await eventually(() => assert.equal(begun.length, 1));
      await eventually(async () => assert.deepEqual(await rows(), [{ id: 'slow', times: most.all }]));
      if (end === 'ends') endOf('slow');
      else if (end === 'is given back') await queue.giveBack();
      else clock.advance(10 * 60_000);
      await eventually(async () => assert.deepEqual(await rows(), [], end));
      queue.close();
    }
  });

  it('is forgotten after a week without a run', async () => {
    await killed(1, 'gone');
    clock.advance(8 * 24 * 60 * 60_000);
    startProcess([]);
    await eventually(async () => assert.deepEqual(await rows(), []));
  });
});
