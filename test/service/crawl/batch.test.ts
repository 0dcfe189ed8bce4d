import assert from 'node:assert/strict';
import { ended, linking, pathOf, pathsOf, startBatch } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { type FaultySite, page, startFaultySite } from '../../harness/faulty-site.ts';
import { call, startTestService, type TestService } from '../../harness/service.ts';

describe('batch scrape', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    service = await startTestService();
    site = await startFaultySite();
    for (const name of ['a', 'b', 'c']) site.answer(`/${name}`, linking(name, '/linked'));
    site.answer('/robots.txt', page('User-agent: *\nDisallow: /'));
  });
  after(async () => {
    await site.close();
    await service.close();
  });
  const url = (path: string) => site.baseUrl + path;

  it('scrapes exactly the listed pages and ignores robots.txt', async () => {
    const answer = await service.call('POST', '/v2/batch/scrape', {
      urls: [url('/a'), url('/b'), url('/gone'), 'nonsense', 'ftp://x.test/'],
      formats: ['markdown', 'links'],
      maxConcurrency: 2,
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.url, `${service.baseUrl}/v2/batch/scrape/${answer.body.id}`);
    assert.deepEqual(answer.body.invalidURLs, ['nonsense', 'ftp://x.test/']);
    const state = await ended(service, answer.body.id, '/v2/batch/scrape');
    assert.equal(state.status, 'completed');
    assert.deepEqual(pathsOf(state), ['/a', '/b']);
    assert.deepEqual(state.data[0].links.map(pathOf), ['/linked']);
    const { body } = await service.call('GET', `/v2/batch/scrape/${answer.body.id}/errors`);
    assert.deepEqual(
      body.errors.map((error: { url: string; code: string }) => [pathOf(error.url), error.code]),
      [['/gone', 'HTTP_404']],
    );
    assert.ok(!site.requests.includes('/linked'));
  });

  it('returns a document for each URL, even for one that is given or added again', async () => {
    let release = () => {};
    site.answer('/held', (_request, response) => {
      release = () => response.writeHead(200, { 'content-type': 'text/html' }).end(linking('Held'));
    });
    const id = await startBatch(service, { urls: [url('/held'), url('/a'), url('/b'), url('/a')] });
    await service.call('POST', '/v2/batch/scrape', { urls: [url('/b')], appendToId: id });
    await eventually(() => assert.ok(site.requests.includes('/held')));
    release();
    const state = await ended(service, id, '/v2/batch/scrape');
    assert.deepEqual(pathsOf(state), ['/a', '/a', '/b', '/b', '/held']);
    assert.deepEqual([state.completed, state.total], [5, 5]);
  });

  it('rejects invalid URLs unless they may be skipped', async () => {
    const answer = await service.call('POST', '/v2/batch/scrape', { urls: ['nonsense'], ignoreInvalidURLs: false });
    assert.equal(answer.status, 400);
    assert.match(answer.body.error, /"nonsense" isn't a valid http or https URL/);
    assert.equal((await service.call('POST', '/v2/batch/scrape', { urls: [] })).status, 400);
  });

  it('ends immediately if no URL is left', async () => {
    const id = await startBatch(service, { urls: ['nonsense'] });
    const state = await ended(service, id, '/v2/batch/scrape');
    assert.equal(state.status, 'completed');
    assert.deepEqual(state.data, []);
  });

  it('accepts more URLs while it runs, but not after it ended', async () => {
    let release = () => {};
    site.answer('/slow', (_request, response) => {
      release = () => response.writeHead(200, { 'content-type': 'text/html' }).end(linking('Slow'));
    });
    const id = await startBatch(service, { urls: [url('/slow')] });
    const more = await service.call('POST', '/v2/batch/scrape', { urls: [url('/c')], appendToId: id });
    assert.equal(more.body.id, id);
    await eventually(() => assert.ok(site.requests.includes('/slow')));
    release();
    const state = await ended(service, id, '/v2/batch/scrape');
    assert.deepEqual(pathsOf(state), ['/c', '/slow']);
    const late = await service.call('POST', '/v2/batch/scrape', { urls: [url('/a')], appendToId: id });
    assert.equal(late.status, 409);
    const foreign = await call(service.baseUrl, 'other-team-key-0123456789', 'POST', '/v2/batch/scrape', {
      urls: [url('/a')],
      appendToId: id,
    });
    assert.equal(foreign.status, 403);
  });

  it('can be canceled', async () => {
    site.answer('/never', () => undefined);
    const id = await startBatch(service, { urls: [url('/never'), url('/a')] });
    const cancelled = await service.call('DELETE', `/v2/batch/scrape/${id}`);
    assert.equal(cancelled.body.status, 'cancelled');
    assert.equal((await service.call('GET', `/v2/batch/scrape/${id}`)).body.status, 'cancelled');
    assert.equal((await service.call('DELETE', `/v2/batch/scrape/${id}`)).status, 409);
  });

  it('renders pages in parallel', async () => {
    const rendered = (name: string) => `<div id=x></div><script>x.textContent = 'Rendered ' + '${name}'</script>`;
    for (const name of ['r1', 'r2', 'r3']) site.answer(`/${name}`, rendered(name));
    const id = await startBatch(service, { urls: ['/r1', '/r2', '/r3'].map(url), waitFor: 1, onlyMainContent: false });
    const state = await ended(service, id, '/v2/batch/scrape');
    const texts = state.data.map(({ markdown }: { markdown: string }) => markdown.trim()).sort();
    assert.deepEqual(texts, ['Rendered r1', 'Rendered r2', 'Rendered r3']);
  });
});
