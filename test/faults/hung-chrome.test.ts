import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { connectCdpClient } from '../../src/service/browsers/chrome/cdp-client.ts';
import { findChrome } from '../../src/service/browsers/chrome/find.ts';
import { localChrome, notClosed } from '../../src/service/browsers/chrome/launch.ts';
import { openPipe } from '../../src/service/browsers/chrome/pipe.ts';
import { createRelay } from '../../src/service/browsers/chrome/relay/relay.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { chromeOf, processesOf } from '../harness/chrome-processes.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { call, chosenBrowsers, spawnService, startTestService, type TestService } from '../harness/service.ts';

describe('a Chrome that hangs (LIF-07)', () => {
  const body = { profile: { name: 'kept' } };

  describe('with a profile to save', () => {
    let service: TestService;
    const clock = createFakeClock();
    beforeEach(async () => {
      service = await startTestService({ ...chosenBrowsers, clock });
    });
    afterEach(() => service.close());

    it('F5: does not hang DELETE: it is killed with its processes, and the profile is free again', async () => {
      const { id } = (await service.call('POST', '/v2/browser', body)).body;
      process.kill(await chromeOf(service.dataDir), 'SIGSTOP');
      const deleted = await service.call('DELETE', `/v2/browser/${id}`);
      assert.equal(deleted.status, 500);
      assert.match(deleted.body.error, /the browser stopped responding\. The profile keeps its previous state/);
      await eventually(async () => assert.deepEqual(await processesOf(service.dataDir), []));
      const next = await service.call('POST', '/v2/browser', body);
      assert.equal(next.status, 200, JSON.stringify(next.body));
    });

    it('F5: does not hang the end of an idle session', async () => {
      await service.call('POST', '/v2/browser', { ...body, activityTtl: 10 });
      process.kill(await chromeOf(service.dataDir), 'SIGSTOP');
      clock.advance(10_001);
      await eventually(async () => assert.deepEqual(await processesOf(service.dataDir), []));
      const { sessions } = (await service.call('GET', '/v2/browser')).body;
      assert.match(sessions[0].endReason, /closed after 10 s idle/);
    });
  });

  it('F5: that does not close in time is told from one that has closed, and written all of its profile', async () => {
    const provider = localChrome({ headless: true, log: silentLog });
    const ends: string[] = [];
    for (const hangs of [false, true]) {
      const userDataDir = temporaryFolder();
      const browser = await provider.open({ userDataDir, marker: ['WEBDATA_TEST_CLOSING', userDataDir] });
      if (hangs) process.kill(browser.pid as number, 'SIGSTOP');
      await browser.close(hangs ? 1 : patience);
      ends.push(await browser.ended);
      rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 });
    }
    assert.deepEqual(ends, ['exited with code 0', notClosed]);
  });

  it('F5: does not hang SIGTERM, and nothing is left of it', async () => {
    const dataDir = temporaryFolder();
    const service = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0']);
    try {
      await call(service.line.baseUrl, service.line.apiKey ?? '', 'POST', '/v2/browser', body);
      process.kill(await chromeOf(dataDir), 'SIGSTOP');
      service.child.kill('SIGTERM');
      assert.deepEqual(await service.exited, { code: 0, signal: null });
      await eventually(async () => assert.deepEqual(await processesOf(dataDir), []));
    } finally {
      service.child.kill('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('F5: is noticed by any command to the browser that has no answer, but not by one to a busy page', async () => {
    const [toChrome, fromChrome] = [new PassThrough(), new PassThrough()];
    const unresponsive: string[] = [];
    const relay = createRelay(openPipe(toChrome, fromChrome, assert.fail), {
      onUnresponsive: () => void unresponsive.push('browser'),
    });
    const answer = (message: object) => fromChrome.write(`${JSON.stringify(message)}\0`);
    toChrome.once('data', (data: Buffer) => {
      const { id } = JSON.parse(data.toString().replace('\0', ''));
      answer({ id, result: { sessionId: 'root' } });
    });
    const client = await connectCdpClient(relay, { deadlineMs: 200 });
    const attached = { sessionId: 'page', targetInfo: { targetId: 'tab' } };
    answer({ method: 'Target.attachedToTarget', params: attached, sessionId: 'root' });
    await assert.rejects(
      client.send('Page.enable', {}, 'page'),
      /Page\.enable: the browser didn't answer within 0\.2 s/,
    );
    assert.deepEqual(unresponsive, []);
    await assert.rejects(client.send('Target.getTargets'), /didn't answer/);
    assert.deepEqual(unresponsive, ['browser']);
  });
});

describe('a browser whose messages cause error after error', () => {
  type Tell = (method: string, params: object) => void;
  let browsers: WebSocketServer;
  let service: Awaited<ReturnType<typeof spawnService>>;
  let dataDir: string;
  /** Is told of each command that a browser gets, before its answer. `tell` sends an event to who sent it. */
  let onCommand: (method: string, tell: Tell, socket: WebSocket) => void;
  const ask = async (method: string, body?: unknown) =>
    await call(service.line.baseUrl, service.line.apiKey ?? '', method, '/v2/browser', body);
  const repeat = (work: () => void) => Array.from({ length: 30 }).forEach(work);

  beforeEach(async () => {
    browsers = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(browsers, 'listening');
    browsers.on('connection', (socket) => {
      let clients = 0;
      socket.on('message', (data) => {
        const { id, method, sessionId } = JSON.parse(String(data));
        onCommand(method, (event, params) => socket.send(JSON.stringify({ method: event, params, sessionId })), socket);
        const result = method === 'Target.attachToBrowserTarget' ? { sessionId: `root${clients++}` } : {};
        socket.send(JSON.stringify({ id, result, sessionId }));
      });
    });
    dataDir = temporaryFolder();
    const endpoint = `ws://127.0.0.1:${(browsers.address() as AddressInfo).port}`;
    service = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0', '--browser-endpoint', endpoint]);
  });
  afterEach(() => {
    service.child.kill('SIGKILL');
    for (const client of browsers.clients) client.terminate();
    browsers.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  async function checkThatServiceGoesOn(): Promise<void> {
    assert.equal((await ask('GET')).status, 200);
    assert.match(service.stderr(), /a message of a browser is invalid/);
    assert.doesNotMatch(service.stderr(), /an unexpected error|unexpected errors repeat/);
  }

  it('F26: ends, alone, and the service goes on', async () => {
    onCommand = (method, tell) => {
      if (method === 'Target.setDiscoverTargets') repeat(() => tell('Target.targetCreated', {}));
    };
    for (let number = 0; number < 3; number++) {
      const { status, body } = await ask('POST', {});
      assert.equal(status, 502, JSON.stringify(body));
      assert.match(
        body.error,
        /The browser of the session sent messages that are not valid CDP before it could be used/,
      );
    }
    await checkThatServiceGoesOn();
  });

  it('F26: ends, alone, also if the errors are those of work that its messages start', async () => {
    let tellSession: Tell | undefined;
    onCommand = (method, tell) => {
      if (method === 'Target.setDiscoverTargets') tellSession = tell;
    };
    for (let number = 0; number < 2; number++) {
      const { id } = (await ask('POST', {})).body;
      repeat(() => {
        tellSession?.('Browser.downloadWillBegin', { guid: 5, suggestedFilename: 'a' });
        tellSession?.('Browser.downloadProgress', { guid: 5, totalBytes: 1, receivedBytes: 1, state: 'completed' });
      });
      await eventually(async () => {
        const { sessions } = (await ask('GET')).body;
        const { endReason } = sessions.find((session: { id: string }) => session.id === id);
        assert.match(endReason ?? '', /the browser sent messages that are not valid CDP/);
      });
    }
    await checkThatServiceGoesOn();
  });

  it('F26: is named also if its first answer is not valid', async () => {
    onCommand = (method, _tell, socket) => {
      if (method === 'Target.attachToBrowserTarget') socket.send('nope');
    };
    const { status, body } = await ask('POST', {});
    assert.equal(status, 502, JSON.stringify(body));
    assert.match(body.error, /The browser of the session sent a message that is not valid CDP before it could be used/);
  });
});

describe('a CDP pipe', () => {
  it('F1: ends with its browser, alone, when a message is not valid', async () => {
    for (const bad of ['{"id":', 'null', '']) {
      const [toChrome, fromChrome] = [new PassThrough(), new PassThrough()];
      const broken: string[] = [];
      const seen: unknown[] = [];
      let closed = 0;
      const pipe = openPipe(toChrome, fromChrome, (how) => void broken.push(how));
      pipe.onMessage((message) => void seen.push(message));
      pipe.onClose(() => void closed++);
      fromChrome.write(`{"id":1}\0${bad}\0{"id":2}\0`);
      await eventually(() => assert.equal(closed, 1));
      assert.deepEqual(seen, [{ id: 1 }]);
      assert.deepEqual(broken, ['sent a message that is not valid CDP']);
      pipe.send({ id: 3, method: 'Browser.close' });
    }
  });

  it('F1: goes on after a message that is too large: only what it answers fails', async () => {
    const [toChrome, fromChrome] = [new PassThrough(), new PassThrough()];
    const seen: unknown[] = [];
    const pipe = openPipe(toChrome, fromChrome, assert.fail, 10_000);
    pipe.onMessage((message) => void seen.push(message));
    const text = 'x'.repeat(4000);
    const parts = [
      ['{"id":1,"result":{"value":"', '"},"sessionId":"S"}\0'],
      ['{"method":"Network.webSocketFrameReceived","params":{"payload":"', '"},"sessionId":"S"}\0{"id":2}\0'],
      ['{"id":3,"result":{"value":"', '"}}\0'],
    ];
    for (const [begin, end] of parts) for (const part of [begin, text, text, text, text, end]) fromChrome.write(part);
    await eventually(() => assert.equal(seen.length, 3));
    const error = { code: -32000, message: "The browser's answer is longer than 0 MiB." };
    assert.deepEqual(seen, [{ id: 1, error, sessionId: 'S' }, { id: 2 }, { id: 3, error }]);
  });

  it('F1: kills the Chrome that sent it, and its session alone says why', async () => {
    const folder = temporaryFolder();
    const flag = join(folder, 'break');
    const chromePath = join(folder, 'chrome');
    // The first of the browsers that finds the file writes it to its pipe.
    const writer = `while ! mv ${flag} ${flag}.$$ 2>/dev/null; do sleep 0.1; done; printf 'no JSON\\0' >&4`;
    writeFileSync(chromePath, `#!/bin/sh\n(${writer}) &\nexec ${findChrome().path} "$@"\n`, { mode: 0o755 });
    const service = await startTestService({ chromePath });
    try {
      const ids: string[] = [];
      for (let number = 0; number < 2; number++) ids.push((await service.call('POST', '/v2/browser', {})).body.id);
      const run = async () =>
        Promise.all(ids.map((id) => service.call('POST', `/v2/browser/${id}/execute`, { code: '6 * 7' })));
      assert.deepEqual(
        (await run()).map(({ body }) => body.result),
        ['42', '42'],
      );
      writeFileSync(flag, '');
      const [ended, ...others] = await eventually(async () => {
        const answers = (await run()).sort((one, other) => other.status - one.status);
        assert.equal(answers[0]?.status, 410);
        return answers;
      });
      assert.match(ended?.body.error, /the browser sent a message that is not valid CDP/);
      assert.deepEqual(
        others.map(({ body }) => body.result),
        ['42'],
      );
    } finally {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
