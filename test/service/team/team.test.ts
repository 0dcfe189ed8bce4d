import assert from 'node:assert/strict';
import { ended, linking, startBatch, startCrawl } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock, createNoonClock } from '../../harness/fake-clock.ts';
import { type FaultySite, startFaultySite } from '../../harness/faulty-site.ts';
import { call, startTestService, type TestService } from '../../harness/service.ts';

describe('team', () => {
  let service: TestService;
  let site: FaultySite;
  before(async () => {
    site = await startFaultySite();
    for (const path of ['/', '/a', '/b']) site.answer(path, linking(path));
  });
  after(() => site.close());
  beforeEach(async () => {
    service = await startTestService({ credits: 1000, clock: createNoonClock() });
  });
  afterEach(() => service.close());

  const activity = async (query = '') => (await service.call('GET', `/v2/team/activity${query}`)).body;

  it('sees its requests of each kind, with ids that their retrieval endpoints accept', async () => {
    const scrape = await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/a` });
    const crawlId = await startCrawl(service, { url: site.baseUrl, sitemap: 'skip' });
    const batchId = await startBatch(service, { urls: [`${site.baseUrl}/b`, `${site.baseUrl}/a`] });
    const map = await service.call('POST', '/v2/map', { url: site.baseUrl });
    await ended(service, crawlId);
    await ended(service, batchId, '/v2/batch/scrape');
    const { success, data, cursor, has_more } = await activity();
    assert.equal(success, true);
    assert.equal(cursor, null);
    assert.equal(has_more, false);
    assert.deepEqual(
      data.map(({ id, endpoint, target, api_version }: Record<string, string>) => [id, endpoint, target, api_version]),
      [
        [map.body.id, 'map', site.baseUrl, 'v2'],
        [batchId, 'batch_scrape', `${site.baseUrl}/b`, 'v2'],
        [crawlId, 'crawl', `${site.baseUrl}/`, 'v2'],
        [scrape.body.data.metadata.scrapeId, 'scrape', `${site.baseUrl}/a`, 'v2'],
      ],
    );
    for (const { created_at } of data) assert.equal(new Date(created_at).toISOString(), created_at);
    for (const [kind, path] of [
      ['scrape', '/v2/scrape/'],
      ['crawl', '/v2/crawl/'],
      ['batch_scrape', '/v2/batch/scrape/'],
    ]) {
      const { data: own } = await activity(`?endpoint=${kind}`);
      assert.equal(own.length, 1);
      assert.equal((await service.call('GET', path + own[0].id)).status, 200);
      const foreign = await call(service.baseUrl, 'other-team-key-0123456789', 'GET', path + own[0].id);
      assert.equal(foreign.status, 403);
    }
    const others = await call(service.baseUrl, 'other-team-key-0123456789', 'GET', '/v2/team/activity');
    assert.deepEqual((others.body as { data: unknown[] }).data, []);

    const usage = await service.call('GET', '/v2/team/token-usage/historical?byApiKey=true');
    assert.equal(usage.body.periods.length, 1);
    // A page each of scrape, crawl and batch (two), and a map.
    assert.equal(usage.body.periods[0].totalTokens, 5 * 15);
    assert.equal(usage.body.periods[0].tokensUsed, 5 * 15);
    assert.equal(usage.body.periods[0].apiKey, 'default');
    assert.ok(!JSON.stringify(usage.body).includes(service.apiKey));
    const history = await service.call('GET', '/v2/team/credit-usage/historical?byApiKey=true');
    const { totalTokens: _total, tokensUsed: _tokens, ...period } = usage.body.periods[0];
    assert.deepEqual(history.body, { success: true, periods: [{ ...period, creditsUsed: 5, totalCredits: 5 }] });
    const credits = await service.call('GET', '/v2/team/credit-usage');
    assert.equal(credits.body.data.remainingCredits, 995);
    assert.equal(credits.body.data.planCredits, 1000);
    assert.equal((await service.call('GET', '/v2/team/token-usage')).body.data.remainingTokens, 995 * 15);
  });

  it('rejects invalid activity queries with the reason', async () => {
    for (const [query, expected] of [
      ['limit=0', /1 to 100/],
      ['limit=101', /1 to 100/],
      ['limit=x', /1 to 100/],
      ['endpoint=nonsense', /Invalid endpoint filter. Must be one of: scrape, crawl/],
      ['cursor=nonsense', /Invalid cursor/],
    ] as const) {
      const { status, body } = await service.call('GET', `/v2/team/activity?${query}`);
      assert.equal(status, 400, query);
      assert.match(body.error, expected);
    }
  });

  it('sees how many jobs run and how many pages are being fetched', async () => {
    site.answer('/never', () => undefined);
    const id = await startBatch(service, { urls: [`${site.baseUrl}/never`] });
    // A job is in the queue when its start is answered, and runs a moment later.
    await eventually(async () => {
      const { body } = await service.call('GET', '/v2/team/queue-status');
      assert.deepEqual(
        { ...body, maxConcurrency: 0 },
        {
          success: true,
          jobsInQueue: 1,
          activeJobsInQueue: 1,
          waitingJobsInQueue: 0,
          maxConcurrency: 0,
          mostRecentSuccess: null,
        },
      );
    });
    await eventually(async () => {
      const { body } = await service.call('GET', '/v2/concurrency-check');
      assert.equal(body.success, true);
      assert.equal(body.concurrency, 1);
      assert.ok(body.maxConcurrency >= 1);
    });
    await service.call('DELETE', `/v2/batch/scrape/${id}`);
    const done = await startBatch(service, { urls: [`${site.baseUrl}/a`] });
    await ended(service, done, '/v2/batch/scrape');
    const after = await service.call('GET', '/v2/team/queue-status');
    assert.equal(after.body.jobsInQueue, 0);
    assert.ok(Date.parse(after.body.mostRecentSuccess));
  });

  it('gets 402 when its credits are used up', async () => {
    const poor = await startTestService({ credits: 2 });
    try {
      const id = await startBatch(poor, {
        urls: ['/', '/a', '/b'].map((path) => site.baseUrl + path),
        maxConcurrency: 1,
      });
      const state = await ended(poor, id, '/v2/batch/scrape');
      assert.equal(state.status, 'failed');
      assert.match(state.error, /credits are used up/);
      assert.equal(state.completed, 2);
      for (const [path, body] of [
        ['/v2/crawl', { url: site.baseUrl }],
        ['/v2/batch/scrape', { urls: [site.baseUrl] }],
        ['/v2/map', { url: site.baseUrl }],
        ['/v2/scrape', { url: site.baseUrl }],
      ] as const) {
        assert.equal((await poor.call('POST', path, body)).status, 402, path);
      }
    } finally {
      await poor.close();
    }
  });

  it('can retrieve jobs for a day after they ended', async () => {
    const clock = createFakeClock();
    const aged = await startTestService({ clock });
    try {
      const id = await startBatch(aged, { urls: [`${site.baseUrl}/a`] });
      const state = await ended(aged, id, '/v2/batch/scrape');
      assert.equal(Date.parse(state.expiresAt) - Date.parse(state.completedAt), 24 * 60 * 60 * 1000);
      clock.setWall(clock.now() + 24 * 60 * 60 * 1000 - 1);
      assert.equal((await aged.call('GET', `/v2/batch/scrape/${id}`)).status, 200);
      assert.equal((await aged.call('GET', '/v2/team/activity')).body.data.length, 1);
      clock.setWall(clock.now() + 2);
      const gone = await aged.call('GET', `/v2/batch/scrape/${id}`);
      assert.equal(gone.status, 404);
      assert.equal(gone.body.error, 'Job expired.');
      assert.equal((await aged.call('GET', '/v2/team/activity')).body.data.length, 0);
    } finally {
      await aged.close();
    }
  });

  it('stores feedback on its own requests, once for each', async () => {
    const { body } = await service.call('POST', '/v2/scrape', { url: site.baseUrl });
    const jobId = body.data.metadata.scrapeId;
    const feedback = { endpoint: 'scrape', jobId, rating: 'partial', missingContent: [{ topic: 'prices' }], note: 'x' };
    const send = (said: object, path = '/v2/feedback') => service.call('POST', path, said);
    const first = await send({ ...feedback, origin: 'js-sdk@4.42.0' });
    assert.deepEqual([first.status, first.body.success, first.body.creditsRefunded], [200, true, 0]);
    const second = await send({ ...feedback, rating: 'bad' });
    assert.deepEqual([second.body.feedbackId, second.body.alreadySubmitted], [first.body.feedbackId, true]);
    const search = await send({ rating: 'good' }, `/v2/search/${jobId}/feedback`);
    assert.deepEqual([search.status, search.body.alreadySubmitted], [200, undefined]);
    assert.equal((await send({ ...feedback, jobId: '01890a5d-ac96-774b-bcce-b302099a8057' })).status, 404);
    assert.equal((await send({ ...feedback, rating: 'fine' })).status, 400);
  });

  it('is told by name what only other servers offer', async () => {
    for (const [path, reason] of [
      ['/v1/scrape?x=1', /^POST \/v1\/scrape isn't offered\. .*use the path that starts with \/v2/],
      ['/v2/search/research/papers', /no index of papers/],
      ['/v2/agent/threads/x', /GET \/v2\/agent lists the jobs/],
      ['/v2/nonsense', /no endpoint at this path/],
    ] as const) {
      const { status, body } = await service.call('POST', path, {});
      assert.deepEqual([status, body.success], [404, false]);
      assert.match(body.error, reason);
    }
    const refused = async (options: object) =>
      (await service.call('POST', '/v2/scrape', { url: 'http://127.0.0.1:1/', ...options })).body.error;
    assert.match(await refused({ formats: ['branding'] }), /"branding" isn't supported: .*not their design/);
    assert.match(await refused({ redactPII: true }), /redactPII isn't supported: personal data/);
    const tools = { alexandria: [{ provider: 'firecrawl', capability: 'find-tools' }], origin: 'js-sdk@4.42.0' };
    const { status, body } = await service.call('POST', '/v2/scrape', tools);
    assert.deepEqual([status, body.error], [400, body.details[0].message]);
    assert.match(body.error, /alexandria isn't supported: .* no tools of providers/);
  });

  it('gets the errors of the service that it was written for, if it is a published client, with the problem in details', async () => {
    const error = async (body: object) =>
      (await service.call('POST', '/v2/scrape', { url: site.baseUrl, ...body })).body;
    for (const client of [{ origin: 'js-sdk@4.25.2' }, { origin: 'mcp-fastmcp' }, { integration: 'cli' }]) {
      const wrong = await error({ timeout: 1, ...client });
      assert.deepEqual([wrong.success, wrong.code, wrong.error], [false, 'BAD_REQUEST', 'Bad Request']);
      assert.match(wrong.details[0].message, /expected a whole number from 1,000/);
      const unknown = await error({ formatz: [], ...client });
      assert.match(unknown.error, /^Unrecognized key in body -- /);
      assert.deepEqual(unknown.details[0].keys, ['formatz']);
      const rule = await error({ timeout: 4000, waitFor: 3000, ...client });
      assert.equal(rule.error, 'Bad Request');
      assert.equal(rule.details[0].message, 'waitFor must not exceed half of timeout');
      const parser = await error({ parsers: ['poem'], ...client });
      assert.equal(parser.error, 'Bad Request');
      const prompt = await error({ formats: [{ type: 'json', prompt: 'a', systemPrompt: 'b' }], ...client });
      assert.equal(prompt.error, 'Bad Request');
      assert.match(prompt.details[0].message, /systemPrompt/);
      assert.match((await error({ redactPII: true, ...client })).error, /redactPII isn't supported/);
    }
    const own = await error({ timeout: 1 });
    assert.match(own.error, /^timeout: expected a whole number/);
    for (const [body, detail] of [
      [{ parsers: ['poem'] }, /expected the parser/],
      [{ parsers: ['pdf', 'image'] }, /text in images isn't read/],
      [{ parsers: [{ type: 'image' }] }, /text in images isn't read/],
      [{ parsers: 'pdf' }, /expected array/],
      [{ timeout: 4000, waitFor: 3000 }, /waitFor must not exceed half of timeout/],
      [{ formats: [{ type: 'json', prompt: 'a', systemPrompt: 'b' }] }, /systemPrompt/],
    ] as const) {
      const answer = await error(body);
      assert.deepEqual([answer.code, answer.error], ['BAD_REQUEST', 'Bad Request'], JSON.stringify(body));
      assert.match(JSON.stringify(answer.details), detail);
    }
    assert.match((await error({ parsers: [{ type: 'pdf', blocks: true }] })).error, /doesn't find the blocks/);
    assert.match((await error({ parsers: ['poem'], timeout: 1 })).error, /timeout: expected a whole number/);
  });

  it('gets 404 for agent and extract jobs that do not exist', async () => {
    for (const path of ['/v2/extract', '/v2/agent']) {
      const unknown = await service.call('GET', `${path}/01890a5d-ac96-774b-bcce-b302099a8057`);
      assert.equal(unknown.status, 404);
      assert.equal((await service.call('GET', `${path}/nonsense`)).status, 400);
    }
  });
});
