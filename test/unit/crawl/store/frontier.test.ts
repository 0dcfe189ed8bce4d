import assert from 'node:assert/strict';
import { frontier, pageStates } from '../../../../src/service/web/crawl/store/frontier.ts';
import { onBothDialects, type TestDatabase } from '../../../harness/databases.ts';

const origin = 'https://a.test';
const pageOf = (number: number) => ({
  url: `${origin}/${number}`,
  origin,
  identity: `${origin}/${number}`,
  depth: number % 3,
});

describe('the frontier', () => {
  onBothDialects((open) => {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('adds each page of a job once, in order, however many there are', async () => {
      const pages = frontier(opened.database);
      const numbers = Array.from({ length: 2300 }, (_, index) => index);
      const first = await pages.add(7, numbers.slice(0, 40).map(pageOf));
      assert.deepEqual(
        first.map(({ page }) => page),
        numbers.slice(0, 40).map(pageOf),
      );
      const more = await pages.add(7, [...numbers, 3, 2299].map(pageOf));
      assert.equal(more.length, 2260);
      assert.equal((await pages.add(8, [pageOf(0)])).length, 1);
      const waiting = await pages.waiting(7, origin, 0, 5000);
      assert.deepEqual(
        waiting.map(({ url, depth }) => [url, depth]),
        numbers.map((number) => [`${origin}/${number}`, number % 3]),
      );
      assert.deepEqual(await pages.add(7, []), []);
    });

    it('settles many pages at once, whatever their titles contain', async () => {
      const { database } = opened;
      const pages = frontier(database);
      const added = await pages.add(1, [0, 1, 2].map(pageOf));
      const [one, two, three] = added.map(({ id }) => id);
      const record = {
        place: 1,
        url: `${origin}/folder/0`,
        seq: 1,
        title: 'half of a pair: \ud83d, \0 and "€"',
        status_code: 200,
      };
      await pages.settle([
        { id: one ?? 0, state: pageStates.done, at: 5, record },
        {
          id: two ?? 0,
          state: pageStates.failed,
          at: 6,
          record: { place: 2, url: origin },
          failure: { code: 'X', error: 'why' },
        },
        { id: three ?? 0, state: pageStates.passedOver, at: 7 },
      ]);
      const rows = await database.selectFrom('crawl_page').selectAll().orderBy('id').execute();
      assert.deepEqual(
        rows.map(({ state, ended_at, place, seq, title, status_code, code, error }) => [
          ...[state, ended_at, place, seq],
          ...[title, status_code, code, error],
        ]),
        [
          [1, 5, 1, 1, 'half of a pair: \ufffd,  and "€"', 200, null, null],
          [2, 6, 2, null, null, null, 'X', 'why'],
          [5, 7, null, null, null, null, null, null],
        ],
      );
      assert.equal(await pages.isWaiting(1), false);
      assert.equal((await pages.firstFailure(1))?.error, 'why');
    });

    it('keeps pages beyond the limit as they were found until they are taken up', async () => {
      const { database } = opened;
      const pages = frontier(database);
      await pages.add(1, [pageOf(1)]);
      const beyond = await pages.add(1, [pageOf(1), { ...pageOf(2), hidden: true }], database, pageStates.beyond);
      assert.deepEqual(
        beyond.map(({ page }) => page.url),
        [pageOf(2).url],
      );
      await pages.add(2, [pageOf(2)], database, pageStates.beyond);
      const depths = async () =>
        (await pages.waiting(1, origin, 0, 9)).map(({ url, depth, hidden }) => [url, depth, hidden]);
      assert.deepEqual(await depths(), [[pageOf(1).url, 1, 0]]);
      assert.deepEqual(await pages.takeUp(1, database), [origin]);
      assert.deepEqual(await depths(), [
        [pageOf(1).url, 1, 0],
        [pageOf(2).url, 2, 1],
      ]);
    });

    it('gives only pages that have a document and no warning one', async () => {
      const { database } = opened;
      const pages = frontier(database);
      const added = await pages.add(1, [0, 1, 2].map(pageOf));
      const at = (number: number) => added[number]?.id ?? 0;
      const record = (seq: number, warning: string | null = null) => ({ place: seq, url: origin, seq, warning });
      await pages.settle([
        { id: at(0), state: pageStates.done, at: 1, record: record(1) },
        { id: at(1), state: pageStates.done, at: 1, record: record(2, 'Empty.') },
      ]);
      const identities = [0, 1, 2, 3].map((number) => pageOf(number).identity);
      assert.deepEqual(await pages.warn(1, identities, 'Missing?', database), [1]);
      const rows = await database.selectFrom('crawl_page').select('warning').orderBy('id').execute();
      assert.deepEqual(
        rows.map(({ warning }) => warning),
        ['Missing?', 'Empty.', null],
      );
    });

    it('lists failed pages of the job apart from those that were to be read only for their links', async () => {
      const pages = frontier(opened.database);
      const added = await pages.add(1, [pageOf(0), { ...pageOf(1), role: 'links' as const }]);
      const failure = { code: 'HTTP_403', error: 'The page returned 403 Forbidden' };
      await pages.settle(added.map(({ id }) => ({ id, state: pageStates.failed, at: 5, failure })));
      const urls = async (forLinks?: boolean) => (await pages.failures(1, forLinks)).map(({ url }) => url);
      assert.deepEqual([await urls(), await urls(true)], [[`${origin}/0`], [`${origin}/1`]]);
    });
  });
});
