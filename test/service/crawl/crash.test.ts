import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ended, linking, pageRequests, pathsOf } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { clusterVariable } from '../../harness/postgres.ts';
import { call, type ServiceProcess, spawnService, testKey } from '../../harness/service.ts';
import { telling } from '../../harness/trap-site.ts';

const pages = 120;
const concurrency = 4;
const kills = 4;

describe('a crawl whose service was killed', () => {
  let dataDir: string;
  let site: FaultySite;
  let running: ServiceProcess | undefined;

  beforeEach(async () => {
    dataDir = temporaryFolder();
    site = await startFaultySite({
      otherwise: (_request, response, url) => {
        const number = Number(/^\/p(\d+)$/.exec(url.pathname)?.[1] ?? (url.pathname === '/' ? 0 : Number.NaN));
        if (!(number < pages)) return response.writeHead(404).end();
        const next = [2 * number + 1, 2 * number + 2].filter((link) => link < pages).map((link) => `/p${link}`);
        // Long enough that some are under way at any moment.
        const timer = setTimeout(() => {
          response.writeHead(200, { 'content-type': 'text/html' }).end(telling(number, ...next));
        }, 15);
        response.once('close', () => clearTimeout(timer));
      },
    });
  });
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.exited;
    await site.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = async () => {
    const args = ['--data-dir', dataDir, '--api-key', testKey, '--spare-browsers', '0'];
    running = await spawnService(args);
    const { baseUrl } = running.line;
    return { call: (method: string, path: string, body?: unknown) => call(baseUrl, testKey, method, path, body) };
  };

  it('counts URLs that differ only in their query once each, however often it is killed', async () => {
    const own = await startFaultySite();
    const views = Array.from({ length: 60 }, (_, index) => `/view?id=${index}`);
    const steps = Array.from({ length: 30 }, (_, index) => `/step-${index}`);
    for (const path of ['/', '/view', ...steps]) own.answer(path, linking(path, ...steps, ...views));
    try {
      let service = await start();
      const options = { maxConcurrency: 1, sitemap: 'skip', ignoreQueryParameters: true };
      const { id } = (await service.call('POST', '/v2/crawl', { url: `${own.baseUrl}/`, ...options })).body as {
        id: string;
      };
      for (const enough of [2, 8]) {
        await eventually(() => assert.ok(pageRequests(own).length >= enough));
        running?.child.kill('SIGKILL');
        await running?.exited;
        service = await start();
      }
      const state = await ended(service as never, id);
      assert.equal(state.completed, 32);
      assert.deepEqual(
        state.leftOut.map(({ reason, count }: { reason: string; count: number }) => [reason, count]),
        [['query', 59]],
      );
    } finally {
      await own.close();
    }
  });

  it('is given up after six times in a row, with what was found (COM-06)', async () => {
    // Its pages but the first answer never.
    const own = await startFaultySite({
      otherwise: (_request, response, { pathname }) => {
        if (!/^\/[ab]$/.test(pathname)) response.writeHead(404).end();
      },
    });
    own.answer('/', linking('/', '/a', '/b'));
    try {
      let service = await start();
      const body = { url: `${own.baseUrl}/`, sitemap: 'skip', maxConcurrency: 1 };
      const { id } = (await service.call('POST', '/v2/crawl', body)).body as { id: string };
      for (let kill = 1; kill <= 6; kill++) {
        await eventually(() => assert.ok(pageRequests(own).length >= 1 + kill));
        running?.child.kill('SIGKILL');
        await running?.exited;
        service = await start();
      }
      const state = await ended(service as never, id);
      assert.deepEqual([state.status, state.completed], ['failed', 1]);
      assert.match(state.error ?? '', /^The service ended 6 times in a row/);
      assert.equal(pageRequests(own).length, 7);
    } finally {
      await own.close();
    }
  });

  it('resumes after a restart: no page is lost, and only those in flight are fetched twice (STO-02, CRW-13)', async () => {
    let service = await start();
    const options = { maxConcurrency: concurrency, limit: 1000, sitemap: 'skip' };
    const started = await service.call('POST', '/v2/crawl', { url: `${site.baseUrl}/`, ...options });
    const { id } = started.body as { id: string };
    const batch = await service.call('POST', '/v2/batch/scrape', {
      urls: [`${site.baseUrl}/p3`, `${site.baseUrl}/p4`],
    });
    const batchId = (batch.body as { id: string }).id;

    for (let kill = 1; kill <= kills; kill++) {
      const enough = (kill * pages) / (kills + 1);
      await eventually(() => assert.ok(pageRequests(site).length >= enough));
      running?.child.kill('SIGKILL');
      await running?.exited;
      service = await start();
    }
    const state = await ended(service as never, id);
    assert.equal(state.status, 'completed');
    assert.equal(state.completed, pages);
    assert.equal(state.creditsUsed, pages);
    assert.equal(new Set(pathsOf(state)).size, pages);
    assert.equal((await ended(service as never, batchId, '/v2/batch/scrape')).completed, 2);

    const counts = new Map<string, number>();
    for (const path of pageRequests(site)) counts.set(path, (counts.get(path) ?? 0) + 1);
    const again = [...counts.values()].reduce((sum, count) => sum + count - 1, 0);
    assert.equal(counts.size, pages);
    // The batch fetches two pages of the crawl as well.
    assert.ok(again <= 2 + 2 * kills + concurrency * kills, `${again} pages were fetched again`);

    const usage = await service.call('GET', '/v2/team/token-usage/historical');
    const { periods } = usage.body as { periods: { totalTokens: number }[] };
    assert.equal(
      periods.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
      (pages + 2) * 15,
    );
    running?.child.kill('SIGTERM');
    await running?.exited;
    // On PostgreSQL, that is not ours to check.
    if (process.env[clusterVariable]) return;
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true });
    assert.deepEqual({ ...database.prepare('PRAGMA quick_check').get() }, { quick_check: 'ok' });
    database.close();
  });
});
