import assert from 'node:assert/strict';
import { leftOutOf } from '../../../../src/service/web/crawl/left-out.ts';
import { createFoundPages } from '../../../../src/service/web/crawl/run/found-pages.ts';
import { createCommits } from '../../../../src/service/web/crawl/store/commits.ts';
import { frontier } from '../../../../src/service/web/crawl/store/frontier.ts';
import type { Job } from '../../../../src/service/web/crawl/store/job-table.ts';
import { leftOutPages } from '../../../../src/service/web/crawl/store/left-out.ts';
import { onBothDialects, type TestDatabase } from '../../../harness/databases.ts';

const origin = 'https://shop.test';
const counts = { added: 0, completed: 0, failed: 0, blocked: 0, repeated: 0, passed_over: 0 };

describe('what a crawl finds', () => {
  onBothDialects((open) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('counts as unread if it is more pages to be read for their links than are kept', async () => {
      const { database } = opened;
      const commits = createCommits(database);
      const parts = { frontier: frontier(database), leftOut: leftOutPages(database) };
      const job = { num: 1, kind: 'crawl', options: {}, status: 'completed', ...counts, link_pages: 12_000 } as Job;
      // Those that were read leave room for others: here, for one.
      job.link_reads = 2_001;
      const uses = { blockedBy: () => undefined, recordBlocked: () => undefined, commit: async () => undefined };
      const found = createFoundPages(job, parts, uses);
      const pages = ['/a', '/b', '/c'].map((path) => ({
        url: origin + path,
        origin,
        identity: `links ${path}`,
        depth: 1,
        role: 'links' as const,
      }));
      await commits.run(async (commit) => found.add(pages, { ...commit, added: [] }));
      assert.equal(job.link_pages, 12_001);
      const examples = ['/a', '/b', '/c'].map((path) => origin + path);
      assert.deepEqual(await leftOutOf(job, parts), [{ reason: 'unread', count: 3, atLeast: false, examples }]);
    });
  });
});
