import assert from 'node:assert/strict';
import { leftOutPages } from '../../../../src/service/web/crawl/store/left-out.ts';
import { onBothDialects, type TestDatabase } from '../../../harness/databases.ts';

describe('the pages that a crawl left out', () => {
  onBothDialects((open) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('count only as disallowed by robots.txt if they are that', async () => {
      const leftOut = leftOutPages(opened.database);
      const page = (reason: 'include' | 'robots', path: string) => ({ job: 1, reason, identity: path, url: path });
      await leftOut.add(
        [page('include', '/cart'), page('include', '/about'), page('robots', '/cart')],
        opened.database,
      );
      const counts = [...(await leftOut.counts(1))].map(([reason, { examples }]) => [reason, ...examples]);
      assert.deepEqual(counts.sort(), [
        ['include', '/about'],
        ['robots', '/cart'],
      ]);
    });
  });
});
