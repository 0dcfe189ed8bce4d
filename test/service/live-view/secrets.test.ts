import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { linkPath } from '../../../src/contract/embedded.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';
import { freePort } from '../../harness/free-port.ts';
import { openViewer, until } from '../../harness/live-viewer.ts';
import { headEnd, sendRaw, statusOf } from '../../harness/raw-http.ts';
import { spawnService, startTestService, type TestService, testKey } from '../../harness/service.ts';

interface Created {
  id: string;
  cdpUrl: string;
  liveViewUrl: string;
  interactiveLiveViewUrl: string;
}
const secretOf = (url: string) => url.split('/').at(-1) ?? '';
const pathOf = (url: string) => new URL(url).pathname;

/** The status of the response to an upgrade request; 101 if it succeeds. */
function upgradeStatus(url: string, headers: Record<string, string> = {}, protocols: string[] = []): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), protocols, { headers });
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('error', reject);
  });
}

/** The answer to a plain GET with exactly these headers. */
function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const { port, pathname } = new URL(url);
    const asked = request({ host: '127.0.0.1', port, path: pathname, headers, method }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    asked.on('error', reject).end();
  });
}

describe('who may see a live view', () => {
  let service: TestService;
  let session: Created;
  before(async () => {
    service = await startTestService();
    session = (await service.call<Created>('POST', '/v2/browser', {})).body;
  });
  after(() => service.close());

  const key = { authorization: `Bearer ${testKey}` };

  // WS-01
  const origins = ['https://evil.test', 'null', 'http://127.0.0.1:1', 'http://localhost.evil.test', 'file://', 'x'];
  for (const origin of origins) {
    it(`no page of ${origin}, before any handshake (WS-01)`, async () => {
      for (const url of [session.liveViewUrl, session.interactiveLiveViewUrl]) {
        assert.equal(await upgradeStatus(url, { origin }), 403);
        assert.equal(await upgradeStatus(url, { ...key, origin }, ['vite-ping']), 403);
        assert.equal((await get(url, { origin })).status, 403);
      }
    });
  }

  it('nobody with a foreign Host, without one, or with two', async () => {
    const path = pathOf(session.liveViewUrl);
    const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`;
    const ask = (headers: string) => sendRaw(service.port, `GET ${path} HTTP/1.1\r\n${headers}\r\n`, headEnd);
    const own = `Host: 127.0.0.1:${service.port}\r\n`;
    for (const more of ['', upgrade]) {
      assert.equal(statusOf(await ask(`Host: evil.test\r\n${more}`)), 403);
      assert.equal(statusOf(await ask(`Host: rebind.test:${service.port}\r\n${more}`)), 403);
      assert.equal(statusOf(await ask(more || 'X: y\r\n')), 400);
      assert.equal(statusOf(await ask(`${own}Host: evil.test\r\n${more}`)), 400);
    }
    assert.equal(statusOf(await ask(own + upgrade)), 101);
  });

  it('only those with its secret: not a guess, a longer one, another session’s, or the API key (WS-02)', async () => {
    const other = (await service.call<Created>('POST', '/v2/browser', {})).body;
    const secret = secretOf(session.liveViewUrl);
    const guesses = [
      `/live/${session.id}/${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`,
      `/live/${session.id}/${secret}A`,
      `/live/${session.id}/${secretOf(other.liveViewUrl)}`,
      `/live/${other.id}/${secret}`,
      `/live/${session.id}/${testKey}`,
      `/live/${session.id}/`,
      `/live/${session.id}/${secret}/`,
      `/live/${session.id}/x/${secret}`,
      `/live//${secret}`,
      `/live/%00/${secret}`,
    ];
    for (const guess of guesses) {
      for (const headers of [{}, key]) {
        assert.ok([401, 404].includes(await upgradeStatus(service.baseUrl + guess, headers)), guess);
      }
      assert.equal((await get(service.baseUrl + guess)).status, 404, guess);
    }
    await service.call('DELETE', `/v2/browser/${other.id}`);
  });

  it('those with one of three unrelated secrets, none of them the key (WS-05)', async () => {
    const urls = [session.cdpUrl, session.liveViewUrl, session.interactiveLiveViewUrl];
    const secrets = urls.map(secretOf);
    assert.equal(new Set([...secrets, testKey]).size, 4);
    for (const secret of secrets) assert.ok(Buffer.from(secret, 'base64url').length >= 16, 'at least 128 bits');
    const [cdp = '', watch = '', control = ''] = secrets;
    const swapped = [`/cdp/${session.id}/${watch}`, `/cdp/${session.id}/${control}`, `/live/${session.id}/${cdp}`];
    for (const path of [...swapped, `/runners/${session.id}/${watch}`]) {
      assert.ok([401, 404].includes(await upgradeStatus(service.baseUrl + path)), path);
    }
    assert.equal((await get(session.cdpUrl.replace('ws', 'http'))).status, 401, 'no page at cdpUrl');
  });

  it('nobody once the session was destroyed: URLs return 410, and sockets are closed with 4410 (WS-02)', async () => {
    const gone = (await service.call<Created>('POST', '/v2/browser', {})).body;
    const viewers = [await openViewer(gone.liveViewUrl), await openViewer(gone.interactiveLiveViewUrl)];
    await service.call('DELETE', `/v2/browser/${gone.id}`);
    for (const viewer of viewers) {
      assert.equal((await viewer.closed).code, 4410);
      assert.equal((await viewer.said('ended')).reason, 'destroyed by request');
    }
    for (const url of [gone.liveViewUrl, gone.interactiveLiveViewUrl]) {
      assert.equal(await upgradeStatus(url), 410);
      const page = await get(url);
      assert.equal(page.status, 410);
      assert.match(page.text, /has ended/);
    }
  });

  it("visitors of a page that isn't cached, leaks no referrer, can't be framed by sites, and loads nothing from them (WS-10)", async () => {
    const { status, headers, text } = await get(session.liveViewUrl);
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['set-cookie'], undefined);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; img-src data:;/);
    assert.match(policy, /frame-ancestors 'self' vscode-webview: vscode-file: https:\/\/\*\.vscode-cdn\.net;/);
    assert.doesNotMatch(policy, /unsafe|\*(?!\.vscode-cdn)/);
    assert.ok(!text.includes(secretOf(session.liveViewUrl)), 'the page does not name its secret');
    assert.match(text, /<main id="app">/);
  });

  it('visitors of a page reached by a link from anywhere, but not embedded in another site', async () => {
    const site = (mode: string) => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode });
    assert.equal((await get(session.liveViewUrl, site('navigate'))).status, 200);
    assert.equal((await get(session.liveViewUrl, site('no-cors'))).status, 403);
    assert.equal((await get(session.liveViewUrl, site('cors'))).status, 403);
    assert.equal((await get(`${service.baseUrl}/v2/browser`, { ...key, ...site('navigate') })).status, 403);
    assert.equal((await get(session.liveViewUrl, {}, 'POST')).status, 405);
  });

  it('visitors under the host that VS Code forwards the service to, where nothing else is available (WS-13)', async () => {
    const outside = { host: 'tunnel.example.test:8443' };
    const page = { ...outside, origin: `https://${outside.host}` };
    assert.equal((await get(session.liveViewUrl, outside)).status, 403);
    const link = new WebSocket(`ws://127.0.0.1:${service.port}${linkPath}`, { headers: key });
    await new Promise((resolve) => link.once('open', resolve));
    for (const authority of ['*', 'https://evil.test', 'user@evil.test', 'evil.test/x', 'evil test', '.evil.test']) {
      link.send(JSON.stringify({ type: 'outside-authority', authority }));
    }
    link.send(JSON.stringify({ type: 'outside-authority', authority: outside.host }));
    await until(async () => (await get(session.liveViewUrl, outside)).status === 200, 'page at the outside name');
    assert.equal(await upgradeStatus(session.liveViewUrl, page), 101);
    assert.equal(await upgradeStatus(session.liveViewUrl, { ...outside, origin: 'https://evil.test' }), 403);
    assert.equal(await upgradeStatus(session.cdpUrl, outside), 403);
    assert.equal((await get(`${service.baseUrl}/v2/browser`, { ...outside, ...key })).status, 403);
    assert.equal((await get(`${service.baseUrl}/v2/browser`, { ...key, origin: page.origin })).status, 403);
    assert.equal((await get(session.liveViewUrl, { host: 'evil.test' })).status, 403);
    link.close();
    await until(async () => (await get(session.liveViewUrl, outside)).status === 403, 'end of it with the link');
  });
});

