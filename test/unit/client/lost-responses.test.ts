import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ClientError, ConnectionError, OutcomeUnknownError } from '../../../src/client/errors.ts';
import { type Exchange, startDeafServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { assertKeyless, canary, connect, failureOf } from './setup.ts';

const body = JSON.stringify({ success: true, id: 's1', sessions: [{ id: 'é😀' }] });
const whole = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;

/** Runs `act` on a client whose server answers every request as `respond` does. */
async function withServer<T>(
  respond: (exchange: Exchange, method: string) => void,
  act: (client: ReturnType<typeof connect>, arrivals: { method: string }[]) => Promise<T>,
): Promise<T> {
  const server = await startFaultyServer(({ method }, exchange) => respond(exchange, method));
  try {
    return await act(connect(server.baseUrl), server.arrivals);
  } finally {
    await server.close();
  }
}

describe('client lost responses', () => {
  const faults: Record<string, (exchange: Exchange) => void> = {
    'a reset before the answer': (exchange) => exchange.reset(),
    'an end before the answer': (exchange) => exchange.bytes(''),
    'a reset within the headers': (exchange) => exchange.reset('HTTP/1.1 200 OK\r\ncontent-ty'),
    'a reset after the headers': (exchange) => exchange.reset(whole.slice(0, whole.indexOf('{'))),
    'a reset within the body': (exchange) => exchange.reset(whole.slice(0, -5)),
    'a length that is too long': (exchange) => exchange.bytes(whole.replace(/length: \d+/, 'length: 9999')),
    'a broken chunk': (exchange) =>
      exchange.bytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"suc\r\nzz\r\nxx\r\n'),
    'chunks without their end': (exchange) =>
      exchange.bytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"suc\r\n'),
    'no HTTP at all': (exchange) => exchange.bytes('220 smtp.example.com ready\r\n'),
    'headers that are too long': (exchange) => exchange.bytes(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`),
  };
  for (const [name, fault] of Object.entries(faults)) {
    it(`sends a POST once after ${name}, and reports that the outcome is unknown (CLI-05)`, async () => {
      await withServer(fault, async (client, arrivals) => {
        for (const call of [
          () => client.createBrowserSession({ body: {} }),
          () => client.executeInBrowserSession({ params: { sessionId: 's' }, body: { code: '1' } }),
        ]) {
          const error = await failureOf(call(), OutcomeUnknownError);
          assert.equal(error.outcomeUnknown, true);
          assert.match(error.message, /may have processed the request; it wasn't sent again/);
        }
        assert.equal(arrivals.length, 2);
      });
    });

    it(`sends a GET and a DELETE three times after ${name} (CLI-06)`, async () => {
      await withServer(fault, async (client, arrivals) => {
        assert.equal((await failureOf(client.listBrowserSessions(), ConnectionError)).outcomeUnknown, false);
        assert.equal(arrivals.length, 3);
        const deletion = client.deleteBrowserSession({ params: { sessionId: 's' } });
        assert.equal((await failureOf(deletion, ConnectionError)).outcomeUnknown, true);
        assert.equal(arrivals.length, 6);
      });
    });
  }

  it('never accepts a truncated response, whatever byte it ends at (CLI-02)', async () => {
    const bytes = Buffer.from(whole);
    let cut = 0;
    await withServer(
      (exchange) => exchange.bytes(bytes.subarray(0, cut)),
      async (client, arrivals) => {
        for (cut = 0; cut < bytes.length; cut++) {
          await failureOf(client.createBrowserSession({ body: {} }), ClientError);
          await failureOf(client.listBrowserSessions({}, { retries: 0 }), ClientError);
          assert.equal(arrivals.length, (cut + 1) * 2);
        }
        assert.equal((await client.createBrowserSession({ body: {} })).id, 's1');
        assert.equal((await client.listBrowserSessions()).sessions[0]?.id, 'é😀');
      },
    );
  });

  it('rejects a response that is longer than its Content-Length (CLI-02)', async () => {
    await withServer(
      (exchange) => exchange.bytes(whole.replace(/length: \d+/, 'length: 20')),
      async (client, arrivals) => {
        const error = await failureOf(client.createBrowserSession({ body: {} }), ClientError);
        assert.equal(error.outcomeUnknown, true);
        await failureOf(client.listBrowserSessions({}, { retries: 0 }), ClientError);
        assert.equal(arrivals.length, 2);
      },
    );
  });

  it('connects once for a POST that is reset before it is read', async () => {
    const server = await startDeafServer();
    try {
      const client = connect(server.baseUrl);
      await failureOf(client.createBrowserSession({ body: {} }), ClientError);
      assert.equal(server.connections, 1);
      await failureOf(client.listBrowserSessions(), ConnectionError);
      assert.equal(server.connections, 4);
    } finally {
      await server.close();
    }
  });

  it('reports that nothing is listening, and that a POST was not sent', async () => {
    const client = connect(`http://127.0.0.1:${await freePort()}`);
    for (const call of [() => client.createBrowserSession({ body: {} }), () => client.listBrowserSessions()]) {
      const error = await failureOf(call(), ConnectionError);
      assert.equal(error.code, 'ECONNREFUSED');
      assert.equal(error.outcomeUnknown, false);
      assert.match(error.message, /nothing is listening at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Start the server/);
    }
  });

  it("uses a new connection for each POST, so that a kept one can't be dead", async () => {
    const ports = new Set<number | undefined>();
    await withServer(
      ({ socket, index }) => {
        ports.add(socket.remotePort);
        // The connection is offered for reuse, and closes as soon as a second request uses it.
        const body = '{"id":"s"}';
        if (index > 1) socket.resetAndDestroy();
        else socket.write(`HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      },
      async (client) => {
        await client.createBrowserSession({ body: {} });
        await client.createBrowserSession({ body: {} });
      },
    );
    assert.equal(ports.size, 2);
  });

  it('settles with a value or a ClientError whatever the server sends, and a POST arrives once (CLI-19)', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .json()
        .map((json) => Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`)),
      fc
        .tuple(fc.integer({ min: 0, max: 1099 }), fc.string({ unit: 'binary', maxLength: 80 }), fc.jsonValue())
        .map(([status, header, value]) =>
          Buffer.from(
            `HTTP/1.1 ${status} X\r\nretry-after: ${header}\r\n\r\n${JSON.stringify({ id: canary, error: value })}`,
          ),
        ),
      fc
        .tuple(fc.nat(whole.length), fc.uint8Array({ maxLength: 8 }), fc.nat(whole.length))
        .map(([at, noise, skip]) =>
          Buffer.concat([Buffer.from(whole).subarray(0, at), noise, Buffer.from(whole).subarray(at + skip)]),
        ),
    );
    let answer: { data: Uint8Array; reset: boolean } = { data: Buffer.alloc(0), reset: false };
    await withServer(
      (exchange) => (answer.reset ? exchange.reset(answer.data) : exchange.bytes(answer.data)),
      async (client, arrivals) => {
        const property = fc.asyncProperty(
          bytes,
          fc.boolean(),
          fc.constantFrom('GET', 'POST', 'DELETE'),
          async (data, reset, method) => {
            answer = { data, reset };
            const before = arrivals.length;
            const call =
              method === 'GET'
                ? client.listBrowserSessions()
                : method === 'POST'
                  ? client.createBrowserSession({ body: {} })
                  : client.deleteBrowserSession({ params: { sessionId: 's' } });
            await call.catch(assertKeyless);
            assert.ok(arrivals.length - before <= (method === 'POST' ? 1 : 3));
          },
        );
        await fc.assert(property, { numRuns: 300 });
      },
    );
  });
});
