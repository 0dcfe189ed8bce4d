import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { cdpSocket } from '../../src/service/browsers/chrome/cdp-socket.ts';
import type { Relay, RelayClientOptions } from '../../src/service/browsers/chrome/relay/relay.ts';
import { createUnreadBudget } from '../../src/service/platform/http/unread-sockets.ts';
import { createLinks } from '../../src/service/platform/link/link.ts';
import { silentLog } from '../../src/service/platform/log.ts';
import { eventually } from '../harness/eventually.ts';
import { createFakeClock } from '../harness/fake-clock.ts';

describe('CDP clients that do not read', () => {
  it('F15: have one budget together: the slowest lose their connection, and one that reads keeps it', async () => {
    const megabyte = 1024 * 1024;
    const budget = createUnreadBudget(64 * megabyte, 24 * megabyte);
    const clients: RelayClientOptions[] = [];
    const relay = {
      connect: async (options: RelayClientOptions) => {
        clients.push(options);
        return { receive: () => undefined, close: () => undefined };
      },
    } as unknown as Relay;
    const open = cdpSocket({ relay, team: () => 'a', onBrowserClose: () => undefined, unread: budget });
    const server = createServer().on('upgrade', open);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const connect = async () => {
      const socket = new WebSocket(url, { maxPayload: 64 * megabyte });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    };
    const reader = await connect();
    let read = 0;
    reader.on('message', () => void read++);
    const idle = [await connect(), await connect(), await connect()];
    try {
      for (const socket of idle) socket.pause();
      await eventually(() => assert.equal(clients.length, 4));
      const text = 'x'.repeat(megabyte);
      for (let number = 1; number <= 60; number++) {
        for (const client of clients) client.deliver(text);
        await eventually(() => assert.equal(read, number));
      }
      assert.equal(reader.readyState, WebSocket.OPEN);
      for (const socket of idle) socket.resume();
      // Two of them alone exceed it.
      await eventually(() => assert.ok(idle.filter(({ readyState }) => readyState === WebSocket.CLOSED).length >= 2));
    } finally {
      for (const socket of [reader, ...idle]) socket.terminate();
      server.closeAllConnections();
      server.close();
    }
  });

  it('F15: cost a team that reads nothing, whose sockets are many, their connections, and no other team one', () => {
    const budget = createUnreadBudget(100, 1_000);
    const closed: string[] = [];
    const add = (team: string, bufferedAmount: number) => {
      const socket = { bufferedAmount, close: () => closed.push(team), terminate: () => undefined };
      budget.add(socket as unknown as WebSocket, team);
      return socket as unknown as WebSocket;
    };
    const other = add('b', 90);
    const many = Array.from({ length: 46 }, () => add('a', 20));
    assert.equal(budget.admits(other, 1), true);
    assert.deepEqual(closed, ['a']);
    assert.equal(many.filter((socket) => budget.admits(socket, 40)).length, 43);
    assert.deepEqual(new Set(closed), new Set(['a']));
  });
});

describe('windows that do not read', () => {
  it('F15: lose their links', async () => {
    const megabyte = 1024 * 1024;
    const links = createLinks({
      version: '1.0.0',
      clock: createFakeClock(),
      log: silentLog,
      unread: createUnreadBudget(8 * megabyte),
    });
    const server = createServer().on('upgrade', (request, socket, head) =>
      links.onLink(request, socket, head, { team: 'a', keyLabel: '' }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const window = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    let isClosed = false;
    window.once('close', () => {
      isClosed = true;
    });
    try {
      await new Promise((resolve, reject) => window.once('open', resolve).once('error', reject));
      window.send('{"type":"hello","window":"test"}');
      await new Promise((resolve) => window.once('message', resolve));
      window.pause();
      const text = 'x'.repeat(megabyte);
      // What the system keeps for a socket is a few megabytes.
      for (let number = 0; number < 60; number++) links.send('a', { type: 'goodbye', reason: text });
      window.resume();
      await eventually(() => assert.ok(isClosed));
    } finally {
      window.terminate();
      links.close();
      server.close();
    }
  });
});
