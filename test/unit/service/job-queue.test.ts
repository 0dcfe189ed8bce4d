import assert from 'node:assert/strict';
import { createJobQueue } from '../../../src/service/platform/job-queue.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import type { Database } from '../../../src/service/platform/storage/storage.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

describe('the queue of jobs of one service', () => {
  const job = { id: 'job', team: 'red' };
  /** Outside a transaction, where a job counts as committed at once. */
  const noTransaction = {} as Database;

  it('hands out a job once that was stored before it was added', async () => {
    const queue = createJobQueue(
      { stored: async () => [job], maxRunning: 5 },
      { clock: createFakeClock(), log: silentLog },
    );
    const runs: (() => void)[] = [];
    queue.consume(() => new Promise((resolve) => runs.push(resolve)));
    await eventually(() => assert.equal(runs.length, 1));
    await queue.push(job, noTransaction);
    assert.equal(runs.length, 1);
    runs[0]?.();
    await eventually(() => assert.equal(queue.busy(), false));
    await queue.push(job, noTransaction);
    assert.equal(runs.length, 2);
  });

  it('hands out a job again that could not be run, once though it is added meanwhile', async () => {
    const clock = createFakeClock();
    const queue = createJobQueue({ stored: async () => [job], maxRunning: 5 }, { clock, log: silentLog });
    let runs = 0;
    queue.consume(async () => {
      if (++runs === 1) throw new Error('the database is gone');
      await new Promise(() => undefined);
    });
    await eventually(() => assert.ok(runs === 1 && queue.waits(job.id, null)));
    assert.equal(queue.busy(), true);
    await queue.push(job, noTransaction);
    assert.equal(runs, 1);
    clock.advance(60_000);
    assert.equal(runs, 2);
  });
});
