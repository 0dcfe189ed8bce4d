import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { embeddedEndpoints, linkPath, runIdHeader } from '../../src/contract/embedded.ts';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.ts';
import { errorBody } from '../../src/contract/errors.ts';
import { mcpPath } from '../../src/contract/mcp/mcp.ts';
import { livenessPath, metricsPath, readinessPath } from '../../src/contract/operations.ts';
import { runLimitHeader } from '../../src/contract/sessions/execution.ts';
import { ended, linking, startBatch, startCrawl } from '../harness/crawl-jobs.ts';
import { eventually } from '../harness/eventually.ts';
import { startFaultySite } from '../harness/faulty-site.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { ScriptedAgent } from '../harness/mcp-agent.ts';
import { sendRaw, statusOf } from '../harness/raw-http.ts';
import { call, spawnService, startTestService, type TestService, testKey } from '../harness/service.ts';

const contract = Object.values<Endpoint>({ ...endpoints, ...embeddedEndpoints });
const proofPath = embeddedEndpoints.prove.path;
/** Paths that need no key. */
const keyless: readonly string[] = [proofPath, livenessPath, readinessPath];
const otherKey = 'other-team-key-0123456789';
const securityHeaders = [/^x-content-type-options: nosniff\r$/im, /^cache-control: no-store\r$/im];

