import assert from 'node:assert/strict';
import { leftOutOf } from '../../../../src/service/web/crawl/left-out.ts';
import { createFoundPages } from '../../../../src/service/web/crawl/run/found-pages.ts';
import { createCommits } from '../../../../src/service/web/crawl/store/commits.ts';
import { frontier, type NewPage } from '../../../../src/service/web/crawl/store/frontier.ts';
import type { Job } from '../../../../src/service/web/crawl/store/job-table.ts';
import { leftOutPages } from '../../../../src/service/web/crawl/store/left-out.ts';
import { onBothDialects, type TestDatabase } from '../../../harness/databases.ts';

const origin = 'https://shop.test';
const none = {
  added: 0,
  completed: 0,
  failed: 0,
  blocked: 0,
  repeated: 0,
  passed_over: 0,
  link_pages: 0,
  link_reads: 0,
};

describe('what a crawl finds', () => {
  onBothDialects((open) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    /** Returns what is left out once pages were found, and the job. */
    async function leftOutAfter(
      numbers: readonly number[],
      counts: Partial<typeof none>,
      role?: 'links',
      rule?: string,
    ) {
      const { database } = opened;
      const parts = { frontier: frontier(database), leftOut: leftOutPages(database) };
      const job = { num: 1, kind: 'crawl', options: {}, status: 'completed', ...none, ...counts } as Job;
      const found = createFoundPages(job, parts, {
        blockedBy: () => rule,
        recordBlocked: () => undefined,
        commit: async () => undefined,
      });
      const pages = numbers.map((number): NewPage => {
        const url = `${origin}/${number}`;
        return { url, origin, identity: role === undefined ? url : `links ${url}`, depth: 1, ...(role && { role }) };
      });
      const judged = await found.judged(pages);
      await createCommits(database).run(async (commit) => found.add(judged, { ...commit, added: [] }));
      return { job, leftOut: await leftOutOf(job, parts) };
    }

    it('counts as unread if it is more pages to be read for their links than are kept', async () => {
      // Those that were read leave room for others: here, for one.
      const { job, leftOut } = await leftOutAfter([1, 2, 3], { link_pages: 12_000, link_reads: 2_001 }, 'links');
      assert.equal(job.link_pages, 12_001);
      const examples = [1, 2, 3].map((number) => `${origin}/${number}`);
      assert.deepEqual(leftOut, [{ reason: 'unread', count: 3, atLeast: false, examples }]);
    });

    it('counts as disallowed by robots.txt if it is more such pages than are kept', async () => {
      const numbers = Array.from({ length: 1_200 }, (_, index) => index);
      const { leftOut } = await leftOutAfter(numbers, { blocked: 100_000 }, undefined, 'Disallowed.');
      const [robots] = leftOut;
      assert.deepEqual([robots?.reason, robots?.count, robots?.atLeast], ['robots', 101_000, true]);
    });

    it('is judged by robots.txt in turns, however long that takes, and before it is stored (CRW-01)', async () => {
      const { database } = opened;
      let turns = 0;
      let isOver = false;
      let isStoring = false;
      const nextTurn = () => {
        turns++;
        if (!isOver) setImmediate(nextTurn);
      };
      const blockedBy = () => {
        assert.ok(!isStoring);
        for (const until = performance.now() + 1; performance.now() < until; );
        return undefined;
      };
      const parts = { frontier: frontier(database), leftOut: leftOutPages(database) };
      const job = { num: 1, kind: 'crawl', options: {}, status: 'scraping', ...none } as unknown as Job;
      const uses = { blockedBy, recordBlocked: () => undefined, commit: async () => undefined };
      const found = createFoundPages(job, parts, uses);
      const pages = Array.from({ length: 100 }, (_, number): NewPage => {
        const url = `${origin}/${number}`;
        const variant = { url: `${url}?a=1`, origin, identity: `${url}?a=1`, depth: 1 };
        return { url, origin, identity: url, depth: 1, variant };
      });
      setImmediate(nextTurn);
      const judged = await found.judged(pages);
      isOver = true;
      assert.ok(turns > 5, `${turns} turns`);
      isStoring = true;
      await createCommits(database).run(async (commit) => found.add(judged, { ...commit, added: [] }));
    });
  });
});
