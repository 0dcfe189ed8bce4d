import assert from 'node:assert/strict';
import type { CdpClient } from '../../../../src/service/browsers/chrome/cdp-client.ts';
import { recordRequests } from '../../../../src/service/browsers/traffic/requests.ts';

type Params = Record<string, unknown>;

/** A browser that reports what a test says, and whose bodies have `bodyLength` characters. */
function browser(bodyLength = 10) {
  const listeners = new Map<string, (params: Params, sessionId?: string) => void>();
  const client = {
    send: async () => ({ body: 'x'.repeat(bodyLength), base64Encoded: false }),
    on: (method: string, listener: (params: Params) => void) => listeners.set(method, listener),
  } as unknown as CdpClient;
  const report = (method: string, params: Params) => listeners.get(`Network.${method}`)?.(params, 's');
  const send = (requestId: string, more: Params = {}) =>
    report('requestWillBeSent', {
      requestId,
      request: { url: `http://site/${requestId}`, method: 'GET', headers: {} },
      timestamp: 1,
      wallTime: 1,
      type: 'Fetch',
      initiator: {},
      documentURL: 'http://site/',
      ...more,
    });
  const response = (status: number) => ({ status, statusText: '', headers: {}, mimeType: '', encodedDataLength: 0 });
  return { record: recordRequests(client), report, send, response };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the requests of a session', () => {
  it('are the newest thousand', () => {
    const { record, send } = browser();
    for (let index = 0; index < 1005; index++) send(`q${index}`);
    assert.equal(record.entries.list().length, 1000);
    assert.equal(record.entries.dropped, 5);
    assert.equal(record.entries.list()[0]?.url, 'http://site/q5');
  });

  it('keep 50 MB with their headers: those of the oldest go first (BUD-25)', () => {
    const { record, report, send } = browser();
    const headers = { cookie: 'x'.repeat(60_000) };
    for (let index = 0; index < 1000; index++) {
      send(`q${index}`);
      report('requestWillBeSentExtraInfo', { requestId: `q${index}`, headers });
    }
    assert.ok(record.length > 49_000_000 && record.length <= 50_000_000, String(record.length));
    const [first] = record.entries.list();
    assert.deepEqual([first?.requestHeaders, record.entries.list().at(-1)?.requestHeaders.length], [[], 1]);
    record.forget();
    assert.deepEqual([record.length, record.entries.list().length], [0, 1000]);
  });

  it('keep 50 MB of bodies: the oldest go first', async () => {
    const { record, report, send, response } = browser(4_000_000);
    for (let index = 0; index < 14; index++) {
      send(`q${index}`);
      report('responseReceived', { requestId: `q${index}`, response: response(200), type: 'Fetch' });
      report('loadingFinished', { requestId: `q${index}`, timestamp: 2, encodedDataLength: 1 });
      await settled();
    }
    const kept = record.entries.list().map(({ responseBody }) => responseBody !== undefined);
    assert.deepEqual(kept, [false, false, ...Array(12).fill(true)]);
  });

  it('have the headers of their own step, whenever these are reported', () => {
    const { record, report, send, response } = browser();
    const extra = (requestId: string, step: string) => {
      report('requestWillBeSentExtraInfo', { requestId, headers: { step } });
      report('responseReceivedExtraInfo', { requestId, headers: { step }, statusCode: step === 'one' ? 302 : 200 });
    };
    send('q');
    extra('q', 'one');
    extra('q', 'two');
    send('q', { redirectResponse: response(302), redirectHasExtraInfo: true });
    report('responseReceived', { requestId: 'q', response: response(200), type: 'Fetch' });
    assert.deepEqual(
      record.entries
        .list()
        .map(({ status, requestHeaders, responseHeaders }) => [status, requestHeaders, responseHeaders]),
      (
        [
          ['one', 302],
          ['two', 200],
        ] as const
      ).map(([value, status]) => [status, [{ name: 'step', value }], [{ name: 'step', value }]]),
    );
  });
});
