import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';
import { embeddedEndpoints, linkPath } from '../../src/contract/embedded.ts';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.ts';
import { sendRaw, statusOf } from '../harness/raw-http.ts';
import { startTestService, type TestService, testKey } from '../harness/service.ts';

/** Every path that the service knows, and some that it does not, from the same table that routes are made of. */
const routes = Object.values<Endpoint>({ ...endpoints, ...embeddedEndpoints }).flatMap(
  ({ method, path, aliases = [] }) =>
    [path, ...aliases].map((each) => ({
      method,
      path: each.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000'),
    })),
);
const everywhere = [
  ...routes,
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/no/such/path' },
  { method: 'OPTIONS', path: '/v2/browser' },
  { method: 'PUT', path: '/v2/browser' },
  { method: 'GET', path: linkPath },
  { method: 'GET', path: '/cdp/x/y' },
];
const proofPath = embeddedEndpoints.prove.path;

describe('guards on every route', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const request = (method: string, path: string, headers: string[]) =>
    sendRaw(
      service.port,
      `${method} ${path} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`,
    );
  const host = () => `Host: 127.0.0.1:${service.port}`;
  const key = `Authorization: Bearer ${testKey}`;

  for (const { method, path } of everywhere) {
    it(`${method} ${path}: a foreign Host, Origin or site, or a missing key, is refused`, async () => {
      const cases: [number[], string[]][] = [
        [[403], ['Host: evil.test', key]],
        [[403], [`Host: 127.0.0.1.evil.test:${service.port}`, key]],
        [[400], [host(), 'Host: evil.test', key]],
        [[400], [key]],
        [[403], [host(), key, 'Origin: https://evil.test']],
        [[403], [host(), key, 'Origin: null']],
        [[403], [host(), key, 'Sec-Fetch-Site: cross-site']],
        [[403], [host(), key, 'Sec-Fetch-Site: same-site']],
        [[400], [host(), key, key]],
      ];
      if (path !== proofPath) {
        cases.push([[401], [host()]], [[401], [host(), `Authorization: Bearer ${testKey.slice(0, -1)}x`]]);
      }
      for (const [expected, headers] of cases) {
        const answer = await request(method, path, headers);
        assert.ok(expected.includes(statusOf(answer)), `${headers.join(', ')}: ${answer.slice(0, 200)}`);
        assert.doesNotMatch(answer, /access-control/i);
        assert.doesNotMatch(answer, /set-cookie/i);
      }
    });
  }

  it('checks every request of a keep-alive connection', async () => {
    const good = `GET /v2/browser HTTP/1.1\r\n${host()}\r\n${key}\r\n\r\n`;
    const evil = `GET /v2/browser HTTP/1.1\r\nHost: evil.test\r\n${key}\r\nConnection: close\r\n\r\n`;
    const answers = await sendRaw(service.port, good + evil);
    assert.deepEqual(
      [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1]),
      ['200', '403'],
    );
  });

  it('rejects HTTP/1.0 without Host and an absolute target', async () => {
    assert.equal(statusOf(await sendRaw(service.port, `GET /v2/browser HTTP/1.0\r\n${key}\r\n\r\n`)), 400);
    const absolute = `GET http://evil.test/v2/browser HTTP/1.1\r\n${host()}\r\n${key}\r\nConnection: close\r\n\r\n`;
    assert.equal(statusOf(await sendRaw(service.port, absolute)), 400);
  });

  it('ignores a key in the query', async () => {
    assert.equal(statusOf(await request('GET', `/v2/browser?api_key=${testKey}&token=${testKey}`, [host()])), 401);
  });

  it('sends the security headers with success and failure', async () => {
    for (const path of ['/v2/browser', '/no/such/path']) {
      const { headers } = await service.call('GET', path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    }
  });

  it('handles malicious paths', async () => {
    for (const path of [
      '/v2/../v2/browser',
      '/v2/browser%2f..',
      '/v2/browser/%00',
      '/v2/browser/%zz/execute',
      '/v2/browser;x',
      `/${'a'.repeat(8000)}`,
    ]) {
      const status = statusOf(await request('GET', path, [host(), key]));
      assert.ok([400, 404, 405, 414].includes(status), `${path.slice(0, 40)}: ${status}`);
    }
    assert.equal((await service.call('GET', '/v2/browser')).status, 200);
  });
});

describe('bodies', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const post = (body: BodyInit, headers: Record<string, string>) =>
    fetch(`${service.baseUrl}/v2/browser`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${testKey}`, ...headers },
    });

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    '',
  ]) {
    it(`of type ${type || '(none)'} are refused with 415`, async () => {
      const response = await post(new Blob(['{"ttl":60}']), type ? { 'content-type': type } : {});
      assert.equal(response.status, 415);
      assert.equal((await service.call('GET', '/v2/browser')).body.sessions.length, 0);
    });
  }
  it('that are compressed are refused with 415', async () => {
    const response = await post('{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    assert.equal(response.status, 415);
  });
  it('over 10 MiB are refused with 413', async () => {
    const response = await post(`{"x":"${'a'.repeat(10 * 1024 * 1024)}"}`, { 'content-type': 'application/json' });
    assert.equal(response.status, 413);
  });
  for (const [what, body] of Object.entries({
    'half JSON': '{"ttl":',
    'invalid UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    null: 'null',
    'an array': '[]',
    'a string': '"x"',
    'deep nesting': `${'['.repeat(60_000)}${']'.repeat(60_000)}`,
    'a prototype': '{"__proto__":{"ttl":60}}',
    'an unknown field': '{"tttl":60}',
  })) {
    it(`with ${what} are refused with 400`, async () => {
      const response = await post(new Blob([body]), { 'content-type': 'application/json; charset=utf-8' });
      assert.equal(response.status, 400);
      const answer = (await response.json()) as { success: boolean; error: string };
      assert.equal(answer.success, false);
      assert.equal(typeof answer.error, 'string');
      assert.equal(({} as { ttl?: number }).ttl, undefined);
    });
  }
});

describe('upgrades', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const refusal = (path: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${service.port}${path}`, { headers });
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      socket.on('open', () => resolve(101));
      socket.on('error', reject);
    });

  const key = { authorization: `Bearer ${testKey}` };
  const table: [string, string, Record<string, string>, number][] = [
    ['no key', linkPath, {}, 401],
    ['a wrong key of the same length', linkPath, { authorization: `Bearer ${testKey.slice(0, -1)}x` }, 401],
    ['a foreign Origin', linkPath, { ...key, origin: 'https://evil.test' }, 403],
    ['another loopback port as Origin', linkPath, { ...key, origin: 'http://127.0.0.1:1' }, 403],
    ["another extension's webview", linkPath, { ...key, origin: 'vscode-webview://abc' }, 403],
    ['a foreign Host', linkPath, { ...key, host: 'evil.test' }, 403],
    ['an unknown path', '/v2/browser', key, 404],
    ['a guessed capability', `/cdp/x/${randomBytes(32).toString('base64url')}`, {}, 401],
  ];
  for (const [what, path, headers, expected] of table) {
    it(`with ${what} are refused with ${expected} before the handshake`, async () => {
      assert.equal(await refusal(path, headers), expected);
    });
  }
});
