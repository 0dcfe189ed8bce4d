import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { LiveSocket } from '../../../src/extension/live-view/live-socket.ts';
import { eventually } from '../../harness/eventually.ts';

describe('the socket of a live view', () => {
  let server: WebSocketServer;
  let live: LiveSocket;
  let received: string[];
  let deliver: (() => void)[];
  let onTaken: () => void;
  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: ([first]) => first ?? false });
    await once(server, 'listening');
    received = [];
    deliver = [];
    onTaken = () => undefined;
    const took = (what: string) => {
      onTaken();
      received.push(what);
      return new Promise<void>((resolve) => deliver.push(resolve));
    };
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/live/a/b`);
    live = await LiveSocket.open(url, {
      onMessage: (message) => took(message.type),
      onFrame: (bytes) => took(`frame of ${bytes.byteLength}`),
      onClosed: () => received.push('closed'),
    });
    live.listen();
  });
  afterEach(() => {
    live.close();
    for (const client of server.clients) client.terminate();
    server.close();
  });

  const [size, many] = [7 * 1024 * 1024, 40];
  const peer = () => {
    const [client] = server.clients;
    assert.ok(client);
    return client;
  };

  it('is read no further while VS Code has not taken what it was sent (EXT-31)', async () => {
    for (let count = 0; count < many; count++) peer().send(Buffer.alloc(size));
    await eventually(() => assert.equal(received.length, 5));
    assert.ok(peer().bufferedAmount > size);
    assert.equal(received.length, 5);
    await eventually(() => {
      for (const taken of deliver.splice(0)) taken();
      assert.equal(received.length, many);
    });
  });

  it('takes each message in a turn of its own, and few small ones ahead of VS Code (EXT-31)', async () => {
    const text = JSON.stringify({ type: 'recording', on: true });
    let [isSameTurn, together] = [false, 0];
    const nextTurn = () => {
      isSameTurn = false;
    };
    onTaken = () => {
      if (isSameTurn) together++;
      else queueMicrotask(nextTurn);
      isSameTurn = true;
    };
    const socket = (peer() as unknown as { _socket: Duplex })._socket;
    socket.cork();
    for (let sent = 0; sent < 40_000; sent++) peer().send(text);
    socket.uncork();
    await eventually(() => assert.ok(deliver.length > 30_000));
    assert.equal(together, 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // What has arrived together with the last one that it waits for is taken too.
    assert.ok(received.length < 36_000, String(received.length));
  });

  it('leaves out messages of very many values (EXT-31)', async () => {
    peer().send(`{"type":"tabs","shown":null,"tabs":[${'5,'.repeat(100_000)}5]}`);
    peer().send(`{"type":"notice","text":"${',[{'.repeat(100_000)}"}`);
    peer().send(JSON.stringify({ type: 'recording', on: true }));
    await eventually(() => assert.equal(received.at(-1), 'recording'));
    assert.deepEqual(received, ['notice', 'recording']);
  });

  it('says when the server has taken a piece of a file', async () => {
    const pieces: number[] = [];
    peer().on('message', (data) => pieces.push((data as Buffer).byteLength));
    await live.sendBytes(new Uint8Array(5));
    await eventually(() => assert.deepEqual(pieces, [5]));
  });
});
