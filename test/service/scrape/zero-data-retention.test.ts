import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { ended, linking, startBatch, startCrawl } from '../../harness/crawl-jobs.ts';
import { type FaultySite, startFaultySite, status } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const canary = 'quokka-7b1f';

describe('requests with zeroDataRetention', () => {
  let site: FaultySite;
  let service: TestService;
  let log = '';
  before(async () => {
    const lines = new Writable({
      write(chunk, _encoding, done) {
        log += String(chunk);
        done();
      },
    });
    [site, service] = await Promise.all([
      startFaultySite(),
      startTestService({ log: pino({ level: 'debug' }, lines) }),
    ]);
    const text = `<main><h1>Page</h1><p>The word is ${canary}.</p></main>`;
    site.answer(`/${canary}`, text);
    site.answer('/', linking('Home', `/${canary}`));
    site.answer(`/broken-${canary}`, status(200, { 'content-type': `image/${canary}` }, 'x'));
  });
  after(() => Promise.all([site.close(), service.close()]));

  const call = (path: string, body: object) =>
    service.call('POST', path, { ...body, zeroDataRetention: true, maxAge: 60_000 });
  const activity = async () => (await service.call('GET', '/v2/team/activity')).body.data;

  /** How often the page was fetched from the site. */
  const fetches = () => site.requests.filter((path) => path === `/${canary}`).length;

  /** The files below a folder that contain a text. */
  function filesWith(text: string, folder = service.dataDir): string[] {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesWith(text, path);
      return entry.isFile() && existsSync(path) && readFileSync(path).includes(text) ? [path] : [];
    });
  }

  it('store nothing of a scrape or a file beyond their credits, whether they succeed or fail', async () => {
    const scraped = await call('/v2/scrape', { url: `${site.baseUrl}/${canary}` });
    assert.match(scraped.body.data.markdown, new RegExp(canary));
    assert.equal('scrapeId' in scraped.body.data.metadata, false);
    const parsed = await call('/v2/parse', { url: `${site.baseUrl}/${canary}` });
    assert.match(parsed.body.data.markdown, new RegExp(canary));
    const failed = await call('/v2/scrape', { url: `${site.baseUrl}/broken-${canary}` });
    assert.deepEqual([failed.status, failed.body.code], [500, 'SCRAPE_UNSUPPORTED_FILE_ERROR']);
    assert.deepEqual(await activity(), []);
    const usage = await service.call('GET', '/v2/team/token-usage/historical');
    assert.equal(usage.body.periods.at(-1).tokensUsed, 2 * 2 * 15, 'each page costs 2 credits');
    // Looking for a page in the cache stores what it was about to store.
    const fetched = fetches();
    const again = await call('/v2/scrape', { url: `${site.baseUrl}/${canary}` });
    assert.equal(again.body.data.metadata.cacheState, 'miss');
    assert.equal(fetches(), fetched + 1);
    assert.deepEqual(filesWith(canary), []);
    assert.match(log, /SCRAPE_UNSUPPORTED_FILE_ERROR/);
    assert.equal(log.includes(canary), false, log);
  });

  it('are stored without it, as the search for them shows', async () => {
    const request = { url: `${site.baseUrl}/${canary}`, maxAge: 60_000 };
    const { body } = await service.call('POST', '/v2/scrape', request);
    assert.ok(body.data.metadata.scrapeId);
    assert.equal((await activity()).length, 1);
    const fetched = fetches();
    const again = await service.call('POST', '/v2/scrape', request);
    assert.equal(again.body.data.metadata.cacheState, 'hit');
    assert.equal(fetches(), fetched);
    const names = filesWith(canary).map((path) => basename(path));
    assert.ok(
      names.some((name) => name.startsWith('pages.sqlite')),
      names.join(),
    );
  });

  it('keep the pages of a crawl or batch for an hour, to be read, and list or index them nowhere', async () => {
    const before = (await activity()).length;
    const jobs = [
      ['/v2/crawl', await startCrawl(service, { url: site.baseUrl, sitemap: 'skip', zeroDataRetention: true })],
      [
        '/v2/batch/scrape',
        await startBatch(service, { urls: [`${site.baseUrl}/${canary}`], zeroDataRetention: true, maxAge: 60_000 }),
      ],
    ] as const;
    for (const [path, id] of jobs) {
      const state = await ended(service, id, path);
      assert.equal(state.status, 'completed');
      assert.match(JSON.stringify(state.data), new RegExp(canary));
      assert.equal(state.creditsUsed, 2 * state.completed);
      assert.equal(Date.parse(state.expiresAt) - Date.parse(state.completedAt), 60 * 60 * 1000);
      const found = await service.call('GET', `/embedded/page-search?query=${canary}&jobId=${id}`);
      assert.deepEqual(found.body.results, []);
    }
    assert.equal((await activity()).length, before);
    const all = await service.call('GET', `/embedded/page-search?query=${canary}`);
    assert.deepEqual(all.body.results, []);
    const urls = [site.baseUrl];
    const plain = await startBatch(service, { urls });
    const appended = { urls, appendToId: plain, zeroDataRetention: true };
    const refused = await service.call('POST', '/v2/batch/scrape', appended);
    assert.deepEqual(
      [refused.status, /batch in appendToId was started without it/.test(refused.body.error)],
      [400, true],
    );
    const source = { crawlId: jobs[0][1] };
    const indexed = await service.call('POST', '/embedded/docs-sources', source);
    assert.deepEqual([indexed.status, /not indexed/.test(indexed.body.error)], [409, true]);
  });
});