describe('the end of a live view (WS-11)', () => {
  for (const [why, body, seconds] of [
    ['ttl', { ttl: 30, activityTtl: 30 }, 31],
    ['activityTtl', { ttl: 600, activityTtl: 10 }, 11],
  ] as const) {
    it(`is permanent after the ${why}`, async () => {
      const clock = createFakeClock();
      const service = await startTestService({ clock });
      try {
        const { body: session } = await service.call<Created>('POST', '/v2/browser', body);
        assert.equal(await upgradeStatus(session.liveViewUrl), 101);
        clock.advance(seconds * 1000);
        await until(async () => (await upgradeStatus(session.liveViewUrl)) === 410, 'end');
        assert.equal(await upgradeStatus(session.interactiveLiveViewUrl), 410);
        assert.equal((await get(session.liveViewUrl)).status, 410);
      } finally {
        await service.close();
      }
    });
  }

  it("comes with the end of the service: the next one doesn't know its URLs", async () => {
    const port = await freePort();
    const first = await startTestService({ port });
    const { body: session } = await first.call<Created>('POST', '/v2/browser', {});
    const viewer = await openViewer(session.liveViewUrl);
    await first.close();
    assert.equal((await viewer.closed).code, 4410);
    const second = await startTestService({ port });
    try {
      for (const url of [session.liveViewUrl, session.interactiveLiveViewUrl]) {
        assert.ok([401, 404, 410].includes(await upgradeStatus(url)));
        assert.ok([404, 410].includes((await get(url)).status));
      }
    } finally {
      await second.close();
    }
  });
});

