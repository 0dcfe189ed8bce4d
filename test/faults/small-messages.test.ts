import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { cdpSocket } from '../../src/service/browsers/chrome/cdp-socket.ts';
import type { Relay } from '../../src/service/browsers/chrome/relay/relay.ts';
import { connect } from '../../src/service/browsers/chrome/remote/connection.ts';
import { createLiveView } from '../../src/service/browsers/live-view/live-view.ts';
import { createCapabilities, type UpgradeHandler } from '../../src/service/platform/http/capabilities.ts';
import { createLinks } from '../../src/service/platform/link/link.ts';
import { type Log, silentLog } from '../../src/service/platform/log.ts';
import { eventually } from '../harness/eventually.ts';
import { createFakeClock } from '../harness/fake-clock.ts';

const messages = 500;

/** Counts what is done, and how much of it is done in the same turn as something before. */
function createTally() {
  let isSameTurn = false;
  const tally = { done: 0, together: 0 };
  const nextTurn = () => {
    isSameTurn = false;
  };
  return {
    tally,
    count(): void {
      tally.done++;
      if (isSameTurn) tally.together++;
      else setImmediate(nextTurn);
      isSameTurn = true;
    },
  };
}

/** Sends messages that arrive together. */
function sendTogether(from: WebSocket, text: string, last = text): void {
  const { _socket: socket } = from as unknown as { _socket: Duplex };
  socket.cork();
  for (let sent = 1; sent < messages; sent++) from.send(text);
  from.send(last);
  socket.uncork();
}

/** Sends as many messages as arrive together, and waits until all have been handled. */
async function flood(upgrade: UpgradeHandler, path: string, text: string, isOver: () => boolean, last = text) {
  const server = createServer().on('upgrade', upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  try {
    await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
    sendTogether(client, text, last);
    await eventually(() => assert.ok(isOver()));
  } finally {
    client.terminate();
    server.close();
  }
}

describe('small messages that arrive together', () => {
  it('TRN-17: have a turn each, from a window', async () => {
    const { tally, count } = createTally();
    const links = createLinks({ version: '1.0.0', clock: createFakeClock(), log: silentLog, onWarm: count });
    const open: UpgradeHandler = (request, socket, head) =>
      links.onLink(request, socket, head, { team: 'a', keyLabel: '' });
    await flood(open, '', '{"type":"warm"}', () => tally.done >= messages);
    links.close();
    assert.deepEqual(tally, { done: messages, together: 0 });
  });

  it('TRN-17: are logged once, if a window sends what is not supported', async () => {
    const { tally, count } = createTally();
    const lines: string[] = [];
    const log = { ...silentLog, warn: (line: string) => void lines.push(line) } as unknown as Log;
    const links = createLinks({ version: '1.0.0', clock: createFakeClock(), log, onWarm: count });
    const open: UpgradeHandler = (request, socket, head) =>
      links.onLink(request, socket, head, { team: 'a', keyLabel: '' });
    await flood(open, '', '{}', () => tally.done === 1, '{"type":"warm"}');
    links.close();
    assert.equal(lines.length, 1);
  });

  it('TRN-17: have a turn each, from a CDP client', async () => {
    const { tally, count } = createTally();
    const relay = { connect: async () => ({ receive: count, close: () => undefined }), backlog: () => 0 };
    const open = cdpSocket({ relay: relay as unknown as Relay, team: () => 'a', onBrowserClose: () => undefined });
    await flood(open, '', '{"id":1,"method":"X.y"}', () => tally.done >= messages);
    assert.deepEqual(tally, { done: messages, together: 0 });
  });

  it('TRN-17: have a turn each, from a browser that runs elsewhere', async () => {
    const { tally, count } = createTally();
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const opened = once(server, 'connection') as Promise<[WebSocket]>;
      const connection = await connect(`ws://127.0.0.1:${port}`, { timeoutMs: 60_000 });
      connection.pipe.onMessage(count);
      const [browser] = await opened;
      sendTogether(browser, '{"method":"X.y"}');
      await eventually(() => assert.ok(tally.done >= messages));
      assert.deepEqual(tally, { done: messages, together: 0 });
      await connection.close();
    } finally {
      server.close();
    }
  });

  it('TRN-17: have a turn each, from a viewer, and few of them a second are more than acknowledgements', async () => {
    const { tally, count } = createTally();
    let refreshed = 0;
    const relay = {
      viewports: { onChange: () => undefined, isSet: () => false },
      async connect({ deliver }: { deliver(text: string): void }) {
        return {
          receive: ({ id }: { id: number }) => setImmediate(deliver, JSON.stringify({ id, result: { userAgent: '' } })),
          close: () => undefined,
        };
      },
    };
    const capabilities = createCapabilities();
    const clock = createFakeClock();
    const view = createLiveView({
      sessionId: 'session',
      team: 'a',
      relay: relay as unknown as Relay,
      tabs: { list: () => [], onChange: () => undefined, refresh: async () => void refreshed++ } as never,
      fetch: assert.fail,
      capabilities,
      downloads: () => ({ list: [], open: async () => undefined }),
      origin: () => '',
      clock: {
        ...clock,
        // Read once for each message.
        monotonic() {
          count();
          return 0;
        },
      },
      log: silentLog,
      onInput: () => undefined,
      onViewer: () => undefined,
      onControl: () => undefined,
      isBusy: () => false,
    });
    const open: UpgradeHandler = (request, socket, head) => {
      const capability = capabilities.find((request as IncomingMessage).url ?? '');
      assert.ok(capability && capability !== 'gone');
      capability.upgrade(request, socket, head);
    };
    await flood(open, view.url, '{"type":"watch","on":true}', () => tally.done >= messages);
    view.end('the test is over');
    assert.ok(tally.together <= 10, `${tally.together} in the turn of another`);
    assert.ok(refreshed <= 410, `${refreshed} reads of titles`);
  });
});
