import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PermitAnswer, PermitRequest } from '../../../src/contract/mcp/agent-sessions.ts';
import { eventually } from '../../harness/eventually.ts';
import { openViewer } from '../../harness/live-viewer.ts';
import { ScriptedAgent } from '../../harness/mcp-agent.ts';
import { startTestService, type TestService, testKey } from '../../harness/service.ts';
import { startTaskSite, type TaskSite } from '../../harness/task-site.ts';

describe('agents that a person sees and steers', () => {
  let service: TestService;
  let site: TaskSite;
  let agent: ScriptedAgent;
  let keyId: string;
  before(async () => {
    service = await startTestService({ maxSessions: 4 });
    site = await startTaskSite();
    const { body } = await service.call('POST', '/embedded/agent-keys', { name: 'Cursor' });
    keyId = body.id;
    agent = await ScriptedAgent.connect(service.baseUrl, body.key, 'Cursor');
  });
  after(async () => {
    await agent?.close();
    site?.close();
    await service?.close();
  });

  const state = async () => (await service.call('GET', '/embedded/agent-sessions')).body;
  const session = async () => {
    const [found] = (await state()).sessions;
    assert.ok(found);
    return found;
  };
  const pause = async (paused: boolean) => {
    const { sessionId } = await session();
    const { status } = await service.call('POST', `/embedded/agent-sessions/${sessionId}/pause`, { paused });
    assert.equal(status, 200);
  };
  const setRules = async (rules: object, reset = false) => {
    const { status, body } = await service.call('POST', `/embedded/agent-keys/${keyId}/rules`, { rules, reset });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  /** Answers the next request, and returns it. */
  const answer = async (with_: PermitAnswer): Promise<PermitRequest> => {
    const request = await eventually(async () => {
      const [first] = (await state()).requests;
      assert.ok(first);
      return first as PermitRequest;
    });
    const path = `/embedded/permit-requests/${request.id}`;
    assert.equal((await service.call('POST', path, { answer: with_ })).status, 200);
    assert.equal((await service.call('POST', path, { answer: with_ })).status, 404);
    return request;
  };

  it('are listed with their name while they act', async () => {
    assert.deepEqual((await state()).sessions, []);
    await agent.open(`${site.url}/order`);
    const { agent: name, acting, paused, actions } = await session();
    assert.deepEqual({ name, acting, paused, actions }, { name: 'Cursor', acting: true, paused: false, actions: 1 });
  });

  it('wait while they are paused, can read, and are told when they may go on', async () => {
    await agent.read();
    const name = agent.ref('textbox "Name"');
    await pause(true);
    const progress: string[] = [];
    const typing = agent.try(
      'page_type',
      { ref: name, text: 'Ada' },
      { onprogress: ({ message }) => progress.push(message ?? '') },
    );
    const text = await agent.call('page_snapshot');
    assert.match(text, /^The user has taken over this session: tools that act wait/);
    assert.doesNotMatch(text, /Ada/);
    const closing = agent.try('session_close', {}, { signal: AbortSignal.timeout(500) });
    await assert.rejects(closing);
    assert.equal((await session()).paused, true, 'an agent never closes what the user has taken over');
    await pause(false);
    const { text: told, isError } = await typing;
    assert.ok(isError);
    assert.match(told, /^Not done: The user took this session over and has handed it back.*Next: page_snapshot/);
    assert.ok(
      progress.some((message) => /^The user has taken over: waiting/.test(message)),
      progress.join(),
    );
    assert.doesNotMatch(await agent.read(), /Ada/);
    assert.match(await agent.type('textbox "Name"', 'Ada'), /Ada/);
  });

  it('give way to a person who takes control in the live view, even while their code runs', async () => {
    const { body } = await service.call('GET', '/v2/browser?status=active');
    let steps = 0;
    let enough = false;
    const counter = createServer((_request, response) => {
      steps++;
      response.setHeader('access-control-allow-origin', '*').end(String(enough));
    });
    await new Promise<void>((resolve) => counter.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(counter.address() as AddressInfo).port}`;
    const code = `while (await page.evaluate(async () => (await (await fetch('${url}')).text()) === 'false'));`;
    const running = agent.try('run_code', { code, timeout: 300 });
    await eventually(() => assert.ok(steps > 2));
    const viewer = await openViewer(body.sessions[0].interactiveLiveViewUrl);
    await eventually(async () => assert.equal((await session()).controlled, true));
    assert.equal((await session()).paused, true);
    // What was under way may still arrive.
    await eventually(async () => {
      const before = steps;
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(steps, before);
    });
    const held = steps;
    await viewer.close();
    await eventually(() => assert.ok(steps > held));
    assert.equal((await session()).paused, false);
    enough = true;
    const { text } = await running;
    assert.match(text, /The run succeeded/);
    counter.close();
    counter.closeAllConnections();
    assert.match(await agent.read(), /handed it back/);
    assert.match(await agent.call('run_code', { code: 'throw new Error("broken")' }), /The run failed/);
    const told = await agent.try('page_click', { ref: 'e1' });
    assert.doesNotMatch(told.text, /handed it back/);
  });

  it('ask before they submit a form with a password, and never record it', async () => {
    await agent.open(`${site.url}/login`);
    await agent.type('textbox "User"', 'ada');
    await agent.type('textbox "Password"', 'oolong');
    const denied = agent.try('page_click', { ref: agent.ref('button "Log in"') });
    const request = await answer('deny');
    assert.equal(request.kind, 'password');
    assert.equal(request.agent, 'Cursor');
    assert.equal(request.host, new URL(site.url).host);
    assert.match((await denied).text, /^Not done: the user doesn't allow you to submit a form with a password on 127/);
    assert.match(await agent.read(), /Page: Log in/);
    const entered = agent.call('page_press', { key: 'Enter' });
    assert.equal((await answer('once')).kind, 'password');
    // Allowed for the press of Enter: the focus was in the field.
    assert.match(await entered, /Hello ada/);
    const { sessionId } = await session();
    const { body } = await service.call('GET', `/embedded/agent-sessions/${sessionId}/snippet`);
    assert.doesNotMatch(body.code, /oolong/);
    assert.match(body.code, /getByLabel\('Password', \{ exact: true \}\)\.fill\(process\.env\.PASSWORD \?\? ''\)/);
    assert.match(body.code, /getByRole\('textbox', \{ name: 'User', exact: true \}\)\.fill\('ada'\)/);
    assert.doesNotMatch(body.code, /broken/);
    assert.match(body.code, /\/\/ %% Code\nwhile \(await page/);
  });

  it('ask before they keep a download', async () => {
    await agent.open(`${site.url}/table`);
    const { body } = await service.call('GET', '/v2/browser?status=active');
    const folder = body.sessions[0].downloads;
    const clicking = agent.call('page_click', { ref: agent.ref('link "Download CSV"') });
    const request = await answer('deny');
    assert.deepEqual([request.kind, request.detail], ['download', 'prices.csv']);
    assert.match(await clicking, /Download of prices\.csv: deleted\. Not done: the user doesn't allow/);
    assert.deepEqual(readdirSync(folder), []);
    const again = agent.call('page_click', { ref: agent.ref('link "Download CSV"') });
    await answer('session');
    const [, path = ''] = /^Downloaded prices\.csv: (.*)$/m.exec(await again) ?? [];
    assert.ok(existsSync(path), path);
    assert.equal(path.startsWith(folder), true);
    assert.match(await agent.call('page_click', { ref: agent.ref('link "Download CSV"') }), /^Downloaded /m);
    assert.ok(readdirSync(folder).length > 1);
  });

  it('ask for what their code does in pages, too', async () => {
    await setRules({});
    const { sessionId } = await session();
    const { body } = await service.call('GET', '/v2/browser?status=active');
    const folder = body.sessions.find(({ id }: { id: string }) => id === sessionId).downloads;
    await agent.call('run_code', { code: `await context.clearCookies(); await page.goto('${site.url}/login'); 0` });
    const login = `await page.fill('[name=user]', 'eve'); await page.fill('[name=password]', 'oolong'); await page.click('main button', { timeout: 120_000 }).catch(() => 0); `;
    const heading = `await page.textContent('h1')`;
    const denied = agent.call('run_code', { code: login + heading });
    assert.equal((await answer('deny')).kind, 'password');
    const text = await denied;
    assert.match(text, /^Not done: the user doesn't allow you to submit a form with a password/);
    assert.doesNotMatch(text, /Hello/);
    await agent.open(`${site.url}/login`);
    const allowed = agent.call('run_code', { code: `${login}await page.waitForURL('**/account'); ${heading}` });
    await answer('once');
    assert.match(await allowed, /Hello eve/);
    const script = `await page.evaluate(() => { document.body.innerHTML = '<input type="password" value="s3cret">'; return fetch('/about', { method: 'POST', body: JSON.stringify({ password: document.querySelector('input').value }) }).then(() => 'sent', () => 'blocked'); })`;
    const sent = agent.call('run_code', { code: script });
    await answer('deny');
    assert.match(await sent, /\nblocked\n/);
    const before = readdirSync(folder).length;
    const download = agent.call('run_code', {
      code: `await page.goto('http://localhost:${new URL(site.url).port}/table'); await Promise.all([page.waitForEvent('download'), page.click('text=Download CSV')]); 0`,
    });
    const request = await answer('deny');
    assert.deepEqual([request.kind, request.detail], ['download', 'prices.csv']);
    assert.match(await download, /^A download was deleted\. Not done/);
    assert.equal(readdirSync(folder).length, before);
  });

  it('ask before they use a host that their key does not allow', async () => {
    const { host, port } = new URL(site.url);
    await setRules({ hosts: [host], downloads: 'allow' });
    const other = `http://localhost:${port}`;
    const denied = agent.try('page_navigate', { url: `${other}/about` });
    const request = await answer('deny');
    assert.deepEqual([request.kind, request.host, request.detail], ['host', `localhost:${port}`, `${other}/about`]);
    assert.match((await denied).text, /^Not done: the user doesn't allow you to use localhost/);
    assert.match(await agent.open(`${site.url}/about`), /Page: About/);
    const scraped = agent.try('scrape', { url: `${other}/about` });
    assert.equal((await answer('deny')).sessionId, null);
    assert.match((await scraped).text, /^Not done/);
    const code = agent.try('run_code', { code: '6 * 7' });
    assert.deepEqual(((await answer('once')) as PermitRequest).kind, 'code');
    assert.match((await code).text, /\n42\n/);
    const allowed = agent.open(`${other}/about`);
    await answer('session');
    assert.match(await allowed, /Page: About/);
    assert.match(await agent.open(`${other}/shop`), /Page: Shop/);
    await setRules({});
  });

  it('do not see a page that an action leads to on such a host', async () => {
    const { host, port } = new URL(site.url);
    await agent.open(`${site.url}/about`);
    await setRules({ hosts: [host] });
    const code = agent.call('run_code', {
      code: `await page.evaluate((to) => { document.body.innerHTML = '<button>Go</button>'; document.querySelector('button').onclick = () => { location.href = to; }; }, 'http://[::1]:${port}/account'); 0`,
    });
    await answer('once');
    await code;
    await agent.read();
    const going = agent.try('page_click', { ref: agent.ref('button "Go"') });
    assert.equal((await answer('deny')).host, `[::1]:${port}`);
    assert.doesNotMatch((await going).text, /Page: Account/);
    assert.match(await agent.read(), /about:blank/);
    await setRules({});
  });

  it('stay within the budget of their key, and are told when it is used up', async () => {
    const { used } = await setRules({ runs: 2 }, true);
    assert.deepEqual(used, { runs: 0, minutes: 0, credits: 0 });
    await agent.call('run_code', { code: '1' });
    await agent.call('run_code', { code: '2' });
    const { text, isError } = await agent.try('run_code', { code: '3' });
    assert.ok(isError);
    assert.match(
      text,
      /^Not done: the budget of this agent is used up \(2 of 2 runs\)\. Next: tell the user.*Manage Agent Keys/,
    );
    assert.match(await agent.read(), /Page|blank/);
    const { body } = await service.call('GET', '/embedded/agent-keys');
    assert.equal(body.keys[0].used.runs, 2);
    await setRules({ credits: 1 }, true);
    await agent.call('scrape', { url: `${site.url}/about`, fresh: true });
    assert.match((await agent.try('scrape', { url: `${site.url}/about` })).text, /1 of 1 credits/);
    await setRules({}, true);
    assert.match(await agent.call('scrape', { url: `${site.url}/about` }), /Founded by Ada/);
  });

  it('cannot answer for the person, and a program with the API key is not asked', async () => {
    const { body: created } = await service.call('POST', '/embedded/agent-keys', { name: 'Other' });
    const own = { headers: { authorization: `Bearer ${created.key}` } };
    assert.equal((await service.call('GET', '/embedded/agent-sessions', undefined, own)).status, 403);
    assert.equal((await service.call('POST', '/embedded/permit-requests/x', { answer: 'once' }, own)).status, 403);
    const program = await ScriptedAgent.connect(service.baseUrl, testKey, 'Program');
    await program.open(`${site.url}/login`);
    await program.type('textbox "User"', 'ben');
    await program.type('textbox "Password"', 'oolong');
    assert.match(await program.click('button "Log in"'), /Hello ben/);
    await program.call('session_close');
    await program.close();
  });

  it('are forgotten when their session ends, and what they wait for is refused', async () => {
    await agent.open(`${site.url}/login`);
    const clicking = agent.try('page_click', { ref: agent.ref('button "Log in"') });
    await eventually(async () => assert.equal((await state()).requests.length, 1));
    const { sessionId } = await session();
    await service.call('DELETE', `/v2/browser/${sessionId}`);
    assert.match((await clicking).text, /session has ended|destroyed/);
    assert.deepEqual((await state()).requests, []);
    assert.ok(!(await state()).sessions.some((each: { sessionId: string }) => each.sessionId === sessionId));
  });
});
