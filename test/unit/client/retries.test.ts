import assert from 'node:assert/strict';
import { ApiError, CallTimeoutError, CancelledError } from '../../../src/client/errors.ts';
import { parseRetryAfter } from '../../../src/client/retry.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { type Exchange, type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { connect, createImpatientClock, failureOf, type ImpatientClock } from './setup.ts';

describe('client retries', () => {
  let server: FaultyServer;
  let clock: ImpatientClock;
  let respond: (exchange: Exchange) => void;
  beforeEach(async () => {
    clock = createImpatientClock();
    server = await startFaultyServer((_, exchange) => respond(exchange));
  });
  afterEach(() => server.close());

  const client = () => connect(server.baseUrl, { clock });
  const destroy = () => client().deleteBrowserSession({ params: { sessionId: 's' } });

  for (const status of [408, 429, 500, 502, 503, 504]) {
    it(`retries a GET and a DELETE after ${status}, at most twice, with growing waits`, async () => {
      respond = (exchange) => exchange.json({ success: false, error: 'later' }, status);
      await failureOf(client().listBrowserSessions(), ApiError);
      assert.equal(server.arrivals.length, 3);
      assert.deepEqual(clock.waits, [225, 450]);
      await failureOf(destroy(), ApiError);
      assert.equal(server.arrivals.length, 6);
    });

    it(`never retries a POST after ${status}, whatever the option says`, async () => {
      respond = (exchange) => exchange.json({ success: false, error: 'later' }, status);
      await failureOf(client().createBrowserSession({ body: {} }, { retries: 5 }), ApiError);
      assert.equal(server.arrivals.length, 1);
    });
  }

  for (const status of [400, 401, 402, 403, 404, 409, 410, 413, 415, 501]) {
    it(`doesn't retry after ${status}`, async () => {
      respond = (exchange) => exchange.json({ success: false, error: 'no' }, status);
      await failureOf(client().listBrowserSessions(), ApiError);
      await failureOf(destroy(), ApiError);
      assert.equal(server.arrivals.length, 2);
    });
  }

  it('returns the response of a successful retry', async () => {
    respond = (exchange) => (exchange.index < 2 ? exchange.reset() : exchange.json({ sessions: [] }));
    assert.deepEqual(await client().listBrowserSessions(), { sessions: [] });
  });

  it("doesn't retry when retries are turned off", async () => {
    respond = (exchange) => exchange.json({ success: false, error: 'later' }, 429, { 'retry-after': '7' });
    const error = await failureOf(client().listBrowserSessions({}, { retries: 0 }), ApiError);
    assert.equal(error.retryAfterMs, 7000);
    assert.match(error.message, /Try again in 7 s/);
    assert.equal(server.arrivals.length, 1);
  });

  describe('a DELETE that returns 404 (CLI-06)', () => {
    for (const status of [404, 410]) {
      it(`succeeded if the first response was lost (${status})`, async () => {
        respond = (exchange) =>
          exchange.index === 0 ? exchange.reset() : exchange.json({ success: false, error: 'gone' }, status);
        assert.deepEqual(await destroy(), { success: true });
      });

      it(`succeeded if a proxy lost the response (${status})`, async () => {
        respond = (exchange) =>
          exchange.index === 0
            ? exchange.answer(502, '<html>')
            : exchange.json({ success: false, error: 'gone' }, status);
        assert.deepEqual(await destroy(), { success: true });
      });

      it(`is an error if the first attempt was answered (${status})`, async () => {
        respond = (exchange) => exchange.json({ success: false, error: 'gone' }, exchange.index === 0 ? 503 : status);
        assert.equal((await failureOf(destroy(), ApiError)).status, status);
        assert.equal(server.arrivals.length, 2);
      });
    }
  });

  describe('Retry-After (CLI-04)', () => {
    const now = Date.UTC(2026, 0, 1);
    const forms: [string | string[] | undefined, number | undefined][] = [
      ['0', 0],
      ['5', 5000],
      ['120', 120_000],
      [['5', '9'], 5000],
      ['99999999999999999999', 86_400_000],
      [new Date(now + 20_000).toUTCString(), 20_000],
      [new Date(now - 20_000).toUTCString(), 0],
      ['Sun, 06 Nov 2094 08:49:37 GMT', 86_400_000],
      ['-1', undefined],
      ['1e9', undefined],
      ['1.5', undefined],
      ['abc', undefined],
      ['', undefined],
      [undefined, undefined],
    ];
    for (const [header, expected] of forms) {
      it(`${JSON.stringify(header)} is ${expected} ms, with a wait of at most 60 s`, async () => {
        respond = (exchange) =>
          exchange.json(
            { success: false, error: 'slow down' },
            429,
            header === undefined ? {} : { 'retry-after': header },
          );
        const error = await failureOf(client().listBrowserSessions(), ApiError);
        assert.equal(error.retryAfterMs, expected);
        assert.deepEqual(
          clock.waits,
          expected === undefined ? [225, 450] : Array(2).fill(Math.min(expected + 125, 60_000)),
        );
      });
    }

    it('is handled when missing', () => {
      assert.equal(parseRetryAfter(null, now), undefined);
    });
  });

  it('can be canceled while it waits', async () => {
    respond = (exchange) => exchange.json({ success: false, error: 'later' }, 503, { 'retry-after': '50' });
    const still = createFakeClock();
    const cancel = new AbortController();
    const waits: number[] = [];
    const watching = {
      now: still.now,
      after(ms: number, callback: () => void) {
        if (waits.push(ms) === 2) setImmediate(() => cancel.abort());
        return still.after(ms, callback);
      },
    };
    const call = connect(server.baseUrl, { clock: watching }).listBrowserSessions({}, { signal: cancel.signal });
    await failureOf(call, CancelledError);
    assert.deepEqual(waits, [75_000, 50_125]);
    still.advance(100_000);
    assert.equal(server.arrivals.length, 1);
  });

  describe('timeouts and cancellation (CLI-17)', () => {
    const calls = {
      GET: (clock: ImpatientClock | ReturnType<typeof createFakeClock>, options: object) =>
        connect(server.baseUrl, { clock }).listBrowserSessions({}, options),
      POST: (clock: ImpatientClock | ReturnType<typeof createFakeClock>, options: object) =>
        connect(server.baseUrl, { clock }).createBrowserSession({ body: {} }, options),
    };
    const stalls: Record<string, (exchange: Exchange) => void> = {
      'before the answer': () => {},
      'within the headers': ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-'),
      'within the body': ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"id"'),
    };
    for (const [where, stall] of Object.entries(stalls)) {
      for (const method of ['GET', 'POST'] as const) {
        it(`ends a ${method} that stalls ${where} at its limit, without a retry`, async () => {
          const fake = createFakeClock();
          respond = (exchange) => {
            stall(exchange);
            setImmediate(() => fake.advance(5000));
          };
          const error = await failureOf(calls[method](fake, { timeoutMs: 5000 }), CallTimeoutError);
          assert.equal(error.limitMs, 5000);
          assert.match(error.message, /within 5 s/);
          assert.equal(error.outcomeUnknown, method === 'POST');
          assert.equal(server.arrivals.length, 1);
        });

        it(`cancels a ${method} that stalls ${where} immediately`, async () => {
          const cancel = new AbortController();
          respond = (exchange) => {
            stall(exchange);
            setImmediate(() => cancel.abort());
          };
          const error = await failureOf(calls[method](clock, { signal: cancel.signal }), CancelledError);
          assert.equal(error.outcomeUnknown, method === 'POST');
          assert.equal(server.arrivals.length, 1);
        });
      }
    }

    it('sends nothing if it was canceled before', async () => {
      respond = (exchange) => exchange.json({});
      const error = await failureOf(calls.POST(clock, { signal: AbortSignal.abort() }), CancelledError);
      assert.equal(error.outcomeUnknown, false);
      assert.equal(server.arrivals.length, 0);
    });

    it('cancels immediately even if the fetch ignores its signal', async () => {
      const cancel = new AbortController();
      const deaf = () => {
        setImmediate(() => cancel.abort());
        return new Promise<Response>(() => {});
      };
      const call = connect(server.baseUrl, { fetch: deaf }).listBrowserSessions({}, { signal: cancel.signal });
      await failureOf(call, CancelledError);
    });

    it('closes the connection of a canceled call', async () => {
      const cancel = new AbortController();
      const closed = new Promise((resolve) => {
        respond = ({ socket }) => {
          socket.on('close', resolve);
          cancel.abort();
        };
      });
      await failureOf(calls.POST(clock, { signal: cancel.signal }), CancelledError);
      await closed;
    });
  });
});
