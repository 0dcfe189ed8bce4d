import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { openViewer, type TestViewer, until } from '../../harness/live-viewer.ts';
import { noise } from '../../harness/noise.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { type Site, startSite } from './site.ts';

interface Created {
  id: string;
  liveViewUrl: string;
  interactiveLiveViewUrl: string;
}
const mouse = { type: 'mouse', action: 'down', x: 50, y: 40, button: 'left', buttons: 1, clicks: 1, modifiers: 0 };
const key = {
  type: 'key',
  action: 'down',
  key: 'x',
  code: 'KeyX',
  keyCode: 88,
  location: 0,
  repeat: false,
  modifiers: 0,
};

describe('forbidden messages of viewers', () => {
  let service: TestService;
  let site: Site;
  let session: Created;
  before(async () => {
    [service, site] = [await startTestService(), await startSite()];
    session = (await service.call<Created>('POST', '/v2/browser', {})).body;
  });
  beforeEach(async () => {
    await run(`await page.goto('${site.origin}/form'); 1`);
  });
  after(async () => {
    await service.close();
    site.close();
  });

  const run = async (code: string) => {
    const { body } = await service.call('POST', `/v2/browser/${session.id}/execute`, { code });
    assert.equal(body.error, undefined);
    return body.result as string;
  };
  const state = () =>
    run('await page.evaluate("location.href + document.title + inputs.join() + document.body.innerHTML")');
  const dropped = (viewer: TestViewer, count: number) => viewer.said('dropped', (message) => message.count >= count);
  const alive = async () => assert.equal((await service.call('GET', '/v2/browser')).status, 200);

  it('are dropped and counted for read-only viewers, and change nothing (WS-04)', async () => {
    const viewer = await openViewer(session.liveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
    const before = await state();
    const inputs = [
      mouse,
      { ...mouse, action: 'up' },
      { ...mouse, action: 'move' },
      { type: 'wheel', x: 50, y: 400, dx: 0, dy: 500, modifiers: 0 },
      key,
      { type: 'text', text: 'from nobody' },
      { type: 'compose', text: 'x', caret: 1 },
      { type: 'copy', cut: true },
      { type: 'navigate', url: `${site.origin}/two` },
      { type: 'history', to: 'reload' },
      { type: 'new-tab' },
      { type: 'close-tab', tab: viewer.told.findLast((message) => message.type === 'tabs')?.shown },
      { type: 'dialog', accept: true, text: '' },
      { type: 'viewport', size: { width: 300, height: 300 } },
      { type: 'viewport', size: null },
      { id: 1, method: 'Page.navigate', params: { url: 'about:blank' } },
      { type: 'Runtime.evaluate', expression: 'document.title = 1' },
    ];
    for (const input of inputs) viewer.send(input);
    viewer.socket.send(noise(100));
    assert.equal((await dropped(viewer, inputs.length + 1)).count, inputs.length + 1);
    assert.equal(await state(), before);
    assert.equal(
      viewer.told.some(({ type }) => type === 'clipboard'),
      false,
    );
    await viewer.close();
  });

  it("stay dropped when a viewer's page claims to be in control", async () => {
    const viewer = await openViewer(session.liveViewUrl);
    viewer.send({ type: 'welcome', control: true, mac: false });
    viewer.send({ type: 'control', on: true });
    viewer.send(mouse);
    await dropped(viewer, 3);
    assert.equal(await run('await page.evaluate("inputs.length")'), '0');
    await viewer.close();
  });

  it('are validated field by field: numbers out of range, misplaced texts, unknown types (WS-06)', async () => {
    const viewer = await openViewer(session.interactiveLiveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
    const bad = [
      '{"type":"mouse","action":"down","x":NaN,"y":0}',
      JSON.stringify(mouse).replace('"x":50', '"x":1e400'),
      JSON.stringify({ ...mouse, x: null }),
      JSON.stringify({ ...mouse, x: '50' }),
      JSON.stringify({ ...mouse, buttons: -1 }),
      JSON.stringify({ ...mouse, clicks: 99 }),
      JSON.stringify({ ...key, key: 'x'.repeat(100) }),
      JSON.stringify({ type: 'text', text: 'x'.repeat(20_000) }),
      JSON.stringify({ type: 'teleport' }),
      '{"__proto__":{"type":"new-tab"}}',
      '[]',
      'null',
      'not JSON',
      '',
      '['.repeat(30_000),
    ];
    for (const text of bad) viewer.socket.send(text);
    assert.equal((await dropped(viewer, bad.length)).count, bad.length);
    // Outside of the page means its edge; half a character is replaced.
    viewer.send({ ...mouse, action: 'move', x: -500, y: 1e6, button: 'none', buttons: 0 });
    viewer.send(mouse);
    viewer.send({ ...mouse, action: 'up' });
    viewer.send({ type: 'text', text: 'a\ud800b' });
    await until(async () => (await run('await page.evaluate("document.activeElement.value")')) === 'a\ufffdb', 'text');
    await viewer.close();
    await alive();
  });

  it("can't flood the service: most of ten thousand inputs are dropped, and others are still served (WS-06)", async () => {
    const [flood, other] = [await openViewer(session.interactiveLiveViewUrl), await openViewer(session.liveViewUrl)];
    for (let count = 0; count < 10_000; count++) flood.send({ ...mouse, action: 'move', x: count % 300 });
    await dropped(flood, 1_000);
    await alive();
    await run('await page.evaluate("document.body.style.background = `blue`"); 1');
    await until(() => other.frames > 0, 'pictures for others');
    await flood.close();
    await other.close();
  });

  it('close the socket with 1009 if they are too long, whole or in fragments (WS-06)', async () => {
    const whole = await openViewer(session.interactiveLiveViewUrl);
    whole.send({ type: 'text', text: 'x'.repeat(1_000_000) });
    assert.equal((await whole.closed).code, 1009);
    const pieces = await openViewer(session.interactiveLiveViewUrl);
    pieces.socket.on('error', () => undefined);
    for (let sent = 0; sent < 3_000 && pieces.socket.readyState === pieces.socket.OPEN; sent++) {
      pieces.socket.send('x'.repeat(32 * 1024), { fin: false });
    }
    assert.ok([1009, 1006].includes((await pieces.closed).code));
    await alive();
  });

  it('close the socket if they are compressed: nothing is decompressed (WS-06)', async () => {
    const { port, pathname } = new URL(session.interactiveLiveViewUrl);
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1');
    });
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n`,
    );
    await until(() => answer.includes('\r\n\r\n'), 'handshake');
    assert.match(answer, /^HTTP\/1\.1 101/);
    assert.doesNotMatch(answer, /permessage-deflate/i);
    // FIN, RSV1 (compressed), text; masked with zeros; 10 bytes.
    socket.write(Buffer.from([0xc1, 0x8a, 0, 0, 0, 0, ...Array<number>(10).fill(0xff)]));
    await until(() => socket.destroyed || answer.includes('\x03\xea'), 'close with 1002');
    socket.destroy();
    await closed;
    await alive();
  });

  it("can't open files, developer tools or browser dialogs, by keys or by drops (WS-07)", async () => {
    const viewer = await openViewer(session.interactiveLiveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
    const combinations: [string, number, number][] = [
      ['F12', 123, 0],
      ['I', 73, 2 | 8],
      ['p', 80, 2],
      ['o', 79, 2],
      ['t', 84, 2],
      ['w', 87, 2],
      ['q', 81, 2],
      ['n', 78, 2],
      ['s', 83, 2],
    ];
    for (const [name, keyCode, modifiers] of combinations) {
      for (const action of ['down', 'up']) viewer.send({ ...key, action, key: name, code: '', keyCode, modifiers });
    }
    viewer.send({ type: 'drop', files: ['/etc/passwd'] });
    viewer.send({ ...mouse, files: ['/etc/passwd'] });
    await dropped(viewer, 2);
    await until(async () => /keydown/.test(await run('await page.evaluate("inputs.join()")')), 'keys in the page');
    assert.equal(await run('context.pages().length'), '1');
    assert.equal(await run('await page.url()'), `${site.origin}/form`);
    await viewer.close();
  });

  it('ask before a page with unsaved changes is left, and leave it if nobody answers', async () => {
    await run(`await page.evaluate("onbeforeunload = (event) => event.preventDefault()"); 1`);
    const viewer = await openViewer(session.interactiveLiveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
    viewer.send(mouse);
    viewer.send({ ...mouse, action: 'up' });
    viewer.send({ type: 'text', text: 'x' });
    await until(async () => (await run('await page.evaluate("document.activeElement.value")')) === 'x', 'text');
    viewer.send({ type: 'navigate', url: `${site.origin}/two` });
    await viewer.said('dialog', ({ dialog }) => dialog?.kind === 'beforeunload');
    viewer.send({ type: 'dialog', accept: true, text: '' });
    await viewer.said('tabs', ({ tabs }) => tabs[0]?.title === 'Two');
    await viewer.close();
  });
});
