import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  deliveryDocument,
  formatJson,
  requestDocument,
  responseDocument,
} from '../../../src/extension/webhooks/delivery-documents.ts';
import { markdownPages } from '../../../src/extension/webhooks/receiver/parse-delivery.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('formatting JSON', () => {
  it('matches JSON.stringify for everything that it can write', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(formatJson(JSON.stringify(value)), `${JSON.stringify(value, undefined, 2)}\n`);
      }),
    );
  });

  it('changes only white space', () => {
    const odd = '{"a":1e400,"a":12345678901234567890,"__proto__":{"x":-0.10},"é":"\\u00e9 \\" : , [ ] { }"}';
    const laidOut = formatJson(odd);
    assert.equal(laidOut.replaceAll(/\n */g, '').replaceAll('": ', '":'), odd);
    for (const part of ['1e400', '12345678901234567890', '-0.10', '"\\u00e9 \\" : , [ ] { }"']) {
      assert.ok(laidOut.includes(part), part);
    }
    assert.equal(laidOut.match(/"a":/g)?.length, 2);
  });

  it('supports 100,000 levels, and leaves invalid JSON unchanged', () => {
    const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
    assert.equal(formatJson(deep).replaceAll(/\s/g, ''), deep);
    for (const text of ['', '{', 'plain', '{"a":}', '"a', ']]]', '{"a\\"']) assert.equal(formatJson(text), text);
  });

  it('supports bodies of any length and depth that a delivery may have', () => {
    const maxBytes = 10 * 1024 * 1024;
    for (const content of ['a'.repeat(maxBytes), '\\"'.repeat(100_000), '\\\\'.repeat(maxBytes / 2)])
      assert.equal(formatJson(`{"markdown":"${content}"}`), `{\n  "markdown": "${content}"\n}\n`);
    const brackets = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    assert.ok(formatJson(brackets) === brackets, 'is not indented');
    assert.ok(formatJson(`[${'[],'.repeat(100_000)}0]`).startsWith('[\n  [],\n  [],\n'), 'is indented');
  });
});

describe('documents of deliveries', () => {
  it('show the body, and the request as it arrived', () => {
    const body = bytes('{"type":"crawl.page"}');
    assert.equal(deliveryDocument({ body }), '{\n  "type": "crawl.page"\n}\n');
    assert.equal(deliveryDocument({ body: bytes('\ufeff{"a":1}') }), '{\n  "a": 1\n}\n');
    assert.equal(
      requestDocument({ headers: ['Host', 'a', 'X-B', 'c'], body }),
      'POST /webhooks HTTP/1.1\nHost: a\nX-B: c\n\n{"type":"crawl.page"}',
    );
  });

  it("show a handler's response, or that there was none", () => {
    const answer = {
      num: 1,
      at: 0,
      url: 'http://localhost:3000/',
      edited: true,
      error: undefined,
      ms: 12.4,
      statusText: 'OK',
      cut: false,
    };
    const json = { ...answer, status: 200, headers: ['Content-Type', 'application/json'], body: bytes('{"a":1}') };
    assert.match(
      responseDocument(json),
      /^POST http:\/\/localhost:3000\/\n1970.*, 12 ms, edited body\n\nHTTP\/1\.1 200 OK\nContent-Type: application\/json\n\n\{\n {2}"a": 1\n\}\n$/,
    );
    const html = { ...json, headers: ['content-type', 'text/html'], body: bytes('<b>x</b>'), cut: true };
    assert.match(responseDocument(html), /<b>x<\/b>\n\n\[The response was truncated/);
    const none = { ...json, status: undefined, error: 'connection refused' };
    assert.match(responseDocument(none), /No response: connection refused\.\n$/);
  });

  it('contain the markdown of their pages', () => {
    const page = (fields: object) => ({
      markdown: '# A',
      metadata: { sourceURL: 'https://a.test/', title: 'A' },
      ...fields,
    });
    const of = (data: unknown) => markdownPages(bytes(JSON.stringify({ data })));
    assert.deepEqual(of([page({})]), [{ url: 'https://a.test/', title: 'A', markdown: '# A' }]);
    assert.deepEqual(of([page({ metadata: null }), { markdown: 7 }, null, 'x']), [
      { url: '', title: '', markdown: '# A' },
    ]);
    assert.deepEqual(of('no array'), []);
  });
});