// WS-12
describe('the secrets of live views', () => {
  it('are in no log, no process list and no file (WS-12)', async () => {
    const dataDir = temporaryFolder();
    const apiKey = 'canary-key-1f2e3d4c5b6a7988';
    const started = await spawnService(['--data-dir', dataDir], {
      WEBDATA_API_KEYS: `${apiKey}:default`,
      WEBDATA_LOG_LEVEL: 'debug',
    });
    try {
      const call = async (method: string, path: string, body?: object) => {
        const response = await fetch(started.line.baseUrl + path, {
          method,
          ...(body && { body: JSON.stringify(body) }),
          headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
        });
        return (await response.json()) as Created;
      };
      const session = await call('POST', '/v2/browser', {});
      const secrets = [session.cdpUrl, session.liveViewUrl, session.interactiveLiveViewUrl].map(secretOf);
      const viewer = await openViewer(session.interactiveLiveViewUrl);
      viewer.send({ type: 'nonsense' });
      viewer.send({ type: 'navigate', url: 'about:blank' });
      await viewer.said('dropped');
      await get(session.liveViewUrl);
      await upgradeStatus(`${session.liveViewUrl}x`);
      await upgradeStatus(session.liveViewUrl, { origin: 'https://evil.test' });
      await call('POST', `/v2/browser/${session.id}/execute`, { code: '1' });
      const processes = execFileSync('ps', ['axww', '-o', 'args'], { encoding: 'utf8' });
      await viewer.close();
      await call('DELETE', `/v2/browser/${session.id}`);
      await until(
        () => /a viewer sent messages that are not allowed/.test(started.stderr()),
        'log of what was dropped',
      );
      for (const secret of [...secrets, apiKey]) {
        assert.ok(!started.stderr().includes(secret), 'in the log');
        assert.ok(!processes.includes(secret), 'in the process list');
        // The discovery file holds the key: it is how windows find it.
        const inFiles = spawnGrep(secret, dataDir).filter((file) => !file.endsWith('service.json'));
        assert.deepEqual(inFiles, []);
      }
    } finally {
      started.child.kill('SIGTERM');
      await started.exited;
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

function spawnGrep(text: string, folder: string): string[] {
  try {
    return execFileSync('grep', ['-rlF', text, folder], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return [];
  }
}
