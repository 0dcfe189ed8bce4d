import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ended, linking, pathOf, startCrawl } from '../../harness/crawl-jobs.ts';
import { type Answer, type FaultySite, redirect, startFaultySite, status } from '../../harness/faulty-site.ts';
import { call, startTestService, type TestService } from '../../harness/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of responses that they have just requested
type Loose = any;

/** Returns paths of a crawl's documents with how they differ. */
function changesOf({ data }: Loose): Record<string, string> {
  return Object.fromEntries(
    data
      .map(({ metadata, changeTracking }: Loose) => [pathOf(metadata.sourceURL), changeTracking?.changeStatus])
      .sort(([one]: [string], [other]: [string]) => (one < other ? -1 : 1)),
  );
}

const tagOf = (html: string) => `"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"`;

describe('a crawl that repeats another', () => {
  let service: TestService;
  let site: FaultySite;
  /** Paths that were answered with 304. */
  let unchanged: string[];

  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());
  beforeEach(async () => {
    site = await startFaultySite();
    unchanged = [];
  });
  afterEach(() => site.close());

  function notModified(request: IncomingMessage, response: ServerResponse): void {
    unchanged.push(request.url ?? '');
    response.writeHead(304).end();
  }

  /** Answers as a careful site does: 304 if the version is the same. */
  function versioned(html: string): Answer {
    return (request, response) => {
      const etag = tagOf(html);
      if (request.headers['if-none-match'] === etag) return notModified(request, response);
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(html);
    };
  }

  function publish(pages: Record<string, string>, answer: (html: string) => Answer = versioned): void {
    for (const [path, html] of Object.entries(pages)) site.answer(path, answer(html));
  }

  /** A site of a start page and numbered ones, all of which link to their start. */
  function numbered(count: number, version: (index: number) => number = () => 1): Record<string, string> {
    const paths = Array.from({ length: count }, (_, index) => `/p${index}`);
    return {
      '/': linking('Home', ...paths),
      ...Object.fromEntries(paths.map((path, index) => [path, linking(`Page ${index} v${version(index)}`, '/')])),
    };
  }

  async function repeat(first: string, body: object = {}): Promise<Loose> {
    const id = await startCrawl(service, { url: site.baseUrl, since: first, ...body });
    return { ...(await ended(service, id)), id };
  }

  async function firstCrawl(body: object = {}): Promise<string> {
    const id = await startCrawl(service, { url: site.baseUrl, ...body });
    await ended(service, id);
    return id;
  }

  it('says which pages only a form leads to, also of pages that are unchanged', async () => {
    const select = '<form><select name="year"><option>2024<option>2025</select><button>Show</button></form>';
    publish({ ...numbered(20), '/p19': `${linking('Page 19 v1', '/')}${select}` });
    const again = await repeat(await firstCrawl());
    assert.ok(unchanged.includes('/p19'), String(unchanged));
    assert.match(again.warning ?? '', /Only a form leads to 2 pages/);
  });

  it('reads the feeds of its start page again, also if that is unchanged', async () => {
    const pages = numbered(20);
    const feed = (...paths: string[]) =>
      `<rss>${paths.map((path) => `<item><link>${site.baseUrl}${path}</link></item>`).join('')}</rss>`;
    const declared = '<link rel="alternate" type="application/rss+xml" href="/feed">';
    publish({ ...pages, '/': declared + pages['/'], '/new': linking('New'), '/feed': feed('/p1') });
    const first = await firstCrawl();
    publish({ '/feed': feed('/new') });
    const again = await repeat(first);
    const { '/': start, '/new': added } = changesOf(again);
    assert.deepEqual([start, added], ['same', 'new']);
  });

  it('leaves out the copies of unchanged pages again, until one of the two says something else', async () => {
    const text = 'What a page says of its subject, in enough words that only a copy of it says the same. '.repeat(4);
    const content = (more: string) => `<main><h1>A page</h1><p>${text}</p>${more}</main>`;
    const titled = (more = '') => `<title>A page</title>${content(more)}`;
    const pages = {
      '/': linking('Home', '/a', '/b'),
      '/a': titled('<a href="/a/print">Print</a>'),
      '/a/print': titled(),
      '/b': titled('<p>Second.</p> <a href="/b/print">Print</a>'),
      '/b/print': titled('<p>Second.</p>'),
    };
    publish(pages);
    const first = await firstCrawl();
    assert.deepEqual(Object.keys(changesOf(await ended(service, first))), ['/', '/a', '/b']);
    const again = await repeat(first);
    assert.deepEqual(changesOf(again), { '/': 'same', '/a': 'same', '/b': 'same' });
    const left = again.leftOut.find(({ reason }: Loose) => reason === 'duplicate');
    assert.deepEqual([left?.count, left?.examples.map(pathOf)], [2, ['/a/print', '/b/print']]);
    publish({ ...pages, '/a': titled(`<p>New: ${text} and more.</p>`), '/b/print': titled('<p>Of its own.</p>') });
    assert.deepEqual(changesOf(await repeat(again.id)), {
      '/': 'same',
      '/a': 'changed',
      '/b': 'same',
      '/b/print': 'new',
    });
  });

  it('gets a copy if it excludes the page that says the same', async () => {
    const text = 'What a page says of its subject, in enough words that only a copy of it says the same. '.repeat(4);
    const page = `<title>A page</title><main><h1>A page</h1><p>${text}</p></main>`;
    publish({ '/': linking('Home', '/a', '/a/print'), '/a': page, '/a/print': page });
    const first = await firstCrawl();
    assert.deepEqual(Object.keys(changesOf(await ended(service, first))), ['/', '/a']);
    const again = await repeat(first, { excludePaths: ['^/a$'] });
    assert.deepEqual(changesOf(again), { '/': 'same', '/a/print': 'new' });
  });

  it('takes over unchanged pages, and says which are new, changed and removed', async () => {
    publish({
      '/': linking('Home', '/a', '/b', '/gone', '/unlinked', '/list'),
      '/a': linking('A', '/'),
      '/b': linking('B', '/'),
      '/gone': linking('Gone', '/'),
      '/unlinked': linking('Unlinked', '/'),
      '/list': linking('List', '/only-from-list'),
      '/only-from-list': linking('Leaf'),
    });
    const first = await firstCrawl();
    const before = await ended(service, first);
    publish({
      '/': linking('Home', '/a', '/b', '/gone', '/list', '/c'),
      '/b': linking('B changed', '/'),
      '/c': linking('C'),
    });
    site.answer('/gone', status(410));
    const again = await repeat(first);
    assert.deepEqual(changesOf(again), {
      '/': 'changed',
      '/a': 'same',
      '/b': 'changed',
      '/c': 'new',
      '/gone': 'removed',
      '/list': 'same',
      '/only-from-list': 'same',
      '/unlinked': 'removed',
    });
    assert.deepEqual(again.changes, { new: 1, same: 3, changed: 2, removed: 2 });

    const of = (state: Loose, path: string) =>
      state.data.find(({ metadata }: Loose) => pathOf(metadata.sourceURL) === path);
    const [old, taken] = [of(before, '/a'), of(again, '/a')];
    assert.equal(taken.markdown, old.markdown);
    assert.equal(taken.metadata.cacheState, 'revalidated');
    assert.notEqual(taken.metadata.scrapeId, old.metadata.scrapeId);
    assert.ok(Date.parse(taken.changeTracking.previousScrapeAt));
    assert.equal(of(again, '/unlinked').changeTracking.visibility, 'hidden');
    assert.equal(of(again, '/gone').markdown, undefined);

    const { body } = await service.call('GET', `/embedded/jobs/${again.id}/pages?onlyChanges=true`);
    const rows = Object.fromEntries(
      body.pages.map(({ url, changeStatus, reason }: Loose) => [pathOf(url), [changeStatus, reason]]),
    );
    assert.deepEqual(rows, {
      '/': ['changed', undefined],
      '/b': ['changed', undefined],
      '/c': ['new', undefined],
      '/gone': ['removed', 'The page returned 410.'],
      '/unlinked': ['removed', 'No link to the page was found anymore, but it still exists.'],
    });
  });

  it('returns only changes in the status, page by page', async () => {
    publish(numbered(12));
    const first = await firstCrawl();
    publish(numbered(12, (index) => (index % 4 === 0 ? 2 : 1)));
    const { id } = await repeat(first);
    const found: string[] = [];
    let next = `/v2/crawl/${id}?onlyChanges=true&limit=2`;
    for (let rounds = 0; next && rounds < 5; rounds++) {
      const { body } = await service.call('GET', next);
      found.push(...body.data.map(({ metadata }: Loose) => pathOf(metadata.sourceURL)));
      next = body.next?.slice(service.baseUrl.length);
    }
    assert.deepEqual(found.sort(), ['/p0', '/p4', '/p8']);
  });

  it('finds and searches only changes', async () => {
    publish(numbered(12));
    const first = await firstCrawl();
    publish(numbered(12, (index) => (index % 4 === 0 ? 2 : 1)));
    const { id } = await repeat(first);
    const search = async (query: string) => {
      const { body } = await service.call('GET', `/embedded/page-search?query=words&jobId=${id}${query}`);
      return [body.total, body.results.length];
    };
    assert.deepEqual(await search(''), [13, 13]);
    assert.deepEqual(await search('&onlyChanges=true'), [3, 3]);
  });

  it('repeats with the options of the first crawl', async () => {
    publish({ '/': linking('Home', '/a', '/b'), '/a': linking('A'), '/b': linking('B') });
    const first = await firstCrawl({ excludePaths: ['^/b'], scrapeOptions: { formats: ['html'] } });
    publish({ '/a': linking('A changed') });
    const { status, body } = await service.call('POST', `/embedded/crawl/${first}/repeat`, {});
    assert.equal(status, 200);
    assert.deepEqual(changesOf(await ended(service, body.id)), { '/': 'same', '/a': 'changed' });
  });

  it('says exactly which tenth of a site changed', async () => {
    const changed = (index: number) => index % 10 === 3;
    publish(numbered(200));
    const first = await firstCrawl();
    publish(numbered(200, (index) => (changed(index) ? 2 : 1)));
    const again = await repeat(first);
    assert.deepEqual(again.changes, { new: 0, same: 181, changed: 20, removed: 0 });
    for (const [path, change] of Object.entries(changesOf(again))) {
      const isChanged = path !== '/' && changed(Number(path.slice(2)));
      assert.equal(change, isChanged ? 'changed' : 'same', path);
    }
    assert.ok(unchanged.length > 150, `${unchanged.length} pages were answered with 304`);
  });

  it('compares bodies if a site sends no validators, and follows its redirects', async () => {
    const plain =
      (html: string): Answer =>
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    publish(
      {
        '/': linking('Home', '/old', '/a'),
        '/new': linking('New place', '/deep'),
        '/a': linking('A'),
        '/deep': linking('Deep'),
      },
      plain,
    );
    site.answer('/old', redirect('/new'));
    const first = await firstCrawl();
    const again = await repeat(first);
    assert.deepEqual(changesOf(again), { '/': 'same', '/a': 'same', '/deep': 'same', '/old': 'same' });
    // Found under its own URL, it is the same page.
    publish({ '/': linking('Home', '/new', '/a') }, plain);
    const third = await repeat(first);
    assert.deepEqual(changesOf(third), { '/': 'changed', '/a': 'same', '/deep': 'same', '/new': 'same' });
  });

  it('misses no change on a site that always answers 304', async () => {
    const lying =
      (html: string): Answer =>
      (request, response) => {
        if (request.headers['if-none-match'] !== undefined) return notModified(request, response);
        response.writeHead(200, { 'content-type': 'text/html', etag: tagOf(html) }).end(html);
      };
    publish(numbered(20), lying);
    const first = await firstCrawl();
    publish(
      numbered(20, (index) => (index < 5 ? 2 : 1)),
      lying,
    );
    const again = await repeat(first);
    assert.deepEqual(again.changes, { new: 0, same: 16, changed: 5, removed: 0 });
    assert.match(again.warning, /The site says that pages are unchanged although they changed/);
  });

  it('notices a site whose ETags never change, and says so', async () => {
    const stuck =
      (html: string): Answer =>
      (request, response) => {
        if (request.headers['if-none-match'] === '"stuck"') return notModified(request, response);
        response.writeHead(200, { 'content-type': 'text/html', etag: '"stuck"' }).end(html);
      };
    publish(numbered(20), stuck);
    const first = await firstCrawl();
    publish(
      numbered(20, () => 2),
      stuck,
    );
    const again = await repeat(first, { maxConcurrency: 1 });
    assert.match(again.warning, /The site says that pages are unchanged although they changed/);
    assert.deepEqual(again.changes, { new: 0, same: 1, changed: 20, removed: 0 });
  });

  it('never trusts a version that depends on more than the request', async () => {
    const varying =
      (html: string): Answer =>
      (request, response) => {
        if (request.headers['if-none-match'] === '"all"') return notModified(request, response);
        response.writeHead(200, { 'content-type': 'text/html', etag: '"all"', vary: '*' }).end(html);
      };
    publish(numbered(8), varying);
    const first = await firstCrawl();
    publish(
      numbered(8, () => 2),
      varying,
    );
    assert.deepEqual((await repeat(first)).changes, { new: 0, same: 1, changed: 8, removed: 0 });
    assert.deepEqual(unchanged, []);
  });

  it('repeats a repeat', async () => {
    publish({ '/': linking('Home', '/a', '/b'), '/a': linking('A'), '/b': linking('B') });
    const first = await firstCrawl();
    publish({ '/': linking('Home', '/a') });
    site.answer('/b', status(404));
    const second = await repeat(first);
    const third = await repeat(second.id);
    assert.deepEqual(changesOf(third), { '/': 'same', '/a': 'same' });
  });

  it('is a docs source without the pages that were removed', async () => {
    publish({ '/': linking('Home', '/a', '/b'), '/a': linking('A', '/'), '/b': linking('B', '/') });
    const first = await firstCrawl();
    publish({ '/': linking('Home', '/a') });
    const { id } = await repeat(first);
    const { body } = await service.call('POST', '/embedded/docs-sources', { crawlId: id });
    assert.deepEqual([body.source.pages, body.source.crawlId], [2, id]);
  });

  it('calls nothing removed that a page which failed may link to', async () => {
    publish({ '/': linking('Home', '/list'), '/list': linking('List', '/leaf'), '/leaf': linking('Leaf') });
    const first = await firstCrawl();
    site.answer('/list', status(500));
    const again = await repeat(first);
    assert.deepEqual(changesOf(again), { '/': 'same', '/leaf': 'same' });
  });

  it('refuses a crawl that it cannot repeat, and says why', async () => {
    publish({ '/': linking('Home') });
    const first = await firstCrawl();
    const refused = async (body: object) => {
      const answer = await service.call('POST', '/v2/crawl', { url: site.baseUrl, since: first, ...body });
      assert.equal(answer.status, 400);
      return String(answer.body.error);
    };
    assert.match(await refused({ since: '018f0000-0000-7000-8000-000000000000' }), /since: there is no crawl/);
    assert.match(await refused({ url: `${site.baseUrl}/other` }), /since: the crawl started at/);
    assert.match(
      await refused({ scrapeOptions: { formats: ['html'] } }),
      /since: the crawl has other scrapeOptions: formats/,
    );
    assert.match(
      await refused({ scrapeOptions: { formats: ['markdown', { type: 'changeTracking', modes: [] }] } }),
      /changeTracking/,
    );
    assert.match(await refused({ ignoreQueryParameters: true }), /ignoreQueryParameters/);
    const other = await call(service.baseUrl, 'other-team-key-0123456789', 'POST', '/v2/crawl', {
      url: site.baseUrl,
      since: first,
    });
    assert.equal(other.status, 400);
    assert.match(other.body.error, /since: the crawl belongs to another team/);
  });
});
