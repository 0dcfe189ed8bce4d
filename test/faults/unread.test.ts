import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { cdpSocket, createUnreadBudget } from '../../src/service/browsers/chrome/cdp-socket.ts';
import type { Relay, RelayClientOptions } from '../../src/service/browsers/chrome/relay/relay.ts';
import { eventually } from '../harness/eventually.ts';

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
    const open = cdpSocket({ relay, onBrowserClose: () => undefined, unread: budget });
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
});
