import assert from 'node:assert/strict';
import type { FoundPage, JobPage, PageFolder } from '../../../src/contract/crawl/pages.ts';
import { crawl, ended, linking, pathOf, startBatch, startCrawl } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { type FaultySite, redirect, startFaultySite, status } from '../../harness/faulty-site.ts';
import { call, startTestService, type TestService } from '../../harness/service.ts';

describe('pages of crawls and batches', () => {
  let service: TestService;
  let site: FaultySite;
  let id: string;
  before(async () => {
    service = await startTestService();
    site = await startFaultySite();
    site.answer('/robots.txt', (_request, response) => void response.end('User-agent: *\nDisallow: /private/\n'));
    site.answer('/', linking('Home', '/docs/', '/docs/guide/one', '/docs/guide/two', '/old', '/gone', '/private/x'));
    site.answer('/docs/', linking('Docs', '/docs/deep/er/a', '/docs/deep/er/b', '/docs/single/page'));
    site.answer('/old', redirect('/new'));
    site.answer('/new', '<title>New</title><main><h1>New</h1><p>Moved here.</p></main>');
    site.answer('/gone', status(410));
    for (const path of ['/docs/guide/two', '/docs/deep/er/a', '/docs/deep/er/b', '/docs/single/page']) {
      site.answer(path, linking(path.split('/').at(-1) ?? ''));
    }
    site.answer(
      '/docs/guide/one',
      '<title>One</title><main><h1>One</h1><p>The first paragraph.</p><p>The zebra crossed the Café road.</p><p>東京都の天気</p></main>',
    );
    id = await startCrawl(service, { url: site.baseUrl });
    await ended(service, id);
  });
  after(async () => {
    await service.close();
    await site.close();
  });

  const get = async (path: string, query: Record<string, string | number> = {}) => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    return service.call('GET', `/embedded/${path}?${search}`);
  };
  const list = async (query: Record<string, string | number> = {}) => {
    const { status: code, body } = await get(`jobs/${id}/pages`, query);
    assert.equal(code, 200, JSON.stringify(body));
    return body as { pages: JobPage[]; cursor: string | null };
  };
  const find = async (query: string, more: Record<string, string | number> = {}) => {
    const { status: code, body } = await get('page-search', { query, ...more });
    assert.equal(code, 200, JSON.stringify(body));
    return body as {
      results: FoundPage[];
      total: number;
      cursor: string | null;
      indexed: { pages: number; total: number };
    };
  };
  const pathsOf = (pages: readonly JobPage[]) => pages.map(({ url }) => pathOf(url));

  it('are listed with title, status, state and reason, in order, and read by their ids', async () => {
    const { pages, cursor } = await list();
    assert.equal(cursor, null);
    assert.deepEqual(
      pages.map(({ order }) => order),
      pages.map((_, index) => index + 1),
    );
    assert.deepEqual(pathsOf(pages).sort(), [
      '/',
      '/docs/',
      '/docs/deep/er/a',
      '/docs/deep/er/b',
      '/docs/guide/one',
      '/docs/guide/two',
      '/docs/single/page',
      '/gone',
      '/new',
      '/private/x',
    ]);
    const at = (path: string) => pages.find(({ url }) => pathOf(url) === path);
    assert.deepEqual([at('/')?.state, at('/')?.title, at('/')?.statusCode], ['ok', 'Home', 200]);
    assert.deepEqual([at('/gone')?.state, at('/gone')?.code, at('/gone')?.statusCode], ['failed', 'HTTP_410', 410]);
    assert.match(at('/gone')?.reason ?? '', /410 Gone/);
    assert.equal(at('/gone')?.id, undefined);
    const foundOf = (path: string) => [at(path)?.linkedFrom, at(path)?.foundIn];
    assert.deepEqual(foundOf('/gone'), [`${site.baseUrl}/`, undefined]);
    assert.deepEqual(foundOf('/docs/single/page'), [`${site.baseUrl}/docs/`, undefined]);
    assert.deepEqual(foundOf('/private/x'), [`${site.baseUrl}/`, undefined]);
    assert.deepEqual(foundOf('/'), [undefined, 'start']);
    assert.deepEqual([at('/private/x')?.state, at('/private/x')?.id], ['blocked', undefined]);
    assert.match(at('/private/x')?.reason ?? '', /disallows it in its robots\.txt/);
    const { body } = await service.call('GET', `/v2/scrape/${at('/docs/guide/one')?.id}`);
    assert.match(body.data.markdown, /zebra/);
  });

  it('are paged, filtered by state and found by URL before and after redirects', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await list({ limit: 3, ...(cursor && { cursor }) });
      assert.ok(answer.pages.length <= 3);
      seen.push(...pathsOf(answer.pages));
      cursor = answer.cursor;
    }
    assert.equal(seen.length, 10);
    assert.equal(new Set(seen).size, 10);
    assert.deepEqual(pathsOf((await list({ state: 'failed' })).pages), ['/gone']);
    assert.deepEqual(pathsOf((await list({ state: 'blocked' })).pages), ['/private/x']);
    for (const path of ['/new', '/old', '/old#top']) {
      assert.deepEqual(pathsOf((await list({ url: site.baseUrl + path })).pages), ['/new'], path);
    }
    assert.deepEqual((await list({ url: `${site.baseUrl}/nowhere` })).pages, []);
    assert.deepEqual((await list({ url: 'no url' })).pages, []);
    const urls = ['/old', '/nowhere', '/docs/#top', '/gone'].map((path) => site.baseUrl + path);
    const { body } = await service.call('POST', `/embedded/jobs/${id}/find`, { urls: [...urls, 'no url'] });
    assert.deepEqual(
      body.found.map(({ url, page }: { url: string; page: JobPage }) => [pathOf(url), pathOf(page.url), page.state]),
      [
        ['/old', '/new', 'ok'],
        ['/docs/', '/docs/', 'ok'],
        ['/gone', '/gone', 'failed'],
      ],
    );
  });

  it('are listed below a folder, ordered by URL', async () => {
    const folder = `${site.baseUrl}/docs/`;
    const all = [
      '/docs/',
      '/docs/deep/er/a',
      '/docs/deep/er/b',
      '/docs/guide/one',
      '/docs/guide/two',
      '/docs/single/page',
    ];
    assert.deepEqual(pathsOf((await list({ folder })).pages), all);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await list({ folder, limit: 1, ...(cursor && { cursor }) });
      seen.push(...pathsOf(answer.pages));
      cursor = answer.cursor;
    }
    assert.deepEqual(seen, all);
  });

  it('are grouped into folders with counts; only the opened folder is read', async () => {
    const open = async (query: Record<string, string | number> = {}) => {
      const { body } = await get(`jobs/${id}/folder`, query);
      return body as {
        folder: string;
        folders: PageFolder[];
        pages: JobPage[];
        cursor: string | null;
        pageCount: number;
      };
    };
    const top = await open();
    assert.equal(top.folder, `${site.baseUrl}/`);
    assert.equal(top.pageCount, 10);
    assert.deepEqual(
      top.folders.map(({ name, pageCount, failedCount }) => [name, pageCount, failedCount]),
      [['docs', 6, 0]],
    );
    assert.deepEqual(pathsOf(top.pages).sort(), ['/', '/gone', '/new', '/private/x']);
    const docs = await open({ folder: top.folders[0]?.prefix ?? '' });
    assert.deepEqual(
      docs.folders.map(({ name, pageCount }) => [name, pageCount]),
      [
        ['deep/er', 2],
        ['guide', 2],
      ],
    );
    assert.deepEqual(pathsOf(docs.pages), ['/docs/single/page', '/docs/']);
    const deep = await open({ folder: docs.folders[0]?.prefix ?? '' });
    assert.deepEqual(pathsOf(deep.pages), ['/docs/deep/er/a', '/docs/deep/er/b']);
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await open({ folder: `${site.baseUrl}/docs/`, limit: 1, ...(cursor && { cursor }) });
      names.push(...answer.folders.map(({ name }) => name), ...pathsOf(answer.pages));
      cursor = answer.cursor;
    }
    assert.deepEqual(names, ['deep/er', 'guide', '/docs/single/page', '/docs/']);
  });

  it('are found by a word, with the matching line', async () => {
    const { results, total } = await find('zebra', { jobId: id });
    assert.equal(total, 1);
    const [found] = results;
    assert.equal(found?.jobId, id);
    assert.equal(pathOf(found?.page.url ?? ''), '/docs/guide/one');
    const [match] = found?.matches ?? [];
    assert.ok(match);
    assert.equal(match.text, 'The zebra crossed the Café road.');
    assert.equal(match.text.substring(match.textColumn - 1, match.textColumn - 1 + match.length), 'zebra');
    const { body } = await service.call('GET', `/v2/scrape/${found?.page.id}`);
    assert.equal(body.data.markdown.split('\n')[match.line - 1], match.text);
  });

  it('are found by the start of the last word, without accents, by phrase, in any script and by title', async () => {
    for (const query of [
      'zeb',
      'ZEBRA',
      'crossed zeb',
      'cafe',
      'Café',
      '"crossed the cafe"',
      '天気',
      '東京',
      'guide one',
    ]) {
      const { results } = await find(query, { jobId: id });
      assert.equal(pathOf(results[0]?.page.url ?? 'http://x/none'), '/docs/guide/one', query);
    }
    for (const query of ['zebr crossed', '"zebra the"', 'zebra nowhere', '京東']) {
      assert.equal((await find(query, { jobId: id })).total, 0, query);
    }
  });

  it('accept any characters in a query', async () => {
    for (const query of [
      '"',
      '*',
      'AND',
      'a OR (',
      'NEAR(x y',
      '^',
      "'; DROP TABLE page --",
      '\u0000',
      '{scope}:x',
      '-',
      '😀',
      'x'.repeat(1000),
    ]) {
      assert.ok((await find(query)).total >= 0, query);
    }
    assert.equal((await get('page-search', { query: '' })).status, 400);
    assert.equal((await get('page-search', { query: 'x'.repeat(1001) })).status, 400);
    assert.equal((await get('page-search', { query: 'x', cursor: 'nonsense' })).status, 400);
    for (const query of [{ cursor: '!' }, { limit: 0 }, { limit: 1001 }, { folder: 'https://x' }, { state: 'odd' }]) {
      assert.equal(
        (await get(`jobs/${id}/pages`, query as unknown as Record<string, string>)).status,
        400,
        JSON.stringify(query),
      );
    }
  });

  it('are searched in all jobs of the team, batches included, while they run', async () => {
    const batch = await startBatch(service, { urls: [`${site.baseUrl}/docs/guide/one`, `${site.baseUrl}/new`] });
    await ended(service, batch, '/v2/batch/scrape');
    const { results, total, indexed } = await find('zebra');
    assert.equal(total, 2);
    assert.deepEqual(results.map(({ jobId }) => jobId).sort(), [id, batch].sort());
    assert.equal(indexed.pages, indexed.total);
    const first = await find('zebra', { limit: 1 });
    assert.ok(first.cursor);
    const second = await find('zebra', { limit: 1, cursor: first.cursor });
    assert.equal(second.cursor, null);
    assert.notEqual(first.results[0]?.jobId, second.results[0]?.jobId);
    const { body } = await get(`jobs/${batch}/pages`);
    assert.deepEqual(pathsOf(body.pages).sort(), ['/docs/guide/one', '/new']);
  });

  it('are never visible to another team', async () => {
    const other = (path: string) => call(service.baseUrl, 'other-team-key-0123456789', 'GET', `/embedded/${path}`);
    for (const path of [`jobs/${id}/pages`, `jobs/${id}/folder`, `page-search?query=zebra&jobId=${id}`]) {
      assert.equal((await other(path)).status, 403, path);
    }
    const { body } = await other('page-search?query=zebra');
    assert.deepEqual([body.total, body.results], [0, []]);
    const missing = '00000000-0000-4000-8000-000000000000';
    for (const path of [`jobs/${missing}/pages`, `jobs/${missing}/folder`, `page-search?query=x&jobId=${missing}`]) {
      assert.equal((await service.call('GET', `/embedded/${path}`)).status, 404, path);
    }
  });

  it('are listed and searched while the crawl runs', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    site.answer('/slow/', linking('Slow', '/slow/held'));
    site.answer(
      '/slow/held',
      (_request, response) => void gate.then(() => response.end('<title>Held</title><main>Quagga</main>')),
    );
    const running = await startCrawl(service, { url: `${site.baseUrl}/slow/`, sitemap: 'skip' });
    await eventually(async () => {
      const { body } = await get(`jobs/${running}/pages`);
      assert.deepEqual(pathsOf(body.pages), ['/slow/']);
    });
    assert.equal((await find('quagga', { jobId: running })).total, 0);
    release();
    await ended(service, running);
    assert.equal((await find('quagga', { jobId: running })).total, 1);
  });

  it('of a crawl without pages are an empty list', async () => {
    const state = await crawl(service, { url: `${site.baseUrl}/nothing-here` });
    assert.equal(state.status, 'failed');
    const { body } = await get(`jobs/${id}/folder`, { folder: `${site.baseUrl}/none/` });
    assert.deepEqual([body.folders, body.pages, body.pageCount, body.cursor], [[], [], 0, null]);
  });
});
