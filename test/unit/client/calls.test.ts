import assert from 'node:assert/strict';
import { createClient, createEmbeddedClient } from '../../../src/client/client.ts';
import { InvalidBaseUrlError, InvalidKeyError, InvalidRequestError } from '../../../src/client/errors.ts';
import { embeddedEndpoints } from '../../../src/contract/embedded.ts';
import { endpoints } from '../../../src/contract/endpoints.ts';
import { type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { assertKeyless, canary, connect, failureOf } from './setup.ts';

const jobId = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('client calls', () => {
  let server: FaultyServer;
  let answer: unknown;
  beforeEach(async () => {
    answer = { success: true, id: 's1', sessions: [], crawls: [], periods: [], data: [], answer: 'a' };
    server = await startFaultyServer((_, exchange) => exchange.json(answer));
  });
  afterEach(() => server.close());

  it('has one call for each endpoint of the contract, and keeps the embedded ones separate', () => {
    assert.deepEqual(Object.keys(connect(server.baseUrl)), Object.keys(endpoints));
    const embedded = createEmbeddedClient({ baseUrl: server.baseUrl, fetch });
    assert.deepEqual(Object.keys(embedded), Object.keys(embeddedEndpoints));
  });

  it('sends method, path, key and the given body, without defaults', async () => {
    const client = connect(server.baseUrl);
    const body = { code: 'await page.title()' };
    await client.executeInBrowserSession(
      { params: { sessionId: 'a b/ü?' }, body },
      { headers: { 'X-WebData-Run': jobId } },
    );
    const [arrival] = server.arrivals;
    assert.equal(arrival?.method, 'POST');
    assert.equal(arrival?.target, '/v2/browser/a%20b%2F%C3%BC%3F/execute');
    assert.equal(arrival?.headers.authorization, `Bearer ${canary}`);
    assert.equal(arrival?.headers['content-type'], 'application/json');
    assert.equal(arrival?.headers['x-webdata-run'], jobId);
    assert.deepEqual(JSON.parse(arrival?.body ?? ''), body);
  });

  it('sends every call of the table', async () => {
    const client = connect(server.baseUrl);
    await client.createBrowserSession({ body: {} });
    await client.listBrowserSessions();
    await client.listBrowserSessions({ query: { status: 'active' } });
    await client.deleteBrowserSession({ params: { sessionId: 's1' } });
    await client.deleteBrowserSessionByBody({ body: { id: 's1' } });
    await client.interactWithScrape({ params: { jobId }, body: { prompt: 'buy' } });
    await client.stopInteraction({ params: { jobId } });
    await client.listActiveCrawls();
    await client.listActivity({ query: { limit: 10, cursor: 'a&#b=c' } });
    await client.getTokenUsage({ query: { byApiKey: true } });
    await client.searchDocs({ body: { question: 'why?' } });
    answer = { success: true, data: { url: 'https://example.com' } };
    await client.previewCrawlParameters({ body: { url: 'https://example.com', prompt: 'blog' } });
    assert.deepEqual(
      server.arrivals.map(({ method, target }) => `${method} ${target}`),
      [
        'POST /v2/browser',
        'GET /v2/browser',
        'GET /v2/browser?status=active',
        'DELETE /v2/browser/s1',
        'DELETE /v2/browser',
        `POST /v2/scrape/${jobId}/interact`,
        `DELETE /v2/scrape/${jobId}/interact`,
        'GET /v2/crawl/active',
        'GET /v2/team/activity?limit=10&cursor=a%26%23b%3Dc',
        'GET /v2/team/token-usage/historical?byApiKey=true',
        'POST /v2/support/docs-search',
        'POST /v2/crawl/params-preview',
      ],
    );
    assert.equal(server.arrivals[4]?.body, '{"id":"s1"}');
    assert.equal(server.arrivals[1]?.body, '');
    assert.equal(server.arrivals[1]?.headers['content-type'], undefined);
  });

  it('sends no Authorization header without a key', async () => {
    for (const apiKey of [undefined, null, '']) {
      await createClient({ baseUrl: server.baseUrl, apiKey, fetch }).listBrowserSessions();
    }
    for (const { headers } of server.arrivals) assert.ok(!('authorization' in headers));
  });

  it('keeps the path prefix of the base URL', async () => {
    for (const prefix of ['/api/web', '/api/web/', '/api/web//']) {
      await connect(server.baseUrl + prefix).listBrowserSessions();
    }
    for (const { target } of server.arrivals) assert.equal(target, '/api/web/v2/browser');
  });

  it("returns responses with fields that the contract doesn't have", async () => {
    answer = { success: true, sessions: [{ id: 'x', status: 'dreaming', mood: { good: [1] } }], total: 7 };
    const list = await connect(server.baseUrl).listBrowserSessions();
    assert.equal(list.total, 7);
    assert.equal(list.sessions[0]?.status, 'dreaming');
    assert.deepEqual(list.sessions[0]?.mood, { good: [1] });
  });

  it('rejects invalid requests before anything is sent, and names the limit', async () => {
    const client = connect(server.baseUrl);
    const params = { sessionId: 's1' };
    const wrong: [() => Promise<unknown>, RegExp][] = [
      [() => client.executeInBrowserSession({ params, body: { code: '' } }), /1 to 100,000 characters, got 0/],
      [() => client.executeInBrowserSession({ params, body: { code: 'x'.repeat(100_001) } }), /got 100,001/],
      [() => client.executeInBrowserSession({ params, body: { code: '1', timeout: 301 } }), /1 to 300/],
      [
        () => client.executeInBrowserSession({ params, body: { code: '1', language: 'perl' as 'node' } }),
        /python, node, bash/,
      ],
      [
        () => client.executeInBrowserSession({ params, body: { code: '1', colour: 1 } as { code: string } }),
        /"colour"/,
      ],
      [() => client.createBrowserSession({ body: { ttl: 29 } }), /ttl.*30 to 3,600/],
      [() => client.stopInteraction({ params: { jobId: 'x' } }), /UUID/],
      [() => client.listActivity({ query: { limit: 101 } }), /1 to 100/],
      [() => client.deleteBrowserSession({ params: { sessionId: '' } }), /1 to 200/],
      [() => client.deleteBrowserSession({ params: { sessionId: '..' } }), /identifier/],
      [() => client.deleteBrowserSession({ params: { sessionId: '.' } }), /identifier/],
      [() => client.deleteBrowserSession({ params: { sessionId: '\ud800' } }), /well-formed/],
      [() => client.listBrowserSessions({}, { headers: { Authorization: 'Bearer x' } }), /set by the client/],
      [() => client.listBrowserSessions({}, { headers: { 'x-run': 'a\r\nb: c' } }), /printable ASCII/],
      [() => client.listBrowserSessions({}, { headers: { 'x run': 'a' } }), /header name/],
    ];
    for (const [call, message] of wrong) {
      const error = await failureOf(call(), InvalidRequestError);
      assert.match(error.message, message);
      assert.equal(error.outcomeUnknown, false);
    }
    assert.equal(server.arrivals.length, 0);
  });

  it('rejects invalid addresses and keys, without quoting the key', () => {
    assert.throws(() => connect('ftp://x'), InvalidBaseUrlError);
    for (const apiKey of [
      `${canary}\r\nx: y`,
      `${canary}\n`,
      ` ${canary}`,
      `${canary} x`,
      `${canary}😀`,
      canary.repeat(400),
    ]) {
      assert.throws(
        () => connect(server.baseUrl, { apiKey }),
        (error) => {
          assertKeyless(error);
          return error instanceof InvalidKeyError;
        },
      );
    }
  });
});
