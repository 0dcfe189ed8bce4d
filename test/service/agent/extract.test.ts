import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import type { WebhookDelivery } from '../../../src/contract/webhooks/webhooks.ts';
import { openAiCompatible } from '../../../src/service/platform/language-model/openai-compatible.ts';
import { endedAgent as ended } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { type ScriptedModel, type SeenRequest, startScriptedModel } from '../../harness/scripted-model.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(900);
const pages: Record<string, string> = {
  '/': '<title>Shop</title><h1>Shop</h1><a href="/products/tea">Tea</a> <a href="/products/mug">Mug</a> <a href="/about">About</a>',
  '/products/':
    '<title>Products</title><h1>Products</h1><a href="/products/tea">Tea</a> <a href="/products/mug">Mug</a>',
  '/products/tea': `<title>Tea</title><h1>Green tea</h1><p>4.50 euros</p><p>${long}</p>`,
  '/products/mug': `<title>Mug</title><h1>Blue mug</h1><p>12 euros</p><p>${long}</p>`,
  '/about': '<title>About</title><h1>About us</h1><p>Since 1990.</p>',
};
const products = {
  type: 'object',
  properties: {
    products: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, price: { type: 'number' } },
        required: ['name'],
      },
    },
  },
  required: ['products'],
};
/** The pages in a request to the model. */
const pagesIn = ({ messages }: SeenRequest) =>
  [...(messages[1]?.content ?? '').matchAll(/^Page \d+: (\S+)$/gm)].map(([, url]) => ({ url }));

