import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { WebSocket } from 'ws';
import type { Relay } from '../../../src/service/browsers/chrome/relay/relay.ts';
import { createLiveView } from '../../../src/service/browsers/live-view/live-view.ts';
import { createDeadline } from '../../../src/service/browsers/page/deadline.ts';
import { scriptValue } from '../../../src/service/browsers/page/script.ts';
import { watchQuietness } from '../../../src/service/browsers/page/settle.ts';
import { createCapabilities } from '../../../src/service/platform/http/capabilities.ts';
import { limitLogFile, silentLog } from '../../../src/service/platform/log.ts';
import type { Dispatchers } from '../../../src/service/platform/network/dispatchers.ts';
import { openPageCache } from '../../../src/service/platform/network/page-cache.ts';
import { openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { createPost } from '../../../src/service/platform/webhooks/post.ts';
import { createJobWatches } from '../../../src/service/web/crawl/watch.ts';
import { createTemplates } from '../../../src/service/web/scrape/templates.ts';
import { afterCommit, transaction } from '../../../src/storage/storage.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

describe('what the service keeps for somebody', () => {
  it('BUD-02: has no listener left on a signal after a delivery', async () => {
    const signals: AbortSignal[] = [];
    const { any } = AbortSignal;
    AbortSignal.any = (given) => {
      const signal = any.call(AbortSignal, given);
      signals.push(signal);
      return signal;
    };
    try {
      const dispatcher = { request: async () => ({ statusCode: 200, body: { dump: async () => undefined } }) };
      const dispatchers = { for: async () => dispatcher } as unknown as Dispatchers;
      const post = createPost(dispatchers, createFakeClock(), 'test');
      const stop = new AbortController().signal;
      const body = Buffer.from('{}');
      const delivery = { url: 'http://receiver.test/', headers: {}, body, signature: undefined, timeoutMs: 1000, stop };
      assert.deepEqual(await post(delivery), { acknowledged: true });
      assert.equal(signals.length, 1);
      for (const signal of signals) assert.equal(getEventListeners(signal, 'abort').length, 0);
    } finally {
      AbortSignal.any = any;
    }
  });

  it('BUD-02: has no listener left on the deadline of an action', async () => {
    const tab = { frameId: 'page', on: () => () => undefined, timesHeld: () => 0 };
    const quietness = watchQuietness(tab as never);
    const deadline = createDeadline(60_000, new AbortController().signal);
    const before = getEventListeners(deadline.signal, 'abort').length;
    await quietness.loaded(deadline);
    assert.equal(getEventListeners(deadline.signal, 'abort').length, before);
  });

  it('BUD-02: keeps nothing of the work that a deadline was for until its time has passed', async () => {
    const begin = () => {
      const { signal } = new AbortController();
      createDeadline(10 * 60_000, signal);
      return new WeakRef(signal);
    };
    const signal = begin();
    await eventually(() => {
      gc();
      assert.equal(signal.deref(), undefined);
    });
  });

  it('BUD-02: has no listener left on the signal of a job whose page waited for samples of its template', async () => {
    const templates = createTemplates();
    const { signal } = new AbortController();
    const pageOf = (name: number) => ({
      url: `https://site.test/${name}`,
      scripts: '/app.js',
      places: [],
      length: 1000,
    });
    const samples = [1, 2, 3].map(pageOf);
    for (const { url } of samples) templates.begin(url);
    await Promise.all(samples.map((page) => templates.decide(page, signal)));
    const waiting = templates.decide(pageOf(4), signal);
    assert.equal(getEventListeners(signal, 'abort').length, 1);
    for (const page of samples) templates.compared(page, 'same');
    assert.equal(await waiting, 'fetch');
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('BUD-03: is bounded while cached pages wait for the disk', async () => {
    const folder = temporaryFolder();
    const cache = openPageCache(folder, createFakeClock(), silentLog);
    const body = new Uint8Array(1024 * 1024);
    const page = {
      url: 'https://site.test/',
      status: 200,
      contentType: 'text/html',
      body,
      rendered: false,
      because: '',
    };
    // In one turn, so that none of it can have been written.
    for (let index = 0; index < 100; index++) cache.store('red', `key ${index}`, page);
    const found = await Promise.all(
      Array.from({ length: 100 }, (_, index) => cache.find('red', `key ${index}`, { max: 1e15 })),
    );
    const kept = found.filter((each) => each !== undefined).length;
    assert.ok(kept > 0 && kept <= 32, `${kept} MiB were kept`);
    cache.store('red', 'later', page);
    assert.ok(await cache.find('red', 'later', { max: 1e15 }), 'pages are cached again once there is room');
    await cache.close();
    rmSync(folder, { recursive: true });
  });

  it('BUD-06: is a log whose file has a limit, with the last lines', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'service.log');
    const lines = Array.from({ length: 100 }, (_, index) => `{"line":${index}}\n`);
    for (const [mode, expected] of [
      ['a+', [...lines.slice(-8), '{"line":"next"}\n']],
      // Another program may have opened it, which sees to its size.
      ['a', [...lines, '{"line":"next"}\n']],
    ] as const) {
      rmSync(path, { force: true });
      const file = openSync(path, mode);
      for (const line of lines) writeSync(file, line);
      limitLogFile(file, { most: 10_000, kept: 100 });
      assert.equal(readFileSync(path, 'utf8'), lines.join(''));
      limitLogFile(file, { most: 1000, kept: 100 });
      writeSync(file, '{"line":"next"}\n');
      assert.equal(readFileSync(path, 'utf8'), expected.join(''), mode);
      closeSync(file);
    }
    rmSync(folder, { recursive: true });
  });

  describe('a follower of a job', () => {
    const times = { created_at: 0, expires_at: 0, ended_at: null };
    const running = { status: 'scraping', completed: 0, options: {}, warnings: {}, ...times };
    let server: Server;
    let socketClosed: Promise<void>;
    let received: string[];

    /** Follows a job of which there are no documents. */
    async function follow(jobs: { find(): Promise<unknown>; follow(onChange: () => void): () => void }) {
      const table = {
        ...jobs,
        texts: async () => [],
        follow: (_id: string, onChange: () => void) => jobs.follow(onChange),
      };
      const watches = createJobWatches(table as never, createFakeClock());
      const { promise, resolve } = Promise.withResolvers<void>();
      socketClosed = promise;
      server = createServer();
      server.on('upgrade', (request, socket, head) => {
        socket.once('close', () => setImmediate(resolve));
        void watches.upgrade(request, socket, head, request.url ?? '', { team: 'red', keyLabel: 'red' });
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const client = new WebSocket(`ws://127.0.0.1:${port}/v2/crawl/00000000-0000-4000-8000-000000000000`);
      received = [];
      client.on('message', (data) => received.push(JSON.parse(String(data)).type));
      await once(client, 'open');
      return client;
    }
    afterEach(() => server.close());

    it('BUD-04: ends with the socket of one that closes while its job is read', async () => {
      const read = Promise.withResolvers<void>();
      const unfollowed = Promise.withResolvers<void>();
      let finds = 0;
      const client = await follow({
        async find() {
          if (++finds === 2) {
            read.resolve();
            await socketClosed;
          }
          return running;
        },
        follow: () => () => unfollowed.resolve(),
      });
      await read.promise;
      client.terminate();
      await unfollowed.promise;
    });

    it('COM-05: hears of a change of the job while it is read', async () => {
      let change: () => void = () => undefined;
      let finds = 0;
      const client = await follow({
        async find() {
          // The first one is for the answer to the request; the second reads what the first message has.
          if (++finds === 2) change();
          return finds < 3 ? running : { ...running, status: 'completed' };
        },
        follow(onChange) {
          change = onChange;
          return () => undefined;
        },
      });
      if (client.readyState !== WebSocket.CLOSED) await once(client, 'close');
      assert.deepEqual(received, ['catchup', 'done']);
    });
  });
});

describe('what is deleted', () => {
  it('PRT-11: is no longer in the file of the database, however long it was', async () => {
    const folder = temporaryFolder();
    const database = await openDatabase(folder, silentLog, 0);
    const isInFile = () => readFileSync(join(folder, 'service.sqlite'), 'latin1').includes('Bearer secret');
    const long = 'x'.repeat(100_000);
    const rows = ['', long].map((padding, index) => ({
      id: String(index),
      team: 'red',
      key_label: '',
      url: padding,
      created_at: 0,
      document: '{}',
      replay: `${padding}{"authorization":"Bearer secret"}`,
    }));
    await database.insertInto('scrape_job').values(rows).execute();
    await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(database);
    assert.ok(isInFile());
    await database.deleteFrom('scrape_job').execute();
    await database.destroy();
    assert.ok(!isInFile());
    rmSync(folder, { recursive: true });
  });
});

describe('what is committed', () => {
  it('COM-01: stays so when a callback fails, and the other callbacks are called', async () => {
    const folder = temporaryFolder();
    const database = await openDatabase(folder, silentLog, 0);
    const thrown = new Promise((resolve) => {
      const listeners = process.rawListeners('uncaughtException') as ((error: Error) => void)[];
      process.removeAllListeners('uncaughtException');
      process.once('uncaughtException', (error) => {
        for (const listener of listeners) process.on('uncaughtException', listener);
        resolve(error);
      });
    });
    const called: string[] = [];
    const result = await transaction(database, async (tx) => {
      afterCommit(tx, () => {
        throw new Error('a callback failed');
      });
      afterCommit(tx, () => called.push('second'));
      return 'stored';
    });
    assert.deepEqual([result, called], ['stored', ['second']]);
    assert.match(String(await thrown), /a callback failed/);
    await database.destroy();
    rmSync(folder, { recursive: true });
  });
});

describe('a live view', () => {
  it('COM-02: says that it could not be opened, and opens later', async () => {
    let attempts = 0;
    const relay = {
      viewports: { onChange: () => undefined, isSet: () => false },
      async connect({ deliver }: { deliver(text: string): void }) {
        if (++attempts === 1) throw new Error('the browser is busy');
        return {
          receive: ({ id }: { id: number }) => setImmediate(deliver, JSON.stringify({ id, result: { userAgent: '' } })),
          close: () => undefined,
        };
      },
      onUnresponsive: () => undefined,
    };
    const clock = createFakeClock();
    const capabilities = createCapabilities();
    const view = createLiveView({
      sessionId: 'session',
      team: 'a',
      relay: relay as unknown as Relay,
      tabs: { list: () => [], onChange: () => undefined, refresh: async () => undefined } as never,
      fetch: assert.fail,
      capabilities,
      downloads: () => ({ list: [], open: async () => undefined }),
      origin: () => '',
      clock,
      log: silentLog,
      onInput: () => undefined,
      onViewer: () => undefined,
      onControl: () => undefined,
      isBusy: () => false,
    });
    const server = createServer();
    server.on('upgrade', (request, socket, head) => {
      const capability = capabilities.find(request.url ?? '');
      assert.ok(capability && capability !== 'gone');
      capability.upgrade(request, socket, head);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const client = new WebSocket(`ws://127.0.0.1:${port}${view.url}`);
    const messages: { type: string; text?: string }[] = [];
    const waiting = new Map<string, () => void>();
    client.on('message', (data) => {
      const message = JSON.parse(String(data));
      messages.push(message);
      waiting.get(message.type)?.();
    });
    const message = (type: string) => new Promise<void>((resolve) => void waiting.set(type, resolve));
    await message('notice');
    assert.match(messages[0]?.text ?? '', /couldn't be opened/);
    const welcome = message('welcome');
    clock.advance(1_000);
    await welcome;
    assert.equal(attempts, 2);
    view.end('the test is over');
    server.close();
  });
});

describe('the value of a script', () => {
  const run = (script: string) => runInNewContext(`(async () => await ${scriptValue(script)})()`);

  it('SCR-01: is that of its last statement, unless the script itself returns', async () => {
    for (const [script, value] of [
      ['6 * 7', 42],
      ['const six = 6; six * 7', 42],
      ['[1, 2].map(function (each) { return each * 2 }).join()', '2,4'],
      ['"no return here"', 'no return here'],
      ['// return\n42', 42],
      ['return 42', 42],
      ['if (true) { return 42 }', 42],
      ['const value = await 42; return value', 42],
      ['await Promise.resolve(42)', 42],
      ['return "a" // with a comment', 'a'],
      ['await Promise.resolve(42);\n', 42],
      ['const six = await 6; six * 7', 42],
      ['const six = await 6\nconst seven = 7;\n[six, seven]\n  .join()\n  .length;', 3],
      ['for (let index = 0; index < 2; index++) await index\n"done"', 'done'],
      ['await 1; "a;b"', 'a;b'],
      ['await 1 // not this; "value"', 1],
      ['const value = await 1; if (value) { value + 41 }', undefined],
    ] as const)
      assert.equal(await run(script), value, script);
    await assert.rejects(run('6 *'), { name: 'SyntaxError' });
  });
});
