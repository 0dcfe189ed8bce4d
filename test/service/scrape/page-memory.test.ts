import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { eventually } from '../../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const tooMuch = 'The page was closed, because pages used too much memory.';

describe('a page that takes memory without end, beside another one', () => {
  let site: FaultySite;
  let service: TestService;
  before(async function () {
    if (process.platform !== 'linux') return this.skip();
    // Half of it is for pages: a hundred calm ones need less.
    mock.method(process, 'constrainedMemory', () => 1024 ** 3);
    [site, service] = await Promise.all([startFaultySite(), startTestService()]);
    site.answer('/calm', '<h1>Calm</h1><script>document.body.append("!")</script>');
  });
  after(async () => {
    mock.restoreAll();
    await Promise.all([site?.close(), service?.close()]);
  });
  const scrape = (path: string, waitFor: number) =>
    service.call('POST', '/v2/scrape', { url: site.baseUrl + path, waitFor, timeout: 120_000 });

  async function closesOnly(script: string): Promise<void> {
    site.answer('/greedy', `<h1>Greedy</h1><script>fetch('/begun'); ${script}</script>`);
    const earlier = site.requests.length;
    const greedy = scrape('/greedy', 60_000);
    // The page that has been rendered for longest is closed.
    await eventually(async () => assert.ok(site.requests.includes('/begun', earlier)));
    const calm = scrape('/calm', 5000);
    const { status, body } = await greedy;
    assert.deepEqual([status, body.code, body.error], [500, 'SCRAPE_SITE_ERROR', tooMuch]);
    assert.match((await calm).body.data.markdown, /Calm/);
    assert.match((await scrape('/calm', 1)).body.data.markdown, /Calm/);
  }

  it('is closed if its own process has most (F22)', () =>
    closesOnly(
      'const kept = []; setInterval(() => { if (kept.length < 40) kept.push(new Uint8Array(2e7).fill(1)) }, 20)',
    ));

  it('is closed if the browser keeps for it what it stores (F22)', () =>
    closesOnly(`
      const opening = indexedDB.open('kept');
      opening.onupgradeneeded = () => opening.result.createObjectStore('parts');
      opening.onsuccess = () => {
        const part = new Uint8Array(2e7).map(() => 256 * Math.random());
        const put = (count) => {
          const storing = opening.result.transaction('parts', 'readwrite');
          storing.objectStore('parts').put(part, count);
          storing.oncomplete = () => count < 40 && put(count + 1);
        };
        put(0);
      };`));
});
