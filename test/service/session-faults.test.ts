import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hostMarker } from '../../src/service/browsers/sessions/host-folders.ts';
import { findStrays } from '../../src/service/platform/system/stray-processes.ts';
import { chromeOf } from '../harness/chrome-processes.ts';
import { created, creates } from '../harness/code-files.ts';
import { eventually } from '../harness/eventually.ts';
import { startTestService, type TestService } from '../harness/service.ts';

describe('a session whose browser crashes', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  it('answers the current run, then 410, and DELETE returns its duration (LIF-05)', async () => {
    const { id } = (await service.call('POST', '/v2/browser', {})).body;
    const started = join(service.dataDir, 'started');
    const run = service.call('POST', `/v2/browser/${id}/execute`, {
      code: `${creates(started)} await page.waitForSelector("#never", { timeout: 0 })`,
      timeout: 300,
    });
    await created(started);
    process.kill(await chromeOf(service.dataDir), 'SIGKILL');
    const { status, body } = await run;
    assert.equal(status, 200);
    assert.match(body.error, /browser was killed by SIGKILL/);
    assert.equal((await service.call('POST', `/v2/browser/${id}/execute`, { code: '1' })).status, 410);
    const listed = await service.call('GET', '/v2/browser?status=error');
    assert.equal(listed.body.sessions[0].id, id);
    const deleted = await service.call('DELETE', `/v2/browser/${id}`);
    assert.equal(deleted.status, 200);
    assert.ok(deleted.body.sessionDurationMs > 0);
    // A process that was killed takes a moment to go.
    await eventually(async () => assert.deepEqual(await findStrays(hostMarker, join(service.dataDir, 'browsers')), []));
  });

  it('ends cleanly when a snippet closes it', async () => {
    const { id } = (await service.call('POST', '/v2/browser', {})).body;
    const code = 'const session = await browser.newBrowserCDPSession(); await session.send("Browser.close")';
    const { status } = await service.call('POST', `/v2/browser/${id}/execute`, { code });
    assert.equal(status, 200);
    await eventually(async () => {
      const gone = await service.call('POST', `/v2/browser/${id}/execute`, { code: '1' });
      assert.equal(gone.status, 410);
      assert.match(gone.body.error, /closed by a snippet/);
    });
  });

  it('continues when a snippet closes its page or connection, or crashes the tab (LIF-06, EXE-08)', async () => {
    const { id } = (await service.call('POST', '/v2/browser', {})).body;
    for (const code of [
      'await page.close()',
      'await browser.close()',
      'page.goto("chrome://crash").catch(() => {}); await new Promise((done) => page.once("crash", done)); 1',
    ]) {
      assert.equal((await service.call('POST', `/v2/browser/${id}/execute`, { code, timeout: 120 })).status, 200, code);
      const next = await service.call('POST', `/v2/browser/${id}/execute`, {
        code: 'await page.goto("data:text/html,<title>again</title>"); await page.title()',
        timeout: 120,
      });
      assert.equal(next.body.result, 'again', `${code}: ${JSON.stringify(next.body)}`);
    }
    await service.call('DELETE', `/v2/browser/${id}`);
  });
});

