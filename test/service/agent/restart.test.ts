import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { endedAgent as ended } from '../../harness/crawl-jobs.ts';
import { eventually } from '../../harness/eventually.ts';
import { type FaultySite, startFaultySite, status } from '../../harness/faulty-site.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { type ModelAnswer, refOf, type ScriptedModel, startScriptedModel } from '../../harness/scripted-model.ts';
import { call, type ServiceProcess, spawnService, testKey } from '../../harness/service.ts';

/** The model and the site, each of which holds one of its answers back, once, for the service to be killed meanwhile. */
describe('agent jobs whose service is killed', () => {
  let dataDir: string;
  let site: FaultySite;
  let url: string;
  let model: ScriptedModel;
  let running: ServiceProcess | undefined;
  /** Paths of the site that get no answer the first time. */
  let held: Set<string>;
  before(async () => {
    model = await startScriptedModel();
    site = await startFaultySite({
      otherwise(_request, response, { pathname }) {
        if (held.delete(pathname)) return;
        const body = pathname === '/order' ? '<button>Reserve</button>' : `<h1>Product of ${pathname}</h1>`;
        response.writeHead(200, { 'content-type': 'text/html' }).end(body);
      },
    });
    site.answer('/robots.txt', status(404));
    url = site.baseUrl;
  });
  beforeEach(() => {
    dataDir = temporaryFolder();
    held = new Set();
    site.requests.length = 0;
  });
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.exited;
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });
  after(async () => {
    await model.close();
    await site.close();
  });

  async function start() {
    const args = ['--data-dir', dataDir, '--api-key', testKey, '--spare-browsers', '0'];
    running = await spawnService(args, { WEBDATA_LLM_BASE_URL: model.baseUrl, WEBDATA_LLM_MODEL: 'scripted' });
    const { baseUrl } = running.line;
    return { call: (method: string, path: string, body?: unknown) => call(baseUrl, testKey, method, path, body) };
  }
  async function restart() {
    running?.child.kill('SIGKILL');
    await running?.exited;
    return await start();
  }
  const used = async (service: Awaited<ReturnType<typeof start>>) => {
    const { body } = await service.call('GET', '/v2/team/token-usage/historical');
    return (
      (body as { periods: { totalTokens: number }[] }).periods.reduce((sum, each) => sum + each.totalTokens, 0) / 15
    );
  };

  it('go on from any step, and nothing is done or paid for twice', async () => {
    const script: ModelAnswer[] = [
      { calls: [{ name: 'read_page', arguments: { url: `${url}/a` } }] },
      {
        calls: [
          { name: 'read_page', arguments: { url: `${url}/b` } },
          { name: 'read_page', arguments: { url: `${url}/c` } },
        ],
      },
      { calls: [{ name: 'finish', arguments: { data: ['Product of /a', 'Product of /b', 'Product of /c'] } }] },
    ];
    /** Responses that are held back the first time. */
    const silent = new Set([1]);
    model.script(({ messages }) => {
      const step = messages.filter(({ role }) => role === 'assistant').length;
      return silent.delete(step) ? 'silence' : (script[step] ?? { text: '' });
    });
    held.add('/a').add('/c');
    let service = await start();
    const { body } = await service.call('POST', '/v2/agent', { prompt: 'Names of the products', urls: [url] });
    const { id } = body as { id: string };
    const waits: (() => void)[] = [
      () => assert.ok(site.requests.includes('/a')),
      () => assert.equal(model.requests.length, 2),
      () => assert.ok(site.requests.includes('/c')),
    ];
    for (const wait of waits) {
      await eventually(wait);
      service = await restart();
    }
    const job = await ended(service, id);
    assert.deepEqual(
      [job.status, job.data],
      ['completed', ['Product of /a', 'Product of /b', 'Product of /c']],
      job.error,
    );
    assert.deepEqual(job.sources, { '[0]': [`${url}/a`], '[1]': [`${url}/b`], '[2]': [`${url}/c`] });
    // Three responses and three pages.
    assert.equal(job.creditsUsed, 6);
    assert.equal(await used(service), 6);
    assert.equal(site.requests.filter((path) => path === '/b').length, 1, 'a page that was read is not read again');
  });

  it('do not repeat what they did in a browser, and pay for its session once', async () => {
    let hang = true;
    model.script((request) => {
      const isInner = request.tools?.some((tool) => tool.function.name === 'click');
      if (isInner && hang) return 'silence';
      if (isInner) return { calls: [{ name: 'finish', arguments: { answer: refOf(request, /button "Reserve"/) } }] };
      const last = request.messages.at(-1)?.content ?? '';
      if (last.includes('The service stopped while this ran')) {
        return { calls: [{ name: 'give_up', arguments: { reason: 'interrupted' } }] };
      }
      return { calls: [{ name: 'browse', arguments: { url: `${url}/order`, task: 'Reserve' } }] };
    });
    let service = await start();
    const { body } = await service.call('POST', '/v2/agent', { prompt: 'Reserve', urls: [`${url}/order`] });
    await eventually(() => assert.equal(model.requests.length, 2));
    hang = false;
    service = await restart();
    const job = await ended(service, (body as { id: string }).id);
    assert.deepEqual([job.status, job.error], ['failed', 'The data was not found: interrupted']);
    assert.equal(site.requests.filter((path) => path === '/order').length, 1);
    // Two responses, and a session that the restart ended.
    assert.equal(job.creditsUsed, 4);
    assert.equal(await used(service), 4);
  });
});
