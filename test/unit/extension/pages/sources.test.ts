import assert from 'node:assert/strict';
import type { Client } from '../../../../src/client/client.ts';
import { RateLimit } from '../../../../src/extension/connection/polling/rate-limit.ts';
import { inOrder, listFolder } from '../../../../src/extension/pages/sources/folders.ts';
import { LoadedPages } from '../../../../src/extension/pages/sources/loaded-pages.ts';
import { searchLoaded } from '../../../../src/extension/pages/sources/loaded-search.ts';

const page = (url: string, state = 'ok') => ({ order: 1, url, state });

describe('folders of pages', () => {
  const pages = [
    page('https://a.test/docs/'),
    page('https://a.test/docs/guide/one'),
    page('https://a.test/docs/guide/two', 'failed'),
    page('https://a.test/docs/en/deep/x'),
    page('https://a.test/docs/en/deep/y'),
    page('https://a.test/docs/only/one'),
    page('https://a.test/docs/list?next=/a/b'),
  ].sort((one, other) => (one.url < other.url ? -1 : 1));

  it('are the shared parts of paths, below the longest common one', () => {
    const top = listFolder(pages, undefined, undefined, 100);
    assert.equal(top.folder, 'https://a.test/docs/');
    assert.deepEqual(
      top.folders.map(({ name, pageCount, failedCount }) => [name, pageCount, failedCount]),
      [
        ['en/deep', 2, 0],
        ['guide', 2, 1],
      ],
    );
    assert.deepEqual(
      top.pages.map(({ url }) => url),
      ['https://a.test/docs/', 'https://a.test/docs/list?next=/a/b', 'https://a.test/docs/only/one'],
    );
    assert.deepEqual([top.pageCount, top.failedCount, top.blockedCount], [7, 1, 0]);
  });

  it('list their pages by the value of the numbers in the URLs', () => {
    const numbers = [10, 2, 1, 100, 9].map((number) => page(`https://a.test/p/${number}`));
    const { pages: listed } = listFolder(inOrder(numbers), undefined, undefined, 100);
    assert.deepEqual(
      listed.map(({ url }) => url.slice(-3).replace(/.*\//, '')),
      ['1', '2', '9', '10', '100'],
    );
  });

  it('are listed in parts', () => {
    const first = listFolder(pages, undefined, undefined, 3);
    const second = listFolder(pages, undefined, first.cursor ?? undefined, 3);
    assert.equal(first.folders.length + first.pages.length, 3);
    assert.equal(second.folders.length + second.pages.length, 2);
    assert.equal(second.cursor, null);
  });
});

describe('pages of a server that only returns documents', () => {
  const total = 250;
  const client = {
    getCrawl: async ({ query }: { query: { skip: number; limit: number } }) => {
      // A server may send fewer than it was asked for.
      const length = Math.max(0, Math.min(query.limit, 60, total - query.skip));
      const data = Array.from({ length }, (_, index) => {
        const number = query.skip + index + 1;
        const markdown = `# Page ${number}\n\nText with word${number}x in it.`;
        return { markdown, metadata: { url: `https://a.test/p/${number}`, title: `Page ${number}` } };
      });
      const next = query.skip + length < total ? 'https://server.test/next' : undefined;
      return { status: 'completed', data, next };
    },
    getCrawlErrors: async () => ({
      errors: [
        { id: '1', url: 'https://a.test/broken', error: 'It answered 500.' },
        { id: '2', url: 'https://a.test/private/b', error: 'robots.txt answered 503.' },
      ],
      robotsBlocked: ['https://a.test/private/a', 'https://a.test/private/b'],
    }),
  } as unknown as Client;
  const job = { kind: 'crawl', id: 'c1' } as const;

  it('are loaded to the end, with the failed ones', async () => {
    const pages = new LoadedPages(job, client, new RateLimit());
    await pages.complete();
    const { pages: listed, cursor } = await pages.list({ limit: 1_000 });
    assert.equal(cursor, null);
    assert.equal(new Set(listed.map(({ url }) => url)).size, total + 3);
    const failed = await pages.list({ state: 'failed', limit: 10 });
    assert.deepEqual(
      failed.pages.map(({ url, reason }) => [url, reason]),
      [['https://a.test/broken', 'It answered 500.']],
    );
    const blocked = await pages.list({ state: 'blocked', limit: 10 });
    assert.deepEqual(
      blocked.pages.map(({ url, reason }) => [url, reason]),
      [
        ['https://a.test/private/a', 'Blocked by robots.txt.'],
        ['https://a.test/private/b', 'robots.txt answered 503.'],
      ],
    );
    assert.equal(
      (await pages.find(['http://a.test/p/7', 'https://a.test/p/7'])).get('https://a.test/p/7')?.title,
      'Page 7',
    );
    const document = await pages.document({ order: 7, url: 'https://a.test/p/7', state: 'ok' });
    assert.match(document.markdown ?? '', /word7x/);
  });

  it('show the first ones before all are loaded', async () => {
    const pages = new LoadedPages(job, client, new RateLimit());
    const top = await pages.folder(undefined, undefined, 10);
    assert.equal(top.pages.length, 10);
    assert.ok(pages.loading, 'the others are still being loaded');
    await pages.complete();
  });

  it('are searched as far as they are loaded, with a notice', async () => {
    const pages = new LoadedPages(job, client, new RateLimit());
    await pages.complete();
    const found = await searchLoaded([pages], { query: 'WORD42x', job, cursor: undefined, limit: 20 });
    assert.deepEqual(
      found.results.map(({ page: { url }, matches }) => [url, matches]),
      [['https://a.test/p/42', [{ line: 3, column: 11, length: 7, text: 'Text with word42x in it.', textColumn: 11 }]]],
    );
    assert.match(found.note ?? '', /in the 250 loaded pages: this server doesn't search/);
    const both = await searchLoaded([pages], { query: '"text with" page', job, cursor: undefined, limit: 20 });
    assert.deepEqual([both.results.length, both.total, both.cursor], [20, 250, '20']);
    const none = await searchLoaded([pages], { query: 'word42x word43x', job, cursor: undefined, limit: 20 });
    assert.equal(none.total, 0);
  });
});
