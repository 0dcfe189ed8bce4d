import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { eventually, patience } from '../harness/eventually.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { patient } from '../harness/patient.ts';
import { chosenBrowsers, startTestService, type TestService } from '../harness/service.ts';

const otherKey = { headers: { authorization: 'Bearer other-team-key-0123456789' } };

interface Shown {
  id: string;
  url: string;
  method: string;
  status?: number;
  state: string;
  bytes: number;
  type: string;
  text: string;
  level: string;
  line?: number;
}

describe('console and network of a session', () => {
  let service: TestService;
  let site: Server;
  let origin: string;
  let other: string;
  before(async () => {
    service = await startTestService(chosenBrowsers);
    site = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://site');
      const page = (html: string) => response.setHeader('content-type', 'text/html').end(html);
      if (pathname === '/') {
        response.setHeader('set-cookie', 'login=hidden-cookie');
        page('<title>Start</title><link rel=stylesheet href=/style.css><script src=/script.js></script><p>Hello');
      } else if (pathname === '/style.css') response.setHeader('content-type', 'text/css').end('p { color: red }');
      else if (pathname === '/script.js')
        response
          .setHeader('content-type', 'text/javascript')
          .end('console.log("hello", { a: 1 });\nconsole.error("bad");\nthrow new Error("thrown here");');
      else if (pathname === '/moved') response.writeHead(302, { location: '/data.json' }).end();
      else if (pathname === '/data.json')
        response.setHeader('content-type', 'application/json').end('{"name":"Ada","access_token":"hidden-token"}');
      else if (pathname === '/frames') page(`<iframe src="${other}/inner"></iframe>`);
      else if (pathname === '/inner') page('<script>console.log("inside a frame")</script>');
      else if (pathname === '/endless') response.writeHead(200, { 'content-type': 'text/plain' }).write('begin');
      else if (pathname === '/large') {
        response.writeHead(200, { 'content-type': 'text/plain' });
        response.end(Buffer.alloc(8_000_000, 'x'));
      } else if (pathname === '/login') response.end('ok');
      else response.writeHead(404).end('not here');
    });
    await new Promise<void>((resolve) => site.listen(0, resolve));
    const { port } = site.address() as { port: number };
    origin = `http://127.0.0.1:${port}`;
    other = `http://localhost:${port}`;
  });
  after(async () => {
    await service.close();
    site.closeAllConnections();
    site.close();
  });

  afterEach(async () => {
    const { body } = await service.call('GET', '/v2/browser?status=active');
    for (const { id } of body.sessions) await service.call('DELETE', `/v2/browser/${id}`);
  });

  async function open(): Promise<{ id: string; run(code: string): Promise<void>; cdpUrl: string }> {
    const { body } = await service.call('POST', '/v2/browser', {});
    // Recording begins with the first look.
    await service.call('GET', `/v2/browser/${body.id}/console`);
    return {
      id: body.id,
      cdpUrl: body.cdpUrl,
      async run(code) {
        const done = await service.call('POST', `/v2/browser/${body.id}/execute`, { code });
        assert.equal(done.body.exitCode, 0, JSON.stringify(done.body));
      },
    };
  }

  const requests = async (id: string, query = ''): Promise<Shown[]> =>
    (await service.call('GET', `/v2/browser/${id}/network${query}`)).body.requests;
  const lines = async (id: string, query = ''): Promise<Shown[]> =>
    (await service.call('GET', `/v2/browser/${id}/console${query}`)).body.entries;
  const one = async (id: string, path: string, query = '') => {
    const found = (await requests(id)).find(({ url }) => new URL(url).pathname === path);
    return (await service.call('GET', `/v2/browser/${id}/network/${found?.id}${query}`)).body;
  };

  it('are listed from the first page, with a filter', async () => {
    const { id, run } = await open();
    await run(`await page.goto('${origin}/'); await page.evaluate(() => fetch('/missing'))`);
    const all = await eventually(async () => {
      const found = await requests(id);
      assert.ok(found.filter(({ state }) => state === 'finished').length >= 4);
      return found;
    });
    const paths = all.map(({ url, status }) => [new URL(url).pathname, status]);
    assert.deepEqual(
      paths.filter(([path]) => path !== '/favicon.ico'),
      [
        ['/', 200],
        ['/style.css', 200],
        ['/script.js', 200],
        ['/missing', 404],
      ],
    );
    assert.deepEqual(
      (await requests(id, '?failed=true&type=fetch')).map(({ url }) => url),
      [`${origin}/missing`],
    );
    const entries = await lines(id);
    assert.deepEqual(
      entries.slice(0, 3).map(({ level, text, line }) => [level, text.split('\n')[0], line]),
      [
        ['log', 'hello {a: 1}', 1],
        ['error', 'bad', 2],
        ['error', 'Uncaught Error: thrown here', 3],
      ],
    );
    assert.equal((await lines(id, '?level=log')).length, 1);
    const { body } = await service.call('GET', `/v2/browser/${id}/console`);
    assert.deepEqual(await lines(id, `?since=${body.cursor}`), []);
  });

  it('are recorded once somebody looks, which the lists say', async () => {
    const { body } = await service.call('POST', '/v2/browser', {});
    const visit = (path: string) =>
      service.call('POST', `/v2/browser/${body.id}/execute`, { code: `await page.goto('${origin}${path}')` });
    // Chrome asks for the icon of a site at a time of its own.
    const ofPages = (list: { requests: Shown[] }) =>
      list.requests.filter(({ url }) => new URL(url).pathname !== '/favicon.ico');
    await visit('/script.js');
    const first = (await service.call('GET', `/v2/browser/${body.id}/network`)).body;
    assert.deepEqual(ofPages(first), []);
    await visit('/data.json');
    const second = await eventually(async () => {
      const list = (await service.call('GET', `/v2/browser/${body.id}/network`)).body;
      assert.ok(ofPages(list).length > 0);
      return list;
    });
    assert.equal(new URL(ofPages(second)[0]?.url ?? '').pathname, '/data.json');
    assert.equal(second.recordedSince, first.recordedSince);
    assert.ok(Date.parse(second.requests[0].startedAt) >= Date.parse(first.recordedSince));
  });

  it('mask secrets unless they are wanted', async () => {
    const { id, run } = await open();
    await run(`await page.goto('${origin}/');
      await page.evaluate(() => fetch('/login?token=hidden-query', { method: 'POST', headers: { authorization: 'Bearer hidden-key' },
        body: new URLSearchParams({ user: 'ada', password: 'hidden-password' }) }));
      await page.evaluate(() => fetch('/moved').then((answer) => answer.text()))`);
    const masked = await eventually(async () => {
      const all = [await one(id, '/login'), await one(id, '/data.json'), await one(id, '/')];
      assert.match(all[1].responseBody.text, /Ada/);
      return all;
    });
    const archive = (await service.call('GET', `/v2/browser/${id}/network.har`)).body;
    const listed = await requests(id);
    assert.doesNotMatch(JSON.stringify([masked, archive, listed]), /hidden-/);
    assert.match(masked[0].requestBody, /user=ada/);
    const whole = [await one(id, '/login', '?secrets=true'), await one(id, '/data.json', '?secrets=true')];
    for (const secret of ['hidden-query', 'hidden-key', 'hidden-password', 'hidden-token', 'hidden-cookie'])
      assert.ok(JSON.stringify(whole).includes(secret), secret);
  });

  it('are only for the team of the session', async () => {
    const { id, run } = await open();
    await run(`await page.goto('${origin}/')`);
    for (const path of ['console', 'network', 'network/r1', 'network.har'])
      assert.equal((await service.call('GET', `/v2/browser/${id}/${path}`, undefined, otherKey)).status, 403, path);
    assert.equal((await service.call('GET', `/v2/browser/${id}/network/r999`)).status, 404);
  });

  it('include popups from their first request, and frames of other sites', async () => {
    const { id, run } = await open();
    await run(`await page.goto('${origin}/');
      const opened = page.waitForEvent('popup'); await page.evaluate(() => void open('/frames')); await (await opened).waitForLoadState()`);
    await eventually(async () => {
      const paths = (await requests(id)).map(({ url }) => new URL(url).pathname);
      assert.equal(paths.filter((path) => path === '/frames').length, 1);
      assert.equal(paths.filter((path) => path === '/inner').length, 1);
      assert.ok((await lines(id)).some(({ text }) => text === 'inside a frame'));
    });
  });

  it('keep a thousand entries, and no large body; a request that never ends stays pending', async () => {
    const { id, run } = await open();
    await run(`await page.goto('${origin}/inner');
      await page.evaluate(() => { void fetch('/endless'); return fetch('/large').then((answer) => answer.arrayBuffer()).then(() => 1) });
      await page.evaluate(() => { for (let index = 0; index < 20_000; index++) console.log('line', index) })`);
    const [large, endless] = await eventually(async () => {
      const found = [await one(id, '/large'), await one(id, '/endless')];
      assert.equal(found[0].bytes, 8_000_000);
      return found;
    });
    assert.equal(large.responseBody, undefined);
    assert.equal(endless.state, 'pending');
    const { body } = await service.call('GET', `/v2/browser/${id}/console`);
    assert.equal(body.entries.length, 1000);
    await run('await page.evaluate(() => 1)');
  });

  it('are read by agents, always masked', async () => {
    const agent = await ScriptedAgent.connect(service.baseUrl, service.apiKey);
    await agent.open(`${origin}/`);
    await agent.call('run_code', {
      code: "await page.evaluate(() => fetch('/data.json').then((answer) => answer.text()))",
    });
    const list = await eventually(async () => {
      const text = await agent.call('page_network', { type: 'fetch' });
      assert.match(text, /^r\d+ GET .*\/data\.json 200 fetch/m);
      return text;
    });
    const [request] = /r\d+(?= GET \S+\/data\.json)/.exec(list) ?? [];
    const whole = await agent.call('page_network', { request });
    assert.match(whole, /"name":"Ada"/);
    assert.doesNotMatch(whole, /hidden-/);
    const console = await agent.call('page_console', { level: 'error' });
    assert.match(console, /\[error\] bad \(http.*script\.js:2\)/);
    assert.doesNotMatch(console, /hello/);
    assert.equal((await agent.try('page_network', { request: 'r999' })).isError, true);
    await agent.client.close();
  });

  it("export the same archive as Playwright's own", async () => {
    const { cdpUrl, id } = await open();
    const browser = await chromium.connectOverCDP(cdpUrl, { timeout: patience });
    const path = join(service.dataDir, 'playwright.har');
    const context = patient(await browser.newContext({ recordHar: { path } }));
    const page = await context.newPage();
    await page.goto(`${origin}/`);
    await page.evaluate(() => fetch('/moved').then((answer) => answer.text()));
    await page.goto(`${origin}/frames`, { waitUntil: 'networkidle' });
    const own = (await service.call('GET', `/v2/browser/${id}/network.har`)).body;
    await context.close();
    await browser.close();
    const theirs = JSON.parse(readFileSync(path, 'utf8'));
    assert.deepEqual(rows(own), rows(theirs));
  });
});

// biome-ignore lint/suspicious/noExplicitAny: archives have no types here
function rows(archive: any): unknown[] {
  return (
    archive.log.entries
      // biome-ignore lint/suspicious/noExplicitAny: archives have no types here
      .map(({ request, response }: any) => [
        request.method,
        request.url,
        response.status,
        response.content.size,
        response.bodySize,
      ])
      .filter(([, url]: string[]) => !url?.endsWith('/favicon.ico'))
  );
}
