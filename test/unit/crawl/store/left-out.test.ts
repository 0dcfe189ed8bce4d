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

    it('have the forms beside them that lead to pages, each once, without a damaged one', async () => {
      const { database } = opened;
      const leftOut = leftOutPages(database);
      const pages = ['https://site.test/?year=2024'];
      const found = { on: 'https://site.test/', form: { name: 'Year \u0000 \ud800', pages }, isList: false };
      for (const each of [found, found, { ...found, on: `https://site.test/${'a'.repeat(3000)}` }])
        await leftOut.addForm(1, each, database);
      await leftOut.addForm(2, found, database);
      await leftOut.add([{ job: 1, reason: 'include', identity: '/about', url: '/about' }], database);
      assert.deepEqual([...(await leftOut.counts(1)).keys()], ['include']);
      await database.updateTable('crawl_form').set({ form: '{"on":' }).where('page', '=', found.on).execute();
      assert.deepEqual(
        (await leftOut.forms(1)).map(({ form }) => form),
        [found.form],
      );
    });
  });
});
