import assert from 'node:assert/strict';
import type { Client } from '../../../../src/client/client.ts';
import type { Access } from '../../../../src/extension/connection/connection.ts';
import { RateLimit } from '../../../../src/extension/connection/polling/rate-limit.ts';
import { PagesStore } from '../../../../src/extension/pages/pages-store.ts';
import type { PagesTree } from '../../../../src/extension/pages/pages-tree.ts';
import type { PageNode } from '../../../../src/extension/ui/tree-rows.ts';
import { eventually } from '../../../harness/eventually.ts';
import '../../../harness/fake-vscode.ts';

const job = { kind: 'crawl', id: 'c1' } as const;
const ended = Number.POSITIVE_INFINITY;

describe('the pages of a job on another server, expanded in a view', () => {
  let requests: string[];
  let pages: number;
  let title: string | undefined;
  let status: string;
  let failure: Error | undefined;
  let broken: string[];
  let limit: RateLimit;
  let store: PagesStore;
  let tree: PagesTree;
  let progress: number;
  let shown: string[];
  let drawing: Promise<void>;

  beforeEach(async () => {
    const { PagesTree } = await import('../../../../src/extension/pages/pages-tree.ts');
    requests = [];
    pages = 3;
    title = undefined;
    status = 'scraping';
    failure = undefined;
    broken = [];
    limit = new RateLimit();
    store = new PagesStore({ rateLimit: limit, access: async () => ({ client: client() }) as unknown as Access });
    tree = new PagesTree(store);
    progress = 0;
    // As VS Code does it while a row is expanded.
    tree.onDidChange(() => {
      draw();
    });
  });

  const client = () => {
    const answer = async <Answer>(name: string, answer: () => Answer) => {
      requests.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      if (failure) throw failure;
      return answer();
    };
    return {
      getCrawl: ({ query: { skip = 0, limit = 100 } }: { query: { skip?: number; limit?: number } }) =>
        answer(`pages from ${skip}`, () => {
          const end = Math.min(pages, skip + limit);
          const data = Array.from({ length: Math.max(0, end - skip) }, (_, index) => {
            return {
              metadata: { url: `https://a.test/${skip + index + 1}`, title: title ?? `Page ${skip + index + 1}` },
            };
          });
          return { status, data, ...(end < pages && { next: 'https://server.test/next' }) };
        }),
      getCrawlErrors: () =>
        answer('errors', () => ({ errors: broken.map((url) => ({ id: url, url, error: 'No.' })), robotsBlocked: [] })),
    } as unknown as Client;
  };
  const draw = () => {
    drawing = tree.rows(job, progress).then((rows) => {
      shown = rows.map((row) => String(tree.item(row).label));
    });
    return drawing;
  };
  /** Draws the rows, and again as often as the view is told to. */
  const settled = async () => {
    await draw();
    for (let before: unknown; before !== drawing; await store.loaded[0]?.complete().catch(() => undefined)) {
      before = drawing;
      await before;
    }
  };
  const apiError = (code: number, retryAfterMs?: number) =>
    Object.assign(new Error(`It answered ${code}.`), { kind: 'api', status: code, retryAfterMs });
  const errorRow = async () => (await tree.rows(job)).at(-1) as PageNode;

  it('are read once, and those added since when the job has progressed (EXT-19)', async () => {
    await settled();
    assert.deepEqual(requests.splice(0), ['pages from 0', 'errors']);
    await settled();
    await settled();
    assert.deepEqual(requests, [], 'a redraw is no reason to ask');
    pages = 5;
    progress = 5;
    await settled();
    assert.deepEqual(requests.splice(0), ['pages from 3', 'errors']);
    assert.deepEqual(shown, ['Page 1', 'Page 2', 'Page 3', 'Page 4', 'Page 5']);
    pages = 6;
    status = 'completed';
    progress = ended;
    await settled();
    assert.deepEqual(requests.splice(0), ['pages from 5', 'errors']);
    assert.equal(shown.length, 6);
    await settled();
    assert.deepEqual(requests, []);
  });

  it('are read once by two views whose polls know of different progress', async () => {
    progress = 3;
    await settled();
    tree.onDidChange(() => void tree.rows(job, 2));
    progress = 4;
    pages = 4;
    await settled();
    await settled();
    assert.deepEqual(requests, ['pages from 0', 'errors', 'pages from 3', 'errors']);
  });

  it('are all shown in the end, the first ones before', async () => {
    pages = 250;
    status = 'completed';
    await draw();
    assert.equal(store.loaded[0]?.loading, true);
    assert.ok(shown.includes('Page 1'));
    await settled();
    assert.equal(store.loaded[0]?.loaded.pages, 250);
    assert.deepEqual(requests, ['pages from 0', 'pages from 100', 'pages from 200', 'errors']);
    assert.equal(shown.at(-1), 'Load more');
  });

  it('are read only as long as they can be kept, whatever a server lists (EXT-28)', async () => {
    pages = 900;
    title = 'x'.repeat(1_000_000);
    await draw();
    await eventually(async () => assert.equal(store.loaded[0]?.loading, false));
    assert.match(String(store.loaded[0]?.failure), /lists more pages than can be shown/);
    assert.equal(store.loaded[0]?.loaded.pages, 511);
    assert.equal(requests.at(-1), 'pages from 600', 'one request ahead');
  });

  it('that failed are listed up to 1,000, with a row that says so', async () => {
    broken = Array.from({ length: 1_200 }, (_, index) => `https://a.test/broken/${index}`);
    await settled();
    const [problems] = await tree.rows(job);
    assert.equal(shown[0], '1,200 failed pages');
    const last = async () => (await tree.rows(problems as PageNode)).at(-1) as PageNode;
    for (let round = 0; round < 4; round++) tree.loadMore(await last());
    const rows = await tree.rows(problems as PageNode);
    assert.equal(rows.length, 1_001);
    assert.equal(tree.item(await last()).label, 'The first 1,000 pages. Use Save Pages As… for all of them.');
  });

  it('that are gone are asked for once (EXT-19)', async () => {
    failure = apiError(404);
    await draw();
    await draw();
    await draw();
    assert.deepEqual(requests, ['pages from 0']);
    assert.deepEqual(shown, ["Couldn't load the pages: It answered 404."]);
  });

  it('are left alone while the server limits requests, by any view, until somebody tries again', async () => {
    failure = apiError(429, 60_000);
    await draw();
    await draw();
    assert.deepEqual(requests.splice(0), ['pages from 0']);
    assert.ok(limit.active, 'all views wait');
    failure = undefined;
    tree.loadMore(await errorRow());
    await drawing;
    assert.deepEqual(requests, []);
    assert.deepEqual(shown, ["Couldn't load the pages: The server is rate limiting requests."]);
    limit.reset();
    tree.loadMore(await errorRow());
    await eventually(() => assert.deepEqual(shown, ['Page 1', 'Page 2', 'Page 3']));
    assert.deepEqual(requests, ['pages from 0', 'errors']);
  });

  it('stay when later ones fail, with the reason, and go on from there', async () => {
    await settled();
    failure = apiError(500);
    progress = 9;
    await draw();
    await eventually(() =>
      assert.deepEqual(shown, ['Page 1', 'Page 2', 'Page 3', "Couldn't load the pages: It answered 500."]),
    );
    failure = undefined;
    pages = 4;
    requests = [];
    store.retry();
    await eventually(() => assert.deepEqual(shown, ['Page 1', 'Page 2', 'Page 3', 'Page 4']));
    assert.deepEqual(requests, ['pages from 3', 'errors']);
  });
});
