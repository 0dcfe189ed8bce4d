import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import {
  type CrawlOptions,
  type JobState,
  startBatchBody,
  startCrawlBody,
} from '../../../src/contract/crawl/crawl-jobs.ts';
import { scrapeOptions } from '../../../src/contract/scrape/scrape.ts';
import type { JobEvent } from '../../../src/service/platform/job-events.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { FetchError, type Fetcher } from '../../../src/service/platform/network/fetch.ts';
import { createUnreadable, type Database, openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { createActivity } from '../../../src/service/platform/team/activity.ts';
import { createLedger } from '../../../src/service/platform/team/ledger.ts';
import { createJobs, type Jobs } from '../../../src/service/web/crawl/jobs.ts';
import { createHostGates } from '../../../src/service/web/crawl/run/host-gates/host-gates.ts';
import { createSlots, type Slots } from '../../../src/service/web/crawl/run/run-parts.ts';
import { createPathMatcher, type PathMatcher } from '../../../src/service/web/crawl/scope/path-rules.ts';
import { createRobotsCache } from '../../../src/service/web/crawl/site/robots-cache.ts';
import { newPageVersion, pageVersions } from '../../../src/service/web/scrape/changes/page-versions.ts';
import { type Wording, wordingOf } from '../../../src/service/web/scrape/convert/wording.ts';
import type { ScrapedPage, ScrapeRequest } from '../../../src/service/web/scrape/scrape.ts';
import { afterCommit, DatabaseUnreachable } from '../../../src/storage/storage.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { noise } from '../../harness/noise.ts';

const caller = { team: 'red', keyLabel: 'red' };
const home = 'https://site.test/';

describe('jobs', () => {
  let folder: string;
  let database: Database;
  let clock: FakeClock;
  let slots: Slots;
  let matcher: PathMatcher;
  let events: JobEvent[];
  let asked: string[];
  /** Whether the database can't be reached, with `intercept`. */
  let gone: boolean;
  /** Links of each page of the site that is crawled. */
  let site: (path: string) => string[];
  let scrape: (request: ScrapeRequest) => Promise<ScrapedPage>;

  beforeEach(async () => {
    folder = temporaryFolder();
    database = await openDatabase(folder, silentLog, 0);
    clock = createFakeClock();
    slots = createSlots(50, clock);
    matcher = createPathMatcher();
    events = [];
    asked = [];
    gone = false;
    // A tree of forty pages.
    site = (path) => {
      const number = Number(path.slice(2) || 0);
      return [3 * number + 1, 3 * number + 2, 3 * number + 3].filter((page) => page < 40).map((page) => `/p${page}`);
    };
    scrape = async ({ url }) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      await new Promise(setImmediate);
      return scraped(url, site(pathname));
    };
  });
  afterEach(async () => {
    await matcher.close();
    await database.destroy();
    rmSync(folder, { recursive: true });
  });

  function scraped(url: string, links: string[]): ScrapedPage {
    return {
      document: { markdown: url, metadata: { sourceURL: url, statusCode: 200 } },
      links: links.map((link) => new URL(link, home).href),
      finalUrl: url,
      statusCode: 200,
      contentType: 'text/html',
      creditsUsed: 1,
      replay: {
        url,
        waitFor: 0,
        actions: [],
        headers: {},
        mobile: false,
        skipTlsVerification: true,
        location: undefined,
        profile: undefined,
      },
    };
  }

  const withoutRobots: Pick<Fetcher, 'fetch'> = {
    fetch: () => Promise.reject(new FetchError('too many redirects', home, 'none')),
  };

  function open(plan?: number, fetcher = withoutRobots): Jobs {
    return createJobs({
      database,
      unreadable: createUnreadable(database, silentLog, clock.now),
      scraper: {
        async scrape(request) {
          const first = await scrape(request);
          return (await request.improve?.(first, () => scrape(request))) ?? first;
        },
      },
      versions: pageVersions(database, createUnreadable(database, silentLog, clock.now)),
      fetcher,
      robots: createRobotsCache(fetcher, clock),
      gates: createHostGates(clock),
      slots,
      matcher,
      ledger: createLedger(database, clock, plan),
      activity: createActivity(database, clock),
      events: {
        emit: async (some, tx) => afterCommit(tx, () => events.push(...some)),
      },
      clock,
      log: silentLog,
      checkTarget: () => undefined,
    });
  }

  async function pragma(text: string): Promise<number> {
    const { rows } = await sql<Record<string, number>>`PRAGMA ${sql.raw(text)}`.execute(database);
    return Object.values(rows[0] ?? {})[0] ?? 0;
  }

  const fileOf = (url: string, text: string) => ({
    url,
    status: 200,
    headers: {},
    truncated: false,
    hops: [],
    body: new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>,
  });

  /** A site whose robots.txt says this. */
  const saying = (text: string): Pick<Fetcher, 'fetch'> => ({ fetch: async (url) => fileOf(url, text) });

  /** A site that has only these files, each once it is there. */
  const having = (files: Record<string, () => Promise<string>>): Pick<Fetcher, 'fetch'> => ({
    async fetch(url, options) {
      const read = files[new URL(url).pathname];
      return read ? fileOf(url, await read()) : await withoutRobots.fetch(url, options);
    },
  });

  const start = async (jobs: Jobs, options: CrawlOptions = {}, formats?: unknown[]) => {
    const { id } = await jobs.startCrawl(caller, {
      url: home,
      options: { sitemap: 'skip', ...options },
      scrapeOptions: scrapeOptions.parse({ formats }),
      webhook: startCrawlBody.parse({ url: home, webhook: 'https://hook.test/' }).webhook,
      idempotencyKey: undefined,
    });
    return id;
  };
  const state = async (jobs: Jobs, id: string): Promise<JobState> => {
    const { state: stored, documents: texts } = await jobs.state(caller, 'crawl', id, { limit: 1000 }, '');
    return { ...stored, data: texts.map((text) => JSON.parse(text.toString())) };
  };
  const ended = (jobs: Jobs, id: string) =>
    eventually(async () => {
      const now = await state(jobs, id);
      if (now.status === 'scraping') throw new Error(`${now.completed} of ${now.total}`);
      return now;
    });
  const pages = (types: JobEvent[]) => types.filter(({ type }) => type === 'crawl.page');

  it('are reported from the start of a crawl, over each page once, to its end', async () => {
    const jobs = open();
    jobs.resume();
    const id = await start(jobs);
    const done = await ended(jobs, id);
    assert.equal(done.completed, 40);
    assert.equal(events[0]?.type, 'crawl.started');
    // It is told after what it tells of is stored.
    await eventually(() => assert.equal(events.at(-1)?.type, 'crawl.completed'));
    assert.equal(pages(events).length, 40);
    assert.equal(new Set(pages(events).map(({ data }) => data[0]?.markdown)).size, 40);
    for (const event of events) {
      assert.equal(event.jobId, id);
      assert.equal(event.webhook?.url, 'https://hook.test/');
    }
    await jobs.close();
  });

  it('resume after a restart of the service, without duplicate events', async () => {
    const first = open();
    const plain = scrape;
    scrape = (request) => (asked.length < 15 ? plain(request) : new Promise(() => asked.push('never')));
    first.resume();
    const id = await start(first, { maxConcurrency: 3 });
    await eventually(() => assert.equal(asked.length, 15 + 3));
    await first.close();
    assert.equal((await state(first, id)).completed, 15);
    scrape = plain;
    const second = open();
    second.resume();
    const done = await ended(second, id);
    assert.equal(done.completed, 40);
    assert.equal(new Set(done.data.map(({ markdown }) => markdown)).size, 40);
    assert.ok(asked.length <= 40 + 3, `${asked.length} fetches`);
    assert.equal(pages(events).length, 40);
    assert.equal(events.filter(({ type }) => type === 'crawl.started').length, 1);
    await second.close();
  });

  it('of one host fetch as many pages at a time as their maxConcurrency allows together, up to ten unless one has more', async () => {
    const jobs = open();
    jobs.resume();
    const plain = scrape;
    let inFlight = 0;
    scrape = (request) => {
      if (request.url === home) return plain(request);
      inFlight++;
      return new Promise(() => undefined);
    };
    site = (path) => (path === '/' ? Array.from({ length: 39 }, (_, index) => `/p${index + 1}`) : []);
    await start(jobs, { maxConcurrency: 4 });
    await eventually(() => assert.equal(inFlight, 4));
    await start(jobs, { maxConcurrency: 5 });
    await eventually(() => assert.equal(inFlight, 9));
    await start(jobs, { maxConcurrency: 5 });
    await start(jobs, { maxConcurrency: 12 });
    await eventually(() => assert.equal(inFlight, 12));
    await jobs.close();
  });

  it('leave out copies of pages that were stored before a restart', async () => {
    const numbers = [1, 2, 3, 4, 5, 6];
    site = (path) =>
      path === '/' ? numbers.flatMap((number) => [`/tea/${number}`, `/old/${number}`, `/as/${number}`]) : [];
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      const number = request.url.at(-1) ?? '';
      const { metadata } = page.document;
      metadata.url = request.url;
      metadata.title = 'Tea';
      if (/as/.test(request.url)) Object.assign(metadata, { title: 'As', canonical: `${home}tea/${number}` });
      return {
        ...page,
        wording: wordingOf(`<p>${`Tea number ${number} is for ${number} people. `.repeat(40)}</p>`, home),
      };
    };
    const first = open();
    first.resume();
    const id = await start(first, { limit: 5, maxConcurrency: 1 });
    assert.equal((await ended(first, id)).completed, 5);
    await first.close();
    const second = open();
    second.resume();
    await second.continueCrawl(caller, id, 100);
    const { data } = await ended(second, id);
    assert.deepEqual(
      data.map(({ markdown }) => markdown),
      [home, ...numbers.map((number) => `${home}tea/${number}`)],
    );
    await second.close();
  });

  it('go on reading lists for their links after a restart', async () => {
    const lists = (path: string) => Number(/^\/list(\d+)$/.exec(path)?.[1] ?? 0);
    site = (path) => {
      if (path.startsWith('/p')) return ['/'];
      const list = lists(path);
      return [`/list${list + 1}`, ...[1, 2, 3].map((number) => `/p${3 * list + number}`)].filter(
        (link) => lists(link) <= 8,
      );
    };
    const first = open();
    const plain = scrape;
    scrape = (request) => (asked.length < 15 ? plain(request) : new Promise(() => asked.push('never')));
    first.resume();
    const id = await start(first, { maxConcurrency: 3, includePaths: ['^/p'] });
    await eventually(() => assert.ok(asked.includes('never')));
    await eventually(async () => assert.ok(((await state(first, id)).readForLinks ?? 0) > 0));
    await first.close();
    scrape = plain;
    const second = open();
    second.resume();
    const done = await ended(second, id);
    assert.equal(done.completed, 27);
    assert.equal(done.readForLinks, 8);
    assert.equal(pages(events).length, 27);
    assert.deepEqual(
      done.leftOut?.map(({ reason, count }) => [reason, count]),
      [['include', 8]],
    );
    await second.close();
  });

  it('can be added to and canceled at a service that has given them up', async () => {
    const jobs = open();
    scrape = () => new Promise(() => asked.push('never'));
    jobs.resume();
    const id = await start(jobs);
    const urls = { urls: [`${home}one`] };
    const batch = (await jobs.startBatch(caller, startBatchBody.parse(urls), undefined)).job.id;
    await eventually(() => assert.equal(asked.length, 2));
    await jobs.giveUp();
    await jobs.startBatch(caller, startBatchBody.parse({ ...urls, appendToId: batch }), undefined);
    assert.equal((await jobs.find(caller, 'batch_scrape', batch)).added, 2);
    await jobs.cancel(caller, 'crawl', id);
    assert.equal((await state(jobs, id)).status, 'cancelled');
    await jobs.close();
  });

  it('end if what is stored of them is damaged, and the others go on (STO-05)', async () => {
    const jobs = open();
    const urls = startBatchBody.parse({ urls: [home] });
    const pageless = (await jobs.startBatch(caller, urls, undefined)).job.id;
    await database.updateTable('crawl_page').set({ url: 'damaged' }).execute();
    const damaged = await start(jobs);
    await database.updateTable('crawl_job').set({ url: 'damaged' }).where('id', '=', damaged).execute();
    const whole = await start(jobs);
    jobs.resume();
    assert.equal((await ended(jobs, whole)).status, 'completed');
    assert.match((await ended(jobs, damaged)).error ?? '', /^The job can't be run: Invalid URL/);
    await eventually(async () => {
      const { status, error } = await jobs.find(caller, 'batch_scrape', pageless);
      assert.deepEqual([status, error], ['failed', "The job can't go on: Invalid URL"]);
    });
    await jobs.close();
  });

  it('lose nothing while the disk is full, and continue when there is space (STO-03)', async () => {
    const jobs = open();
    jobs.resume();
    const text = noise(15_000).toString('base64');
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      return { ...page, document: { ...page.document, markdown: text + request.url } };
    };
    const size = await pragma('page_count');
    await pragma(`max_page_count = ${size + 40}`);
    const id = await start(jobs);
    await eventually(async () => {
      clock.advance(1000);
      assert.ok(asked.length > 20 && asked.length > ((await state(jobs, id)).completed ?? 0) + 3);
    });
    assert.equal((await state(jobs, id)).status, 'scraping');
    await pragma('max_page_count = 1000000');
    const done = await eventually(async () => {
      clock.advance(30_000);
      const now = await state(jobs, id);
      assert.notEqual(now.status, 'scraping');
      return now;
    });
    assert.equal(done.status, 'completed');
    assert.equal(done.completed, 40);
    assert.equal(done.creditsUsed, 40);
    await jobs.close();
  });

  it('fail when nothing can be stored for a long time (STO-03)', async () => {
    const jobs = open();
    jobs.resume();
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      return {
        ...page,
        document: { ...page.document, markdown: noise(1_000_000, asked.length % 256).toString('base64') },
      };
    };
    const size = await pragma('page_count');
    await pragma(`max_page_count = ${size + 100}`);
    const id = await start(jobs, { maxConcurrency: 1 });
    const done = await eventually(async () => {
      clock.advance(30_000);
      const now = await state(jobs, id);
      assert.notEqual(now.status, 'scraping');
      return now;
    });
    assert.equal(done.status, 'failed');
    assert.match(done.error ?? '', /could not be stored/);
    await jobs.close();
  });

  /** Makes queries fail while the database is gone, and the result of each wait. */
  function intercept(wait: () => void | Promise<void>): void {
    database = database.withPlugin({
      transformQuery: ({ node }) => {
        if (gone) throw new DatabaseUnreachable('gone, on purpose');
        return node;
      },
      async transformResult({ result }) {
        await wait();
        return result;
      },
    });
  }

  it('continue however long the database was unavailable, with many pages in flight', async () => {
    intercept(() => undefined);
    const jobs = open();
    jobs.resume();
    site = (path) => (path === '/' ? Array.from({ length: 39 }, (_, index) => `/p${index + 1}`) : []);
    const id = await start(jobs, { maxConcurrency: 50 });
    await eventually(() => assert.ok(asked.length > 10));
    gone = true;
    for (let minute = 0; minute < 60; minute++) {
      clock.advance(60_000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    gone = false;
    const done = await eventually(async () => {
      clock.advance(30_000);
      const now = await state(jobs, id);
      assert.notEqual(now.status, 'scraping');
      return now;
    });
    assert.equal(done.status, 'completed', done.error ?? '');
    assert.equal(done.completed, 40);
    assert.equal(done.creditsUsed, 40);
    // While nothing can be stored, one page at a time is tried.
    assert.ok(asked.length < 250, `${asked.length} pages were fetched`);
    await jobs.close();
  });

  it('ask for a slot again when one is free, and otherwise seldom', async () => {
    let asks = 0;
    let isFree = false;
    slots = {
      take: () => {
        asks++;
        return isFree;
      },
      release: () => {},
    };
    const jobs = open();
    jobs.resume();
    const id = await start(jobs);
    await eventually(() => assert.ok(asks > 0));
    const before = asks;
    for (let ms = 0; ms < 1000; ms++) {
      clock.advance(1);
      await new Promise(setImmediate);
    }
    assert.ok(asks - before <= 20, `asked ${asks - before} times in a second`);
    isFree = true;
    clock.advance(1000);
    assert.equal((await ended(jobs, id)).completed, 40);
    await jobs.close();
  });

  it('end when the database is slow, and when the clock is set back', async () => {
    intercept(() => new Promise((resolve) => setTimeout(resolve, 15)));
    const jobs = open();
    jobs.resume();
    const id = await start(jobs);
    await eventually(() => assert.ok(asked.length > 5));
    clock.setWall(clock.now() - 2 * 60 * 60 * 1000);
    const done = await ended(jobs, id);
    assert.equal(done.status, 'completed');
    assert.equal(done.completed, 40);
    assert.equal(done.duration, 0);
    clock.advance(60 * 60 * 1000);
    assert.equal((await state(jobs, id)).completed, 40);
    await jobs.close();
  });

  it('stop when the credits are used up, and keep their pages', async () => {
    const jobs = open(7);
    jobs.resume();
    const done = await ended(jobs, await start(jobs, { maxConcurrency: 4 }));
    assert.equal(done.status, 'failed');
    assert.equal(done.success, true);
    assert.equal(done.completed, 7);
    assert.match(done.error ?? '', /credits are used up/);
    await jobs.close();
  });

  it('treat any failure of a page as a page error', async () => {
    const jobs = open();
    jobs.resume();
    const plain = scrape;
    scrape = async (request) => {
      if (request.url.endsWith('/p1')) throw new Error('odd');
      const page = await plain(request);
      // What it says can't be compared.
      return request.url.endsWith('/p39') ? { ...page, wording: {} as Wording } : page;
    };
    const id = await start(jobs);
    const done = await ended(jobs, id);
    assert.equal(done.status, 'completed');
    assert.equal(done.completed, 40 - 2 - [4, 5, 6, 13, 14, 15, 16, 17, 18, 19, 20, 21].length);
    const { errors } = await jobs.errors(caller, 'crawl', id);
    assert.deepEqual(
      errors.map(({ code, url }) => [code, url]),
      [`${home}p1`, `${home}p39`].map((url) => ['UNKNOWN_ERROR', url]),
    );
    const failed = pages(events).find(({ success }) => !success);
    assert.equal(failed?.error, 'odd');
    assert.partialDeepStrictEqual(failed?.data, [{ metadata: { sourceURL: `${home}p1` } }]);
    await jobs.close();
  });

  it('look for pages that are no longer linked only when they followed all links', async () => {
    const known = pageVersions(database, createUnreadable(database, silentLog, clock.now));
    await known.store([await newPageVersion({ team: caller.team, tag: undefined, url: `${home}lost` }, 'Lost', 1)]);
    site = (path) => (path === '/' ? ['/p1', '/p2'] : []);
    const plain = scrape;
    const crawl = async (status: number, options: CrawlOptions = {}) => {
      asked = [];
      scrape = async (request) => {
        const page = await plain(request);
        return request.url.endsWith('/p1') ? { ...page, statusCode: status } : page;
      };
      const jobs = open();
      jobs.resume();
      const id = await start(jobs, options, ['changeTracking']);
      const { warning } = await eventually(async () => {
        // A page that failed is tried again after a while.
        clock.advance(1000);
        const now = await state(jobs, id);
        assert.notEqual(now.status, 'scraping');
        return now;
      });
      await jobs.close();
      return { looked: asked.includes('/lost'), warning };
    };
    for (const status of [200, 404]) assert.deepEqual(await crawl(status), { looked: true, warning: undefined });
    const { looked, warning } = await crawl(500);
    assert.equal(looked, false);
    assert.match(warning ?? '', /^Pages that are no longer linked were not looked for: pages that failed may/);
    const empty = await crawl(200, { sitemap: 'only' });
    assert.equal(empty.looked, false);
    assert.match(
      empty.warning ?? '',
      /^A sitemap could not be read .*\nNo page was crawled: the sitemaps list no pages/,
    );
  });

  it('read the pages nearer to the start first if they go only so deep, so that each has its depth', async () => {
    const jobs = open();
    jobs.resume();
    const links: Record<string, string[]> = { '/': ['/slow', '/a'], '/slow': ['/x'], '/a': ['/b'], '/b': ['/x'] };
    site = (path) => links[path] ?? (path === '/x' ? ['/y'] : []);
    let held = Promise.withResolvers<void>();
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      if (request.url.endsWith('/slow')) await held.promise;
      return page;
    };
    for (const [deepest, expected] of [
      [2, ['/', '/a', '/b', '/slow', '/x']],
      [3, ['/', '/a', '/b', '/slow', '/x', '/y']],
    ] as const) {
      held = Promise.withResolvers<void>();
      const id = await start(jobs, { maxDiscoveryDepth: deepest });
      await eventually(async () => assert.ok(((await state(jobs, id)).completed ?? 0) >= 2));
      await new Promise((resolve) => setTimeout(resolve, 100));
      held.resolve();
      const { data } = await ended(jobs, id);
      assert.deepEqual(data.map(({ markdown }) => new URL(markdown ?? '').pathname).sort(), expected);
    }
    await jobs.close();
  });

  it('wait a minute for the sitemaps if they go only so deep, and then go on to all levels', async () => {
    const [sitemap, begun] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    const read = () => {
      begun.resolve();
      return sitemap.promise;
    };
    const jobs = open(undefined, having({ '/sitemap.xml': read }));
    jobs.resume();
    const links: Record<string, string[]> = { '/': ['/a'], '/a': ['/b'], '/b': ['/deep'], '/listed': ['/near'] };
    site = (path) => links[path] ?? [];
    const id = await start(jobs, { sitemap: 'include', maxDiscoveryDepth: 2 });
    await begun.promise;
    for (let second = 1; second < 60; second++) {
      clock.advance(1000);
      await new Promise(setImmediate);
    }
    assert.deepEqual(asked, []);
    await eventually(() => {
      clock.advance(1000);
      assert.deepEqual(asked, ['/', '/a', '/b']);
    });
    assert.equal((await state(jobs, id)).status, 'scraping');
    sitemap.resolve(`<urlset><url><loc>${home}listed</loc></url></urlset>`);
    const { completed, warning } = await ended(jobs, id);
    assert.deepEqual([completed, asked.slice(3)], [5, ['/listed', '/near']]);
    assert.match(warning ?? '', /^The sitemaps were not read within 60 seconds, so pages may be missing: /);
    await jobs.close();
  });

  it('do not say that a sitemap lacks something which they read later, with those of the site that the start led to', async () => {
    const moved = 'https://www.site.test/';
    const whole = `<urlset><url><loc>${moved}listed</loc></url></urlset>`;
    let reads = 0;
    const files = having({
      '/robots.txt': async () => `Sitemap: ${moved}map.xml`,
      '/map.xml': async () => (reads++ === 0 ? whole.slice(0, -10) : whole),
    });
    const jobs = open(undefined, files);
    jobs.resume();
    site = () => [];
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      return request.url === home ? { ...page, finalUrl: moved } : page;
    };
    const id = await start(jobs, { sitemap: 'include' });
    const { warning } = await ended(jobs, id);
    assert.deepEqual([reads, asked.toSorted(), warning], [2, ['/', '/listed'], undefined]);
    await jobs.close();
  });

  it('read what a sitemap lacked again after a restart, also if they had no page, and no longer say that it lacks something', async () => {
    const whole = `<urlset><url><loc>${home}listed</loc></url></urlset>`;
    let isCut = true;
    const files = having({ '/sitemap.xml': async () => (isCut ? whole.slice(0, -10) : whole) });
    const first = open(undefined, files);
    first.resume();
    site = (path) => (path === '/' ? ['/linked'] : []);
    const plain = scrape;
    scrape = async (request) => {
      return await (isCut ? new Promise(() => undefined) : plain(request));
    };
    const id = await start(first, { sitemap: 'include' });
    await eventually(async () =>
      assert.match((await state(first, id)).warning ?? '', /sitemap\.xml: its end is missing$/),
    );
    await first.close();
    isCut = false;
    const second = open(undefined, files);
    second.resume();
    const { completed, warning } = await ended(second, id);
    assert.deepEqual([completed, warning], [3, undefined]);
    await second.close();
  });

  it('still say after a restart what pages lacked and which pages only a form leads to', async () => {
    const first = open();
    let isStopped = false;
    site = (path) => (path === '/' ? ['/forms', '/lists/1', '/lists/2', '/late'] : []);
    const plain = scrape;
    scrape = async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/late' && !isStopped) return await new Promise(() => undefined);
      const page = await plain(request);
      const pages = [2024, 2025].map((year) => `${home}forms?year=${year}`);
      const choices = { name: 'year', pages, shown: `${home}forms?year=2025` };
      if (pathname === '/forms') return { ...page, choices };
      return pathname === '/' ? page : { ...page, hidesLinks: [`The list "${pathname}" goes on.`] };
    };
    first.resume();
    const id = await start(first);
    await eventually(async () => assert.equal((await state(first, id)).completed, 4));
    await first.close();
    isStopped = true;
    const second = open();
    second.resume();
    const { warning = '', leftOut } = await ended(second, id);
    assert.match(
      warning ?? '',
      /lists\/1: The list "\/lists\/1" goes on\. The same is true of 2 more of the pages read\.$/m,
    );
    assert.match(
      warning ?? '',
      /^Only a form leads to 1 page, which wasn't followed: a choice of "year" on https:\/\/site\.test\/forms\. To get it, use its URL: .*=2024$/m,
    );
    assert.deepEqual(leftOut ?? [], []);
    await second.close();
  });

  it('keep what they say whatever its last sign is, and what earlier versions said', async () => {
    const jobs = open(undefined, having({ '/sitemap.xml': async () => '<urlset/>' }));
    site = (path) => (path === '/' ? ['/a'] : []);
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      return request.url === home ? { ...page, hidesLinks: ['This is missing:'] } : page;
    };
    const id = await start(jobs, { sitemap: 'include' });
    await database.updateTable('crawl_job').set({ warning: 'Said before: this.\nAnd that.' }).execute();
    jobs.resume();
    const { warning } = await ended(jobs, id);
    assert.equal(
      warning,
      `Said before: this.\nAnd that.\nA page of the crawl is incomplete, so pages may be missing: ${home}: This is missing:`,
    );
    await jobs.close();
  });

  it('fetch what a list names while other lists are still being read', async () => {
    const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const jobs = open(undefined, having({ '/llms.txt': () => first.promise, '/sitemap.xml': () => second.promise }));
    jobs.resume();
    site = () => [];
    const id = await start(jobs, { sitemap: 'include' });
    await eventually(async () => assert.equal((await state(jobs, id)).completed, 1));
    first.resolve('- [Listed](/listed)');
    await eventually(async () => assert.equal((await state(jobs, id)).completed, 2));
    second.resolve('<urlset></urlset>');
    const { warning } = await ended(jobs, id);
    assert.deepEqual([asked, warning], [['/', '/listed'], undefined]);
    await jobs.close();
  });

  it('take up pages beyond the limit when others turn out not to count, also those that were found before them', async () => {
    const other = 'https://other.test';
    const jobs = open(undefined, saying('User-agent: *\nDisallow: /no'));
    jobs.resume();
    const forbidden = Array.from({ length: 1100 }, (_, index) => `${other}/no/${index}`);
    const links: Record<string, string[]> = { '/': [`${other}/a`, ...forbidden, `${other}/ok`], '/a': [`${other}/b`] };
    site = (path) => links[path] ?? [];
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      if (request.url.endsWith('/a'))
        await eventually(async () => assert.ok((await jobs.find(caller, 'crawl', id)).blocked > 1000));
      return page;
    };
    const id = await start(jobs, { limit: 4, allowExternalLinks: true });
    const { completed, leftOut } = await ended(jobs, id);
    assert.deepEqual([completed, asked], [4, ['/', '/a', '/b', '/ok']]);
    assert.deepEqual(
      leftOut?.map(({ reason, count }) => [reason, count]),
      [['robots', 1100]],
    );
    await jobs.close();
  });

  /** Has the site return an error for a page so many times. */
  const failing = (path: string, times: number) => {
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      const isOver = asked.filter((each) => each === path).length > times;
      return request.url.endsWith(path) && !isOver ? { ...page, statusCode: 500 } : page;
    };
  };
  /** Returns the state of a crawl at its end, and what it left out; its waits pass at once. */
  const leftAtEnd = async (jobs: Jobs, id: string) => {
    const done = await eventually(async () => {
      clock.advance(1000);
      const now = await state(jobs, id);
      assert.notEqual(now.status, 'scraping');
      return now;
    });
    return { done, left: Object.fromEntries((done.leftOut ?? []).map(({ reason, count }) => [reason, count])) };
  };

  it('fetch pages that failed once more within the limit, and say that they failed otherwise', async () => {
    const other = 'https://other.test';
    for (const [passes, completed, left] of [
      [true, 3, { limit: 3 }],
      [false, 3, { limit: 2, failure: 1 }],
    ] as const) {
      const jobs = open();
      jobs.resume();
      asked = [];
      site = (path) => (path === '/' ? ['/fails', '/b', `${other}/c`, '/d', `${other}/e`] : []);
      const plain = scrape;
      failing('/fails', passes ? 1 : 2);
      const end = await leftAtEnd(jobs, await start(jobs, { limit: 3, allowExternalLinks: true }));
      assert.deepEqual([end.done.completed, asked.filter((path) => path === '/fails').length], [completed, 2]);
      assert.deepEqual(end.left, left);
      scrape = plain;
      await jobs.close();
    }
  });

  it('have as many pages as their limit allows, however many failed, and end where all fail', async () => {
    const jobs = open();
    jobs.resume();
    const plain = scrape;
    scrape = async (request) => ({ ...(await plain(request)), ...(/gone/.test(request.url) && { statusCode: 404 }) });
    const numbers = (count: number, name: string) => Array.from({ length: count }, (_, number) => `/${name}/${number}`);
    site = (path) => (path === '/' ? [...numbers(5, 'gone'), ...numbers(30, 'page')] : []);
    for (const options of [{}, { maxConcurrency: 1 }]) {
      const { done, left } = await leftAtEnd(jobs, await start(jobs, { limit: 20, ...options }));
      assert.deepEqual([done.completed, done.total, left], [20, 20, { limit: 11, failure: 5 }]);
    }
    site = (path) => (path === '/' ? numbers(5000, 'gone') : []);
    const { done, left } = await leftAtEnd(jobs, await start(jobs, { limit: 20 }));
    assert.deepEqual([done.status, done.completed, left.failure], ['completed', 1, 39]);
    await jobs.close();
  });

  it('keep the place of a page that failed while its host refuses the second try', async () => {
    const jobs = open();
    jobs.resume();
    site = (path) => (path === '/' ? ['/fails', '/b', 'https://other.test/c'] : []);
    const plain = scrape;
    const answers = [{ statusCode: 500 }, { statusCode: 429, retryAfterMs: 5000 }];
    scrape = async (request) => ({
      ...(await plain(request)),
      ...(request.url.endsWith('/fails') && answers.shift()),
    });
    const { done, left } = await leftAtEnd(jobs, await start(jobs, { limit: 3, allowExternalLinks: true }));
    assert.deepEqual([done.completed, asked], [3, ['/', '/fails', '/b', '/fails', '/fails']]);
    assert.deepEqual(left, { limit: 1 });
    await jobs.close();
  });

  it('read a page whose own data failed again, after a pause, and keep what was read if that is in vain', async () => {
    const said = 'A page of the crawl is incomplete, so pages may be missing: https://site.test/app: A request failed.';
    const statuses = (status: number) => (time: number) => ({ statusCode: time === 0 ? 200 : status });
    const cases: [number, Partial<CrawlOptions> | ReturnType<typeof statuses>, number, number[], 'shell'?][] = [
      [1, {}, 2, [3000]],
      [3, {}, 4, [3000, 3000, 4000]],
      [9, {}, 4, [3000, 3000, 4000]],
      [9, statuses(500), 2, [3000]],
      [1, { includePaths: ['^/b'] }, 2, [3000]],
      [1, { delay: 5 }, 2, [5000]],
      [1, {}, 2, [3000], 'shell'],
    ];
    for (const [fails, options, reads, pausesMs, isShell] of cases) {
      const jobs = open();
      jobs.resume();
      asked = [];
      site = (path) => (path === '/' ? ['/app'] : path === '/app' ? ['/b'] : []);
      const plain = scrape;
      const times: number[] = [];
      scrape = async (request) => {
        const page = await plain(request);
        if (!request.url.endsWith('/app')) return page;
        times.push(clock.monotonic());
        const change = typeof options === 'function' ? options(times.length - 1) : {};
        if (times.length > fails) return { ...page, rendered: !isShell };
        const failed = { hidesLinks: ['A request failed.'], failedParts: { retryAfterMs: 3000 } };
        return { ...page, ...failed, rendered: true, ...change };
      };
      const { done, left } = await leftAtEnd(jobs, await start(jobs, typeof options === 'function' ? {} : options));
      const isWhole = fails < reads && !isShell;
      const paths = ['/', ...Array(reads).fill('/app'), '/b'];
      assert.deepEqual([asked, left], [paths, 'includePaths' in options ? { include: 1 } : {}]);
      // The clock may go on before a pause begins.
      const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      assert.ok(pauses.length === pausesMs.length && pauses.every((ms, at) => ms >= (pausesMs[at] ?? 0)), `${pauses}`);
      assert.equal(done.warning ?? undefined, isWhole ? undefined : said);
      scrape = plain;
      await jobs.close();
    }
  });

  it('say that pages may be missing if a page has more than was read, but nothing else that is said of it', async () => {
    const jobs = open();
    jobs.resume();
    site = (path) => (path === '/' ? ['/list', '/b'] : []);
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      const document = { ...page.document, warning: 'Half of it is no content. A frame is missing. It goes on.' };
      const warnings = ['A frame is missing.', 'It goes on.'];
      if (request.url.endsWith('/list')) return { ...page, document, warnings, hidesLinks: ['It goes on.'] };
      return request.url.endsWith('/b') ? { ...page, document, warnings: ['A frame is missing.'] } : page;
    };
    const said = (page: string) => `${page} is incomplete, so pages may be missing: https://site.test/list:`;
    const { done } = await leftAtEnd(jobs, await start(jobs));
    assert.equal(done.warning, `${said('A page of the crawl')} It goes on.`);
    const { done: some } = await leftAtEnd(jobs, await start(jobs, { includePaths: ['^/b'] }));
    assert.equal(some.warning, `${said('A page that was read only for its links')} A frame is missing. It goes on.`);
    await jobs.close();
  });

  it('say of all kinds of what pages lack which page was the first, and how many more there are', async () => {
    const jobs = open();
    jobs.resume();
    site = (path) => (path === '/' ? ['/list/1', '/list/2', '/rows'] : []);
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      if (request.url === home) return page;
      const isList = request.url.includes('/list/');
      return { ...page, hidesLinks: [isList ? `The page has a button "${request.url}".` : 'It keeps adding content.'] };
    };
    const { done } = await leftAtEnd(jobs, await start(jobs));
    const lines = (done.warning ?? '').split('\n').map((line) => line.replace(/https:\S+?\/list\/\d/g, 'LIST'));
    const said = 'A page of the crawl is incomplete, so pages may be missing: ';
    assert.deepEqual(lines.sort(), [
      `${said}LIST: The page has a button "LIST". The same is true of 1 more of the pages read.`,
      `${said}https://site.test/rows: It keeps adding content.`,
    ]);
    await jobs.close();
  });

  it('say that pages may be missing if the site asks for a login at the start, but not if it does so elsewhere', async () => {
    site = (path) => (path === '/' ? ['/account'] : []);
    const plain = scrape;
    for (const at of ['/', '/account']) {
      const jobs = open();
      jobs.resume();
      scrape = async (request) => {
        const page = await plain(request);
        const asks = { asksToLogIn: true, warnings: ['The site asked for a login.'] };
        return new URL(request.url).pathname === at ? { ...page, ...asks } : page;
      };
      const { done } = await leftAtEnd(jobs, await start(jobs));
      const said = `A page of the crawl is incomplete, so pages may be missing: ${home}: The site asked for a login.`;
      assert.equal(done.warning ?? undefined, at === '/' ? said : undefined);
      scrape = plain;
      await jobs.close();
    }
  });

  it('store a page that needs no scripts once, without the routes that are linked to it, but a page for each route of an app', async () => {
    const routes = ['a', 'b'].map((name) => `#/${name}`);
    // Pages like `/view` were alike with and without scripts, but none of them had a route.
    const reasons: Record<string, string> = {
      '/mug.html': 'noScripts',
      '/app': 'scripts',
      '/view': 'sameWithoutScripts',
    };
    site = (path) => (path === '/' ? Object.keys(reasons).flatMap((each) => routes.map((route) => each + route)) : []);
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      const { pathname, hash } = new URL(request.url);
      if (pathname === '/') return page;
      const isApp = pathname !== '/mug.html';
      page.document.metadata.readBecause = reasons[pathname];
      return {
        ...page,
        rendered: pathname === '/app',
        wording: wordingOf(`<p>${`${pathname}${isApp ? hash : ''} `.repeat(200)}</p>`, home),
      };
    };
    const jobs = open();
    jobs.resume();
    const { done } = await leftAtEnd(jobs, await start(jobs));
    const urls = done.data.map(({ metadata }) => metadata?.url ?? metadata?.sourceURL ?? '').sort();
    const [app, view] = ['app', 'view'].map((name) => routes.map((route) => home + name + route));
    assert.deepEqual(urls, [home, ...(app ?? []), `${home}mug.html`, ...(view ?? [])]);
  });

  it('say that pages may be missing if a list of theirs shows a login, at whatever URL, but not of the login itself or a form for members', async () => {
    const plain = scrape;
    const forms = ['/newreply.php?tid=7&replyto=70', '/t/7/reply', '/posting.php?mode=quote&f=2', '/usercp.php'];
    const logins = ['/member.php?action=login', '/wp-login.php?action=lostpassword', '/index.php?route=account/login'];
    const back = ['/user/login?destination=/', `/login?next=${home}`];
    const own = ['/login', '/user/sign-up/', '/wp-login.php', '/connexion', ...back, ...forms, ...logins];
    const boards = ['/forum.php?fid=5', '/list.php?edit=all', '/reply.php?to=/board', '/login.php?id=5', '/new-posts'];
    const lists = [...boards, '/members', '/login?to=a', '/login?next=/members', '/account/orders', '/login/members'];
    const away = ['https://orders.site.test/', `${home}?view=orders`, '//orders.site.test', '/?view=orders'];
    const returning = away.map((to) => `/login?service=${to}`);
    const named = ['/members/register', '/land-register', '/help/account', '/sign-in-sheet', '/register?year=2020'];
    for (const list of [...lists, ...returning, ...named, ...own]) {
      site = (path) => (path === '/' ? ['/p/1', list] : []);
      scrape = async (request) => {
        const page = await plain(request);
        const login = { wording: wordingOf('Log in', home), isLogin: true, warnings: ['It is mainly a login.'] };
        return request.url.endsWith(list) ? { ...page, ...login } : page;
      };
      const jobs = open();
      jobs.resume();
      const { done } = await leftAtEnd(jobs, await start(jobs, { includePaths: ['^/p/'] }));
      const said = /^A page that was read only for its links is incomplete.*It is mainly a login\.|^$/;
      assert.match(done.warning ?? '', said);
      assert.equal(done.warning === undefined, own.includes(list), list);
      scrape = plain;
      await jobs.close();
    }
  });

  it('fetch a page that keeps its place in the limit also when one without a place was put back in front of it', async () => {
    const jobs = open();
    jobs.resume();
    const links: Record<string, string[]> = {
      '/': ['/fails', '/leads'],
      '/leads': ['/late', 'https://other.test/other'],
    };
    site = (path) => links[path] ?? [];
    const plain = scrape;
    const lateAsked = Promise.withResolvers<void>();
    const refused = { statusCode: 429, retryAfterMs: 5000 };
    scrape = async (request) => {
      const page = await plain(request);
      const path = new URL(request.url).pathname;
      const times = asked.filter((each) => each === path).length;
      if (path === '/late' && times === 1) {
        lateAsked.resolve();
        // The other one is put back first, or this one: both have to do.
        for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
        return { ...page, ...refused };
      }
      if (!/fails|leads/.test(path) || times > 2) return page;
      if (times === 1) return { ...page, statusCode: 500 };
      if (path === '/leads') return page;
      await lateAsked.promise;
      return { ...page, ...refused };
    };
    const { done, left } = await leftAtEnd(jobs, await start(jobs, { limit: 4, allowExternalLinks: true }));
    assert.deepEqual([done.completed, left], [4, { limit: 1 }]);
    assert.equal(asked.filter((path) => path === '/fails').length, 3);
    await jobs.close();
  });

  it('give the place of a page that failed to another one if a redirect has led to it meanwhile', async () => {
    const jobs = open();
    jobs.resume();
    site = (path) => (path === '/' ? ['/fails', '/moved', '/c'] : []);
    failing('/fails', 1);
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      return request.url.endsWith('/moved') ? { ...page, finalUrl: `${home}fails` } : page;
    };
    const { done, left } = await leftAtEnd(jobs, await start(jobs, { limit: 3, maxConcurrency: 1 }));
    assert.deepEqual([done.completed, asked, left], [3, ['/', '/fails', '/moved', '/c'], {}]);
    await jobs.close();
  });

  it('say nothing else of pages beyond the limit, be they disallowed or on a host that is not available', async () => {
    const other = 'https://other.test';
    const jobs = open(undefined, saying('User-agent: *\nDisallow: /no'));
    jobs.resume();
    const links: Record<string, string[]> = { '/': ['/fails', '/b'], '/b': [`${other}/no/1`, `${other}/no/2`] };
    site = (path) => links[path] ?? [];
    const plain = scrape;
    failing('/fails', 1);
    const crowded = await leftAtEnd(
      jobs,
      await start(jobs, { limit: 3, maxConcurrency: 1, delay: 5, allowExternalLinks: true }),
    );
    assert.deepEqual([crowded.done.completed, crowded.left], [3, { limit: 2 }]);
    site = (path) => (path === '/' ? Array.from({ length: 20 }, (_, index) => `${other}/${index}`) : []);
    scrape = async (request) => {
      const page = await plain(request);
      return request.url === home ? page : { ...page, statusCode: 429, retryAfterMs: 10 * 60_000 };
    };
    const refused = await leftAtEnd(jobs, await start(jobs, { limit: 5, allowExternalLinks: true }));
    assert.deepEqual([refused.done.completed, refused.left], [1, { limit: 16, failure: 4 }]);
    await jobs.close();
  });

  it('go on at the depth at which pages beyond the limit were found, and say which links they did not follow', async () => {
    const jobs = open();
    jobs.resume();
    const items = Array.from({ length: 1100 }, (_, index) => `/item/${index}`);
    site = (path) => (path === '/' ? ['/list'] : path === '/list' ? items : ['/more']);
    const id = await start(jobs, { limit: 2, maxDiscoveryDepth: 2 });
    const cut = await ended(jobs, id);
    assert.deepEqual(
      cut.leftOut?.map(({ reason, count }) => [reason, count]),
      [['limit', 1000]],
    );
    await jobs.continueCrawl(caller, id, 2000);
    const whole = await ended(jobs, id);
    assert.deepEqual([whole.completed, asked.includes('/more')], [1102, false]);
    site = (path) => (path === '/' ? Array.from({ length: 20_001 }, (_, index) => `/item/${index}`) : []);
    const long = await ended(jobs, await start(jobs, { limit: 1 }));
    assert.equal(
      long.warning,
      `Only the first 20,000 links of a page were followed, so pages may be missing: ${home} has 20,001`,
    );
    await jobs.close();
  });

  it('say that their pages list others that they leave out, but not what a menu links to', async () => {
    const jobs = open();
    jobs.resume();
    const boards = ['/board/1', '/board/2', '/board/3'];
    const threads = (path: string) => [1, 2, 3].map((number) => `/t/${path.at(-1)}${number}`);
    const menu = Array.from({ length: 20 }, (_, index) => `/help/${index}`);
    site = (path) => (path === '/' ? boards : boards.includes(path) ? [...menu, ...threads(path)] : []);
    const { warning, completed } = await ended(jobs, await start(jobs, { includePaths: ['^/board'] }));
    assert.equal(completed, 3);
    assert.match(
      warning ?? '',
      /^The pages of the crawl may be lists of others, which includePaths doesn't match: 9 pages such as \S+\/t\/\d\d\. To get those, add a pattern that matches them to includePaths\.$/,
    );
    await jobs.close();
    const next = open();
    const id = await start(next, { includePaths: ['^/board'] });
    await database.updateTable('crawl_job').set({ runs: 1 }).where('id', '=', id).execute();
    next.resume();
    assert.match((await ended(next, id)).warning ?? '', /: at least 9 pages such as /);
    // What only members write is no page that a list has.
    const replies = (path: string) => threads(path).map((thread) => `/newreply.php?tid=${thread.slice(3)}`);
    for (const others of [() => [], replies]) {
      site = (path) => (path === '/' ? boards : boards.includes(path) ? [...menu, ...others(path)] : []);
      assert.equal((await ended(next, await start(next, { includePaths: ['^/board'] }))).warning, undefined);
    }
    await next.close();
  });

  it('say which items of their lists they leave out, also those that other pages link to', async () => {
    const jobs = open();
    jobs.resume();
    const boards = ['/board/1', '/board/2', '/board/3'];
    const threads = (path: string) => [1, 2, 3].map((number) => `/t/${path.at(-1)}${number}`);
    const posts = Array.from({ length: 12 }, (_, index) => `/board/posts/${index}`);
    site = (path) => {
      if (path === '/') return [...boards, ...boards.flatMap(threads)];
      return boards.includes(path) ? [...posts, ...threads(path)] : [];
    };
    const plain = scrape;
    scrape = async (request) => {
      const { pathname } = new URL(request.url);
      const isList = request.listed && boards.includes(pathname);
      const tooLong = `/t/${'1'.repeat(10_000)}`;
      const listed = isList ? [...threads(pathname), tooLong].map((path) => new URL(path, home).href) : [];
      return { ...(await plain(request)), listed };
    };
    const { warning, completed } = await ended(jobs, await start(jobs, { includePaths: ['^/board'] }));
    assert.equal(completed, 15);
    assert.match(
      warning ?? '',
      /^Lists of the crawl have pages that includePaths doesn't match: 9 pages such as \S+\/t\/\d\d\. To get those, add a pattern that matches them to includePaths\.$/,
    );
    const whole = await ended(jobs, await start(jobs, { includePaths: ['^/board', '^/t/'] }));
    assert.deepEqual([whole.completed, whole.warning], [24, undefined]);
    await jobs.close();
  });

  it('are dropped when they are canceled, whatever the pages in flight return', async () => {
    const jobs = open();
    jobs.resume();
    const held = Promise.withResolvers<void>();
    const plain = scrape;
    scrape = async (request) => {
      const page = await plain(request);
      if (asked.length > 5) await held.promise;
      return page;
    };
    const id = await start(jobs);
    await eventually(() => assert.ok(asked.length > 8));
    await jobs.cancel(caller, 'crawl', id);
    const { completed } = await state(jobs, id);
    held.resolve();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.equal((await state(jobs, id)).completed, completed);
    assert.equal(events.at(-1)?.type, 'crawl.cancelled');
    await jobs.close();
  });

  it('wait as long as robots.txt asks, but at most 30 seconds', async () => {
    const jobs = open(undefined, saying('User-agent: *\nCrawl-delay: 1e9'));
    jobs.resume();
    const id = await start(jobs, { limit: 3 });
    for (let page = 1; page <= 3; page++) {
      await eventually(async () => assert.equal((await state(jobs, id)).completed, page));
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      assert.equal(asked.length, page);
      clock.advance(29_000);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      assert.equal(asked.length, page);
      clock.advance(1000);
    }
    assert.equal((await ended(jobs, id)).completed, 3);
    await jobs.close();
  });

  it('continue with other hosts while one hangs', async () => {
    const jobs = open();
    jobs.resume();
    const held = Promise.withResolvers<void>();
    const plain = scrape;
    site = (path) => (path === '/' ? ['/1', 'https://slow.test/1', 'https://slow.test/2', 'https://fast.test/1'] : []);
    scrape = async (request) => {
      if (request.url.startsWith('https://slow')) await held.promise;
      return plain(request);
    };
    const id = await start(jobs, { allowExternalLinks: true });
    await eventually(async () => assert.equal((await state(jobs, id)).completed, 3));
    assert.equal((await state(jobs, id)).status, 'scraping');
    held.resolve();
    assert.equal((await ended(jobs, id)).completed, 5);
    await jobs.close();
  });

  it('wait their turn if there are many', async () => {
    const jobs = open();
    const held = Promise.withResolvers<void>();
    const plain = scrape;
    scrape = async (request) => {
      await held.promise;
      return plain(request);
    };
    jobs.resume();
    const ids = await Promise.all(Array.from({ length: 23 }, () => start(jobs, { limit: 1 })));
    await eventually(async () => assert.equal((await jobs.counts(caller)).waiting, 3));
    assert.equal((await jobs.counts(caller)).jobs, 23);
    held.resolve();
    for (const id of ids) assert.equal((await ended(jobs, id)).completed, 1);
    await jobs.close();
  });

  it('are deleted an hour after they ended, and are in no list of activity, if nothing is to be stored', async () => {
    const jobs = open();
    jobs.resume();
    const id = await start(jobs, { zeroDataRetention: true });
    await ended(jobs, id);
    assert.deepEqual(await database.selectFrom('activity').selectAll().execute(), []);
    clock.advance(59 * 60 * 1000);
    await state(jobs, id);
    clock.advance(60 * 1000);
    await assert.rejects(state(jobs, id), { status: 404 });
    await eventually(async () => {
      clock.advance(1000);
      for (const table of ['crawl_job', 'crawl_page', 'crawl_document'] as const) {
        const left = await database.selectFrom(table).selectAll().execute();
        assert.equal(left.length, 0, table);
      }
    });
    await jobs.close();
  });

  it('are deleted with their pages a day after they ended', async () => {
    const jobs = open();
    jobs.resume();
    const id = await start(jobs);
    await ended(jobs, id);
    await eventually(async () => {
      clock.advance(25 * 60 * 60 * 1000);
      for (const table of ['crawl_job', 'crawl_page', 'crawl_document', 'activity'] as const) {
        const left = await database.selectFrom(table).selectAll().execute();
        assert.equal(left.length, 0, table);
      }
    });
    await assert.rejects(state(jobs, id), { status: 404 });
    await jobs.close();
  });
});
