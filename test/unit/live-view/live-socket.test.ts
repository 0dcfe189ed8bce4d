import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { LiveSocket } from '../../../src/extension/live-view/live-socket.ts';
import { eventually } from '../../harness/eventually.ts';

describe('the socket of a live view', () => {
  let server: WebSocketServer;
  let live: LiveSocket;
  let received: string[];
  let deliver: (() => void)[];
  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: ([first]) => first ?? false });
    await once(server, 'listening');
    received = [];
    deliver = [];
    const took = (what: string) => {
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

  const [size, many] = [8 * 1024 * 1024, 40];
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
