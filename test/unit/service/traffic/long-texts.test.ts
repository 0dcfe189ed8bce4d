import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CdpClient } from '../../../../src/service/browsers/chrome/cdp-client.ts';
import { keptText } from '../../../../src/service/browsers/chrome/messages.ts';
import { recordConsole } from '../../../../src/service/browsers/traffic/console.ts';
import { recordRequests } from '../../../../src/service/browsers/traffic/requests.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** A client whose events the test sends, as they come from the browser: as JSON. */
function fakeClient() {
  const listeners = new Map<string, (params: Record<string, unknown>, sessionId?: string) => void>();
  const client = {
    on: (event: string, listener: (params: Record<string, unknown>, sessionId?: string) => void) =>
      void listeners.set(event, listener),
    send: async () => ({}),
  } as unknown as CdpClient;
  const emit = (event: string, params: object) => listeners.get(event)?.(JSON.parse(JSON.stringify(params)), 's');
  return { client, emit };
}

/** Returns how many bytes are kept after some work that is repeated. */
function keptAfter(count: number, work: (index: number) => void): number {
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let index = 1; index <= count; index++) work(index);
  gc();
  return process.memoryUsage().heapUsed - before;
}

const long = (index: number, length = 500_000) => `${index} ${'x'.repeat(length)}`;
const most = 20_000_000;

describe('what a session keeps of long texts', () => {
  it('BUD-07: is their beginning alone, of a console', () => {
    const { client, emit } = fakeClient();
    const { entries } = recordConsole(client);
    const frames = (index: number) => ({
      callFrames: [{ url: `http://a.test/#${long(index)}`, lineNumber: 0, columnNumber: 0 }],
    });
    const kept = keptAfter(40, (index) => {
      const args = [
        { type: 'string', value: long(index) },
        { type: 'string', value: 'and' },
      ];
      emit('Runtime.consoleAPICalled', { type: 'log', args, timestamp: index * 3, stackTrace: frames(index) });
      const exceptionDetails = { text: long(index), lineNumber: 0, columnNumber: 0, stackTrace: frames(index) };
      emit('Runtime.exceptionThrown', { timestamp: index * 3 + 1, exceptionDetails });
      emit('Log.entryAdded', { entry: { level: 'error', text: long(index), timestamp: 1, url: long(index) } });
    });
    assert.equal(entries.list().length, 120);
    assert.ok(kept < most, `${kept} bytes are kept`);
    assert.equal(entries.list()[0]?.text, long(1).slice(0, 10_000));
  });

  it('BUD-07: is their beginning alone, of requests and their headers', () => {
    const { client, emit } = fakeClient();
    const { entries } = recordRequests(client);
    const kept = keptAfter(40, (index) => {
      const requestId = String(index);
      const headers = { a: long(index), b: 'c', [long(index, 5_000)]: 'd' };
      const request = { url: `http://a.test/#${long(index)}`, method: 'POST', headers, postData: long(index) };
      const initiator = { stack: { callFrames: [{ url: long(index), lineNumber: 1 }] } };
      emit('Network.requestWillBeSent', {
        requestId,
        request,
        documentURL: long(index),
        initiator,
        timestamp: 1,
        wallTime: 1,
      });
      const response = { status: 200, statusText: long(index), headers, mimeType: long(index), encodedDataLength: 1 };
      emit('Network.responseReceived', { requestId, response, type: 'Document' });
    });
    const [first] = entries.list();
    assert.equal(entries.list().length, 40);
    assert.ok(kept < most, `${kept} bytes are kept`);
    assert.equal(first?.requestHeaders[0]?.value.length, 65_536);
    assert.ok(first?.requestHeaders[0]?.value.endsWith('x…'));
  });

  it('BUD-07: is their beginning alone, of headers that are reported before their requests or without them', () => {
    const { client, emit } = fakeClient();
    recordRequests(client);
    const kept = keptAfter(40, (index) => {
      const headers = { a: long(index) };
      const extra = { requestId: String(index), headers, headersText: long(index), statusCode: 200 };
      emit('Network.requestWillBeSentExtraInfo', extra);
      emit('Network.responseReceivedExtraInfo', extra);
    });
    assert.ok(kept < most, `${kept} bytes are kept`);
  });

  it('BUD-25: is no more than is counted of headers, and nothing once they are forgotten', () => {
    const { client, emit } = fakeClient();
    const record = recordRequests(client);
    const add = (index: number) => {
      const requestId = String(index);
      const request = { url: 'http://a.test/', method: 'GET', headers: {} };
      const common = { documentURL: '', initiator: {}, timestamp: 1, wallTime: 1 };
      emit('Network.requestWillBeSent', { requestId, request, ...common });
      const headers = { a: `${index} ${'x'.repeat(60_000)}` };
      emit('Network.requestWillBeSentExtraInfo', { requestId, headers });
      emit('Network.responseReceivedExtraInfo', { requestId, headers, statusCode: 200 });
    };
    const kept = keptAfter(1_500, add);
    assert.ok(kept < 1.5 * record.length, `${kept} bytes are kept, ${record.length} counted`);
    const left = keptAfter(1, record.forget);
    assert.ok(left < -0.8 * kept, `${left} bytes more after forgetting ${kept}`);
    assert.equal(record.length, 0);
  });

  it('is all of a text that is short enough', () => {
    for (const text of ['', 'a', 'é\u{1f600}', '\ud83d']) assert.equal(keptText(text, 10), text);
    assert.equal(keptText('a\ud83d\ude00', 2), 'a\ud83d');
  });
});
