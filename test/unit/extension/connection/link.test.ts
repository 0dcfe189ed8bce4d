import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import packageJson from '../../../../package.json' with { type: 'json' };
import { EmbeddedService } from '../../../../src/extension/connection/embedded/embedded.ts';
import { ServiceLink } from '../../../../src/extension/connection/embedded/link.ts';
import { temporaryFolder } from '../../../harness/folders.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';

const log = { info() {}, warn() {} };

describe('the link of a window to the embedded service', () => {
  let running: boolean;
  let folder: string;
  let service: TestService;
  beforeEach(async () => {
    folder = temporaryFolder();
    service = await startTestService({ dataDir: folder });
    running = true;
  });
  const end = async () => {
    if (running) await service.close();
    running = false;
  };
  afterEach(async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  });

  const window = (version = '0.0.0') =>
    new EmbeddedService({
      execPath: process.execPath,
      program: '/nowhere.cjs',
      dataDirectory: folder,
      environment: {},
      version,
      window: 'test',
      log,
    });

  it('opens with the key and gets a welcome message', async () => {
    const link = await ServiceLink.open({ port: service.port, apiKey: service.apiKey, window: 'test' });
    assert.equal(link.pid, process.pid);
    link.close();
  });

  it('gets what the service sends together with the welcome', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    server.on('connection', (socket, { socket: connection }) =>
      socket.once('message', () => {
        connection.cork();
        socket.send(JSON.stringify({ type: 'welcome', version: '1.0.0', pid: 1 }));
        socket.send(JSON.stringify({ type: 'goodbye', reason: 'another version takes over' }));
        connection.uncork();
      }),
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const link = await ServiceLink.open({ port, apiKey: undefined, window: 'test' });
    const types: string[] = [];
    link.onMessage.on(({ type }) => types.push(type));
    const closed = new Promise((resolve) => link.onLost.on(resolve));
    for (const client of server.clients) client.close();
    await closed;
    assert.deepEqual(types, ['goodbye']);
    server.close();
  });

  it("is refused without the right key, in a message that doesn't contain it", async () => {
    const opening = ServiceLink.open({ port: service.port, apiKey: 'canary-key', window: 'test' });
    await assert.rejects(opening, (error: Error) => /401/.test(error.message) && !/canary/.test(error.message));
  });

  it('is refused if nothing is listening', async () => {
    await assert.rejects(ServiceLink.open({ port: 1, apiKey: 'k', window: 'test' }), /Couldn't connect/);
  });

  it('is shared by all callers in a window, and every window has one', async () => {
    const one = window();
    const other = window();
    const [first, again, second] = await Promise.all([one.join(), one.join(), other.join()]);
    assert.equal(first, again);
    assert.equal(first?.port, second?.port);
    one.dispose();
    other.dispose();
  });

  it('reports when the service stops by itself', async () => {
    const one = window();
    const linked = await one.join();
    assert.ok(linked);
    const stopped = new Promise<{ expected: boolean; reason: string }>((resolve) => one.onStopped.on(resolve));
    await end();
    assert.deepEqual(await stopped, { expected: true, reason: 'the test is over' });
    assert.equal(one.linked, undefined);
    one.dispose();
  });

  it("can't be joined after that, and starts nothing", async () => {
    await end();
    const one = window();
    assert.equal(await one.join(), undefined);
    one.dispose();
  });

  describe('with another version', () => {
    /** A service as a window starts it, and what it says when it is to stop. */
    async function linkedService(): Promise<{ done: Promise<string> }> {
      await end();
      const done = Promise.withResolvers<string>();
      service = await startTestService({ dataDir: folder, linked: true, onDone: (reason) => done.resolve(reason) });
      running = true;
      return { done: done.promise };
    }

    it('takes over from an older service that is idle, and older windows follow it (PRT-10)', async () => {
      const { done } = await linkedService();
      const older = window('0.0.1');
      await older.join();
      const newer = window('99.0.0');
      await newer.join();
      assert.equal(await done, 'version 99.0.0 takes over');
      const stopped = new Promise((resolve) => older.onStopped.on(resolve));
      const followed = new Promise<{ port: number }>((resolve) => older.onLinked.on(resolve));
      newer.dispose();
      const { port } = service;
      await end();
      assert.deepEqual(await stopped, { expected: true, reason: 'the test is over' });
      assert.equal(older.linked, undefined, 'an older window starts no service of its own');
      service = await startTestService({ dataDir: folder });
      running = true;
      assert.notEqual((await followed).port, port);
      assert.equal((await older.start()).port, service.port);
      older.dispose();
    });

    it('leaves a service of its own version alone', async () => {
      const { done } = await linkedService();
      const same = window(packageJson.version);
      await same.join();
      const outcome = await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 1500, 'runs'))]);
      assert.equal(outcome, 'runs');
      same.dispose();
    });

    it('stops a service over the link', async () => {
      const { done } = await linkedService();
      const one = window();
      await one.join();
      const stopped = one.stop();
      assert.equal(await done, 'requested by a window');
      await end();
      await stopped;
      one.dispose();
    });

    it('does not stop a service that was started by hand', async () => {
      await end();
      let stops = 0;
      service = await startTestService({ dataDir: folder, linked: false, onDone: () => stops++ });
      running = true;
      const link = await ServiceLink.open({ port: service.port, apiKey: service.apiKey, window: 'test' });
      link.send({ type: 'stop' });
      // Answers come in the order of the messages.
      const welcomed = new Promise((resolve) => link.onMessage.on(resolve));
      link.send({ type: 'hello', window: 'again' });
      await welcomed;
      assert.equal(stops, 0);
      link.close();
    });
  });
});
