import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { openViewer, until } from '../../harness/live-viewer.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { type Site, startSite } from './site.ts';

/** A viewer that upgrades and then reads nothing, or disappears without closing. */
async function deafViewer(url: string): Promise<Socket> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
  );
  await once(socket, 'readable');
  socket.pause();
  return socket;
}

/** Lets ten seconds pass, after which the service pings its viewers, and waits until it has this viewer's answer. */
async function tenSeconds(clock: FakeClock, socket: WebSocket): Promise<void> {
  const pinged = once(socket, 'ping');
  clock.advance(10_000);
  await pinged;
  // Frames of a connection arrive in order: when this ping is answered, the service has read the pong to its own.
  const answered = once(socket, 'pong');
  socket.ping();
  await answered;
}

describe('slow viewers (WS-08)', () => {
  let service: TestService;
  let site: Site;
  let session: { id: string; liveViewUrl: string };
  before(async () => {
    [service, site] = [await startTestService(), await startSite()];
    session = (await service.call('POST', '/v2/browser', {})).body;
    const code = `await page.goto('${site.origin}/'); 1`;
    await service.call('POST', `/v2/browser/${session.id}/execute`, { code });
  });
  after(async () => {
    await service.close();
    site.close();
  });

  it("get only a few pictures ahead of their acknowledgements, and don't slow down others", async () => {
    const silent = await openViewer(session.liveViewUrl, { silent: true });
    const fast = await openViewer(session.liveViewUrl);
    await until(() => fast.frames > 60, 'pictures for the fast one');
    assert.ok(silent.frames <= 4, `${silent.frames} pictures came unasked`);
    silent.send({ type: 'ack', seq: silent.frame?.seq ?? 0 });
    await until(() => silent.frames > 1, 'the next picture');
    await silent.close();
    await fast.close();
  });

  it('cost little: twenty that never read', async () => {
    const fast = await openViewer(session.liveViewUrl);
    await until(() => fast.frames > 20, 'pictures');
    global.gc?.();
    const before = process.memoryUsage().rss;
    const deaf: Socket[] = [];
    for (let count = 0; count < 20; count++) deaf.push(await deafViewer(session.liveViewUrl));
    const begun = fast.frames;
    await until(() => fast.frames > begun + 120, 'pictures beside them');
    const growth = (process.memoryUsage().rss - before) / 1024 / 1024;
    assert.ok(growth < 100, `${growth.toFixed(1)} MB for twenty`);
    for (const socket of deaf) socket.destroy();
    await fast.close();
  });

  it('get lower quality at a slow pace, and full quality again later', async () => {
    const viewer = await openViewer(session.liveViewUrl, { silent: true });
    const sizes: number[] = [];
    let pause = 400;
    viewer.socket.on('message', (_data, isBinary) => {
      if (!isBinary || !viewer.frame) return;
      sizes.push(viewer.frame.jpeg.length);
      const { seq } = viewer.frame;
      setTimeout(() => viewer.send({ type: 'ack', seq }), pause);
    });
    await until(() => sizes.length > 0, 'a picture');
    const first = sizes[0] ?? 0;
    await until(() => (sizes.at(-1) ?? 0) < first * 0.8, 'smaller pictures');
    pause = 0;
    await until(() => (sizes.at(-1) ?? 0) > first * 0.8, 'good pictures again');
    await viewer.close();
  });
});

describe('viewers that disappear (WS-09)', () => {
  let service: TestService;
  let clock: FakeClock;
  before(async () => {
    clock = createFakeClock();
    service = await startTestService({ clock });
  });
  after(() => service.close());

  it('are disconnected within 30 seconds of silence, and the pictures stop', async () => {
    const { body: session } = await service.call('POST', '/v2/browser', { ttl: 3600, activityTtl: 3600 });
    const gone = await deafViewer(session.liveViewUrl);
    // A TCP connection whose other end sleeps stays open: nothing is read, and no pong is sent.
    const closed = once(gone, 'close');
    const there = await openViewer(session.liveViewUrl);
    await until(() => there.frames > 0, 'a picture');
    for (let seconds = 0; seconds < 30; seconds += 10) await tenSeconds(clock, there.socket);
    gone.resume();
    await closed;
    assert.equal(there.socket.readyState, there.socket.OPEN, 'who answers pings stays');
    await there.close();
  });

  it('are disconnected when they answer pings but acknowledge no pictures', async () => {
    const { body: session } = await service.call('POST', '/v2/browser', { ttl: 3600, activityTtl: 3600 });
    const viewer = await openViewer(session.liveViewUrl, { silent: true });
    await until(() => viewer.frames > 0, 'a picture');
    for (let seconds = 0; seconds < 30; seconds += 10) await tenSeconds(clock, viewer.socket);
    clock.advance(10_000);
    assert.equal((await viewer.closed).code, 1013);
  });
});
