import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Clock, systemClock } from '../../src/service/platform/clock.ts';
import { ended, pathsOf } from '../harness/crawl-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { repository, temporaryFolder } from '../harness/folders.ts';
import { startTestService } from '../harness/service.ts';
import { telling } from '../harness/trap-site.ts';

const crawlId = 'ade06c32-8558-46db-9e2a-c4abde8386b1';
const batchId = 'd8058497-ff4d-4aac-9267-e243b0b6985a';
const scrapeId = 'fd631fd5-e95f-485a-8e26-b3570ea00a20';
const sessionId = 'adbb0e4c-3ab7-49e8-9052-74bda8a3d106';
/** When its service was killed, and a little more, so that its retries are due. */
const killedAt = 1_795_332_616_000;
const pages = 40;

describe('the data directory of version 0.1.0', () => {
  let dataDir: string;
  /** The site that was crawled, and the receiver of its webhooks: both are reached through it as a proxy. */
  let proxy: Server;
  const requests: string[] = [];
  const deliveries = new Map<string, string>();

  before(async () => {
    dataDir = temporaryFolder();
    const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
    database.exec(readFileSync(join(repository, 'test', 'fixtures', 'data-0.1.0.sql'), 'utf8'));
    database.close();
    proxy = createServer((request, response) => {
      const { host, pathname } = new URL(request.url ?? '', 'http://other.test');
      if (host === 'hook.test') {
        let text = '';
        request.on('data', (data) => {
          text += data;
        });
        request.on('end', () => {
          const { webhookId, type } = JSON.parse(text) as { webhookId: string; type: string };
          deliveries.set(webhookId, type);
          response.end();
        });
        return;
      }
      if (pathname === '/robots.txt') return response.end('User-agent: *\nDisallow: /p9\n');
      const number = Number(/^\/p(\d+)$/.exec(pathname)?.[1]);
      // The crawl asks once for a page that can't exist.
      if (Number.isNaN(number)) return response.writeHead(404).end();
      requests.push(pathname);
      const links = [2 * number + 1, 2 * number + 2].filter((link) => link < pages).map((link) => `/p${link}`);
      response.writeHead(200, { 'content-type': 'text/html' }).end(telling(number, ...links));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    proxy.closeAllConnections();
    proxy.close();
    rmSync(dataDir, { recursive: true });
  });

  it('is migrated completely, and its jobs, retries and bills continue where they stopped', async () => {
    const begun = Date.now();
    const clock: Clock = { ...systemClock, now: () => killedAt + 90_000 + Date.now() - begun };
    const { port } = proxy.address() as AddressInfo;
    const service = await startTestService({ dataDir, database: undefined, clock, proxy: `http://127.0.0.1:${port}` });
    try {
      const crawl = await ended(service, crawlId);
      assert.equal(crawl.status, 'completed', crawl.error);
      // One page is disallowed, and three are only linked from there.
      assert.equal(crawl.completed, pages - 4);
      assert.equal(crawl.creditsUsed, pages - 4);
      assert.equal(new Set(pathsOf(crawl)).size, pages - 4);
      assert.equal(crawl.data[0].metadata.title, 'Page 0');
      assert.match(crawl.data[0].markdown, /Words of Page 0/);
      const batch = await ended(service, batchId, '/v2/batch/scrape');
      assert.deepEqual(pathsOf(batch), ['/p5', '/p6', '/p7', '/p8']);
      // The 15 pages that were stored are not fetched again.
      assert.equal(requests.length, pages - 4 + 4 - 15);
      const { robotsBlocked } = (await service.call('GET', `/v2/crawl/${crawlId}/errors`)).body;
      assert.deepEqual(robotsBlocked, ['http://site.test/p9']);
      const listed = await service.call('GET', `/embedded/jobs/${crawlId}/pages?limit=100`);
      assert.equal(listed.body.pages.length, pages - 3, JSON.stringify(listed.body).slice(0, 300));

      assert.match((await service.call('GET', `/v2/scrape/${scrapeId}`)).body.data.markdown, /Words of Page 3/);
      const [session] = (await service.call('GET', '/v2/browser')).body.sessions;
      assert.deepEqual(
        [session.id, session.status, session.endReason],
        [sessionId, 'destroyed', 'the service stopped'],
      );
      const activity = (await service.call('GET', '/v2/team/activity')).body.data;
      assert.deepEqual(
        activity.map(({ endpoint }: { endpoint: string }) => endpoint),
        ['batch_scrape', 'crawl', 'browser', 'scrape'],
      );
      const { periods } = (await service.call('GET', '/v2/team/token-usage/historical')).body;
      // The pages of the crawl and of the batch, the scrape, and the least that a session costs.
      assert.equal(periods[0].totalTokens / 15, pages - 4 + 4 + 1 + 2);
      await eventually(() => {
        const types = [...deliveries.values()].sort();
        const expected = ['crawl.completed', ...Array.from({ length: pages - 4 }, () => 'crawl.page'), 'crawl.started'];
        assert.deepEqual(types, expected);
      });
    } finally {
      await service.close();
    }
  });
});
