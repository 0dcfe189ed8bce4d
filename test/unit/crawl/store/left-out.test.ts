import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { laterInPostgres, laterInSqlite } from '../../../../src/service/platform/storage/migrations.ts';
import { frontier } from '../../../../src/service/web/crawl/store/frontier.ts';
import { leftOutPages } from '../../../../src/service/web/crawl/store/left-out.ts';
import { isPostgres } from '../../../../src/storage/storage.ts';
import { onBothDialects, type TestDatabase } from '../../../harness/databases.ts';

describe('the pages that a crawl left out', () => {
  onBothDialects((open) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('can be taken up if an earlier version left them out because of the limit', async () => {
      const { database } = opened;
      const [pages, leftOut] = [frontier(database), leftOutPages(database)];
      const origins = ['https://a.test', 'http://b', 'http://c.test:8080'];
      const beyond = origins.map((origin, index) => ({ origin, url: `${origin}/${index}?next=//d.test/` }));
      const rows = beyond.map(({ url }) => ({ job: 1, reason: 'limit' as const, identity: url, url }));
      await leftOut.add([...rows, { job: 1, reason: 'depth', identity: 'deep', url: 'https://a.test/deep' }], database);
      const [known] = beyond;
      if (known) await pages.add(1, [{ ...known, identity: known.url, depth: 3 }]);
      const migration = (isPostgres(database) ? laterInPostgres : laterInSqlite).filter((each) => /'limit'/.test(each));
      for (const statement of migration.join(';').split(';')) await sql.raw(statement).execute(database);
      assert.deepEqual((await pages.takeUp(1, database)).sort(), origins.slice(1));
      const waiting = await Promise.all(origins.map((origin) => pages.waiting(1, origin, 0, 9)));
      assert.deepEqual(
        waiting.map((found) => found.map(({ url, depth, hidden, for_links }) => [url, depth, hidden, for_links])),
        beyond.map(({ url }, index) => [[url, index === 0 ? 3 : 1, 0, 0]]),
      );
      assert.deepEqual([...(await leftOut.counts(1)).keys()], ['depth']);
    });

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
