import assert from 'node:assert/strict';
import { ended } from '../harness/crawl-jobs.ts';
import { type FaultySite, plainPage, page as sitePage, startFaultySite } from '../harness/faulty-site.ts';
import { openViewer, until } from '../harness/live-viewer.ts';
import { startTestService, type TestService } from '../harness/service.ts';

describe('addresses without a scheme', () => {
  let service: TestService;
  let site: FaultySite;
  /** Host and port of the site, which speaks http. */
  let host: string;
  before(async () => {
    [service, site] = await Promise.all([startTestService(), startFaultySite()]);
    host = new URL(site.baseUrl).host;
    site.answer('/', sitePage(plainPage));
    site.answer('/one', sitePage(plainPage));
  });
  after(() => Promise.all([site.close(), service.close()]));

  it('are scraped', async () => {
    const { status, body } = await service.call('POST', '/v2/scrape', { url: `${host}/one` });
    assert.equal(status, 200, body.error);
    assert.equal(body.data.metadata.sourceURL, `http://${host}/one`);
  });

  it('are mapped', async () => {
    const { status, body } = await service.call('POST', '/v2/map', { url: host });
    assert.equal(status, 200, body.error);
  });

  it('are crawled, and asked for parameters', async () => {
    const preview = await service.call('POST', '/v2/crawl/params-preview', { url: host, prompt: 'at most 3 pages' });
    assert.deepEqual([preview.status, preview.body.data.limit], [200, 3]);
    const { status, body } = await service.call('POST', '/v2/crawl', { url: `${host}/one`, limit: 1 });
    assert.equal(status, 200, body.error);
    const state = await ended(service, body.id);
    assert.equal(state.data[0].metadata.sourceURL, `http://${host}/one`);
  });

  it('are scraped in a batch', async () => {
    const { body } = await service.call('POST', '/v2/batch/scrape', { urls: [`${host}/one`, 'nonsense'] });
    assert.deepEqual(body.invalidURLs, ['nonsense']);
    const state = await ended(service, body.id, '/v2/batch/scrape');
    assert.equal(state.data[0].metadata.sourceURL, `http://${host}/one`);
  });

  it("open in the live view, which offers http if https doesn't respond", async () => {
    const session = (await service.call('POST', '/v2/browser', {})).body;
    const viewer = await openViewer(session.interactiveLiveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
    viewer.send({ type: 'navigate', url: `${host}/one` });
    await viewer.said('tabs', ({ tabs }) => tabs[0]?.url === `http://${host}/one`);
    viewer.send({ type: 'navigate', url: `https://${host}/one` });
    const { text, open } = await viewer.said('notice');
    assert.deepEqual([text, open], [`${host} doesn't support HTTPS, but answers over HTTP.`, `http://${host}/one`]);
    viewer.send({ type: 'navigate', url: 'https://127.0.0.1:9/' });
    const refused = await viewer.said('notice', (message) => message.text.startsWith("The page didn't load"));
    assert.equal(refused.open, undefined);
    await viewer.close();
  });
});
