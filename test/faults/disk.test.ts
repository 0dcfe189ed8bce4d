import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ended, linking, pathsOf, startCrawl } from '../harness/crawl-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { noise } from '../harness/noise.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { mountSmallDisk, type SmallDisk } from '../harness/small-disk.ts';

const pages = 30;

describe('the disk of the data directory', () => {
  let site: FaultySite;
  let service: TestService | undefined;
  let disk: SmallDisk | undefined;
  before(async () => {
    site = await startFaultySite({
      otherwise: (_request, response, { pathname }) => {
        const number = pathname === '/' ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1]);
        if (!(number < pages)) return response.writeHead(404).end();
        const links = [2 * number + 1, 2 * number + 2].filter((link) => link < pages).map((link) => `/p${link}`);
        // Nothing that could be compressed.
        const text = `<p>${noise(30_000, number).toString('base64')}</p>`;
        setTimeout(() => {
          response.writeHead(200, { 'content-type': 'text/html' }).end(linking(`${number}`, ...links) + text);
        }, 30);
      },
    });
  });
  after(() => site.close());
  afterEach(async () => {
    await service?.close();
    service = undefined;
    disk?.remove();
    disk = undefined;
  });

  const start = async (dataDir: string) => {
    service = await startTestService({ dataDir, database: undefined });
    return service;
  };
  const scrape = (to: TestService) => to.call('POST', '/v2/scrape', { url: `${site.baseUrl}/p29`, maxAge: 0 });
  const startWhole = (at: TestService) =>
    startCrawl(at, { url: `${site.baseUrl}/`, sitemap: 'skip', maxConcurrency: 4 });
  const assertWhole = async (at: TestService, id: string) => {
    const state = await ended(at, id);
    assert.equal(state.status, 'completed', state.error);
    assert.equal(state.completed, pages);
    assert.equal(state.creditsUsed, pages);
    assert.equal(new Set(pathsOf(state)).size, pages);
  };

  it('that is full loses nothing that was acknowledged: requests get 507, and jobs continue when there is space', async function () {
    disk = mountSmallDisk(24);
    if (!disk) return this.skip();
    const running = await start(disk.path);
    const first = await scrape(running);
    const id = await startWhole(running);
    await eventually(async () => assert.ok((await running.call('GET', `/v2/crawl/${id}`)).body.completed > 0));
    disk.fill();
    const acknowledged = [first.body.data.metadata.scrapeId];
    await eventually(async () => {
      const { status, body } = await scrape(running);
      if (status === 200) acknowledged.push(body.data.metadata.scrapeId);
      assert.equal(status, 507, JSON.stringify(body).slice(0, 300));
      assert.equal(body.success, false);
      assert.equal(body.code, 'DISK_FULL');
      assert.match(body.error, /disk of the service is full.*Free some space/);
    });
    const state = await running.call('GET', `/v2/crawl/${id}`);
    assert.equal(state.body.status, 'scraping');
    assert.equal((await running.call('GET', '/v2/team/activity')).status, 200);
    disk.free();
    await eventually(async () => assert.equal((await scrape(running)).status, 200));
    for (const one of acknowledged) assert.equal((await running.call('GET', `/v2/scrape/${one}`)).status, 200);
    await assertWhole(running, id);
  });

  it('that is read-only is named when the service starts', async function () {
    disk = mountSmallDisk(4);
    if (!disk) return this.skip();
    disk.makeReadOnly();
    await assert.rejects(start(disk.path), /The data directory .* can't be used: .*read-only.* Set --data-dir/);
  });

  it('whose database cannot be opened is named when the service starts', async () => {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, 'service.sqlite'));
    await assert.rejects(start(dataDir), /The database .*service\.sqlite can't be opened: .*Check .*--data-dir/);
    rmSync(dataDir, { recursive: true });
  });

  it('that loses the data directory is detected: requests get 503 until it is back', async function () {
    if (process.platform === 'win32') return this.skip();
    const dataDir = temporaryFolder();
    const running = await start(dataDir);
    const first = await scrape(running);
    const id = await startWhole(running);
    renameSync(dataDir, `${dataDir}-away`);
    await eventually(async () => {
      const { status, body } = await scrape(running);
      assert.equal(status, 503, JSON.stringify(body).slice(0, 300));
      assert.equal(body.code, 'DATABASE_MISSING');
      assert.match(body.error, /Put it back, or restart the service/);
    });
    assert.equal((await running.call('GET', '/v2/team/activity')).status, 503);
    renameSync(`${dataDir}-away`, dataDir);
    await assertWhole(running, id);
    const { scrapeId } = first.body.data.metadata;
    assert.equal((await running.call('GET', `/v2/scrape/${scrapeId}`)).status, 200);
    rmSync(dataDir, { recursive: true });
    await eventually(async () => assert.equal((await scrape(running)).status, 503));
    await running.close();
    service = undefined;
    const fresh = await start(dataDir);
    assert.equal((await fresh.call('GET', `/v2/scrape/${scrapeId}`)).status, 404);
    await fresh.close();
    service = undefined;
    assert.ok(readdirSync(dataDir).includes('service.sqlite'));
    rmSync(dataDir, { recursive: true });
  });
});
