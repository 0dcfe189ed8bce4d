import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket } from 'ws';
import { createLinks, type WindowLink } from '../../../src/service/platform/link/link.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

describe('the links of windows', () => {
  /** Opens a link and closes it again, and returns what happens as time passes. */
  async function abandoned(hello: object, isRunning: () => boolean) {
    const clock = createFakeClock();
    let ended = 0;
    let gone = 0;
    let linked: WindowLink | undefined;
    const links = createLinks({
      version: '1.0.0',
      clock,
      log: silentLog,
      onAbandoned: () => ended++,
      onHello: (from) => {
        linked = from;
      },
      onLinkGone: () => gone++,
      isRunning,
    });
    const server = createServer();
    server.on('upgrade', (request, socket, head) =>
      links.onLink(request, socket as Socket, head, { team: 'default' } as never),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const window = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    window.on('open', () => window.send(JSON.stringify({ type: 'hello', window: 'test', ...hello })));
    await eventually(() => assert.ok(linked));
    window.close();
    await eventually(() => assert.equal(gone, 1));
    return {
      ended: () => ended,
      advance: (seconds: number) => {
        for (let left = seconds; left > 0; left--) clock.advance(1000);
      },
      close: () => {
        links.close();
        server.close();
      },
    };
  }

  it('are sent nothing before their welcome', async () => {
    const links = createLinks({ version: '1.0.0', clock: createFakeClock(), log: silentLog });
    const server = createServer();
    server.on('upgrade', (request, socket, head) => {
      links.onLink(request, socket as Socket, head, { team: 'a', keyLabel: '' });
      links.send('a', { type: 'goodbye', reason: 'too early' });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const window = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const types: string[] = [];
    window.on('message', (data) => {
      types.push(JSON.parse(String(data)).type);
      if (types.length === 1) links.send('a', { type: 'model-cancel', id: '1' });
    });
    window.on('open', () => window.send('{"type":"hello","window":"test"}'));
    await eventually(() => assert.ok(types.includes('model-cancel')));
    links.sendAll({ type: 'goodbye', reason: 'the test is over' });
    await eventually(() => assert.ok(types.includes('goodbye')));
    assert.deepEqual(types, ['welcome', 'model-cancel', 'goodbye']);
    links.close();
    server.close();
  });

  it('take large messages in pieces, in their order, and none of a window that has gone (TRN-19)', async () => {
    const heard: string[] = [];
    const clock = createFakeClock();
    let gone = 0;
    const links = createLinks({
      version: '1.0.0',
      clock,
      log: silentLog,
      onModelMessage: (_from, message) => heard.push('id' in message ? message.id : message.type),
      onLinkGone: () => gone++,
    });
    const server = createServer();
    server.on('upgrade', (request, socket, head) =>
      links.onLink(request, socket as Socket, head, { team: 'a', keyLabel: '' }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const window = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const parse = JSON.parse;
    let longest = 0;
    JSON.parse = (text, reviver) => {
      longest = Math.max(longest, text.length);
      return parse(text, reviver);
    };
    try {
      const answer = (id: string, text: string) => JSON.stringify({ type: 'model-answer', id, text, toolCalls: [] });
      const large = `é"\n${'x'.repeat(1000)}`.repeat(900);
      await new Promise((resolve) => window.once('open', resolve));
      for (let number = 0; number < 6; number++)
        window.send(answer(String(number), number % 2 === 0 ? large : 'short'));
      window.send(`{"type":"hello",${' '.repeat(900_000)}`);
      window.send('{"type":"window-model","name":null}');
      await eventually(() => assert.equal(heard.at(-1), 'window-model'));
      assert.deepEqual(heard, ['0', '1', '2', '3', '4', '5', 'window-model']);
      assert.ok(longest < 100_000, `${longest} characters at once`);
      let [pieces, goneBefore] = [0, -1];
      JSON.parse = (text, reviver) => {
        // Longer than a turn: the link closes between two pieces.
        for (const end = performance.now() + 12; performance.now() < end; );
        // A window that answers no ping is taken for gone.
        if (pieces++ === 0) for (let ping = 0; ping < 2; ping++) clock.advance(10_000);
        if (text.includes('toolCalls')) goneBefore = gone;
        return parse(text, reviver);
      };
      window.on('error', () => undefined);
      window.send(answer('last', large));
      await eventually(() => assert.notEqual(goneBefore, -1));
      await new Promise(setImmediate);
      assert.equal(goneBefore, 1);
      assert.equal(heard.at(-1), 'window-model');
    } finally {
      JSON.parse = parse;
      window.terminate();
      links.close();
      server.close();
    }
  });

  it('end the service 10 seconds after the last one, if what started the window has ended too', async () => {
    const service = await abandoned({ host: 4711 }, () => false);
    service.advance(9);
    assert.equal(service.ended(), 0);
    service.advance(1);
    assert.equal(service.ended(), 1);
    service.close();
  });

  it('wait longer for a window that may be reloading, until VS Code ends or the time is over', async () => {
    let running = true;
    const service = await abandoned({ host: 4711 }, () => running);
    service.advance(40);
    assert.equal(service.ended(), 0);
    running = false;
    service.advance(12);
    assert.equal(service.ended(), 1);
    service.close();

    const other = await abandoned({ host: 4711 }, () => true);
    other.advance(88);
    assert.equal(other.ended(), 0);
    other.advance(3);
    assert.equal(other.ended(), 1);
    other.close();
  });
});
