import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { openAiCompatible } from '../../src/service/platform/language-model/openai-compatible.ts';
import { linking } from '../harness/crawl-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { distantSchedule } from '../harness/fake-clock.ts';
import { type FaultySite, startFaultySite, status } from '../harness/faulty-site.ts';
import { type ScriptedModel, startScriptedModel } from '../harness/scripted-model.ts';
import { startTestService, type TestService } from '../harness/service.ts';

type Delivery = { type: string; success: boolean; data: Record<string, unknown>[] };

describe('a monitor of a site or a search', () => {
  let service: TestService;
  let site: FaultySite;
  let model: ScriptedModel;
  let results: string[];
  const deliveries: Delivery[] = [];

  before(async () => {
    model = await startScriptedModel();
    service = await startTestService({
      languageModel: openAiCompatible({ baseUrl: model.baseUrl, model: 'scripted' }),
      webhooks: { secret: undefined, retryMs: [10] },
      searchEngine: {
        async page({ page }) {
          const found = results.map((url) => ({ url, title: 'Lamp', text: `about ${url}` }));
          return { results: page === 1 ? found : [], problems: [] };
        },
      },
    });
  });
  after(async () => {
    await service.close();
    await model.close();
  });
  beforeEach(async () => {
    site = await startFaultySite();
    deliveries.length = 0;
    site.answer('/hook', async (request, response) => {
      deliveries.push(JSON.parse(await text(request)));
      response.end('ok');
    });
  });
  afterEach(() => site.close());

  async function create(target: object, more: object = {}): Promise<string> {
    const body = { name: 'Lamps', schedule: distantSchedule(), targets: [target], ...more };
    const created = await service.call('POST', '/v2/monitor', body);
    assert.equal(created.status, 200, JSON.stringify(created.body));
    return created.body.data.id;
  }

  async function checked(id: string) {
    const { body } = await service.call('POST', `/v2/monitor/${id}/run`, {});
    return await eventually(async () => {
      const { data } = (await service.call('GET', `/v2/monitor/${id}/checks/${body.data.id}`)).body;
      assert.notEqual(data.finishedAt, null);
      return data;
    });
  }

  /** Returns the path and the status of each page, in order of the paths. */
  const said = (check: { pages: { url: string; status: string }[] }) =>
    check.pages.map((page) => `${new URL(page.url).pathname} ${page.status}`).sort();

  it('says which pages of a site are new, changed and gone', async () => {
    site.answer('/', linking('Home', '/a', '/b'));
    site.answer('/a', linking('A lamp'));
    site.answer('/b', linking('B lamp'));
    const id = await create({ type: 'crawl', url: `${site.baseUrl}/` });
    assert.deepEqual(said(await checked(id)), ['/ new', '/a new', '/b new']);
    const second = await checked(id);
    assert.deepEqual(said(second), ['/ same', '/a same', '/b same']);
    assert.deepEqual([second.status, second.actualCredits], ['completed', 3]);
    site.answer('/', linking('Home', '/a', '/c'));
    site.answer('/a', linking('A torch'));
    site.answer('/b', status(404));
    site.answer('/c', linking('C lamp'));
    const third = await checked(id);
    assert.deepEqual(said(third), ['/ changed', '/a changed', '/b removed', '/c new']);
    const changed = third.pages.find(({ url }: { url: string }) => url.endsWith('/a'));
    assert.match(changed.diff.text, /^-.*A lamp[\s\S]*^\+.*A torch/m);
    const scrape = await service.call('GET', `/v2/scrape/${changed.currentScrapeId}`);
    assert.match(scrape.body.data.markdown, /A torch/);
  });

  it('reads no more pages of a site than it is allowed, and says which failed', async () => {
    site.answer('/', linking('Home', '/a', '/b', '/c'));
    site.answer('/a', status(500));
    site.answer('/b', linking('B'));
    site.answer('/c', linking('C'));
    const id = await create({ type: 'crawl', url: `${site.baseUrl}/`, crawlOptions: { limit: 2 } });
    const check = await checked(id);
    // Those that failed don't count.
    assert.deepEqual([check.status, check.pages.length, check.summary.error], ['partial', 3, 1]);
    assert.ok(!site.requests.includes('/c'));
  });

  it('cancels the crawl of a monitor that is deleted', async () => {
    site.answer('/', linking('Home', '/a', '/b'));
    site.answer('/a', linking('A'));
    // Never answers.
    site.answer('/b', () => undefined);
    const id = await create({ type: 'crawl', url: `${site.baseUrl}/` });
    await service.call('POST', `/v2/monitor/${id}/run`, {});
    await eventually(() => assert.ok(site.requests.includes('/b')));
    await service.call('DELETE', `/v2/monitor/${id}`);
    await eventually(async () => {
      assert.deepEqual((await service.call('GET', '/v2/crawl/active')).body.crawls, []);
    });
  });

  it('says which results of a search were not found before', async () => {
    results = ['https://one.test/', 'https://two.test/'];
    const id = await create({ type: 'search', queries: ['lamps'], maxResults: 5 });
    assert.deepEqual((await checked(id)).summary.new, 2);
    results = ['https://two.test/', 'https://three.test/'];
    const check = await checked(id);
    assert.deepEqual([check.summary.new, check.summary.same, check.actualCredits], [1, 1, 2]);
    const isNew = (page: { status: string }) => page.status === 'new';
    assert.equal(check.pages.find(isNew).url, 'https://three.test/');
  });

  it('reads the results of a search if it is told how', async () => {
    site.answer('/a', linking('A lamp'));
    results = [`${site.baseUrl}/a`];
    const id = await create({ type: 'search', queries: ['lamps'], scrapeOptions: { formats: ['markdown'] } });
    await checked(id);
    site.answer('/a', linking('A torch'));
    const check = await checked(id);
    assert.deepEqual([check.summary.changed, check.actualCredits], [1, 3]);
    assert.match(check.pages[0].diff.text, /A torch/);
  });

  it('tells a webhook of each page and of the end, and asks the model whether a change matters', async () => {
    model.script([{ text: '{"meaningful": false, "confidence": "high", "reason": "Only the news changed."}' }]);
    site.answer('/a', linking('A lamp'));
    const target = { type: 'scrape', urls: [`${site.baseUrl}/a`] };
    const id = await create(target, { goal: 'The price', webhook: `${site.baseUrl}/hook` });
    await checked(id);
    assert.equal(model.requests.length, 0);
    site.answer('/a', linking('A torch'));
    const check = await checked(id);
    assert.deepEqual([check.pages[0].judgment.meaningful, check.actualCredits], [false, 5]);
    assert.match(model.requests[0]?.messages[1]?.content ?? '', /What matters: The price[\s\S]*A torch/);
    await eventually(() => assert.equal(deliveries.length, 4));
    const types = ['monitor.page', 'monitor.check.completed', 'monitor.page', 'monitor.check.completed'];
    assert.deepEqual(
      deliveries.map(({ type }) => type),
      types,
    );
    const [page] = deliveries[2]?.data ?? [];
    assert.deepEqual([page?.monitorId, page?.status, page?.isMeaningful], [id, 'changed', false]);
    assert.deepEqual(deliveries[3]?.data[0]?.summary, check.summary);
  });

  it('compares the fields that a model reads from a page, and nothing else', async () => {
    const properties = { price: { type: 'string' } };
    const formats = [{ type: 'json', schema: { type: 'object', properties } }];
    const id = await create({ type: 'scrape', urls: [`${site.baseUrl}/lamp`], scrapeOptions: { formats } });
    model.script(({ messages }) => {
      const [, price] = /lamp for (\d)/i.exec(messages.at(-1)?.content ?? '') ?? [];
      return { text: JSON.stringify({ price }) };
    });
    const looked = async (text: string) => {
      site.answer('/lamp', linking(text));
      return await checked(id);
    };
    assert.deepEqual(said(await looked('Lamp for 5')), ['/lamp new']);
    assert.deepEqual(said(await looked('A lamp for 5')), ['/lamp same']);
    const check = await looked('A lamp for 6');
    assert.deepEqual(said(check), ['/lamp changed']);
    assert.deepEqual(check.pages[0].diff.json, { price: { previous: '5', current: '6' } });
  });

  it('tells a webhook only of the events that it asks for', async () => {
    site.answer('/a', linking('A lamp'));
    const target = { type: 'scrape', urls: [`${site.baseUrl}/a`] };
    const id = await create(target, { webhook: { url: `${site.baseUrl}/hook`, events: ['monitor.check.completed'] } });
    await checked(id);
    await eventually(() => assert.equal(deliveries.length, 1));
    assert.equal(deliveries[0]?.type, 'monitor.check.completed');
  });

  it('notices a change of a page whose site says that it has not changed', async () => {
    // It sends one ETag for everything, and 304 to whoever knows it.
    const lying = (title: string) =>
      site.answer('/a', (request, response) => {
        const isKnown = request.headers['if-none-match'] !== undefined;
        response.writeHead(isKnown ? 304 : 200, { etag: '"always"', 'content-type': 'text/html' });
        response.end(isKnown ? undefined : linking(title));
      });
    lying('A lamp');
    for (const target of [
      { type: 'scrape', urls: [`${site.baseUrl}/a`] },
      { type: 'crawl', url: `${site.baseUrl}/a` },
    ]) {
      lying('A lamp');
      const id = await create(target);
      await checked(id);
      lying('A torch');
      assert.equal((await checked(id)).summary.changed, 1, target.type);
    }
  });
});