describe('extract jobs', () => {
  let service: TestService;
  let site: FaultySite;
  let url: string;
  let model: ScriptedModel;
  const deliveries: WebhookDelivery[] = [];
  before(async () => {
    model = await startScriptedModel();
    service = await startTestService({
      languageModel: openAiCompatible({ baseUrl: model.baseUrl, model: 'scripted' }),
      webhooks: { secret: undefined, retryMs: [10] },
      searchEngine: {
        async page({ query, page }) {
          const text = `about ${query}`;
          return { results: page === 1 ? [{ url: `${url}/about`, title: 'About', text }] : [], problems: [] };
        },
      },
    });
    site = await startFaultySite();
    for (const [path, html] of Object.entries(pages)) site.answer(path, `<!doctype html>${html}`);
    site.answer('/hook', async (request, response) => {
      deliveries.push(JSON.parse(await text(request)));
      response.end('ok');
    });
    url = site.baseUrl;
  });
  after(async () => {
    await service.close();
    await model.close();
    await site.close();
  });

  async function run(
    body: object,
  ): Promise<{ started: Record<string, unknown>; job: Awaited<ReturnType<typeof ended>> }> {
    const { status, body: started } = await service.call('POST', '/v2/extract', body);
    assert.equal(status, 200, JSON.stringify(started));
    return { started, job: await ended(service, started.id) };
  }

  it('finds the pages below a URL, and takes the data from all of them, a few at a time', async () => {
    model.script((request) => {
      const found = pagesIn(request);
      const known = /"products":\[(.*?)\]/.exec(request.messages[1]?.content.split('BEGIN answer')[1] ?? '')?.[1] ?? '';
      const added = found.flatMap(({ url: page }) =>
        page?.endsWith('tea')
          ? [{ name: 'Green tea', price: 4.5 }]
          : page?.endsWith('mug')
            ? [{ name: 'Blue mug', price: 12 }]
            : [],
      );
      const list = [...(known ? JSON.parse(`[${known}]`) : []), ...added];
      return { text: JSON.stringify({ data: { products: list }, sources: [] }) };
    });
    const { job } = await run({
      urls: [`${url}/products/*`],
      prompt: 'Name and price of each product',
      schema: products,
    });
    assert.equal(job.status, 'completed', job.error);
    assert.deepEqual(job.data.products.map(({ name }: { name: string }) => name).sort(), ['Blue mug', 'Green tea']);
    const tea = job.data.products.findIndex(({ name }: { name: string }) => name === 'Green tea');
    assert.deepEqual(job.sources[`products[${tea}].name`], [`${url}/products/tea`]);
    assert.deepEqual(job.sources[`products[${tea}].price`], [`${url}/products/tea`]);
    assert.equal(model.requests.length, 2, 'both pages together are too long for one request');
    assert.match(model.requests[0]?.messages[0]?.content ?? '', /nothing in it is an instruction/);
    // A map, three pages and two responses.
    assert.equal(job.creditsUsed, 6);
    assert.deepEqual(job.steps[0].action, 'map');
    const { body } = await service.call('GET', '/v2/team/activity?endpoint=extract');
    assert.equal(body.data[0].target, 'Name and price of each product');
  });

  it('skips invalid URLs by name and pages that cannot be read, and passes on more instructions', async () => {
    model.script([{ text: '{"data": {"since": 1990}, "sources": [{"path": "since", "pages": [1]}]}' }]);
    const { started, job } = await run({
      urls: [`${url}/about`, `${url}/missing`, 'not a url'],
      prompt: 'Since when?',
      systemPrompt: 'Answer in years.',
    });
    assert.deepEqual(started.invalidURLs, ['not a url']);
    assert.deepEqual([job.status, job.data], ['completed', { since: 1990 }], job.error);
    assert.match(model.requests[0]?.messages[1]?.content ?? '', /More instructions: Answer in years\./);
    assert.ok(job.steps.some(({ error }: { error?: string }) => error?.includes('404')));
  });

  it('fails if no page can be read, or none has what the schema requires', async () => {
    model.script(() => ({ text: '{"data": {"products": null}}' }));
    const missing = await run({ urls: [`${url}/missing`], prompt: 'x' });
    assert.deepEqual([missing.job.status, model.requests.length], ['failed', 0]);
    assert.match(missing.job.error, /No page could be read\. .*status 404/);
    const unmatched = await run({ urls: [`${url}/about`], schema: products });
    assert.equal(unmatched.job.status, 'failed');
    assert.match(unmatched.job.error, /no data that matches the schema\. .*products/);
    assert.equal(model.requests.length, 3);
    model.script(() => ({ text: 'no JSON at all' }));
    const rubbish = await run({ urls: [`${url}/about`], prompt: 'x' });
    assert.match(rubbish.job.error, /isn't JSON/);
    model.script(() => ({ text: '{"data": {}}' }));
    const small = await run({ urls: [`${url}/about`], prompt: 'x', maxCredits: 1 });
    assert.match(small.job.error, /credits of the job were used up/);
  });

  it('searches the web for pages, where there is an engine', async () => {
    model.script([{ text: '{"data": {"since": 1990}}' }]);
    const { job } = await run({ prompt: `Since when is there the shop at ${url}?`, enableWebSearch: true });
    assert.deepEqual([job.status, job.data, job.sources], ['completed', { since: 1990 }, { since: [`${url}/about`] }]);
    // A search, a page and a response.
    assert.equal(job.creditsUsed, 4);
    model.script((request, number) => {
      if (number === 0) return { calls: [{ name: 'search', arguments: { query: 'shop' } }] };
      if (number === 1) {
        assert.match(
          request.messages.at(-1)?.content ?? '',
          /1 results\.\nBEGIN result .*\n.*\/about \| About \| about shop/,
        );
        return {
          calls: [
            { name: 'search', arguments: { query: 'shop' } },
            { name: 'read_page', arguments: { url: `${url}/about` } },
          ],
        };
      }
      return { calls: [{ name: 'finish', arguments: { data: { since: 1990 } } }] };
    });
    const started = await service.call('POST', '/v2/agent', { prompt: `Since when is there the shop at ${url}?` });
    const found = await ended(service, started.body.id);
    assert.deepEqual([found.status, found.data], ['completed', { since: 1990 }], found.error);
    // Three responses, one search, although it was asked for twice, and a page.
    assert.equal(found.creditsUsed, 6);
  });

  it('lets an agent gather the data on request', async () => {
    model.script([
      { calls: [{ name: 'read_page', arguments: { url: `${url}/about` } }] },
      { calls: [{ name: 'finish', arguments: { data: { since: 1990 } } }] },
    ]);
    const { job } = await run({ urls: [url], prompt: 'Since when?', agent: { model: 'FIRE-1' } });
    assert.deepEqual([job.status, job.data], ['completed', { since: 1990 }], job.error);
  });

  it('delivers the events of a job to its webhook', async () => {
    model.script([{ text: '{"data": {"since": 1990}}' }]);
    const { started } = await run({
      urls: [`${url}/about`],
      prompt: 'Since when?',
      webhook: { url: `${url}/hook`, events: ['started', 'action', 'completed'], metadata: { job: 'a' } },
    });
    await eventually(() => assert.equal(deliveries.length, 5));
    assert.deepEqual(
      deliveries.map(({ type }) => type),
      ['extract.started', 'extract.action', 'extract.action', 'extract.action', 'extract.completed'],
    );
    const last = deliveries.at(-1);
    assert.deepEqual([last?.id, last?.metadata, last?.success], [started.id, { job: 'a' }, true]);
    assert.deepEqual(last?.data, [{ data: { since: 1990 }, sources: { since: [`${url}/about`] } }]);
  });
});
