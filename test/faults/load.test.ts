import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { limits } from '../../src/contract/limits.ts';
import { eventually } from '../harness/eventually.ts';
import { bytes, type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, spawnService, startTestService } from '../harness/service.ts';

describe('a service under load', () => {
  let site: FaultySite;
  before(async () => {
    site = await startFaultySite();
    site.answer('/page', '<main><h1>Page</h1><p>Words.</p></main>');
  });
  after(() => site.close());

  it('F6: renders for a team that has no tab while another waits in all of them', async () => {
    const service = await startTestService();
    const ended = new AbortController();
    try {
      let others = 0;
      const scrape = (init?: RequestInit, waitFor = 1) =>
        service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/page`, waitFor, timeout: 300_000 }, init);
      const pending = Array.from({ length: 12 }, () =>
        scrape({ signal: ended.signal }, limits.scrapeWait.max).then(
          () => others++,
          () => undefined,
        ),
      );
      await eventually(() => assert.ok(site.requests.length >= 4));
      const other = { headers: { authorization: 'Bearer other-team-key-0123456789' } };
      const { body } = await scrape(other);
      assert.equal(body.data?.markdown, '# Page\n\nWords.', JSON.stringify(body));
      assert.equal(others, 0);
      ended.abort();
      await Promise.all(pending);
    } finally {
      await service.close();
    }
  });

  it('F4: answers every scrape of large pages, with a result or 408, in bounded memory', async () => {
    site.answer('/large', bytes(Buffer.alloc(9_600_000, '&amp;<b>x</b> '), 'text/html'));
    const dataDir = temporaryFolder();
    const service = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0']);
    try {
      const { baseUrl, apiKey } = service.line;
      const answers = await Promise.all(
        Array.from({ length: 60 }, () =>
          call(baseUrl, apiKey ?? '', 'POST', '/v2/scrape', { url: `${site.baseUrl}/large`, timeout: 3000 }),
        ),
      );
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200 && status !== 408).map(({ status, body }) => [status, body]),
        [],
      );
      const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]);
      assert.ok(peak < 1_500_000, `${peak} kB`);
    } finally {
      service.child.kill('SIGKILL');
      await service.exited;
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