describe('every route of the running service', () => {
  let service: TestService;
  /** All routes with ids that nothing has, and paths that the service does not know. */
  let everywhere: { method: string; path: string }[];
  before(async () => {
    service = await startTestService();
    everywhere = [
      ...service.routes.map(({ method, path }) => ({
        method,
        path: path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000'),
      })),
      { method: 'GET', path: '/' },
      { method: 'GET', path: '/no/such/path' },
      { method: 'OPTIONS', path: '/v2/browser' },
      { method: 'PUT', path: '/v2/browser' },
      { method: 'GET', path: linkPath },
      { method: 'GET', path: '/cdp/x/y' },
    ];
  });
  after(() => service.close());

  const request = (method: string, path: string, headers: string[]) =>
    sendRaw(
      service.port,
      `${method} ${path} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`,
    );
  const matches = (route: string, path: string) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
  const host = () => `Host: 127.0.0.1:${service.port}`;
  const key = `Authorization: Bearer ${testKey}`;

  it('leaves connections to other teams, however many one of them uses (F6)', async () => {
    const head = `POST /v2/scrape HTTP/1.1\r\n${host()}\r\n${key}\r\nContent-Type: application/json\r\n`;
    const begun = new Set<Socket>();
    let isOver = false;
    const begin = () => {
      const socket = connect(service.port, '127.0.0.1');
      begun.add(socket);
      // The rest of its body never comes.
      socket.on('error', () => undefined).write(`${head}Content-Length: 9\r\n\r\n{`);
      socket.once('close', () => {
        begun.delete(socket);
        if (!isOver) setTimeout(() => !isOver && begin(), 100);
      });
    };
    // More than a team may have: on a slow machine, the first ones are closed before the last ones are there.
    for (let count = 0; count < 1200; count++) begin();
    // Each over a connection of its own: an open one may be closed for want of use just as it is used again.
    const ask = async (of: string) =>
      statusOf(await request('GET', '/v2/browser', [host(), `Authorization: Bearer ${of}`]));
    try {
      await eventually(async () => assert.equal(await ask(testKey), 429));
      assert.equal(await ask(otherKey), 200);
    } finally {
      isOver = true;
      for (const socket of begun) socket.destroy();
    }
    await eventually(async () => assert.equal(await ask(testKey), 200));
  });

  it('leaves connections to callers, however many others open without a key, and keep (NET-28)', async () => {
    const asked = Array.from({ length: 700 }, () => request('GET', '/v2/browser', [host(), key]));
    for (const answer of await Promise.all(asked)) assert.equal(statusOf(answer), 200);
    const begun = new Set<Socket>();
    const begin = async (sent: string) => {
      const socket = connect(service.port, '127.0.0.1');
      begun.add(socket);
      socket.on('error', () => undefined).write(sent);
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    };
    const link = new WebSocket(`ws://127.0.0.1:${service.port}${linkPath}`, {
      headers: { authorization: `Bearer ${testKey}` },
    });
    await once(link, 'open');
    const wrong = `POST /v2/scrape HTTP/1.1\r\n${host()}\r\nAuthorization: Bearer wrong\r\nContent-Length: 9\r\n\r\n{`;
    try {
      for (const sent of ['', 'GET /v2/browser HTTP/1.1\r\n', wrong]) {
        for (let count = 0; count < 2200; count += 100) {
          await Promise.all(Array.from({ length: 100 }, () => begin(sent)));
          assert.equal(statusOf(await request('GET', '/v2/browser', [host(), key])), 200, sent);
        }
      }
      assert.equal(link.readyState, WebSocket.OPEN);
    } finally {
      for (const socket of begun) socket.destroy();
      link.terminate();
    }
  });

  it('reads a limited number of large bodies at the same time, and one of each team (F6)', async () => {
    const begun = Array.from({ length: 32 }, () => {
      const socket = connect(service.port, '127.0.0.1');
      const head = `POST /v2/batch/scrape HTTP/1.1\r\n${host()}\r\n${key}\r\nContent-Type: application/json\r\n`;
      socket.on('error', () => undefined).write(`${head}Content-Length: 5000000\r\n\r\n{`);
      return socket;
    });
    const answered: string[] = [];
    const send = async (of: string) => {
      const headers = { authorization: `Bearer ${of}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ urls: [], unknown: 'x'.repeat(100_000) });
      const { status } = await service.call('POST', '/v2/batch/scrape', undefined, { headers, body });
      answered.push(`${of} ${status}`);
    };
    try {
      // All of them have arrived before what is asked next.
      assert.equal((await service.call('GET', '/v2/browser')).status, 200);
      const own = send(testKey);
      await send(otherKey);
      assert.deepEqual(answered, [`${otherKey} 400`]);
      begun.pop()?.destroy();
      await own;
      assert.deepEqual(answered, [`${otherKey} 400`, `${testKey} 400`]);
    } finally {
      for (const socket of begun) socket.destroy();
    }
  });

  it('is one of the contract, at its path or an alias, or a path for coding agents or operators (NET-00)', () => {
    const named = (method: string, path: string) => `${method} ${path}`;
    const versions = ['', '/'].map((end) => `/cdp/:session/:secret/json/version${end}`);
    assert.deepEqual(
      service.routes.map(({ method, path }) => named(method, path)).sort(),
      contract
        .flatMap(({ method, path, aliases = [] }) => [path, ...aliases].map((each) => named(method, each)))
        .concat(named('POST', mcpPath), named('DELETE', mcpPath))
        .concat([livenessPath, readinessPath, metricsPath, ...versions].map((path) => named('GET', path)))
        .sort(),
    );
  });

  it('refuses a foreign Host, Origin or site, and a missing key (NET-00, NET-01, NET-05, NET-06, NET-07, NET-13, NET-18)', async () => {
    for (const { method, path } of everywhere) {
      const cases: [number, string[]][] = [
        [403, ['Host: evil.test', key]],
        [403, [`Host: 127.0.0.1.evil.test:${service.port}`, key]],
        [400, [host(), 'Host: evil.test', key]],
        [400, [key]],
        [403, [host(), key, 'Origin: https://evil.test']],
        [403, [host(), key, 'Origin: null']],
        [403, [host(), key, 'Sec-Fetch-Site: cross-site']],
        [403, [host(), key, 'Sec-Fetch-Site: same-site']],
        [400, [host(), key, key]],
      ];
      if (!keyless.includes(path)) {
        cases.push(
          [401, [host()]],
          [401, [host(), `Authorization: Bearer ${testKey.slice(0, -1)}x`]],
          [401, [host(), `Cookie: authorization=Bearer ${testKey}; key=${testKey}`]],
        );
      }
      for (const [expected, headers] of cases) {
        const answer = await request(method, path, headers);
        const message = `${method} ${path} with ${headers.join(', ')}: ${answer.slice(0, 300)}`;
        assert.equal(statusOf(answer), expected, message);
        assert.doesNotMatch(answer, /access-control|set-cookie/i, message);
        for (const header of securityHeaders) assert.match(answer, header, message);
      }
    }
  });

  it('allows no page of another origin, whatever a preflight asks for (NET-09)', async () => {
    for (const { path } of everywhere) {
      const preflight = (origin: string) =>
        request('OPTIONS', path, [
          host(),
          key,
          `Origin: ${origin}`,
          'Access-Control-Request-Method: POST',
          'Access-Control-Request-Private-Network: true',
        ]);
      for (const origin of ['https://evil.test', `http://127.0.0.1:${service.port}`]) {
        const answer = await preflight(origin);
        assert.ok([403, 404, 405].includes(statusOf(answer)), `${path}: ${answer.slice(0, 200)}`);
        assert.doesNotMatch(answer, /access-control/i);
      }
    }
  });

  it('returns 405 for other methods, with those that it accepts (NET-22)', async () => {
    const paths = new Map<string, string[]>();
    for (const { method, path } of everywhere.slice(0, service.routes.length)) {
      // The key opens all other paths.
      if (path !== metricsPath) paths.set(path, [...(paths.get(path) ?? []), method]);
    }
    for (const [path, methods] of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        // A path may also be one with a parameter.
        if (service.routes.some((route) => route.method === method && matches(route.path, path))) continue;
        const answer = await request(method, path, [host(), key]);
        assert.equal(statusOf(answer), 405, `${method} ${path}: ${answer.slice(0, 200)}`);
        const allowed = /^allow: (.+)\r$/im.exec(answer)?.[1]?.split(', ') ?? [];
        assert.deepEqual(
          methods.filter((each) => !allowed.includes(each)),
          [],
        );
        assert.equal(allowed.includes(method), false);
        const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
        if (method === 'HEAD') assert.equal(body, '');
        else assert.equal(errorBody.parse(JSON.parse(body)).success, false);
      }
    }
    assert.equal(statusOf(await request('GET', '/v2/browser/', [host(), key])), 404);
    assert.equal(statusOf(await request('PUT', '/no/such/path', [host(), key])), 404);
  });

  it('reads no body that is not JSON, or is too large (NET-08, NET-20)', async () => {
    const json = 'Content-Type: application/json';
    const cases: [number, string[]][] = [
      [413, [json, `Content-Length: ${10 * 1024 * 1024 + 1}`]],
      [415, ['Content-Type: text/plain', 'Content-Length: 2']],
      [415, ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 2']],
    ];
    for (const { method, path } of everywhere) {
      if (method !== 'POST' && method !== 'DELETE') continue;
      for (const [expected, headers] of cases) {
        const answer = await request(method, path, [host(), key, ...headers]);
        assert.equal(
          statusOf(answer),
          expected,
          `${method} ${path} with ${headers.join(', ')}: ${answer.slice(0, 200)}`,
        );
      }
    }
  });

  it('keeps what belongs to a team from all others (NET-23)', async () => {
    const site = await startFaultySite();
    site.answer('/', linking('Moonstone'));
    let agent: ScriptedAgent | undefined;
    try {
      const url = site.baseUrl;
      const session = (await service.call('POST', '/v2/browser', {})).body.id;
      const scrape = (await service.call('POST', '/v2/scrape', { url })).body.data.metadata.scrapeId;
      const crawl = await startCrawl(service, { url, sitemap: 'skip' });
      const batch = await startBatch(service, { urls: [url] });
      const page = (await ended(service, crawl)).data[0].metadata.scrapeId;
      await ended(service, batch, '/v2/batch/scrape');
      const added = await service.call('POST', '/embedded/docs-sources', { crawlId: crawl });
      assert.equal(added.status, 200, JSON.stringify(added.body));
      const source = added.body.source?.id ?? added.body.id;
      const { id: agentKey, key: agentSecret } = (
        await service.call('POST', '/embedded/agent-keys', { name: 'Moonstone' })
      ).body;
      agent = await ScriptedAgent.connect(service.baseUrl, agentSecret, 'Moonstone');
      await agent.open(url);
      await service.call('POST', `/embedded/agent-keys/${agentKey}/rules`, { rules: { hosts: [] } });
      agent.try('run_code', { code: '"Moonstone"' }).catch(() => undefined);
      const monitored = await service.call('POST', '/v2/monitor', {
        name: 'Moonstone',
        schedule: { text: 'daily' },
        targets: [{ type: 'scrape', urls: [url] }],
      });
      const monitor = monitored.body.data.id;
      const runId = randomUUID();
      await fetch(`${service.baseUrl}/v2/browser/${session}/execute`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          'content-type': 'application/json',
          [runIdHeader]: runId,
          [runLimitHeader]: 'none',
        },
        body: JSON.stringify({ code: '"Moonstone"' }),
      });
      const { session: agentSession, request: permit } = await eventually(async () => {
        const { sessions, requests } = (await service.call('GET', '/embedded/agent-sessions')).body;
        return { session: sessions[0].sessionId, request: requests[0].id };
      });
      const ids: Record<string, string[]> = {
        keyId: [agentKey],
        sessionId: [session, agentSession],
        requestId: [permit],
        jobId: [crawl, batch, scrape, page],
        sourceId: [source],
        runId: [runId],
        monitorId: [monitor],
      };
      const bodies: Record<string, object> = {
        execute: { code: '1' },
        interact: { code: '1' },
        reset: {},
        continue: { limit: 10 },
        stop: {},
        renew: { ttl: 60 },
        rules: { rules: {} },
        pause: { paused: true },
        ':requestId': { answer: 'once' },
        find: { urls: [url] },
        feedback: { rating: 'good' },
        'save-login': { name: 'taken' },
        run: {},
        repeat: {},
        ':monitorId': { name: 'taken' },
      };
      const byOther = (method: string, path: string, body?: object) =>
        call<object>(service.baseUrl, otherKey, method, path, body);
      const leaks = (text: string) =>
        [session, agentSession, permit, scrape, crawl, batch, page, source, agentKey, monitor, 'Moonstone'].filter(
          (id) => text.includes(id),
        );
      for (const { method, path } of service.routes) {
        // The secret in it is the key.
        if (path.startsWith('/cdp/')) continue;
        const [, parameter] = /:(\w+)/.exec(path) ?? [];
        const last = path.split('/').at(-1) ?? '';
        const body = method === 'POST' || method === 'PATCH' ? bodies[last] : undefined;
        if (parameter) {
          assert.ok(method !== 'POST' || body, `${method} ${path}: the test has no request for it`);
          for (const id of ids[parameter] ?? assert.fail(`${path}: the test has no ${parameter}`)) {
            const answer = await byOther(method, path.replace(`:${parameter}`, id).replace(/:\w+/, runId), body);
            assert.ok([403, 404].includes(answer.status), `${method} ${path}: ${answer.status}`);
            assert.deepEqual(leaks(JSON.stringify(answer.body).replaceAll(id, '')), []);
          }
        } else if (method === 'GET') {
          const answer = await byOther(method, `${path}?${path === proofPath ? `nonce=${'0'.repeat(64)}` : ''}`);
          const { body: found } = path.endsWith('page-search')
            ? await byOther('GET', `${path}?query=moonstone`)
            : answer;
          assert.deepEqual(leaks(JSON.stringify(found)), [], `${method} ${path}`);
        }
      }
      const inBodies: [endpoint: Endpoint, field: string, body: object][] = [
        [endpoints.deleteBrowserSessionByBody, 'id', { id: session }],
        [endpoints.startBatchScrape, 'appendToId', { urls: [url], appendToId: batch }],
        [embeddedEndpoints.addDocsSource, 'crawlId', { crawlId: crawl }],
        [endpoints.submitFeedback, 'jobId', { endpoint: 'scrape', jobId: scrape, rating: 'good' }],
      ];
      for (const [{ method, path, aliases = [] }, field, body] of inBodies) {
        for (const each of [path, ...aliases]) {
          assert.ok([403, 404].includes((await byOther(method, each, body)).status), `${method} ${each} with ${field}`);
        }
      }
      assert.ok([403, 404].includes((await byOther('GET', `/embedded/page-search?query=x&jobId=${crawl}`)).status));
      const repeated = await byOther('POST', '/v2/crawl', { url, since: crawl });
      assert.equal(repeated.status, 400);
      assert.match(JSON.stringify(repeated.body), /belongs to another team/);
      const fields = contract.flatMap((entry) =>
        [entry.body, entry.query].flatMap((part) => Object.keys(part?.shape ?? {}).filter((name) => /id$/i.test(name))),
      );
      assert.deepEqual([...new Set(fields)].sort(), ['appendToId', 'crawlId', 'id', 'jobId'], 'all are tried');
      const own = await service.call('POST', `/v2/browser/${session}/execute`, { code: '1 + 1', language: 'node' });
      assert.equal(own.body.result, '2');
      assert.equal((await service.call('GET', `/v2/crawl/${crawl}`)).body.completed, 1);
      assert.equal((await service.call('GET', `/v2/batch/scrape/${batch}`)).body.completed, 1);
      assert.equal((await service.call('GET', '/embedded/docs-sources')).body.sources.length, 1);
      const { requests, sessions } = (await service.call('GET', '/embedded/agent-sessions')).body;
      assert.deepEqual([requests.length, sessions[0].paused], [1, false], 'nobody else has answered or paused');
      for (const id of [session, agentSession]) await service.call('DELETE', `/v2/browser/${id}`);
    } finally {
      await agent?.close();
      await site.close();
    }
  });

  it('checks every request of a keep-alive connection (NET-21)', async () => {
    const good = `GET /v2/browser HTTP/1.1\r\n${host()}\r\n${key}\r\n\r\n`;
    const evil = `GET /v2/browser HTTP/1.1\r\nHost: evil.test\r\n${key}\r\nConnection: close\r\n\r\n`;
    const answers = await sendRaw(service.port, good + evil);
    assert.deepEqual(
      [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1]),
      ['200', '403'],
    );
  });

  it('answers requests that offer another protocol or expect something as it answers others (NET-27)', async () => {
    for (const header of [
      'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
      'Connection: Upgrade, close\r\nUpgrade: TLS/1.2',
      'Connection: close\r\nExpect: the impossible',
    ]) {
      const get = `GET /v2/browser HTTP/1.1\r\n${host()}\r\n${key}\r\n${header}\r\n\r\n`;
      assert.equal(statusOf(await sendRaw(service.port, get)), 200, header);
      const post = `POST /v2/scrape HTTP/1.1\r\n${host()}\r\n${key}\r\n${header}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      assert.match(
        await sendRaw(service.port, post),
        /^HTTP\/1\.1 400 .*x-content-type-options.*"url: expected/s,
        header,
      );
      const keyless = get.replace(key, 'X: y');
      assert.equal(statusOf(await sendRaw(service.port, keyless)), 401, header);
    }
  });

  it('rejects HTTP/1.0 without Host and an absolute target (NET-04)', async () => {
    assert.equal(statusOf(await sendRaw(service.port, `GET /v2/browser HTTP/1.0\r\n${key}\r\n\r\n`)), 400);
    const absolute = `GET http://evil.test/v2/browser HTTP/1.1\r\n${host()}\r\n${key}\r\nConnection: close\r\n\r\n`;
    assert.equal(statusOf(await sendRaw(service.port, absolute)), 400);
  });

  it('ignores a key in the query (NET-14)', async () => {
    for (const { method, path } of everywhere) {
      if (keyless.includes(path)) continue;
      const answer = await request(method, `${path}?api_key=${testKey}&token=${testKey}`, [host()]);
      assert.equal(statusOf(answer), 401, `${method} ${path}`);
    }
  });

  it('sends the security headers with success and failure (NET-10)', async () => {
    for (const path of ['/v2/browser', '/no/such/path']) {
      const { headers } = await service.call('GET', path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
    }
  });

  it('serves others while hundreds of connections send nothing, or a byte at a time (NET-19)', async () => {
    const idle = Array.from({ length: 500 }, () => connect(service.port, '127.0.0.1').on('error', () => undefined));
    try {
      for (const socket of idle.slice(0, 250)) socket.write('G');
      for (let number = 0; number < 10; number++) assert.equal((await service.call('GET', '/v2/browser')).status, 200);
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });

  it('handles malicious paths (NET-22, NET-24)', async () => {
    for (const path of [
      '/v2/../v2/browser',
      '/v2/browser%2f..',
      '/v2/browser/%00',
      '/v2/browser/%zz/execute',
      '/v2/browser;x',
      '/v2/scrape/<script>alert(1)</script>',
      `/${'a'.repeat(8000)}`,
    ]) {
      const answer = await request('GET', path, [host(), key]);
      assert.ok([400, 404, 405, 414].includes(statusOf(answer)), `${path.slice(0, 40)}: ${statusOf(answer)}`);
      assert.match(answer, /^content-type: application\/json/im);
    }
    assert.equal((await service.call('GET', '/v2/browser')).status, 200);
  });
});

describe('bodies (NET-08, NET-20)', () => {
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
  it('over 1 MiB are refused with 413', async () => {
    const response = await post(`{"x":"${'a'.repeat(1024 * 1024)}"}`, { 'content-type': 'application/json' });
    assert.equal(response.status, 413);
    assert.match(((await response.json()) as { error: string }).error, /the limit is 1 MiB/);
  });
  it('are answered before they have arrived, without cutting the caller off (NET-25)', async () => {
    const dataDir = temporaryFolder();
    // In a process of its own, as callers know it: it answers while they still send.
    const apart = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0']);
    try {
      const body = 'x'.repeat(30 * 1024 * 1024);
      const send = async (key: string | null) => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
        const response = await fetch(`${apart.line.baseUrl}/v2/browser`, { method: 'POST', body, headers });
        await response.arrayBuffer();
        return response.status;
      };
      for (let round = 0; round < 10; round++) {
        assert.equal(await send(apart.line.apiKey), 413);
        assert.equal(await send('another-key'), 401);
      }
    } finally {
      apart.child.kill('SIGKILL');
      await apart.exited;
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });
  it('that are nested deeply within a field are refused with 400', async () => {
    for (const levels of [600, 5000, 10_000]) {
      const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
      for (const [path, rest] of [
        ['/v2/agent', '"prompt":"x"'],
        ['/v2/extract', '"urls":["https://site.test/"]'],
      ]) {
        const body = `{${rest},"schema":${deep}}`;
        const response = await fetch(service.baseUrl + path, { method: 'POST', body, headers });
        assert.equal(response.status, 400);
        assert.match(((await response.json()) as { error: string }).error, /nested too deeply/);
      }
    }
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

describe('upgrades', () => {
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
    it(`with ${what} are refused with ${expected} before the handshake (WS-01, WS-02, WS-03)`, async () => {
      assert.equal(await refusal(path, headers), expected);
    });
  }
});
