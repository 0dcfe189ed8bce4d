import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { BrowserRequest } from '../../../src/service/browsers/chrome/chrome.ts';
import { createBrowserRequests } from '../../../src/service/browsers/chrome/remote/browser-requests.ts';
import type { GridSession } from '../../../src/service/browsers/chrome/remote/grid-client.ts';
import { type GridWaits, seleniumGrid } from '../../../src/service/browsers/chrome/remote/selenium-grid.ts';
import type { ServiceError } from '../../../src/service/platform/errors.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { eventually } from '../../harness/eventually.ts';
import { json, type ScriptedGrid, started, startScriptedGrid } from '../../harness/scripted-grid.ts';

const request: BrowserRequest = { userDataDir: '/nowhere', marker: ['NAME', 'value'] };
const login = 'ada:s%2Fcret';
const basic = `Basic ${Buffer.from('ada:s/cret').toString('base64')}`;
const secrets = /s\/cret|s%2Fcret|YWRhOnMvY3JldA|t0ken/;
const failed = (message: string) => ({ value: { error: 'session not created', message, stacktrace: 'at a\nat b' } });

describe('a Selenium Grid', () => {
  let grid: ScriptedGrid;
  beforeEach(async () => {
    grid = await startScriptedGrid();
  });
  afterEach(() => grid.close());

  const provider = (options: { path?: string; chromePath?: string; waits?: Partial<GridWaits> } = {}) =>
    seleniumGrid({
      endpoint: `http://${login}@${grid.host}${options.path ?? ''}?token=t0ken`,
      chromePath: options.chromePath,
      headless: true,
      log: silentLog,
      // No test waits as long as a person would.
      waits: { lostNode: 10, pulse: 20, doubt: 20, ...options.waits },
    });
  const failure = async (from = provider()): Promise<ServiceError> => {
    try {
      await from.open(request);
    } catch (error) {
      return error as ServiceError;
    }
    throw new Error('a browser was opened');
  };

  it('is reached where the endpoint says, with its password as a header', async () => {
    const browsers = provider({ path: '/wd/', chromePath: '/opt/chrome' });
    const browser = await browsers.open(request);
    await browser.close();
    await browser.close();
    assert.deepEqual(grid.lines(), [
      'POST /wd/session?token=t0ken',
      'GET /wd/session/s1/se/cdp?token=t0ken',
      'DELETE /wd/session/s1?token=t0ken',
    ]);
    for (const { authorization } of grid.requests) assert.equal(authorization, basic);
    const { alwaysMatch } = JSON.parse(grid.requests[0]?.body ?? '').capabilities;
    assert.equal(alwaysMatch.browserName, 'chrome');
    const { args, binary } = alwaysMatch['goog:chromeOptions'];
    assert.equal(binary, '/opt/chrome');
    assert.ok(args.includes('--headless'));
    assert.doesNotMatch(args.join(' '), /--remote-debugging|--user-data-dir|--no-startup-window|--no-sandbox/);
  });

  it('keeps its password to itself', async () => {
    const other = await startScriptedGrid();
    grid.onStart = (response) => started(response, `ws://${other.host}/devtools/browser/b1`);
    try {
      await (await provider().open(request)).close();
      assert.deepEqual(
        other.requests.map(({ path, authorization }) => [path, authorization]),
        [['/devtools/browser/b1', undefined]],
      );
    } finally {
      await other.close();
    }
  });

  const html = '<!doctype html><title>Welcome t0ken</title>';
  const answers: Record<string, [(response: ServerResponse) => void, number, string, RegExp]> = {
    HTML: [(response) => response.end(html), 503, 'NO_BROWSER', /not answer as a Selenium Grid.*status 200, no JSON/],
    'a page that is not found': [
      (response) => response.writeHead(404).end(html),
      ...([503, 'NO_BROWSER', /status 404, no JSON\)\. Check that --browser-endpoint/] as const),
    ],
    'a login': [(response) => response.writeHead(401).end(html), 503, 'NO_BROWSER', /user name and password.*401/],
    'a redirect': [
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      ...([503, 'NO_BROWSER', /status 302, a redirect/] as const),
    ],
    'JSON of another kind': [(response) => json(response, 200, { ok: 1 }), 503, 'NO_BROWSER', /unexpected JSON/],
    'JSON that is not an object': [(response) => json(response, 200, [null]), 503, 'NO_BROWSER', /unexpected JSON/],
    'an answer without end': [
      (response) => void response.write('x'.repeat(2 * 1024 * 1024)),
      ...([503, 'NO_BROWSER', /longer than 1 MiB/] as const),
    ],
    'a closed connection': [(response) => void response.destroy(), 503, 'NO_BROWSER', /closed the connection/],
    'a browser that does not start': [
      (response) => json(response, 500, failed('A. Message: session not created: no such version\nBuild info: x')),
      ...([502, 'BROWSER_START', /did not start a browser: session not created: no such version\.$/] as const),
    ],
  };
  for (const [name, [answer, status, code, message]] of Object.entries(answers)) {
    it(`that answers with ${name} is a plain error`, async () => {
      grid.onStart = answer;
      const error = await failure();
      assert.deepEqual([error.status, error.code], [status, code], error.message);
      assert.match(error.message, message);
      assert.ok(error.message.includes(grid.host));
      assert.doesNotMatch(error.message, secrets);
      assert.deepEqual(grid.lines(), ['POST /session?token=t0ken']);
    });
  }

  for (const [name, message] of [
    ['header', `session not created: no route for {Authorization: ${basic}}`],
    ['header without padding', `session not created: no route for ${basic.replace(/=+$/, '')}`],
    ['password', 'session not created: ada:s/cret may not'],
    ['address', `session not created: http://${login}@grid.test/?token=t0ken`],
    ['header at the end of a long line', `session not created: ${'x'.repeat(270)} ${basic}`],
  ] as const) {
    it(`that repeats its ${name} in an error keeps it to itself`, async () => {
      grid.onStart = (response) => json(response, 500, failed(message));
      const error = await failure();
      assert.deepEqual([error.status, error.code], [502, 'BROWSER_START'], error.message);
      assert.match(error.message, /session not created: /);
      assert.doesNotMatch(`${error.message} ${error.cause}`, secrets);
    });
  }

  it('that cannot be reached is a plain error', async () => {
    await grid.close();
    const { status, code, message } = await failure();
    assert.deepEqual([status, code], [503, 'NO_BROWSER']);
    assert.match(message, /cannot be reached: 127\.0\.0\.1 refused the connection/);
    assert.doesNotMatch(message, secrets);
    grid = await startScriptedGrid();
  });

  for (const [name, cdp] of [
    ['no CDP address', undefined],
    ['a CDP address that is no URL', 'nonsense'],
    ['a CDP address that nobody answers at', 'ws://127.0.0.1:1/devtools/browser/b1'],
  ] as const) {
    it(`ends a browser that has ${name}`, async () => {
      grid.onStart = (response) => started(response, cdp ?? null);
      const { status, code, message } = await failure();
      assert.deepEqual([status, code], [502, 'BROWSER_START'], message);
      assert.match(message, /CDP/);
      assert.deepEqual(grid.lines().at(-1), 'DELETE /session/s1?token=t0ken');
    });
  }

  it('is full when a request times out in its queue', async () => {
    grid.status = { value: { nodes: [{ maxSessions: 1, slots: [{ session: {} }] }] } };
    grid.onStart = (response) => json(response, 500, failed('New session request timed out \nHost info: x'));
    assert.match((await failure()).message, /1 of 1 browsers are in use/);
  });

  it('is full when it has no browser in time', async () => {
    grid.onStart = () => undefined;
    for (const [status, expected] of [
      ['other', /did not answer in time/],
      [{ value: { nodes: [] } }, /has no nodes/],
      [
        { value: { nodes: [{ maxSessions: 1, slots: [{ session: { sessionId: 'x' } }, { session: null }] }] } },
        /had no free browser in time: 1 of 1 browsers are in use/,
      ],
    ] as const) {
      grid.status = status;
      const { status: http, code, message } = await failure(provider({ waits: { start: 20 } }));
      assert.deepEqual([http, code], [503, 'NO_BROWSER']);
      assert.match(message, expected);
    }
  });

  it('keeps a place in its queue for the next caller, and ends a browser that nobody waits for', async () => {
    const asked: ((session: GridSession) => void)[] = [];
    const ended: string[] = [];
    const requests = createBrowserRequests({
      ask: () => new Promise((resolve) => void asked.push(resolve)),
      end: ({ id }) => void ended.push(id),
      limitMs: 60_000,
    });
    const session = (id: string) => ({ id, cdpUrl: 'ws://grid.test', headers: {} });
    const impatient = async () => {
      const caller = new AbortController();
      const claim = requests.claim(caller.signal);
      caller.abort(new Error('no time'));
      await assert.rejects(claim, /no time/);
    };
    const patient = () => requests.claim(new AbortController().signal);

    await impatient();
    const [first, second] = [patient(), patient()];
    assert.equal(asked.length, 2);
    asked[0]?.(session('a'));
    asked[1]?.(session('b'));
    assert.deepEqual([(await first).id, (await second).id], ['a', 'b']);
    assert.deepEqual(ended, []);

    await impatient();
    asked[2]?.(session('c'));
    await eventually(() => assert.deepEqual(ended, ['c']));
    void patient();
    assert.equal(asked.length, 4);
  });

  it('asks again while the grid sends requests to a dead node', async () => {
    grid.onStart = (response, number) =>
      number === 1 ? json(response, 500, failed('Could not start: java.net.ConnectException')) : started(response);
    await (await provider().open(request)).close();
    grid.onStart = (response) => json(response, 500, failed('Could not start: java.net.ConnectException'));
    assert.match((await failure(provider({ waits: { start: 1000 } }))).message, /cannot reach one of its nodes/);
  });

  it('starts a browser without its sandbox only if it exits with it', async () => {
    const sandboxed = () =>
      grid.requests.filter(({ method }) => method === 'POST').map(({ body }) => !body.includes('--no-sandbox'));
    grid.onStart = (response, number) =>
      number === 1 ? json(response, 500, failed('session not created: Chrome instance exited.')) : started(response);
    const browsers = provider();
    await (await browsers.open(request)).close();
    await (await browsers.open(request)).close();
    assert.deepEqual(sandboxed(), [true, false, false]);
  });

  for (const [handles, how] of [
    [404, 'was ended by the Selenium Grid'],
    [500, 'was lost with its node of the Selenium Grid'],
    [200, 'stopped responding'],
  ] as const) {
    it(`gives up a silent browser that ${how}`, async () => {
      grid.handles = handles;
      const browser = await provider({ waits: { silence: 60 } }).open(request);
      grid.answersCdp = false;
      assert.equal(await browser.ended, how);
      await eventually(() => assert.equal(grid.lines().at(-1), 'DELETE /session/s1?token=t0ken'));
    });
  }

  it('is told to end a browser whose connection is lost', async () => {
    const browser = await provider().open(request);
    grid.disconnect();
    assert.equal(await browser.ended, 'lost its connection');
    await eventually(() => assert.equal(grid.lines().at(-1), 'DELETE /session/s1?token=t0ken'));
    await browser.close();
    assert.equal(grid.lines().filter((line) => line.startsWith('DELETE')).length, 1);
  });

  it('is not asked about a browser whose connection is lost before it answers', async () => {
    const browser = await provider({ waits: { doubt: 60_000, silence: 60_000 } }).open(request);
    grid.answersCdp = false;
    const before = grid.commands;
    await eventually(() => assert.ok(grid.commands > before));
    grid.disconnect();
    assert.equal(await browser.ended, 'lost its connection');
    await eventually(() => assert.match(grid.lines().join('\n'), /DELETE/));
    await browser.close();
    assert.doesNotMatch(grid.lines().join('\n'), /handles/);
  });

  it('gets traffic for a browser that nobody uses, so that it does not end it as idle', async () => {
    const browser = await provider().open(request);
    const before = grid.commands;
    await eventually(() => assert.ok(grid.commands > before + 3));
    await browser.close();
  });

  it('takes requests back and ends browsers when the service stops', async () => {
    const browsers = provider();
    const browser = await browsers.open(request);
    let waiting: ServerResponse | undefined;
    grid.onStart = (response) => {
      waiting = response;
    };
    const late = failure(browsers);
    await eventually(() => assert.ok(waiting));
    const takenBack = once(waiting as ServerResponse, 'close');
    browsers.stop?.();
    await takenBack;
    assert.match((await late).message, /stopping/);
    await browsers.close?.();
    assert.equal(await browser.ended, 'was closed');
    assert.deepEqual(
      grid.lines().filter((line) => line.startsWith('DELETE')),
      ['DELETE /session/s1?token=t0ken'],
    );
  });
});
