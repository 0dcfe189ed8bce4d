import assert from 'node:assert/strict';
import { sql, type Transaction } from 'kysely';
import type { Deed, Step } from '../../../src/service/assistants/agent/store/steps.ts';
import { createJobQueue } from '../../../src/service/platform/job-queue.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import type { Schema } from '../../../src/service/platform/storage/schema.ts';
import { DatabaseUnreachable } from '../../../src/storage/storage.ts';
import { type AgentBench, caller, calls, openAgentBench } from '../../harness/agent-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

const deed: Deed = { action: 'read', text: 'https://a.test/' };
const page: Step = {
  kind: 'page',
  url: 'https://a.test/',
  links: [],
  deed,
  page: { url: 'https://a.test/', content: 'A long page. '.repeat(10_000) },
};

describe('agent jobs and their storage', () => {
  let bench: AgentBench;
  afterEach(() => bench.close());

  it('report what they did without reading the pages of their steps', async () => {
    bench = await openAgentBench({});
    const job = await bench.store({}, [
      page,
      { kind: 'remark', text: 'not shown' },
      { kind: 'remark', text: '', deed },
    ]);
    await bench.database.updateTable('agent_step').set({ step: 'unreadable' }).execute();
    const { deeds } = await bench.open().find(caller, job.id);
    assert.deepEqual(
      deeds.map((each) => [each.seq, each.deed, each.credits]),
      [
        [1, deed, 1],
        [3, deed, 1],
      ],
    );
    const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN SELECT seq, deed, credits, at FROM agent_step
      WHERE job = ${job.num} AND deed IS NOT NULL ORDER BY seq DESC LIMIT 100`.execute(bench.database);
    assert.match(rows[0]?.detail ?? '', /USING COVERING INDEX agent_step_deeds/);
  });

  it('fail if their steps are unreadable, and do not start over and over', async () => {
    bench = await openAgentBench({});
    const job = await bench.store({}, [page]);
    await bench.database.updateTable('agent_step').set({ step: '[broken' }).execute();
    const jobs = bench.open();
    jobs.resume();
    const ended = await bench.ended(jobs, job.id);
    assert.deepEqual(
      [ended.job.status, ended.job.error],
      ['failed', "The stored steps of the job can't be read. Start it again."],
    );
    assert.deepEqual(bench.asked, []);
  });

  it('run if it is not known whether they were stored, and they were', async () => {
    bench = await openAgentBench({ model: () => calls(['give_up', { reason: 'enough' }]) });
    let isLost = false;
    // The connection is lost between the first commit and its confirmation.
    const database = new Proxy(bench.database, {
      get(target, name) {
        if (name !== 'transaction' || isLost) {
          const value = Reflect.get(target, name, target) as unknown;
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return () => ({
          async execute(work: (tx: Transaction<Schema>) => Promise<unknown>) {
            isLost = true;
            await target.transaction().execute(work);
            throw new DatabaseUnreachable('the connection was lost');
          },
        });
      },
    });
    const jobs = bench.open({ database });
    jobs.resume();
    await eventually(() => assert.equal(jobs.busy(), false));
    await assert.rejects(
      jobs.start(caller, 'agent', { prompt: 'x', urls: [], maxCredits: 5, strict: false }),
      /connection was lost/,
    );
    const row = await eventually(async () => {
      const found = await bench.database.selectFrom('agent_job').selectAll().executeTakeFirstOrThrow();
      assert.equal(found.status, 'failed');
      return found;
    });
    assert.match(row.error ?? '', /enough/);
  });

  it('do not keep the service from stopping while their end cannot be stored', async () => {
    bench = await openAgentBench({ model: () => calls(['give_up', { reason: 'enough' }]) });
    const job = await bench.store({});
    let attempts = 0;
    const jobs = bench.open({
      events: {
        async emit() {
          attempts++;
          throw new Error('the disk is full');
        },
      },
    });
    jobs.resume();
    await eventually(() => assert.equal(attempts, 1));
    // The clock stands still: nothing but closing ends the wait for the next attempt.
    await jobs.close();
    assert.equal((await bench.table.find(job.id))?.status, 'processing');
  });

  it('are removed some steps at a time when they expire', async () => {
    bench = await openAgentBench({});
    const steps = Array.from({ length: 120 }, (): Step => ({ kind: 'remark', text: 'x' }));
    const job = await bench.store({}, steps);
    await bench.database.updateTable('agent_job').set({ status: 'completed', expires_at: 0 }).execute();
    const removed: number[] = [];
    const jobs = bench.open({
      table: {
        ...bench.table,
        async removeSteps(num, count) {
          const rows = await bench.table.removeSteps(num, count);
          removed.push(rows);
          return rows;
        },
      },
    });
    jobs.resume();
    await eventually(async () => assert.equal(await bench.table.find(job.id), undefined));
    assert.deepEqual(removed, [50, 50, 20, 0]);
    assert.deepEqual(await bench.database.selectFrom('agent_step').select('seq').execute(), []);
  });

  it('count as running while they wait to be tried again', async () => {
    bench = await openAgentBench({});
    const clock = createFakeClock();
    const queue = createJobQueue(
      { stored: async () => [{ id: 'a', team: 'red' }], maxRunning: 2 },
      { clock, log: silentLog },
    );
    let runs = 0;
    queue.consume(async () => {
      if (runs++ === 0) throw new Error('the disk is full');
    });
    await new Promise(setImmediate);
    assert.deepEqual([runs, queue.busy()], [1, true]);
    clock.advance(5_000);
    await new Promise(setImmediate);
    assert.deepEqual([runs, queue.busy()], [2, false]);
    queue.close();
  });
});
