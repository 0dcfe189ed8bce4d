import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { findChrome, findHeadlessShell } from '../../src/service/browsers/chrome/find.ts';
import { sessionCredits } from '../../src/service/browsers/sessions/billing.ts';
import type { Log } from '../../src/service/platform/log.ts';
import { processesOf } from '../harness/chrome-processes.ts';
import { awaits, created, creates } from '../harness/code-files.ts';
import { eventually } from '../harness/eventually.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { growing } from '../harness/growing.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { call, startTestService, type TestService, testKey } from '../harness/service.ts';

const otherKey = 'other-team-key-0123456789';

describe('browser sessions', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  async function create(body: object = {}): Promise<string> {
    const answer = await service.call('POST', '/v2/browser', body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.id;
  }

  it('are created with the fields of the specification', async () => {
    const before = Date.now();
    const { status, body } = await service.call('POST', '/v2/browser', {
      ttl: 120,
      origin: 'js-sdk',
      integration: 'cli',
    });
    const after = Date.now();
    assert.equal(status, 200);
    assert.equal(body.success, true);
    assert.match(body.cdpUrl, /^ws:\/\/127\.0\.0\.1:\d+\/cdp\/.+\/[\w-]{43}$/);
    for (const url of [body.liveViewUrl, body.interactiveLiveViewUrl])
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/.+\/[\w-]{43}$/);
    const created = Date.parse(body.expiresAt) - 120_000;
    assert.ok(created >= before && created <= after, body.expiresAt);
    await service.call('DELETE', `/v2/browser/${body.id}`);
  });

  it('are created with the defaults if the request has no body', async () => {
    const response = await fetch(`${service.baseUrl}/v2/browser`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    const { id } = (await response.json()) as { id: string };
    assert.equal(response.status, 200);
    assert.equal((await service.call('DELETE', `/v2/browser/${id}`)).status, 200);
  });

  it('run code, keep their state, and return results', async () => {
    const id = await create();
    const first = await service.call('POST', `/v2/browser/${id}/execute`, {
      code: 'const answer = 6 * 7; console.log("hi"); answer',
    });
    assert.deepEqual(first.body, {
      success: true,
      stdout: 'hi\n',
      stderr: '',
      result: '42',
      exitCode: 0,
      killed: false,
    });
    const second = await service.call('POST', `/v2/interact/${id}/execute`, { code: 'answer + 1', language: 'node' });
    assert.equal(second.body.result, '43');
    const failed = await service.call('POST', `/v2/browser/${id}/execute`, { code: '\nthrow new Error("no luck")' });
    assert.equal(failed.status, 200);
    assert.equal(failed.body.success, true);
    assert.equal(failed.body.exitCode, 1);
    assert.match(failed.body.error, /no luck/);
    assert.match(failed.body.stderr, /snippet\.js:2:/);
    await service.call('DELETE', `/v2/browser/${id}`);
  });

  it('are listed newest first, only for their team, with and without a status filter', async () => {
    const one = await create();
    const two = await create({ ttl: 60, activityTtl: 30, streamWebView: false });
    await service.call('DELETE', `/v2/browser/${one}`);
    const { body } = await service.call('GET', '/v2/browser');
    const listed = body.sessions.filter(({ id }: { id: string }) => id === one || id === two);
    assert.deepEqual(
      listed.map(({ id, status }: { id: string; status: string }) => [id, status]),
      [
        [two, 'active'],
        [one, 'destroyed'],
      ],
    );
    assert.equal(listed[0].ttl, 60);
    assert.equal(listed[0].activityTtl, 30);
    assert.equal(listed[0].streamWebView, false);
    assert.equal(listed[1].cdpUrl, '');
    assert.equal(listed[1].endReason, 'destroyed by request');
    const { data } = (await service.call('GET', '/v2/team/activity?endpoint=browser&limit=2')).body;
    assert.deepEqual(
      data.map(({ id, target }: { id: string; target: string }) => [id, target]),
      [
        [two, 'Browser session'],
        [one, 'Browser session'],
      ],
    );
    const active = await service.call('GET', '/v2/interact?status=active');
    assert.deepEqual(
      active.body.sessions.map(({ id }: { id: string }) => id),
      [two],
    );
    const other = await call<{ sessions: unknown[] }>(service.baseUrl, otherKey, 'GET', '/v2/browser');
    assert.deepEqual(other.body.sessions, []);
    assert.equal((await service.call('GET', '/v2/browser?status=nonsense')).status, 400);
    await service.call('DELETE', `/v2/browser/${two}`);
  });

  it('return 404, 403 and 410 as specified (LIF-09)', async () => {
    const id = await create();
    const paths: [string, string, object | undefined][] = [
      ['POST', '/execute', { code: '1' }],
      ['DELETE', '', undefined],
    ];
    for (const [method, suffix, body] of paths) {
      assert.equal((await service.call(method, `/v2/browser/no-such-session${suffix}`, body)).status, 404);
      assert.equal((await call(service.baseUrl, otherKey, method, `/v2/browser/${id}${suffix}`, body)).status, 403);
    }
    const first = await service.call('DELETE', `/v2/browser/${id}`);
    assert.equal(first.status, 200);
    assert.ok(Number.isInteger(first.body.sessionDurationMs));
    assert.equal(first.body.creditsBilled, sessionCredits(first.body.sessionDurationMs, false));
    assert.deepEqual((await service.call('DELETE', `/v2/browser/${id}`)).body, first.body);
    const gone = await service.call('POST', `/v2/browser/${id}/execute`, { code: '1' });
    assert.equal(gone.status, 410);
    assert.equal(gone.body.success, false);
    assert.match(gone.body.error, /destroyed/);
    assert.equal((await service.call('POST', `/embedded/browser/${id}/reset`, {})).status, 410);
  });

  it('can be destroyed by id in the body', async () => {
    const id = await create();
    assert.equal((await service.call('DELETE', '/v2/browser', { id })).status, 200);
    assert.equal((await service.call('DELETE', '/v2/browser', { id })).status, 200);
    assert.equal((await service.call('DELETE', '/v2/browser', {})).status, 400);
  });

  const bad: [string, object][] = [
    ['ttl of 29', { ttl: 29 }],
    ['ttl of 3601', { ttl: 3601 }],
    ['ttl as text', { ttl: '60' }],
    ['ttl of 60.5', { ttl: 60.5 }],
    ['activityTtl of 9', { activityTtl: 9 }],
    ['activityTtl of 3601', { activityTtl: 3601 }],
    ['an empty profile name', { profile: { name: '' } }],
    ['a profile name of 129', { profile: { name: 'x'.repeat(129) } }],
    ['a profile without a name', { profile: { saveChanges: true } }],
    ['an unknown field', { recordAll: true }],
  ];
  for (const [what, body] of bad) {
    it(`are not created with ${what}`, async () => {
      const answer = await service.call('POST', '/v2/browser', body);
      assert.equal(answer.status, 400);
      assert.equal(answer.body.code, 'BAD_REQUEST');
    });
  }

  it('reject invalid code, languages and timeouts, naming the limit (EXE-14)', async () => {
    const id = await create();
    const cases: [object, RegExp][] = [
      [{ code: '' }, /1 to 100,000 characters/],
      [{ code: 'x'.repeat(100_001) }, /100,001/],
      [{ code: '1', language: 'ruby' }, /python, node, bash/],
      [{ code: '1', language: ['node'] }, /python, node, bash/],
      [{ code: '1', timeout: 0 }, /1 to 300/],
      [{ code: '1', timeout: 301 }, /1 to 300/],
      [{ code: '1', timeout: 1.5 }, /1 to 300/],
      [{ code: '1', timeout: '30' }, /1 to 300/],
      [{ code: '1', timeout: null }, /1 to 300/],
    ];
    for (const [body, message] of cases) {
      const answer = await service.call('POST', `/v2/browser/${id}/execute`, body);
      assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 80));
      assert.match(answer.body.error, message);
    }
    const most = await service.call('POST', `/v2/browser/${id}/execute`, { code: `/*${'🦊'.repeat(99_995)}*/1` });
    assert.equal(most.body.result, '1');
    await service.call('DELETE', `/v2/browser/${id}`);
  });

  it("queue runs, and don't count the wait toward the timeout (EXE-17)", async () => {
    const id = await create();
    await growing(1, async (timeout) => {
      const started = join(service.dataDir, `queued-${timeout}`);
      const wait = `await new Promise((done) => setTimeout(done, ${1000 * timeout + 500}));`;
      const slow = service.call('POST', `/v2/browser/${id}/execute`, {
        code: `globalThis.order = ["slow"]; ${creates(started)} ${wait} order.push("slow ends"); 1`,
        timeout: 300,
      });
      await created(started);
      const quick = service.call('POST', `/v2/browser/${id}/execute`, { code: 'order.join(" ")', timeout });
      assert.equal((await slow).body.result, '1');
      const answer = (await quick).body;
      assert.equal(answer.killed, false);
      assert.equal(answer.result, 'slow slow ends');
    });
    await service.call('DELETE', `/v2/browser/${id}`);
  });

  it('stop a run whose caller disconnects, and give the next one a fresh REPL on the same pages (EXE-17)', async () => {
    const id = await create();
    await service.call('POST', `/v2/browser/${id}/execute`, {
      code: 'var kept = 1; await page.goto("data:text/html,<title>still here</title>"); 1',
    });
    const hangUp = new AbortController();
    const started = join(service.dataDir, 'disconnects');
    const code = `${creates(started)} while (true);`;
    const run = service.call('POST', `/v2/browser/${id}/execute`, { code }, { signal: hangUp.signal });
    run.catch(() => undefined);
    await created(started);
    hangUp.abort();
    await assert.rejects(run, /abort/i);
    const next = await service.call('POST', `/v2/browser/${id}/execute`, { code: '[typeof kept, await page.title()]' });
    assert.equal(next.body.result, '["undefined","still here"]');
    await service.call('DELETE', `/v2/browser/${id}`);
  });

  it('end if their caller gave up before it learned of them, or the service stops, and say so (LIF-12)', async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    const [chromePath, started, go] = ['chrome', 'started', 'go'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const waits = `touch '${started}'; until [ -e '${go}' ]; do sleep 0.05; done`;
    writeFileSync(chromePath, `#!/bin/sh\n${waits}; exec '${findHeadlessShell() ?? findChrome().path}' "$@"`, {
      mode: 0o755,
    });
    let onStarted = () => {};
    const write = (line: string) => line.includes('"a session started"') && onStarted();
    const log = pino({}, { write }) as unknown as Log;
    let slow = await startTestService({ chromePath, dataDir, log });
    /** Does something while the browser of a session starts. */
    async function whileStarting(start: () => Promise<unknown>, meanwhile: () => unknown): Promise<void> {
      for (const path of [started, go]) rmSync(path, { force: true });
      const asked = start().catch(() => undefined);
      await created(started);
      await meanwhile();
      writeFileSync(go, '');
      await asked;
    }
    const ended = (...reasons: string[]) =>
      eventually(async () => {
        const { sessions } = (await slow.call('GET', '/v2/browser')).body;
        assert.deepEqual(
          sessions.map(({ endReason }: { endReason?: string }) => endReason),
          reasons,
        );
      });
    const gaveUp = 'its caller disconnected or canceled the request';
    const ask = (signal?: AbortSignal) => slow.call('POST', '/v2/browser', {}, signal && { signal });
    try {
      const giveUp = new AbortController();
      await whileStarting(
        () => ask(giveUp.signal),
        () => giveUp.abort(),
      );
      await ended(gaveUp);
      const answered: unknown[] = [];
      let agent = await ScriptedAgent.connect(slow.baseUrl, testKey, 'Agent', async (url, init) => {
        const response = await fetch(url, init);
        answered.push(init?.body);
        return response;
      });
      const cancel = new AbortController();
      await whileStarting(
        () => agent.call('session_create', {}, { signal: cancel.signal }),
        () => {
          cancel.abort();
          return eventually(() => assert.ok(answered.some((body) => /notifications.cancelled/.test(String(body)))));
        },
      );
      await ended(gaveUp, gaveUp);
      assert.match((await agent.try('page_snapshot')).text, /You have no session yet/);
      await whileStarting(
        () => agent.call('session_create'),
        () => agent.close(),
      );
      await ended(gaveUp, gaveUp, gaveUp);
      const left = [gaveUp, gaveUp, gaveUp];
      for (const start of [() => ask(), () => agent.call('session_create')]) {
        agent = await ScriptedAgent.connect(slow.baseUrl, testKey, 'Agent');
        // Its caller hasn't learned of it yet.
        const closed = new Promise<void>((resolve, reject) => {
          onStarted = () => slow.close().then(resolve, reject);
        });
        await start().catch(() => undefined);
        await closed;
        onStarted = () => {};
        slow = await startTestService({ chromePath, dataDir, log });
        left.unshift('the service stopped');
        await ended(...left);
      }
    } finally {
      await slow.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('have browsers without a priority over the service (F25)', async function () {
    if (process.platform !== 'linux') this.skip();
    const id = await create();
    // Threads may end meanwhile.
    const priorities = await eventually(async () => {
      const threads = (await processesOf(service.dataDir)).flatMap((pid) => readdirSync(`/proc/${pid}/task`));
      return threads.map((thread) => getPriority(Number(thread)));
    });
    assert.ok(Math.min(...priorities) >= getPriority(), String(priorities));
    await service.call('DELETE', `/v2/browser/${id}`);
  });

  it('get a fresh REPL on reset, and keep the browser', async () => {
    const id = await create();
    await service.call('POST', `/v2/browser/${id}/execute`, {
      code: 'var kept = 1; await page.goto("data:text/html,<title>stays</title>"); 1',
    });
    assert.equal((await service.call('POST', `/embedded/browser/${id}/reset`, { language: 'node' })).status, 200);
    const next = await service.call('POST', `/v2/browser/${id}/execute`, { code: '[typeof kept, await page.title()]' });
    assert.equal(next.body.result, '["undefined","stays"]');
    await service.call('DELETE', `/v2/browser/${id}`);
  });

  it('answer a run that a DELETE ends (LIF-09)', async () => {
    const id = await create();
    await service.call('POST', `/v2/browser/${id}/execute`, { code: '1' });
    const started = join(service.dataDir, 'begun');
    const code = `console.log("begun"); ${creates(started)} while (true);`;
    const run = service.call('POST', `/v2/browser/${id}/execute`, { code });
    await created(started);
    assert.equal((await service.call('DELETE', `/v2/browser/${id}`)).status, 200);
    const { status, body } = await run;
    assert.equal(status, 200);
    assert.equal(body.killed, true);
    assert.equal(body.stdout, 'begun\n');
    assert.match(body.error, /destroyed/);
  });

  it('leave no folder behind', async () => {
    const id = await create();
    await service.call('DELETE', `/v2/browser/${id}`);
    assert.deepEqual(readdirSync(join(service.dataDir, 'browsers')), []);
  });
});

describe('the lifetime of a session', () => {
  let service: TestService;
  let clock: ReturnType<typeof createFakeClock>;
  before(async () => {
    clock = createFakeClock();
    service = await startTestService({ clock });
  });
  after(() => service.close());

  const statusOf = async (id: string) => {
    const { body } = await service.call('GET', '/v2/browser');
    return body.sessions.find((session: { id: string }) => session.id === id);
  };
  const execute = (id: string, code = '1') => service.call('POST', `/v2/browser/${id}/execute`, { code });

  it('ends at its ttl, however active it is (LIF-10)', async () => {
    const { body } = await service.call('POST', '/v2/browser', { ttl: 30, activityTtl: 3600 });
    assert.equal(body.expiresAt, new Date(clock.now() + 30_000).toISOString());
    clock.advance(29_999);
    assert.equal((await execute(body.id)).status, 200);
    clock.advance(1);
    assert.equal((await execute(body.id)).status, 410);
    const ended = await statusOf(body.id);
    assert.equal(ended.status, 'destroyed');
    assert.equal(ended.endReason, 'expired');
    const deleted = await service.call('DELETE', `/v2/browser/${body.id}`);
    assert.deepEqual(deleted.body, { success: true, sessionDurationMs: 30_000, creditsBilled: 2 });
  });

  it('ends after activityTtl without activity; execute counts as activity (LIF-10)', async () => {
    const { body } = await service.call('POST', '/v2/browser', { ttl: 3600, activityTtl: 10 });
    clock.advance(9_000);
    assert.equal((await execute(body.id)).status, 200);
    clock.advance(9_999);
    assert.equal((await statusOf(body.id)).status, 'active');
    clock.advance(1);
    assert.equal((await statusOf(body.id)).endReason, 'closed after 10 s idle');
    assert.equal((await execute(body.id)).status, 410);
  });

  it("doesn't end for inactivity during a run (LIF-10)", async () => {
    const { body } = await service.call('POST', '/v2/browser', { ttl: 3600, activityTtl: 10 });
    const [started, released] = [join(service.dataDir, 'started'), join(service.dataDir, 'released')];
    const run = execute(body.id, `${creates(started)} ${awaits(released)} "done"`);
    await created(started);
    clock.advance(60_000);
    writeFileSync(released, '');
    assert.equal((await run).body.result, 'done');
    assert.equal((await statusOf(body.id)).status, 'active');
    await service.call('DELETE', `/v2/browser/${body.id}`);
  });

  const renew = (id: string, body: object) => service.call('POST', `/embedded/browser/${id}/renew`, body);

  it('continues while a window renews it, and ends at the last renewal', async () => {
    const { body } = await service.call('POST', '/v2/browser', { ttl: 60, activityTtl: 10 });
    assert.equal((await statusOf(body.id)).renewed, undefined);
    for (let renewals = 0; renewals < 5; renewals++) {
      const answer = await renew(body.id, { ttl: 3600, activityTtl: 31_536_000 });
      const expiresAt = new Date(clock.now() + 3_600_000).toISOString();
      assert.deepEqual(answer.body, { success: true, expiresAt, activityTtl: 31_536_000 });
      clock.advance(3_599_000);
      assert.equal((await execute(body.id)).status, 200);
    }
    const listed = await statusOf(body.id);
    assert.equal(listed.expiresAt, new Date(clock.now() + 1000).toISOString());
    assert.deepEqual([listed.ttl, listed.activityTtl, listed.renewed], [60, 31_536_000, true]);
    // The window is gone: nothing renews it.
    clock.advance(1000);
    assert.equal((await execute(body.id)).status, 410);
    const ended = await statusOf(body.id);
    assert.equal(ended.endReason, 'expired');
    assert.ok(ended.expiresAt >= ended.endedAt);
    const deleted = await service.call('DELETE', `/v2/browser/${body.id}`);
    assert.deepEqual(deleted.body, { success: true, sessionDurationMs: 18_000_000 - 4000, creditsBilled: 600 });
  });

  it("isn't active just because it is renewed", async () => {
    const { body } = await service.call('POST', '/v2/browser', {});
    for (let minutes = 0; minutes < 30; minutes++) {
      assert.equal((await renew(body.id, { ttl: 1920, activityTtl: 1800 })).status, 200);
      clock.advance(60_000);
    }
    assert.equal((await statusOf(body.id)).endReason, 'closed after 30 min idle');
  });

  it('is extended once without being kept open, and never shortened', async () => {
    const { body } = await service.call('POST', '/v2/browser', { ttl: 3600 });
    assert.equal((await renew(body.id, { ttl: 30, once: true })).body.expiresAt, body.expiresAt);
    assert.equal((await statusOf(body.id)).renewed, undefined);
    await service.call('DELETE', `/v2/browser/${body.id}`);
    assert.equal((await renew(body.id, { ttl: 30 })).status, 410);
  });

  it('is renewed only within the limits and by its own team', async () => {
    const { body } = await service.call('POST', '/v2/browser', {});
    for (const wrong of [
      {},
      { ttl: 29 },
      { ttl: 3601 },
      { ttl: 60, activityTtl: 365 * 86_400 + 1 },
      { ttl: 60, activityTtl: 0 },
    ]) {
      assert.equal((await renew(body.id, wrong)).status, 400, JSON.stringify(wrong));
    }
    assert.equal((await renew('nothing', { ttl: 60 })).status, 404);
    const other = { authorization: `Bearer ${otherKey}` };
    const { status } = await call(
      service.baseUrl,
      otherKey,
      'POST',
      `/embedded/browser/${body.id}/renew`,
      { ttl: 60 },
      { headers: other },
    );
    assert.equal(status, 403);
    await service.call('DELETE', `/v2/browser/${body.id}`);
  });

  it("doesn't depend on the wall clock (CLK-01)", async () => {
    const { body } = await service.call('POST', '/v2/browser', { ttl: 60 });
    for (const jump of [3_600_000, -86_400_000, 10 * 365 * 86_400_000]) {
      clock.setWall(clock.now() + jump);
      clock.advance(1000);
      assert.equal((await execute(body.id)).status, 200);
    }
    const deleted = await service.call('DELETE', `/v2/browser/${body.id}`);
    assert.equal(deleted.body.sessionDurationMs, 3000);
  });

  it('is billed by the hour, rounded up, at least two credits', async () => {
    const { body } = await service.call('POST', '/v2/browser', { ttl: 3600, activityTtl: 3600 });
    clock.advance(1_800_001);
    const deleted = await service.call('DELETE', `/v2/browser/${body.id}`);
    assert.equal(deleted.body.creditsBilled, 61);
  });
});

describe('limits of sessions', () => {
  it("return 429 at the limit of a team, count sessions that are starting, and don't affect other teams (LIF-08)", async () => {
    const service = await startTestService({ maxSessions: 2, spareBrowsers: 1 });
    try {
      const answers = await Promise.all([1, 2, 3, 4].map(() => service.call('POST', '/v2/browser', {})));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429, 429]);
      const refused = answers.find(({ status }) => status === 429);
      assert.match(refused?.body.error, /\(2 for each team\)/);
      assert.equal(refused?.headers.get('retry-after'), '10');
      const other = await call<{ id: string }>(service.baseUrl, otherKey, 'POST', '/v2/browser', {});
      assert.equal(other.status, 200);
      const { body } = await service.call('GET', '/v2/browser?status=active');
      await service.call('DELETE', `/v2/browser/${body.sessions[0].id}`);
      assert.equal((await service.call('POST', '/v2/browser', {})).status, 200);
    } finally {
      await service.close();
    }
  });

  it('return 503 with advice if there is no Chrome (CDP-06)', async () => {
    const service = await startTestService({ chromePath: '/no/such/chrome', spareBrowsers: 1 });
    try {
      const { status, body } = await service.call('POST', '/v2/browser', {});
      assert.equal(status, 503);
      assert.match(body.error, /\/no\/such\/chrome/);
      assert.match(body.error, /webdata\.embedded\.chromePath/);
      assert.deepEqual(body.details, { searched: ['/no/such/chrome'] });
      assert.equal((await service.call('GET', '/v2/browser')).status, 200);
    } finally {
      await service.close();
    }
  });

  it('show the window of the browser if asked to, and say why they cannot', async () => {
    const folder = temporaryFolder();
    const chromePath = join(folder, 'chrome');
    const print = 'case "$*" in *--headless*) echo no window >&2;; *) echo a window >&2;; esac';
    writeFileSync(chromePath, `#!/bin/sh\n${print}\nexit 7\n`, { mode: 0o755 });
    const service = await startTestService({ chromePath });
    const { DISPLAY, WAYLAND_DISPLAY } = process.env;
    const create = async (body: object) => await service.call('POST', '/v2/browser', body);
    try {
      process.env.DISPLAY = ':99';
      assert.match((await create({})).body.error, /no window/);
      const { status, body } = await create({ headed: true });
      assert.equal(status, 502);
      assert.match(body.error, /a window/);
      delete process.env.DISPLAY;
      delete process.env.WAYLAND_DISPLAY;
      if (process.platform !== 'linux') return;
      const refused = await create({ headed: true });
      assert.deepEqual([refused.status, refused.body.code], [400, 'NO_DISPLAY']);
      assert.match(refused.body.error, /has no display: neither DISPLAY nor WAYLAND_DISPLAY is set\. Omit headed\.$/);
    } finally {
      Object.assign(process.env, { ...(DISPLAY && { DISPLAY }), ...(WAYLAND_DISPLAY && { WAYLAND_DISPLAY }) });
      if (!DISPLAY) delete process.env.DISPLAY;
      await service.close();
      rmSync(folder, { recursive: true });
    }
  });

  it("return 502 if Chrome doesn't start, and leave nothing behind (CDP-06)", async () => {
    const service = await startTestService({ chromePath: '/bin/false' });
    try {
      const { status, body } = await service.call('POST', '/v2/browser', {});
      assert.equal(status, 502);
      assert.match(body.error, /exited with code 1/);
      assert.deepEqual(readdirSync(join(service.dataDir, 'browsers')), []);
    } finally {
      await service.close();
    }
  });

  it('return the last line of what Chrome printed, and keep no more (CDP-07)', async () => {
    const folder = temporaryFolder();
    const chromePath = join(folder, 'chrome');
    const print = 'head -c 3000000 /dev/zero | tr "\\0" x >&2; echo >&2; echo "cannot open display" >&2';
    writeFileSync(chromePath, `#!/bin/sh\n${print}\nexit 7\n`, { mode: 0o755 });
    const service = await startTestService({ chromePath });
    try {
      const { status, body } = await service.call('POST', '/v2/browser', {});
      assert.equal(status, 502);
      assert.match(body.error, /exited with code 7.*cannot open display/);
      assert.ok(body.error.length < 1000, `${body.error.length} characters`);
    } finally {
      await service.close();
      rmSync(folder, { recursive: true });
    }
  });
});
