import assert from 'node:assert/strict';
import { eventually } from '../../harness/eventually.ts';
import { startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService } from '../../harness/service.ts';

describe('a page that floods the browser with messages', () => {
  it('is closed while another one is waited for, and the other one is not (F24)', async function () {
    if (process.platform !== 'linux') return this.skip();
    const [site, service] = await Promise.all([startFaultySite(), startTestService()]);
    try {
      // Two frames each answer one another without end.
      site.answer(
        '/frame',
        `<script>
        const channel = new BroadcastChannel(location.search);
        channel.onmessage = ({ data }) => channel.postMessage(data);
        channel.postMessage('x');
        </script>`,
      );
      const frames = Array.from({ length: 40 }, (_, index) => `<iframe src="/frame?${index % 20}"></iframe>`);
      site.answer('/flood', `<h1>Flood</h1>${frames.join('')}`);
      site.answer('/calm', '<h1>Calm</h1><script>document.body.append("!")</script>');
      // A busy machine lets the browser work little, and then the flood is found late.
      const still = [{ type: 'wait', selector: '#never' }];
      const scrape = (path: string, more: object = {}) =>
        service.call('POST', '/v2/scrape', { url: site.baseUrl + path, timeout: 300_000, ...more });
      let isOver = false;
      const flood = scrape('/flood', { actions: still }).finally(() => {
        isOver = true;
      });
      await eventually(async () => assert.ok(site.requests.includes('/frame?0')));
      while (!isOver) assert.match((await scrape('/calm', { waitFor: 1000 })).body.data.markdown, /Calm/);
      const { status, body } = await flood;
      assert.deepEqual([status, body.code], [500, 'SCRAPE_SITE_ERROR']);
      assert.equal(body.error, 'The page was closed, because it kept the browser too busy for other pages.');
    } finally {
      await Promise.all([site.close(), service.close()]);
    }
  });
});
