import assert from 'node:assert/strict';
import { roomForSpares } from '../../../src/service/platform/system/memory.ts';
import { eventually } from '../../harness/eventually.ts';
import { startFaultySite } from '../../harness/faulty-site.ts';
import { startTestService } from '../../harness/service.ts';

describe('a page that floods its browser with messages', () => {
  it('holds up no page of another team (F24)', async function () {
    if (roomForSpares() < 1) return this.skip();
    const [site, service] = await Promise.all([startFaultySite(), startTestService()]);
    const over = new AbortController();
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
      const scrape = (path: string, more: object, init: RequestInit) =>
        service.call('POST', '/v2/scrape', { url: site.baseUrl + path, timeout: 300_000, ...more }, init);
      const authorization = `Bearer ${service.apiKey}`;
      const actions = [{ type: 'wait', selector: '#never' }];
      let isOver = false;
      const flood = scrape('/flood', { actions }, { headers: { authorization }, signal: over.signal })
        .catch(() => undefined)
        .finally(() => {
          isOver = true;
        });
      await eventually(async () => assert.ok(site.requests.includes('/frame?19')));
      for (let count = 0; count < 3; count++) {
        const headers = { authorization: 'Bearer other-team-key-0123456789' };
        const { body } = await scrape('/calm', { waitFor: 1000, maxAge: 0 }, { headers });
        assert.match(body.data.markdown, /Calm/);
      }
      assert.ok(!isOver);
      over.abort();
      await flood;
    } finally {
      over.abort();
      await Promise.all([site.close(), service.close()]);
    }
  });
});
