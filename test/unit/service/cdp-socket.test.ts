import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { WebSocket } from 'ws';
import { type CdpSocketOptions, cdpSocket, createHold } from '../../../src/service/browsers/chrome/cdp-socket.ts';
import { openPipe } from '../../../src/service/browsers/chrome/pipe.ts';
import { createRelay } from '../../../src/service/browsers/chrome/relay/relay.ts';
import { eventually } from '../../harness/eventually.ts';

interface Command {
  id: number;
  method: string;
  sessionId: string;
  params: Record<string, unknown>;
}

/** A browser at the other end of a pipe, which answers a command with `answers`, or with its expression. */
function fakeBrowser(
  answers: (command: Command) => string = ({ params }) => JSON.stringify(params.expression ?? null),
) {
  const toChrome = new PassThrough();
  const fromChrome = new PassThrough();
  const seen: Command[] = [];
  let text = '';
  toChrome.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (text + chunk).split('\0');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const command = JSON.parse(message) as Command;
      seen.push(command);
      const isAttach = command.method === 'Target.attachToBrowserTarget';
      const result = isAttach ? '{"sessionId":"ROOT"}' : `{"value":${answers(command)}}`;
      const session = command.sessionId === undefined ? '' : `,"sessionId":"${command.sessionId}"`;
      fromChrome.write(`{"id":${command.id},"result":${result}${session}}\0`);
    }
  });
  return { relay: createRelay(openPipe(toChrome, fromChrome, assert.fail)), seen };
}

