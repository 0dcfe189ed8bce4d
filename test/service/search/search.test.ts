import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import { searxng } from '../../../src/service/web/search/searxng.ts';
import { type SearchSite, startSearchSite } from '../../harness/search-site.ts';
import { startSearx, whyNoSearx } from '../../harness/searx.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const teas = Array.from({ length: 35 }, (_each, index) => ({
  name: `tea-${index + 1}`,
  title: `Tea ${index + 1}`,
  text: `All about tea number ${index + 1}, from the garden.`,
}));

describe('search with searx', () => {
  let site: SearchSite;
  let searx: { url: string; close(): Promise<void> } | undefined;
  let service: TestService;
  before(async function () {
    const reason = whyNoSearx();
    if (reason !== undefined) {
      console.log(`      skipped: ${reason}`);
      this.skip();
    }
    site = await startSearchSite([...teas, { name: 'coffee', title: 'Coffee', text: 'No leaves at all.' }]);
    searx = await startSearx(site.url);
    service = await startTestService({ searchEngine: searxng(searx.url) });
  });
  after(() => Promise.all([service?.close(), searx?.close(), site?.close()]));

  it('lists web results, page by page up to the limit', async () => {
    const { status, body } = await service.call('POST', '/v2/search', { query: 'tea', limit: 25 });
    assert.equal(status, 200);
    assert.equal(body.success, true);
    const { web } = body.data;
    assert.equal(web.length, 25);
    assert.equal(new Set(web.map(({ url }: { url: string }) => url)).size, 25);
    assert.deepEqual(web[0], {
      url: `${site.url}tea-1`,
      title: 'Tea 1',
      description: 'All about tea number 1, from the garden.',
      position: 1,
    });
    assert.equal(web[24].position, 25);
    assert.equal(body.creditsUsed, 6);
    assert.match(body.id, /^[0-9a-f-]{36}$/);
    const all = await service.call('POST', '/v2/search', { query: 'tea', limit: 100 });
    assert.equal(all.body.data.web.length, 35);
    const ten = await service.call('POST', '/v2/search', { query: 'tea' });
    assert.equal(ten.body.data.web.length, 10);
  });

  it('adds the content of results, which can be retrieved and are charged like scrapes', async () => {
    const { baseUrl, apiKey } = service;
    const client = createClient({ baseUrl, apiKey, fetch });
    const spent = async () => 1e9 - (await client.getCreditUsage({})).data.remainingCredits;
    const before = await spent();
    const answer = await client.searchWeb({
      body: { query: 'coffee', scrapeOptions: { formats: ['markdown', 'links'] } },
    });
    const [coffee] = answer.data.web ?? [];
    assert.equal(coffee?.url, `${site.url}coffee`);
    assert.equal(coffee?.markdown, '# Coffee\n\nNo leaves at all.');
    assert.deepEqual(coffee?.links, []);
    assert.equal(coffee?.metadata?.statusCode, 200);
    assert.equal(answer.creditsUsed, 3);
    assert.equal((await spent()) - before, 3);
    const scrape = await client.getScrape({ params: { jobId: coffee?.metadata?.scrapeId ?? '' } });
    assert.equal(scrape.data.markdown, coffee?.markdown);
    const { data } = await client.listActivity({});
    const [newest] = data;
    assert.deepEqual([newest?.endpoint, newest?.target, newest?.id], ['search', 'coffee', answer.id]);
    assert.ok(!data.some(({ endpoint }) => endpoint === 'scrape'));
  });

  it('returns empty lists for what nothing is found for', async () => {
    const { status, body } = await service.call('POST', '/v2/search', {
      query: 'xyzzy',
      sources: ['web', { type: 'news' }, 'images'],
    });
    assert.equal(status, 200);
    assert.deepEqual(body.data, { web: [], news: [], images: [] });
    assert.equal(body.creditsUsed, 0);
    assert.equal(body.warning, undefined);
  });
});