describe('profiles of sessions', () => {
  let service: TestService;
  let site: Server;
  let url: string;
  before(async () => {
    service = await startTestService();
    site = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      if (pathname === '/login') {
        const cookies = [`user=${searchParams.get('user')}; Max-Age=86400; HttpOnly`, 'visit=1'];
        response.setHeader('set-cookie', cookies);
      }
      response.setHeader('content-type', 'text/html');
      response.end(`<p id="who">${request.headers.cookie ?? 'nobody'}</p>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  after(async () => {
    await service.close();
    site.closeAllConnections();
    site.close();
  });

  const open = (profile: object) => service.call('POST', '/v2/browser', { profile });
  const who = async (id: string) => {
    const code = `await page.goto("${url}/"); [await page.textContent("#who"), await page.evaluate("localStorage.getItem('theme')")].join(" | ")`;
    return (await service.call('POST', `/v2/browser/${id}/execute`, { code })).body.result;
  };
  const logIn = (id: string, user: string) =>
    service.call('POST', `/v2/browser/${id}/execute`, {
      code: `await page.goto("${url}/login?user=${user}"); await page.evaluate("localStorage.setItem('theme', 'dark')"); 1`,
    });

  it('keep a login: cookies of both kinds and local storage', async () => {
    const first = await open({ name: 'shop' });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.equal(await who(first.body.id), 'nobody | ');
    await logIn(first.body.id, 'ada');
    assert.equal((await service.call('DELETE', `/v2/browser/${first.body.id}`)).status, 200);

    const second = await open({ name: 'shop', saveChanges: false });
    assert.equal(await who(second.body.id), 'user=ada; visit=1 | dark');
    await logIn(second.body.id, 'eve');
    await service.call('DELETE', `/v2/browser/${second.body.id}`);

    const third = await open({ name: 'shop' });
    assert.equal(await who(third.body.id), 'user=ada; visit=1 | dark');
    const listed = (await service.call('GET', '/v2/browser?status=active')).body.sessions[0];
    assert.deepEqual(listed.profile, { name: 'shop', saveChanges: true });
    const { profiles } = (await service.call('GET', '/embedded/profiles')).body;
    assert.deepEqual(
      profiles.map(({ name, inUse }: { name: string; inUse: boolean }) => [name, inUse]),
      [['shop', true]],
    );
    await service.call('DELETE', `/v2/browser/${third.body.id}`);
  });

  it('allow one saver at a time, and any readers', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => open({ name: 'busy' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    const reader = await open({ name: 'busy', saveChanges: false });
    assert.equal(reader.status, 200);
    const saver = answers.find(({ status }) => status === 200);
    for (const { body } of [reader, saver ?? reader]) await service.call('DELETE', `/v2/browser/${body.id}`);
    const next = await open({ name: 'busy' });
    assert.equal(next.status, 200);
    await service.call('DELETE', `/v2/browser/${next.body.id}`);
  });

  it('stay unchanged when the browser of a saver is killed (PRO-07)', async () => {
    const first = await open({ name: 'killed' });
    await logIn(first.body.id, 'ada');
    await service.call('DELETE', `/v2/browser/${first.body.id}`);
    const second = await open({ name: 'killed' });
    await logIn(second.body.id, 'eve');
    process.kill(await chromeOf(service.dataDir), 'SIGKILL');
    await service.call('DELETE', `/v2/browser/${second.body.id}`);
    const third = await open({ name: 'killed' });
    assert.equal(third.status, 200);
    assert.match(await who(third.body.id), /user=ada/);
    await service.call('DELETE', `/v2/browser/${third.body.id}`);
  });

  it('accept any name, which never becomes part of a path (PRO-01, PRO-02)', async () => {
    for (const name of ['../x', 'CON', '🦊'.repeat(128), 'a\u0000b']) {
      const { status, body } = await open({ name });
      assert.equal(status, 200, name);
      await service.call('DELETE', `/v2/browser/${body.id}`);
    }
    for (const folder of readdirSync(join(service.dataDir, 'profiles'))) assert.match(folder, /^[0-9a-f]{64}$/);
  });
});

describe('credits of sessions', () => {
  it('must cover the whole ttl, in addition to running sessions', async () => {
    const service = await startTestService({ credits: 30 });
    try {
      assert.equal((await service.call('POST', '/v2/browser', { ttl: 930 })).status, 402);
      const first = await service.call('POST', '/v2/browser', { ttl: 600 });
      assert.equal(first.status, 200);
      const second = await service.call('POST', '/v2/browser', { ttl: 600 });
      assert.equal(second.status, 402);
      assert.match(second.body.error, /30 are left/);
      await service.call('DELETE', `/v2/browser/${first.body.id}`);
      assert.equal((await service.call('POST', '/v2/browser', { ttl: 600 })).status, 200);
    } finally {
      await service.close();
    }
  });

  it('must cover each renewal of the session', async () => {
    const service = await startTestService({ credits: 30 });
    try {
      const { body } = await service.call('POST', '/v2/browser', { ttl: 60 });
      const renew = (ttl: number) => service.call('POST', `/embedded/browser/${body.id}/renew`, { ttl });
      assert.equal((await renew(600)).status, 200);
      const refused = await renew(3600);
      assert.equal(refused.status, 402);
      assert.match(refused.body.error, /30 are left/);
      // What it was renewed to counts toward the credits of the next one.
      assert.equal((await service.call('POST', '/v2/browser', { ttl: 600 })).status, 402);
    } finally {
      await service.close();
    }
  });
});

describe('downloads of a session', () => {
  it('go to the folder listed in its details, and stay when it ends', async () => {
    const service = await startTestService();
    try {
      const { id } = (await service.call('POST', '/v2/browser', {})).body;
      const code = `await page.setContent('<a download="report.txt" href="data:text/plain,figures">get</a>');
        const [download] = await Promise.all([page.waitForEvent("download"), page.click("a")]);
        [download.suggestedFilename(), (await require("node:fs/promises").readFile(await download.path(), "utf8"))].join(": ")`;
      const { body } = await service.call('POST', `/v2/browser/${id}/execute`, { code });
      assert.equal(body.result, 'report.txt: figures', JSON.stringify(body));
      const { downloads } = (await service.call('GET', '/v2/browser')).body.sessions[0];
      assert.ok(downloads.startsWith(join(service.dataDir, 'downloads')));
      assert.equal(readdirSync(downloads).length, 1);
      await service.call('DELETE', `/v2/browser/${id}`);
      assert.equal(readdirSync(downloads).length, 1);
      const empty = (await service.call('POST', '/v2/browser', {})).body.id;
      const folder = (await service.call('GET', '/v2/browser?status=active')).body.sessions[0].downloads;
      await service.call('DELETE', `/v2/browser/${empty}`);
      assert.ok(!existsSync(folder));
    } finally {
      await service.close();
    }
  });
});