describe('the socket of CDP clients', () => {
  let server: Server;
  let socket: WebSocket;
  const received: Record<string, unknown>[] = [];
  afterEach(() => {
    socket.terminate();
    server.closeAllConnections();
    server.close();
  });

  async function connect(options: Pick<CdpSocketOptions, 'relay' | 'hold'>): Promise<void> {
    server = createServer().on('upgrade', cdpSocket({ team: () => 'a', onBrowserClose: () => undefined, ...options }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { perMessageDeflate: false });
    received.length = 0;
    socket.on('message', (data) => received.push(JSON.parse(String(data))));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  }
  const closed = () => new Promise<number>((resolve) => socket.once('close', resolve));
  const expression = (length: number) => `é"\\${'x'.repeat(length)}`;

  it('passes commands and answers of all sizes on as they are, in their order', async () => {
    const { relay, seen } = fakeBrowser();
    await connect({ relay });
    const lengths = [10, 400_000, 20, 65_536, 3_000_000, 30, 300_000, 0];
    for (const [index, length] of lengths.entries()) {
      const params = { expression: expression(length), list: [{ a: null }] };
      socket.send(JSON.stringify({ id: index + 100, method: 'Runtime.evaluate', params, extra: true }));
    }
    await eventually(() => assert.equal(received.length, lengths.length));
    for (const [index, length] of lengths.entries()) {
      assert.deepEqual(received[index], { id: index + 100, result: { value: expression(length) } });
      const { method, sessionId, params } = seen[index + 1] as Command;
      assert.deepEqual([method, sessionId], ['Runtime.evaluate', 'ROOT']);
      assert.deepEqual(params, { expression: expression(length), list: [{ a: null }] });
    }
  });

  it('takes messages in any frames', async () => {
    const { relay } = fakeBrowser();
    await connect({ relay });
    const text = Buffer.from(
      JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: expression(700_000) } }),
    );
    socket.send(text.subarray(0, 5), { fin: false, binary: false });
    socket.ping();
    socket.send(text.subarray(5, 500_001), { fin: false });
    socket.send(text.subarray(500_001), { fin: true });
    socket.send(text, { binary: true });
    await eventually(() => assert.equal(received.length, 2));
    for (const message of received) assert.deepEqual(message, { id: 1, result: { value: expression(700_000) } });
  });

  it('refuses large commands that the service would have to read, or that Chrome would not answer', async () => {
    const { relay, seen } = fakeBrowser();
    await connect({ relay });
    const send = (method: string, params: string, sessionId?: string) =>
      socket.send(`{"id":${received.length + 1},"params":${params},"method":"${method}"${sessionId ?? ''}}`);
    const large = `"x":"${'x'.repeat(300_000)}"`;
    const refusals: [Parameters<typeof send>, RegExp | undefined][] = [
      [['Page.navigate', `{"url":"${'x'.repeat(5_000_000)}"}`], /too large/],
      [['Target.createTarget', `{"x":[${'1,'.repeat(200_000)}1]}`], /too large/],
      [['Runtime.evaluate', `{${large},"a":${'['.repeat(300)}${']'.repeat(300)}}`], /nested deeper than 250/],
      [['Runtime.evaluate', `{${large}}`, `,"sessionId":"${'S'.repeat(2000)}"`], /Session with given id not found/],
      [['Runtime.evaluate', `{${large}}`, ',"sessionId":"S","sessionId":"other"'], /Session with given id not found/],
      [['Browser.crash', `{${large}}`], /not allowed/],
      [['Page.addScriptToEvaluateOnNewDocument', `{${large}}`], undefined],
    ];
    for (const [index, [command, problem]] of refusals.entries()) {
      send(...command);
      await eventually(() => assert.equal(received.length, index + 1));
      const { id, error } = received[index] as { id: number; error?: { message: string } };
      assert.equal(id, index + 1);
      if (problem) assert.match(error?.message ?? '', problem);
      else assert.equal(error, undefined);
    }
    assert.deepEqual(
      seen.slice(1).map(({ method }) => method),
      ['Page.addScriptToEvaluateOnNewDocument'],
    );
  });

  it('closes when a large message is no JSON object, so that nothing can hide in it', async () => {
    const large = 'x'.repeat(300_000);
    for (const text of [`"${large}"`, `{"id":1,"method":"a.b","params":{"a":"${large}\0{}"}}`, `{"a":"${large}"`]) {
      const { relay, seen } = fakeBrowser();
      await connect({ relay });
      await eventually(() => assert.equal(seen.length, 1));
      socket.send(text);
      assert.equal(await closed(), 1007);
      assert.equal(seen.length, 1);
      server.close();
    }
  });

  it('BUD-09: keeps a limited number of commands while a person has paused what runs', async () => {
    const hold = createHold();
    hold.set(true);
    const { relay, seen } = fakeBrowser();
    await connect({ relay, hold });
    await eventually(() => assert.equal(seen.length, 1));
    for (let id = 1; id <= 10_002; id++) socket.send(`{"id":${id},"method":"Runtime.evaluate","params":{}}`);
    await eventually(() => assert.equal(received.length, 2));
    for (const [index, { id, error }] of received.entries()) {
      assert.equal(id, 10_001 + index);
      assert.match((error as { message: string }).message, /wasn't sent: a person has paused/);
    }
    assert.equal(seen.length, 1);
    hold.set(false);
    await eventually(() => assert.equal(received.length, 10_002));
    assert.deepEqual(received.at(-1), { id: 10_000, result: { value: null } });
  });

  it('BUD-12: reads no more commands while the browser takes none, and goes on once it does', async () => {
    const [toChrome, fromChrome] = [new PassThrough(), new PassThrough()];
    const relay = createRelay(openPipe(toChrome, fromChrome, assert.fail));
    await connect({ relay });
    await eventually(() => assert.ok(toChrome.readableLength > 0));
    fromChrome.write('{"id":1,"result":{"sessionId":"ROOT"}}\0');
    const [count, length] = [30, 8_000_000];
    const command = (id: number) =>
      JSON.stringify({ id, method: 'Runtime.evaluate', params: { expression: 'x'.repeat(length) } });
    let sent = 0;
    for (let id = 1; id <= count; id++) socket.send(command(id), () => sent++);
    await eventually(() => assert.ok(relay.backlog() > 32_000_000));
    // More would have arrived by then.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(relay.backlog() < 60_000_000, `${relay.backlog()} bytes wait`);
    assert.ok(sent < count);
    let read = 0;
    toChrome.on('data', (chunk: Buffer) => {
      read += chunk.length;
    });
    await eventually(() => assert.ok(read > count * length));
  });

  it('keeps a limited size of commands, of which one may be as large as any', async () => {
    const hold = createHold();
    hold.set(true);
    const { relay, seen } = fakeBrowser(() => '1');
    await connect({ relay, hold });
    const send = (id: number, length: number) =>
      socket.send(`{"id":${id},"method":"Runtime.evaluate","params":{"expression":"${'x'.repeat(length)}"}}`);
    send(1, 34_000_000);
    send(2, 10);
    await eventually(() => assert.equal(received.length, 1));
    assert.equal(received[0]?.id, 2);
    hold.set(false);
    await eventually(() => assert.deepEqual(received[1], { id: 1, result: { value: 1 } }));
    send(3, 10);
    await eventually(() => assert.equal(received.length, 3));
    assert.equal((seen[1] as Command).params.expression?.toString().length, 34_000_000);
  });
});
