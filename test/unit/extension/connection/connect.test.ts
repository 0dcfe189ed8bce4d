import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { watched } from '../../../../src/extension/connection/clients.ts';
import { liveCheck, type Verdict } from '../../../../src/extension/connection/connect/live-check.ts';
import { serverVerdict } from '../../../../src/extension/connection/connect/server-verdict.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';
import { selfSigned } from '../../../harness/self-signed.ts';

const { signal } = new AbortController();

describe('an entered server', () => {
  const servers: Server[] = [];
  const listen = async (server: Server, scheme = 'http') => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const answering = (listener: RequestListener) => listen(createServer(listener));
  const json =
    (status: number, body: object): RequestListener =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('is accepted if it rejects the call without a key that is sent while an address is typed', async () => {
    const seen: (string | undefined)[] = [];
    const url = await answering((request, response) => {
      seen.push(request.headers.authorization);
      json(401, { success: false, error: 'Unauthorized: Token missing' })(request, response);
    });
    assert.deepEqual(await serverVerdict(url, signal), { problem: undefined });
    assert.deepEqual(seen, [undefined]);
  });

  it("isn't accepted if it is another website", async () => {
    const url = await answering((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Shop</title>');
    });
    assert.match((await serverVerdict(url, signal)).problem ?? '', /responded, but it isn't a web data server/);
    const missing = await answering(json(404, { error: 'no such page' }));
    assert.match((await serverVerdict(missing, signal)).problem ?? '', /isn't a web data server/);
  });

  it("is offered over http if it doesn't speak TLS", async () => {
    const url = (await answering(json(401, { error: 'no key' }))).replace('http:', 'https:');
    const { problem, instead } = await serverVerdict(url, signal);
    assert.match(problem ?? '', /doesn't support HTTPS, but answers over HTTP/);
    assert.equal(instead, `${url.replace('https:', 'http:')}/`);
  });

  it("isn't accepted with an untrusted certificate, such as that of a proxy, and the reason says so", async () => {
    const url = await listen(createSecureServer(selfSigned, json(200, {})) as unknown as Server, 'https');
    const { problem, instead } = await serverVerdict(url, signal);
    assert.match(problem ?? '', /^The certificate of 127\.0\.0\.1:\d+ isn't trusted/);
    assert.match(problem ?? '', /certificate authority, install it in the operating system/);
    assert.equal(instead, undefined);
  });

  it("isn't accepted if nothing is listening", async () => {
    const closed = createServer();
    const url = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    assert.match((await serverVerdict(url, signal)).problem ?? '', /^Nothing is listening at 127/);
  });

  it("isn't accepted if it rejects the key, which the reason doesn't contain", async () => {
    const url = await answering(json(401, { success: false, error: 'Unauthorized: Invalid token wrong-key-123' }));
    const { problem } = await serverVerdict(url, signal, 'wrong-key-123');
    assert.match(problem ?? '', /^127\.0\.0\.1:\d+ rejected this API key \(status 401\)\.$/);
    const good = await answering(json(200, { success: true, sessions: [] }));
    assert.deepEqual(await serverVerdict(good, signal, 'right-key-123'), { problem: undefined });
  });
});

describe('an input that is validated as you type', () => {
  function setUp(answer: (text: string, signal: AbortSignal) => Promise<Verdict>) {
    const clock = createFakeClock();
    const shown: string[] = [];
    const asked: string[] = [];
    const check = liveCheck({
      problemOf: (text) => (text.includes(' ') ? 'has a space' : undefined),
      ask: (text, abort) => {
        asked.push(text);
        return answer(text, abort);
      },
      show: ({ busy, problem }) => shown.push(busy ? 'busy' : (problem ?? 'fine')),
      delayMs: 500,
      after: (ms, callback) => clock.after(ms, callback),
    });
    return { check, clock, shown, asked };
  }

  it("asks the server once the text hasn't changed for a moment", async () => {
    const { check, clock, shown, asked } = setUp(async () => ({ problem: 'refused' }));
    for (const text of ['a', 'ab', 'abc']) {
      check.typed(text);
      clock.advance(400);
    }
    assert.deepEqual(asked, []);
    clock.advance(100);
    await new Promise(setImmediate);
    assert.deepEqual(asked, ['abc']);
    assert.deepEqual(shown.slice(-2), ['busy', 'refused']);
  });

  it("doesn't ask the server about invalid text", async () => {
    const { check, clock, shown, asked } = setUp(async () => ({ problem: undefined }));
    check.typed('a b');
    clock.advance(5_000);
    assert.deepEqual([asked, shown], [[], ['has a space']]);
    assert.equal(await check.accepts('a b'), false);
  });

  it('drops a check when the text changes, and never shows its result', async () => {
    const signals: AbortSignal[] = [];
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const { check, clock, shown } = setUp((_text, abort) => {
      signals.push(abort);
      return promise;
    });
    check.typed('old');
    clock.advance(500);
    check.typed('new');
    resolve({ problem: 'late' });
    await new Promise(setImmediate);
    assert.equal(signals[0]?.aborted, true);
    assert.ok(!shown.includes('late'));
  });

  it('accepts a valid text without asking again, and asks again about a failed one', async () => {
    let problem: string | undefined = 'down';
    const { check, asked } = setUp(async () => ({ problem }));
    assert.equal(await check.accepts('abc'), false);
    problem = undefined;
    assert.equal(await check.accepts('abc'), true);
    assert.equal(await check.accepts('abc'), true);
    assert.deepEqual(asked, ['abc', 'abc']);
  });
});

describe('calls to a server', () => {
  it('report whether it responds, unless the caller canceled', async () => {
    const told: boolean[] = [];
    const failing = watched(
      () => Promise.reject(new TypeError('fetch failed')),
      (answered) => told.push(answered),
    );
    await assert.rejects(failing('http://a.test'));
    await assert.rejects(failing('http://a.test', { signal: AbortSignal.abort() }));
    const timeout = new AbortController();
    timeout.abort(new DOMException('late', 'TimeoutError'));
    await assert.rejects(failing('http://a.test', { signal: timeout.signal }));
    const answering = watched(
      async () => new Response('', { status: 500 }),
      (answered) => told.push(answered),
    );
    await answering('http://a.test');
    assert.deepEqual(told, [false, false, true]);
  });
});
