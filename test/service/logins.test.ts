import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import type { Log } from '../../src/service/platform/log.ts';
import { chosenBrowsers, startTestService, type TestService } from '../harness/service.ts';

const later = Math.floor(Date.now() / 1000) + 86_400 * 300;
const other = { headers: { authorization: 'Bearer other-team-key-0123456789' } };

describe('logins', () => {
  let service: TestService;
  let site: Server;
  let origin: string;
  const logged: string[] = [];
  before(async () => {
    const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }) as unknown as Log;
    service = await startTestService({ ...chosenBrowsers, log });
    // Shows the cookies that it gets.
    site = createServer((request, response) => {
      if (request.url === '/silent.js') {
        const takesAll = 'self.onactivate = (event) => event.waitUntil(clients.claim());';
        const isSilent = 'self.onfetch = (event) => event.respondWith(new Promise(() => {}));';
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(takesAll + isSilent);
        return;
      }
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<title>${request.headers.cookie ?? 'none'}</title>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  after(async () => {
    site.close();
    site.closeAllConnections();
    await service.close();
  });

  const open = async (body: object = {}): Promise<string> => (await service.call('POST', '/v2/browser', body)).body.id;
  const run = async (id: string, code: string) =>
    (await service.call('POST', `/v2/browser/${id}/execute`, { code, timeout: 300 })).body.result;
  const end = (id: string) => service.call('DELETE', `/v2/browser/${id}`);
  const load = (name: string, content: string, sites?: string[]) =>
    service.call('POST', '/embedded/logins/import', { name, content, ...(sites && { sites }) });
  const cookie = { path: '/', expires: later, httpOnly: true, secure: false, sameSite: 'Lax' };
  const state = () => ({
    cookies: [
      { ...cookie, name: 'sid', value: 'secret-sid', domain: '127.0.0.1' },
      { ...cookie, name: 'tmp', value: 'secret-tmp', domain: '127.0.0.1', expires: -1 },
      { ...cookie, name: 'wide', value: 'secret-wide', domain: '.shop.example', secure: true, sameSite: 'None' },
    ],
    origins: [{ origin, localStorage: [{ name: 'token', value: 'secret-token' }] }],
  });

  it('come from storageState into a profile that sessions use, and out again', async () => {
    assert.deepEqual((await load('state', JSON.stringify(state()))).body, { success: true, cookies: 3, rejected: 0 });
    const id = await open({ profile: { name: 'state', saveChanges: false } });
    const shown = await run(
      id,
      `await page.goto('${origin}'); [await page.title(), await page.evaluate('localStorage.token')]`,
    );
    assert.deepEqual(JSON.parse(shown), ['sid=secret-sid; tmp=secret-tmp', 'secret-token']);
    await end(id);
    const { body } = await service.call('POST', '/embedded/logins/export', { name: 'state' });
    const byName = (cookies: { name: string }[]) => cookies.toSorted((one, two) => one.name.localeCompare(two.name));
    assert.deepEqual({ ...body.state, cookies: byName(body.state.cookies) }, state());
  });

  it('are listed with their sites and until when', async () => {
    await load('listed', JSON.stringify(state()));
    const { body } = await service.call('GET', '/embedded/profiles');
    const until = new Date(later * 1000).toISOString();
    assert.deepEqual(body.profiles.find(({ name }: { name: string }) => name === 'listed').sites, [
      { site: '127.0.0.1', cookies: 2, firstExpiry: until, lastExpiry: until },
      { site: 'shop.example', cookies: 1, firstExpiry: until, lastExpiry: until },
    ]);
  });

  it('come from cookies.txt, of the chosen sites only, and are added to what the profile has', async () => {
    const text = `127.0.0.1\tFALSE\t/\tFALSE\t${later}\tone\tsecret-one\n.not.example\tTRUE\t/\tFALSE\t${later}\tn\tv\n`;
    const { body: read } = await service.call('POST', '/embedded/logins/read', { content: text });
    assert.deepEqual(
      read.sites.map(({ site: name, cookies }: { site: string; cookies: number }) => [name, cookies]),
      [
        ['127.0.0.1', 1],
        ['not.example', 1],
      ],
    );
    assert.equal((await load('mixed', JSON.stringify(state()))).status, 200);
    assert.equal((await load('mixed', text, ['127.0.0.1'])).body.cookies, 1);
    const { body } = await service.call('POST', '/embedded/logins/export', { name: 'mixed' });
    const names = body.state.cookies.map(({ name }: { name: string }) => name).sort();
    assert.deepEqual(names, ['one', 'sid', 'tmp', 'wide']);
    assert.equal(body.state.origins.length, 1);
  });

  it('keep the cookies that Chrome accepts if it refuses one', async () => {
    const refused = { ...cookie, name: '__Secure-a', value: 'b', domain: '127.0.0.1' };
    const cookies = [...state().cookies, refused];
    assert.deepEqual((await load('refused', JSON.stringify({ cookies }))).body, {
      success: true,
      cookies: 3,
      rejected: 1,
    });
  });

  it('are saved from an open session that has no profile, and the session stays open', async () => {
    const id = await open();
    await run(
      id,
      `await page.goto('${origin}'); await page.evaluate("document.cookie = 'mine=secret-mine'; localStorage.k = 'secret-k'")`,
    );
    const saved = await service.call('POST', `/embedded/browser/${id}/save-login`, { name: 'saved' });
    assert.deepEqual(saved.body, { success: true, cookies: 1, rejected: 0 });
    assert.equal(await run(id, 'page.url()'), `${origin}/`);
    await end(id);
    const next = await open({ profile: { name: 'saved', saveChanges: false } });
    const shown = await run(
      next,
      `await page.goto('${origin}'); [await page.title(), await page.evaluate('localStorage.k')]`,
    );
    assert.deepEqual(JSON.parse(shown), ['mine=secret-mine', 'secret-k']);
    await end(next);
  });

  it('with more localStorage than may be saved are refused with its size, and neither lose nor change anything (BUD-19)', async () => {
    const id = await open({ profile: { name: 'large' } });
    const sites = ['127.0.0.1', 'localhost', 'a.localhost'].map((host) => origin.replace('127.0.0.1', host));
    const fill = async (value: string) => {
      for (const each of sites)
        await run(id, `await page.goto('${each}'); await page.evaluate('localStorage.k = ${value}')`);
    };
    const save = () => service.call('POST', `/embedded/browser/${id}/save-login`, { name: 'copy' });
    await fill('"x".repeat(4_000_000)');
    assert.equal((await save()).status, 200);
    // As JSON, each of these has six characters: two of the sites are too large already.
    await fill('"\\x01".repeat(2_800_000)');
    const refused = await save();
    assert.deepEqual([refused.status, refused.body.code], [400, 'LOGIN_TOO_LARGE']);
    assert.match(
      refused.body.error,
      /^The localStorage of the sites has 50\.4 million characters, of which http:\/\/127\.0\.0\.1:\d+ has 16\.8 million; at most 32\.0 million can be saved or exported\. In a session/,
    );
    assert.equal(await run(id, '(await page.evaluate("localStorage.k")).length'), '2800000');
    await end(id);
    const exported = await service.call('POST', '/embedded/logins/export', { name: 'large' });
    assert.deepEqual([exported.status, exported.body.code], [400, 'LOGIN_TOO_LARGE']);
  });

  it('keep large values that their session stored just before it ended', async () => {
    const id = await open({ profile: { name: 'late' } });
    const sites = ['127.0.0.1', 'localhost', 'a.localhost'].map((host) => origin.replace('127.0.0.1', host));
    await run(
      id,
      `for (const value of ['"é".repeat(4_000_000)', '"語".repeat(5_000_000)'])
        for (const site of ${JSON.stringify(sites)}) {
          await page.goto(site);
          await page.evaluate('localStorage.k = ' + value);
        }`,
    );
    await end(id);
    const next = await open({ profile: { name: 'late', saveChanges: false } });
    const read = `for (const site of ${JSON.stringify(sites)}) {
      await page.goto(site);
      console.log(await page.evaluate("localStorage.k?.slice(0, 1) + localStorage.k?.length"));
    }`;
    assert.equal(await run(next, read), '語5000000\n語5000000\n語5000000');
    await end(next);
  });

  it('are not changed by what pages do as they close', async () => {
    const id = await open({ profile: { name: 'unload' } });
    await run(
      id,
      `await page.goto('${origin}');
      await page.evaluate(() => {
        localStorage.k = 'kept';
        for (const type of ['pagehide', 'unload', 'visibilitychange']) addEventListener(type, () => localStorage.clear());
      });`,
    );
    await end(id);
    const next = await open({ profile: { name: 'unload', saveChanges: false } });
    assert.equal(await run(next, `await page.goto('${origin}'); await page.evaluate('localStorage.k')`), 'kept');
    await end(next);
  });

  it('are kept when a page of their session is busy forever', async () => {
    const id = await open({ profile: { name: 'busy-page' } });
    await run(id, `await page.goto('${origin}'); await page.evaluate('localStorage.k = "kept"')`);
    await run(id, `page.evaluate('setTimeout(() => { for (;;); }, 10)').catch(() => {}); 'started'`);
    assert.equal((await end(id)).status, 200);
    const next = await open({ profile: { name: 'busy-page', saveChanges: false } });
    assert.equal(await run(next, `await page.goto('${origin}'); await page.evaluate('localStorage.k')`), 'kept');
    await end(next);
  });

  it('are read without the service worker of their site, which may never answer (F29)', async () => {
    const id = await open({ profile: { name: 'worker', saveChanges: true } });
    const register = `navigator.serviceWorker.register('/silent.js').then(() => navigator.serviceWorker.ready).then(() => 1)`;
    await run(id, `await page.goto('${origin}'); await page.evaluate("localStorage.x = 'y'; ${register}")`);
    await end(id);
    const { body } = await service.call('POST', '/embedded/logins/export', { name: 'worker' });
    assert.deepEqual(body.state.origins, [{ origin, localStorage: [{ name: 'x', value: 'y' }] }]);
  });

  it('belong to their team', async () => {
    const id = await open();
    assert.equal((await service.call('POST', `/embedded/browser/${id}/save-login`, { name: 'x' }, other)).status, 403);
    await end(id);
    await load('own', JSON.stringify(state()));
    assert.equal((await service.call('POST', '/embedded/logins/export', { name: 'own' }, other)).status, 404);
    assert.deepEqual((await service.call('GET', '/embedded/profiles', undefined, other)).body.profiles, []);
  });

  it('are refused while a session writes to the profile, and if the file is none', async () => {
    const id = await open({ profile: { name: 'busy' } });
    assert.equal((await load('busy', JSON.stringify(state()))).status, 409);
    await end(id);
    const { status, body } = await load('bad', 'secret-line');
    assert.equal(status, 400);
    assert.equal(body.error, "Line 1 isn't a cookie: expected 7 fields separated by tabs, got 1.");
    const expired = await load('bad', '127.0.0.1\tFALSE\t/\tFALSE\t10\tone\tsecret-one');
    assert.equal(expired.status, 400);
    assert.equal((await load('', JSON.stringify(state()))).status, 400);
  });

  it('never appear in the log', () => {
    assert.ok(logged.length > 0);
    assert.deepEqual(
      logged.filter((line) => line.includes('secret-')),
      [],
    );
  });
});
