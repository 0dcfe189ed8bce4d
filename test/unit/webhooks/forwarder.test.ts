import assert from 'node:assert/strict';
import { signedWith } from '../../../src/contract/webhooks/webhook-signature.ts';
import { forward, withNewSignature } from '../../../src/extension/webhooks/receiver/forwarder.ts';
import { patience } from '../../harness/eventually.ts';
import { type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { freePort } from '../../harness/free-port.ts';

describe('forwarding to a handler', () => {
  let handler: FaultyServer | undefined;
  afterEach(async () => {
    await handler?.close();
    handler = undefined;
  });
  const body = new TextEncoder().encode('{"type":"crawl.page", "é": "\\u00e9"}\r\n');
  const headers = ['Host', 'tunnel.test', 'X-Service-Signature', 'sha256=ab', 'x-CUSTOM', 'One', 'x-custom', 'Two'];
  const wish = { headers, body, edited: false, timeoutMs: patience };

  it('sends the same bytes and headers, and keeps the whole response', async () => {
    handler = await startFaultyServer((_arrival, exchange) =>
      exchange.answer(418, '{"tea":true}', { 'x-made-by': 'handler', 'set-cookie': ['a=1', 'b=2'] }),
    );
    const result = await forward({
      ...wish,
      headers: [...headers, 'Connection', 'keep-alive'],
      url: `${handler.baseUrl}/in?x=1`,
    });
    const [arrival] = handler.arrivals;
    assert.equal(arrival?.method, 'POST');
    assert.equal(arrival?.target, '/in?x=1');
    assert.equal(arrival?.body, new TextDecoder().decode(body));
    assert.equal(arrival?.headers.host, `127.0.0.1:${handler.port}`);
    assert.equal(arrival?.headers['x-service-signature'], 'sha256=ab');
    assert.equal(arrival?.headers['x-custom'], 'One, Two');
    assert.equal(arrival?.headers['content-length'], String(body.length));
    assert.equal(result.status, 418);
    assert.equal(new TextDecoder().decode(result.body), '{"tea":true}');
    assert.deepEqual(
      result.headers.filter((_, index) => /set-cookie/.test(result.headers[index - (index % 2)] ?? '')),
      ['set-cookie', 'a=1', 'set-cookie', 'b=2'],
    );
    assert.ok(result.ms > 0 && result.error === undefined);
  });

  it('reports what went wrong if there is no response', async () => {
    const port = await freePort();
    assert.equal((await forward({ ...wish, url: `http://127.0.0.1:${port}/` })).error, 'connection refused');
    handler = await startFaultyServer(() => undefined);
    const late = await forward({ ...wish, url: handler.baseUrl, timeoutMs: 100 });
    assert.equal(late.error, 'no complete response within 0.1 s');
    const controller = new AbortController();
    const givenUp = forward({ ...wish, url: handler.baseUrl, signal: controller.signal });
    controller.abort();
    assert.equal((await givenUp).error, 'cancelled');
    await handler.close();
    handler = await startFaultyServer((_arrival, exchange) => exchange.reset());
    assert.equal((await forward({ ...wish, url: handler.baseUrl })).error, 'connection reset');
  });

  it('follows no redirect and keeps at most 1 MB', async () => {
    handler = await startFaultyServer(({ target }, exchange) =>
      target === '/far' ? exchange.answer(302, '', { location: '/' }) : exchange.answer(200, 'x'.repeat(3_000_000)),
    );
    assert.equal((await forward({ ...wish, url: `${handler.baseUrl}/far` })).status, 302);
    const long = await forward({ ...wish, url: handler.baseUrl });
    assert.deepEqual([long.body.length, long.cut], [1024 * 1024, true]);
    assert.equal(handler.arrivals.length, 2);
  });

  it('sends no duplicate headers', async () => {
    handler = await startFaultyServer((_arrival, exchange) => exchange.answer(200, ''));
    const smuggling = [
      'Content-Length',
      '3',
      'Transfer-Encoding',
      'chunked',
      'Expect',
      '100-continue',
      'TE',
      'trailers',
    ];
    await forward({ ...wish, headers: [...headers, ...smuggling], url: handler.baseUrl });
    assert.equal(handler.arrivals[0]?.body, new TextDecoder().decode(body));
  });

  it('signs an edited body again, or not at all without a secret', () => {
    const signed = withNewSignature(headers, body, 'secret');
    const at = signed.indexOf('X-Service-Signature');
    assert.equal(signedWith(body, signed[at + 1], ['secret']), 0);
    assert.equal(signed.filter((name) => name.toLowerCase() === 'x-service-signature').length, 1);
    assert.equal(signed[signed.indexOf('X-Firecrawl-Signature') + 1], signed[at + 1]);
    assert.deepEqual(
      withNewSignature(headers, body, undefined).filter((name) => /signature/i.test(name)),
      [],
    );
  });
});
