import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import { ApiError, ClientError, UnexpectedResponseError } from '../../../src/client/errors.ts';
import { type Exchange, type FaultyServer, startFaultyServer } from '../../harness/faulty-server.ts';
import { longText } from '../../harness/long-texts.ts';
import { canary, connect, failureOf } from './setup.ts';

describe('client responses', () => {
  let server: FaultyServer;
  let respond: (exchange: Exchange) => void;
  beforeEach(async () => {
    server = await startFaultyServer((_, exchange) => respond(exchange));
  });
  afterEach(() => server.close());

  const list = () => connect(server.baseUrl).listBrowserSessions({}, { retries: 0 });
  const create = () => connect(server.baseUrl).createBrowserSession({ body: {} });

  const notThisApi: Record<string, [number, string | Buffer]> = {
    'malformed JSON': [200, '{"sessions": ['],
    'a web page': [200, '<!doctype html><script>alert(1)</script>'],
    'an empty body': [200, ''],
    'no content': [204, ''],
    null: [200, 'null'],
    'a list': [200, '[]'],
    'a text': [200, '"x"'],
    'a number': [200, '1e400'],
    'UTF-16': [200, Buffer.from('{"sessions":[]}', 'utf16le')],
    'a wrong shape': [200, '{"sessions":{}}'],
    'an item without its id': [200, '{"sessions":[{"status":"active"}]}'],
    'a success that is no boolean': [200, '{"success":"true","sessions":[]}'],
    'none of the fields': [200, '{"message":"please sign in"}'],
    'deep nesting': [200, '['.repeat(200_000)],
  };
  for (const [name, [status, body]] of Object.entries(notThisApi)) {
    it(`rejects ${name} with the status and the start of the response (CLI-01)`, async () => {
      respond = (exchange) => exchange.answer(status, body);
      for (const call of [list, create]) {
        const error = await failureOf(call(), UnexpectedResponseError);
        assert.equal(error.status, status);
        assert.ok(Array.from(error.bodyStart).length <= 200);
        assert.equal(error.outcomeUnknown, call === create);
      }
    });
  }

  it('reads JSON after a byte order mark and with any content type', async () => {
    respond = (exchange) => exchange.answer(200, '\ufeff{"sessions":[]}', { 'content-type': 'text/plain' });
    assert.deepEqual(await list(), { sessions: [] });
  });

  it('treats an optional field of a wrong type as missing, and keeps the rest (CLI-08)', async () => {
    const session = { id: 'a', ttl: '600', page: { url: 5, title: 'T' }, profile: 'x', createdAt: 'never' };
    respond = (exchange) => exchange.json({ success: true, sessions: [session, { id: 'b', ttl: 30 }] });
    const { sessions } = await list();
    assert.deepEqual(sessions, [
      { id: 'a', page: { title: 'T' }, createdAt: 'never' },
      { id: 'b', ttl: 30 },
    ]);
  });

  it('treats invalid numbers as missing (CLI-08)', async () => {
    respond = (exchange) =>
      exchange.answer(
        200,
        '{"periods":[{"totalTokens":1e400,"tokensUsed":"7"},{"totalTokens":-3,"startDate":"0000"}]}',
      );
    const { periods } = await connect(server.baseUrl).getTokenUsage();
    assert.deepEqual(periods, [{}, { totalTokens: -3, startDate: '0000' }]);
  });

  it('drops an optional list with an invalid item', async () => {
    respond = (exchange) => exchange.json({ data: { url: 'u', includePaths: ['a', 5], limit: 3 } });
    const { data } = await connect(server.baseUrl).previewCrawlParameters({
      body: { url: 'https://a.test', prompt: 'p' },
    });
    assert.deepEqual(data, { url: 'u', limit: 3 });
  });

  it('returns a failed run as a response, not as an error', async () => {
    respond = (exchange) => exchange.json({ success: false, error: 'boom', exitCode: 1, stdout: 'so far' });
    const client = connect(server.baseUrl);
    const run = await client.executeInBrowserSession({ params: { sessionId: 's' }, body: { code: '1' } });
    assert.equal(run.error, 'boom');
    assert.equal(run.stdout, 'so far');
  });

  it('treats success: false with status 200 as a server error elsewhere', async () => {
    respond = (exchange) => exchange.json({ success: false, error: 'No such host', code: 'DNS' });
    const error = await failureOf(create(), ApiError);
    assert.equal(error.serverMessage, 'No such host');
    assert.equal(error.code, 'DNS');
    assert.equal(error.status, 200);
    assert.equal(error.message, "Couldn't create a browser session: No such host.");
  });

  it("doesn't name the address of the embedded service", async () => {
    respond = (exchange) => exchange.json({ success: false, error: 'The page shop.test did not load.' }, 500);
    const own = () => createClient({ baseUrl: server.baseUrl, fetch, isOwn: true }).createBrowserSession({ body: {} });
    const error = await failureOf(own(), ApiError);
    assert.equal(error.message, "Couldn't create a browser session: The page shop.test did not load.");
    assert.equal(error.status, 500);
    respond = (exchange) => exchange.answer(200, '<html>');
    const unexpected = await failureOf(own(), UnexpectedResponseError);
    assert.match(unexpected.message, /unexpected response from the embedded service \(HTTP 200\)/);
    assert.doesNotMatch(unexpected.message, /127\.0\.0\.1/);
  });

  for (const status of [400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 429, 500, 501, 502, 503, 504, 520]) {
    it(`explains ${status}, in the server's words if there are any (CLI-03)`, async () => {
      respond = (exchange) => exchange.json({ success: false, error: 'Because.', code: 'X' }, status);
      const spoken = await failureOf(create(), ApiError);
      assert.equal(spoken.status, status);
      assert.equal(spoken.serverMessage, 'Because.');
      assert.equal(spoken.code, 'X');
      assert.match(
        spoken.message,
        new RegExp(`^Couldn't create a browser session: Because \\(HTTP ${status} from 127`),
      );
      assert.equal(spoken.outcomeUnknown, false);
      assert.equal(spoken.call?.endpoint, 'createBrowserSession');
      assert.equal(spoken.call?.path, '/v2/browser');

      respond = (exchange) => exchange.answer(status, '<html><b>Bad</b></html>', { 'content-type': 'text/html' });
      const unspoken = await failureOf(create(), ApiError);
      assert.equal(unspoken.serverMessage, undefined);
      assert.doesNotMatch(unspoken.message, /</);
      assert.equal(unspoken.outcomeUnknown, status >= 500);
      assert.equal(/may have processed/.test(unspoken.message), status >= 500);
    });
  }

  it('says what is wrong with a request where the server says so only in details', async () => {
    const details = [{ code: 'too_small', path: ['timeout'], message: 'expected at least 1000' }];
    respond = (exchange) => exchange.json({ success: false, error: 'Bad Request', details }, 400);
    assert.match((await failureOf(create(), ApiError)).message, /: timeout: expected at least 1000 \(HTTP 400 /);
    respond = (exchange) => exchange.json({ success: false, error: 'Bad Request', details: 'none' }, 400);
    assert.match((await failureOf(create(), ApiError)).message, /: Bad Request \(HTTP 400 /);
  });
  it('has the places where a service looked for a browser, if it says so', async () => {
    for (const [details, places] of [
      [{ searched: ['/opt/a b/chrome', 7, '/usr/bin/\u202echromium'] }, ['/opt/a b/chrome', '/usr/bin/chromium']],
      [{ searched: '/opt/chrome' }, []],
      [undefined, []],
    ] as const) {
      respond = (exchange) => exchange.json({ success: false, error: 'No Chrome.', code: 'NO_BROWSER', details }, 503);
      assert.deepEqual((await failureOf(create(), ApiError)).searched, places);
    }
  });

  it("says that a server without the route doesn't offer it", async () => {
    respond = (exchange) => exchange.answer(404, '<pre>Cannot POST /v2/browser</pre>', { 'content-type': 'text/html' });
    assert.match((await failureOf(create(), ApiError)).message, /: this server doesn't offer it \(HTTP 404 /i);
    respond = (exchange) => exchange.json({ success: false }, 404);
    assert.doesNotMatch((await failureOf(create(), ApiError)).message, /doesn't offer/);
  });

  it('reads error bodies of other shapes', async () => {
    const bodies: [string, string | undefined][] = [
      ['{"error":"Job not found"}', 'Job not found'],
      ['{"statusCode":404,"error":"Not Found","message":"Route not found"}', 'Route not found'],
      ['{"error":{"message":"x"}}', undefined],
      ['{"success":false}', undefined],
      ['null', undefined],
    ];
    for (const [body, expected] of bodies) {
      respond = (exchange) => exchange.answer(404, body);
      assert.equal((await failureOf(list(), ApiError)).serverMessage, expected);
    }
  });

  it('shows server text without control, color and direction characters', async () => {
    respond = (exchange) =>
      exchange.json({ success: false, error: '\u001b[31mred\u001b[0m\u0000 \u202egnp.exe\nline' }, 400);
    assert.equal((await failureOf(list(), ApiError)).serverMessage, 'red gnp.exe\nline');
    respond = (exchange) => exchange.answer(200, `<p>\u001b]0;x\u0007${'a'.repeat(500)}`);
    const { bodyStart } = await failureOf(list(), UnexpectedResponseError);
    assert.match(bodyStart, /^<p>a{100,197}$/);
    assert.doesNotMatch(bodyStart, /\p{Cc}/u);
  });

  it('shortens what a server repeats, in every kind of failure', async () => {
    const repeated: Record<string, (exchange: Exchange) => void> = {
      'an error': (exchange) => exchange.json({ success: false, error: longText, code: longText }, 400),
      'its details': (exchange) => {
        const details = [{ code: 'unrecognized_keys', message: longText, path: [longText], keys: [longText] }];
        exchange.json({ success: false, error: 'Bad Request', details }, 400);
      },
      'a web page': (exchange) => exchange.answer(200, `<p>${longText}`),
      'a field of another shape': (exchange) => exchange.json({ sessions: { [longText]: longText } }),
      'a redirect': (exchange) => exchange.answer(302, '', { location: `http://a.test/${longText.slice(0, 10_000)}` }),
    };
    for (const [what, answer] of Object.entries(repeated)) {
      respond = answer;
      const error = await failureOf(list(), ClientError);
      assert.ok(error.message.length <= 1200, what);
      assert.doesNotMatch(error.message, /q{450}/, what);
      if (error instanceof UnexpectedResponseError) assert.ok(error.bodyStart.length <= 200);
    }
  });

  it('removes the key from text that a server echoes', async () => {
    const echo = `Invalid token Bearer ${canary} (${Buffer.from(canary).toString('base64')}) ${canary.slice(0, 12)}`;
    respond = (exchange) => exchange.json({ success: false, error: echo, code: canary }, 401);
    assert.match((await failureOf(list(), ApiError)).message, /\[API key\]/);
    respond = (exchange) => exchange.answer(200, `<p>${echo}`);
    await failureOf(list(), UnexpectedResponseError);
    respond = (exchange) => exchange.json({ sessions: [{ [canary]: 1 }], success: canary });
    await failureOf(list(), UnexpectedResponseError);
    respond = (exchange) => exchange.answer(302, '', { location: `https://evil.test/${canary}?k=${canary}` });
    await failureOf(list(), UnexpectedResponseError);
  });

  it('says which key is needed when it was rejected or missing', async () => {
    respond = (exchange) => exchange.answer(401, '');
    assert.match((await failureOf(list(), ApiError)).message, /rejected the API key.*Check the API key/);
    const keyless = connect(server.baseUrl, { apiKey: undefined }).listBrowserSessions();
    assert.match((await failureOf(keyless, ApiError)).message, /requires an API key/);
  });

  it('rejects a response that is longer than 64 MiB (CLI-09)', async () => {
    respond = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"');
      const block = Buffer.alloc(1024 * 1024, 'x');
      const send = () => {
        if (!socket.destroyed) socket.write(block, (error) => error || send());
      };
      send();
    };
    for (const call of [list, create]) {
      const error = await failureOf(call(), UnexpectedResponseError);
      assert.match(error.message, /larger than 64 MiB/);
    }
  });

  it('rejects a response of more than two million values, however short they are (EXT-26)', async () => {
    respond = (exchange) => exchange.answer(200, `{"sessions":[${'{},'.repeat(1_000_000)}{}]}`);
    const error = await failureOf(list(), UnexpectedResponseError);
    assert.match(error.message, /the body has more than 2,000,000 values/);
  });

  it('counts no values in texts', async () => {
    const title = `${'\\",[{'.repeat(500_001)}`;
    respond = (exchange) => exchange.json({ sessions: [{ id: 'a', page: { title } }] });
    assert.equal((await list()).sessions[0]?.page?.title, title);
  });

  it('reads a response that arrives byte by byte, with split characters (CLI-18)', async () => {
    const body = '{"sessions":[{"id":"süß😀"}]}';
    respond = (exchange) =>
      exchange.slowly(
        `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    assert.equal((await list()).sessions[0]?.id, 'süß😀');
  });
});
