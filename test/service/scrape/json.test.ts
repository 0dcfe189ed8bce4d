import assert from 'node:assert/strict';
import { openAiCompatible } from '../../../src/service/platform/language-model/openai-compatible.ts';
import { ended, linking, startCrawl } from '../../harness/crawl-jobs.ts';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { type ScriptedModel, startScriptedModel } from '../../harness/scripted-model.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, price: { type: 'number' } },
  required: ['name'],
};

describe('the format json', () => {
  let site: FaultySite;
  let model: ScriptedModel;
  let service: TestService;
  before(async () => {
    [site, model] = await Promise.all([startFaultySite(), startScriptedModel()]);
    const languageModel = openAiCompatible({ baseUrl: model.baseUrl, model: 'scripted' });
    service = await startTestService({ languageModel, credits: 1000 });
    site.answer('/lamp', '<main><h1>Lamp</h1><p>It costs 12 euros.</p></main>');
  });
  after(() => Promise.all([site.close(), model.close(), service.close()]));
  const scrape = (format: object, options: object = {}) =>
    service.call('POST', '/v2/scrape', {
      url: `${site.baseUrl}/lamp`,
      formats: [{ type: 'json', ...format }],
      ...options,
    });
  const creditsLeft = async () => (await service.call('GET', '/v2/team/credit-usage')).body.data.remainingCredits;

  it("is extracted by a schema from the page's markdown, for four extra credits", async () => {
    model.script([{ text: '{"name":"Lamp","price":12}' }]);
    const before = await creditsLeft();
    const { status, body } = await scrape({ schema });
    assert.equal(status, 200);
    assert.deepEqual(body.data.json, { name: 'Lamp', price: 12 });
    assert.equal('markdown' in body.data, false);
    assert.equal(body.data.warning, undefined);
    assert.equal(body.data.metadata.creditsUsed, 5);
    assert.equal(await creditsLeft(), before - 5);
    const said = model.requests[0]?.messages.map(({ content }) => content).join('\n') ?? '';
    assert.ok(said.includes('# Lamp') && said.includes(JSON.stringify(schema)), said);
    const stored = await service.call('GET', `/v2/scrape/${body.data.metadata.scrapeId}`);
    assert.deepEqual(stored.body.data.json, { name: 'Lamp', price: 12 });
  });

  it('is extracted by a prompt, next to other formats, with or without a code fence', async () => {
    model.script([{ text: 'Here you are:\n```json\n["Lamp"]\n```' }]);
    const { body } = await service.call('POST', '/v2/scrape', {
      url: `${site.baseUrl}/lamp`,
      formats: ['markdown', { type: 'json', prompt: 'names of all products' }],
    });
    assert.deepEqual(body.data.json, ['Lamp']);
    assert.match(body.data.markdown, /^# Lamp/);
    assert.match(String(model.requests[0]?.messages.at(-1)?.content), /names of all products/);
  });

  it('is requested again with the problem, and charged once', async () => {
    model.script([{ text: 'I cannot do that.' }, { text: '{"price":"cheap"}' }, { text: '{"name":"Lamp"}' }]);
    const before = await creditsLeft();
    const { body } = await scrape({ schema });
    assert.deepEqual(body.data.json, { name: 'Lamp' });
    assert.equal(model.requests.length, 3);
    assert.match(String(model.requests[1]?.messages.at(-1)?.content), /isn't JSON/);
    assert.match(String(model.requests[2]?.messages.at(-1)?.content), /name: .*price: /);
    assert.equal(await creditsLeft(), before - 5);
  });

  it("omits null values that the schema doesn't allow", async () => {
    model.script([{ text: '{"name":"Lamp","price":null}' }]);
    const { body } = await scrape({ schema });
    assert.deepEqual(body.data.json, { name: 'Lamp' });
    assert.equal(model.requests.length, 1);
  });

  it('reports when the model never matches the schema or never returns JSON', async () => {
    model.script(() => ({ text: '{"price":12}' }));
    const unfit = await scrape({ schema });
    assert.deepEqual(unfit.body.data.json, { price: 12 });
    assert.match(unfit.body.data.warning, /doesn't match its schema: name/);
    assert.equal(model.requests.length, 3);
    const before = await creditsLeft();
    model.script(() => ({ text: 'no' }));
    const none = await scrape({ schema });
    assert.deepEqual([none.status, none.body.code], [500, 'SCRAPE_JSON_ERROR']);
    assert.equal(await creditsLeft(), before);
  });

  it("runs no regular expression of a schema, and accepts schemas that it can't check", async () => {
    model.script(() => ({ text: JSON.stringify({ name: `${'a'.repeat(60)}!` }) }));
    const slow = { type: 'object', properties: { name: { type: 'string', pattern: '^(a+)+$' } } };
    assert.equal((await scrape({ schema: slow })).body.data.json.name.length, 61);
    for (const odd of [{}, { type: 'nonsense' }, { $ref: 'http://elsewhere.test/schema' }, { name: 'string' }])
      assert.equal((await scrape({ schema: odd })).status, 200, JSON.stringify(odd));
  });

  it('reports that the model failed, and limits it by the timeout', async () => {
    model.script(() => ({ status: 500, body: 'broken' }));
    const failed = await scrape({ prompt: 'x' });
    assert.deepEqual([failed.status, failed.body.code], [500, 'SCRAPE_JSON_ERROR']);
    assert.match(failed.body.error, /status 500/);
    model.script(() => 'silence');
    const late = await scrape({ prompt: 'x' }, { timeout: 1000 });
    assert.deepEqual([late.status, late.body.code], [408, 'SCRAPE_TIMEOUT']);
  });

  it('costs the same in a crawl, where a failing model is a page error', async () => {
    site.answer('/', linking('Home', '/lamp'));
    model.script((request) =>
      String(request.messages.at(-1)?.content).includes('Lamp') ? { status: 500, body: '' } : { text: '{"name":"x"}' },
    );
    const id = await startCrawl(service, {
      url: site.baseUrl,
      sitemap: 'skip',
      scrapeOptions: { formats: [{ type: 'json', schema }] },
    });
    const state = await ended(service, id);
    assert.equal(state.status, 'completed');
    assert.equal(state.creditsUsed, 5);
    assert.deepEqual(state.data[0].json, { name: 'x' });
    const { body } = await service.call('GET', `/v2/crawl/${id}/errors`);
    assert.deepEqual(
      body.errors.map(({ code }: { code: string }) => code),
      ['SCRAPE_JSON_ERROR'],
    );
  });

  it('is refused without a model, naming the setting, and without enough credits', async () => {
    const bare = await startTestService({ credits: 4 });
    try {
      const url = `${site.baseUrl}/lamp`;
      const asked = site.requests.length;
      for (const [path, body] of [
        ['/v2/scrape', { url, formats: ['json'] }],
        ['/v2/scrape', { url, formats: [{ type: 'json', prompt: 'x' }] }],
      ] as const) {
        const answer = await bare.call('POST', path, body);
        assert.equal(answer.status, 402);
      }
      const rich = await startTestService();
      try {
        for (const [path, wish] of [
          ['/v2/scrape', { url, formats: ['json'] }],
          ['/v2/crawl', { url, sitemap: 'skip', scrapeOptions: { formats: ['json'] } }],
        ] as const) {
          const { status, body } = await rich.call('POST', path, wish);
          assert.deepEqual([status, body.code], [503, 'NO_LANGUAGE_MODEL']);
          assert.match(body.error, /WEBDATA_LLM_BASE_URL.*webdata\.languageModel\.baseUrl/);
        }
      } finally {
        await rich.close();
      }
      assert.deepEqual(site.requests.slice(asked), []);
    } finally {
      await bare.close();
    }
  });
});
