import assert from 'node:assert/strict';
import http from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ConnectionError } from '../../../src/client/errors.ts';
import { longFetch } from '../../../src/client/long-fetch.ts';
import { type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { selfSigned } from '../../harness/self-signed.ts';
import { connect, failureOf } from './setup.ts';

describe('long fetch', () => {
  let server: FaultyServer;
  afterEach(() => server?.close());

  it('sends method, headers and body, and returns status, headers and body', async () => {
    server = await startFaultyServer((_, exchange) =>
      exchange.json({ a: 'süß😀' }, 418, { 'x-one': 'y', 'set-cookie': ['a=1', 'b=2'] }),
    );
    const response = await longFetch(`${server.baseUrl}/p?q=1`, {
      method: 'POST',
      headers: { 'x-run': '7' },
      body: '{"emoji":"😀"}',
    });
    assert.equal(response.status, 418);
    assert.equal(response.headers.get('x-one'), 'y');
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.deepEqual(await response.json(), { a: 'süß😀' });
    const [arrival] = server.arrivals;
    assert.equal(arrival?.method, 'POST');
    assert.equal(arrival?.target, '/p?q=1');
    assert.equal(arrival?.headers['x-run'], '7');
    assert.equal(arrival?.headers['content-length'], String(Buffer.byteLength('{"emoji":"😀"}')));
    assert.equal(arrival?.headers.connection, 'close');
    assert.equal(arrival?.body, '{"emoji":"😀"}');
  });

  it('calls whatever replaced the request function of node:http, as VS Code does for proxies', async () => {
    server = await startFaultyServer((_, exchange) => exchange.json({}));
    const original = http.request;
    const asked: unknown[] = [];
    http.request = ((...args: Parameters<typeof original>) => {
      asked.push(args[0]);
      return original(...args);
    }) as typeof original;
    try {
      await (await longFetch(server.baseUrl)).text();
    } finally {
      http.request = original;
    }
    assert.deepEqual(asked.map(String), [`${server.baseUrl}/`]);
  });

  it('returns responses without a body', async () => {
    server = await startFaultyServer((_, exchange) => exchange.bytes('HTTP/1.1 204 No\r\nconnection: close\r\n\r\n'));
    const response = await longFetch(server.baseUrl);
    assert.equal(response.status, 204);
    assert.equal(response.body, null);
  });

  it('reads no faster than its consumer', async () => {
    let written = 0;
    const total = 64;
    server = await startFaultyServer((_, { socket }) => {
      const block = Buffer.alloc(1024 * 1024, 'x');
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${block.length * total}\r\nconnection: close\r\n\r\n`);
      const send = () => {
        if (written < total && !socket.destroyed)
          socket.write(block, () => {
            written++;
            send();
          });
      };
      send();
    });
    const response = await longFetch(server.baseUrl);
    const reader = response.body?.getReader();
    await reader?.read();
    // The sockets' own buffers are far smaller than the whole.
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(written < total);
    let bytes = 0;
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read())
      bytes += chunk.value.byteLength;
    assert.ok(bytes > (total - 8) * 1024 * 1024);
  });

  it('rejects with the reason of an abort, before and during the response', async () => {
    server = await startFaultyServer((_, { socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc');
    });
    await assert.rejects(longFetch(server.baseUrl, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    const cancel = new AbortController();
    const response = await longFetch(server.baseUrl, { signal: cancel.signal });
    const text = response.text();
    cancel.abort();
    await assert.rejects(text);
    assert.equal(server.arrivals.length, 1);
  });

  it('leaves no listener on the signal', async () => {
    server = await startFaultyServer((_, exchange) => exchange.json({}));
    const cancel = new AbortController();
    const { signal } = cancel;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    let listeners = 0;
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    const response = await longFetch(server.baseUrl, { signal });
    await response.text();
    while (listeners > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it("rejects statuses that a response can't have", async () => {
    server = await startFaultyServer((_, exchange) => exchange.bytes('HTTP/1.1 700 What\r\nconnection: close\r\n\r\n'));
    await assert.rejects(longFetch(server.baseUrl), RangeError);
  });

  describe('over TLS', () => {
    const tls = createHttpsServer(selfSigned, (_, response) => response.end('{"id":"s"}'));
    let port: number;
    before(async () => {
      await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
      port = (tls.address() as AddressInfo).port;
    });
    after(() => {
      tls.closeAllConnections();
      tls.close();
    });

    it('rejects an untrusted certificate, for POST and GET, and sends nothing (CLI-15)', async () => {
      const client = connect(`https://127.0.0.1:${port}`);
      for (const call of [() => client.createBrowserSession({ body: {} }), () => client.listBrowserSessions()]) {
        const error = await failureOf(call(), ConnectionError);
        assert.match(error.message, /certificate of 127\.0\.0\.1:\d+ isn't trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
        assert.equal(error.outcomeUnknown, false);
      }
    });

    it("suggests http:// if a server doesn't speak TLS", async () => {
      server = await startFaultyServer((_, exchange) => exchange.json({}));
      const client = connect(`https://127.0.0.1:${server.port}`);
      for (const call of [
        () => client.createBrowserSession({ body: {} }),
        () => client.listBrowserSessions({}, { retries: 0 }),
      ]) {
        const error = await failureOf(call(), ConnectionError);
        assert.match(error.message, /the TLS handshake with .* failed/);
        assert.equal(error.outcomeUnknown, false);
      }
    });
  });
});
