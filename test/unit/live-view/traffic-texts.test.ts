import assert from 'node:assert/strict';
import { exchangeText, lineText } from '../../../src/extension/live-view/traffic/texts.ts';

const exchange = {
  success: true,
  id: 'r1',
  method: 'POST',
  url: 'https://shop.test/cart',
  type: 'fetch',
  page: 'https://shop.test/',
  state: 'finished',
  startedAt: '2026-11-24T10:00:00.000Z',
  durationMs: 41,
  status: 201,
  statusText: 'Created',
  mimeType: 'application/json',
  bytes: 11,
  transferredBytes: 90,
  protocol: 'h2',
  requestHeaders: [
    { name: 'Content-Type', value: 'application/json' },
    { name: 'Authorization', value: '***' },
  ],
  requestBody: '{"id":1}',
  responseHeaders: [{ name: 'server', value: 'shop' }],
  responseBody: { text: '{"count":2}', base64: false },
  timing: { dns: -1, connect: 3, tls: -1, wait: 30, receive: 8 },
};

describe('the document of a request', () => {
  it('has method, URL, status, headers, bodies with indentation, and timing', () => {
    assert.equal(
      exchangeText(exchange),
      [
        '# Request\n',
        '```http\nPOST https://shop.test/cart\nContent-Type: application/json\nAuthorization: ***\n```\n',
        '```json\n{\n  "id": 1\n}\n```\n',
        '# Response\n',
        '```http\nh2 201 Created\nserver: shop\n```\n',
        '```json\n{\n  "count": 2\n}\n```\n',
        '# Timing\n',
        '- Started: 2026-11-24T10:00:00.000Z\n- Duration: 41 ms\n- connect: 3 ms\n- wait: 30 ms\n- receive: 8 ms\n',
      ].join('\n'),
    );
  });

  it('shows what is not JSON as it is, and no invisible characters', () => {
    const responseBody = { text: '{"count":\u202e```', base64: false };
    assert.match(exchangeText({ ...exchange, responseBody }), /\n````json\n\{"count":⟦U\+202E⟧```\n````\n/);
  });

  it('says why there is no body, and why the request failed', () => {
    const { responseBody: _, ...without } = exchange;
    assert.match(exchangeText(without), /The body \(11 bytes\) isn't kept/);
    assert.match(exchangeText({ ...exchange, responseBody: { text: 'AAA=', base64: true } }), /binary \(11 bytes\)/);
    assert.match(exchangeText({ ...without, state: 'failed', error: 'net::ERR_ABORTED' }), /net::ERR_ABORTED/);
  });
});

describe('the document of a line of the console', () => {
  it('has its level, place and whole text', () => {
    const line = { id: 'c1', level: 'error', source: 'console', at: '2026-11-24T10:00:00.000Z', text: 'one\ntwo' };
    const place = { url: 'https://shop.test/cart.js', line: 3, column: 9 };
    assert.equal(
      lineText({ ...line, ...place }),
      '2026-11-24T10:00:00.000Z error\nhttps://shop.test/cart.js:3:9\n\none\ntwo\n',
    );
    assert.equal(lineText(line), '2026-11-24T10:00:00.000Z error\n\none\ntwo\n');
  });
});
