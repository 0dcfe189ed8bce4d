import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openAiCompatible } from '../../src/service/platform/language-model/openai-compatible.ts';
import { type ScriptedModel, startScriptedModel } from '../harness/scripted-model.ts';
import { call, startTestService, type TestService } from '../harness/service.ts';

const otherKey = 'other-team-key-0123456789';
const page = '<!doctype html><title>Shop</title><button onclick="document.title = \'pressed\'">Press</button>';

interface Arranged {
  /** Whom to ask, where that is not the service that has all that it takes. */
  service?: TestService;
  key?: string;
  job: string;
  body: object;
}

describe('the statuses of interact', () => {
  let service: TestService;
  let poor: TestService;
  let model: ScriptedModel;
  let site: Server;
  let html = page;
  let url: string;
  before(async () => {
    model = await startScriptedModel();
    const languageModel = openAiCompatible({ baseUrl: model.baseUrl, model: 'scripted', apiKey: undefined });
    service = await startTestService({ maxSessions: 1, languageModel });
    // Neither a model nor the credits of a session of the default length.
    poor = await startTestService({ credits: 10 });
    site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  });
  beforeEach(() => {
    html = page;
  });
  afterEach(async () => {
    const { body } = await service.call('GET', '/v2/browser');
    for (const { id } of body.sessions) await service.call('DELETE', `/v2/browser/${id}`);
  });
  after(async () => {
    await Promise.all([service.close(), poor.close(), model.close()]);
    site.closeAllConnections();
    site.close();
  });

  async function scraped(at = service, options: object = {}): Promise<string> {
    const { body } = await at.call('POST', '/v2/scrape', { url, ...options });
    return body.data.metadata.scrapeId;
  }
  const code = { code: '1' };

  const table: [status: number, when: string, arrange: () => Promise<Arranged>][] = [
    [200, 'all is there', async () => ({ job: await scraped(), body: code })],
    [400, 'neither code nor prompt is given', async () => ({ job: await scraped(), body: {} })],
    [400, 'both are', async () => ({ job: await scraped(), body: { ...code, prompt: 'Go' } })],
    [400, 'a value is out of its range, though the job is unknown', unknownJob({ ...code, timeout: 301 })],
    [402, 'the credits do not suffice', async () => ({ service: poor, job: await scraped(poor), body: code })],
    [403, "the job is another team's", async () => ({ key: otherKey, job: await scraped(), body: code })],
    [404, 'the job is unknown', unknownJob(code)],
    [409, 'the page cannot be brought back', brokenPage],
    [410, 'the session was destroyed', endedJob],
    [429, 'there are as many sessions as there may be', fullHouse],
    [502, 'the model fails before its first action', failingModel],
    [503, 'there is no model', async () => ({ service: poor, job: await scraped(poor), body: { prompt: 'Go' } })],
  ];

  function unknownJob(body: object) {
    return async () => ({ job: randomUUID(), body });
  }
  async function brokenPage(): Promise<Arranged> {
    const job = await scraped(service, {
      actions: [{ type: 'executeJavascript', script: 'document.querySelector("button").click()' }],
    });
    html = '<!doctype html><title>Another page</title>';
    return { job, body: code };
  }
  async function endedJob(): Promise<Arranged> {
    const job = await scraped();
    await service.call('POST', `/v2/scrape/${job}/interact`, code);
    await service.call('DELETE', `/v2/scrape/${job}/interact`);
    return { job, body: code };
  }
  async function fullHouse(): Promise<Arranged> {
    const job = await scraped();
    assert.equal((await service.call('POST', '/v2/browser', {})).status, 200);
    return { job, body: code };
  }
  async function failingModel(): Promise<Arranged> {
    model.script([{ status: 500, body: '' }]);
    return { job: await scraped(), body: { prompt: 'Go' } };
  }

  for (const [status, when, arrange] of table) {
    it(`are ${status} when ${when}`, async () => {
      const { service: asked = service, key = asked.apiKey, job, body } = await arrange();
      const answer = await call(asked.baseUrl, key, 'POST', `/v2/scrape/${job}/interact`, body);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.equal(answer.body.success, status === 200);
      if (status !== 200) assert.ok(answer.body.error.length > 0);
    });
  }
});
