import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { linking } from '../harness/crawl-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { distantSchedule } from '../harness/fake-clock.ts';
import { startFaultySite } from '../harness/faulty-site.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, type ServiceProcess, spawnService, testKey } from '../harness/service.ts';

describe('a check of a monitor whose service was killed', () => {
  let running: ServiceProcess | undefined;
  let dataDir: string;
  beforeEach(() => {
    dataDir = temporaryFolder();
  });
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.exited;
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is finished after a restart, and reads again only what it had not stored', async () => {
    const site = await startFaultySite();
    site.answer('/quick', linking('quick'));
    // Never answers.
    site.answer('/slow', () => undefined);
    const start = async () => {
      running = await spawnService(['--data-dir', dataDir, '--api-key', testKey, '--spare-browsers', '0']);
      const { baseUrl } = running.line;
      return async (method: string, path: string, body?: unknown) =>
        (await call(baseUrl, testKey, method, path, body)).body.data;
    };
    let send = await start();
    const urls = ['quick', 'slow'].map((path) => `${site.baseUrl}/${path}`);
    const schedule = distantSchedule();
    const { id } = await send('POST', '/v2/monitor', { name: 'a', schedule, targets: [{ type: 'scrape', urls }] });
    const path = `/v2/monitor/${id}/checks/${(await send('POST', `/v2/monitor/${id}/run`, {})).id}`;
    await eventually(async () => assert.equal((await send('GET', path)).pages.length, 1));
    await eventually(() => assert.ok(site.requests.includes('/slow')));
    running?.child.kill('SIGKILL');
    await running?.exited;
    site.answer('/slow', linking('slow'));
    send = await start();
    await eventually(async () => {
      const { status, pages, actualCredits } = await send('GET', path);
      assert.deepEqual([status, pages.length, actualCredits], ['completed', 2, 2]);
    });
    assert.equal(site.requests.filter((request) => request === '/quick').length, 1);
    await site.close();
  });

  it('goes on with the crawl that it had started, instead of another one', async () => {
    const site = await startFaultySite();
    site.answer('/', linking('Home', '/slow'));
    // Never answers.
    site.answer('/slow', () => undefined);
    const start = async () => {
      running = await spawnService(['--data-dir', dataDir, '--api-key', testKey, '--spare-browsers', '0']);
      const { baseUrl } = running.line;
      return async (method: string, path: string, body?: unknown) =>
        (await call(baseUrl, testKey, method, path, body)).body;
    };
    let send = await start();
    const targets = [{ type: 'crawl', url: `${site.baseUrl}/` }];
    const { id } = (await send('POST', '/v2/monitor', { name: 'a', schedule: distantSchedule(), targets })).data;
    const path = `/v2/monitor/${id}/checks/${(await send('POST', `/v2/monitor/${id}/run`, {})).data.id}`;
    await eventually(() => assert.ok(site.requests.includes('/slow')));
    const [crawl] = (await send('GET', '/v2/crawl/active')).crawls;
    await eventually(async () => assert.equal((await send('GET', `/v2/crawl/${crawl.id}`)).completed, 1));
    running?.child.kill('SIGKILL');
    await running?.exited;
    site.answer('/slow', linking('slow'));
    send = await start();
    await eventually(async () => {
      const { status, pages, actualCredits } = (await send('GET', path)).data;
      assert.deepEqual([status, pages.length, actualCredits], ['completed', 2, 2]);
    });
    assert.equal((await send('GET', `/v2/crawl/${crawl.id}`)).status, 'completed');
    assert.equal(site.requests.filter((request) => request === '/').length, 1);
    await site.close();
  });
});
