import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { openViewer, type TestViewer, until } from '../../harness/live-viewer.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';
import { type Site, startSite } from './site.ts';

describe('a dialog that nobody answers', () => {
  let service: TestService;
  let clock: FakeClock;
  let site: Site;
  let session: { id: string; liveViewUrl: string; interactiveLiveViewUrl: string };
  let viewer: TestViewer;
  before(async () => {
    clock = createFakeClock();
    [service, site] = [await startTestService({ ...chosenBrowsers, clock }), await startSite()];
  });
  beforeEach(async () => {
    session = (await service.call('POST', '/v2/browser', { ttl: 3600, activityTtl: 3600 })).body;
    await run(`await page.goto('${site.origin}/form'); 1`);
    viewer = await openViewer(session.interactiveLiveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
  });
  afterEach(() => viewer.close());
  after(async () => {
    await service.close();
    site.close();
  });

  const run = async (code: string) =>
    (await service.call('POST', `/v2/browser/${session.id}/execute`, { code })).body.result;

  async function openDialog(): Promise<void> {
    const mouse = { type: 'mouse', x: 100, y: 160, button: 'left', buttons: 1, clicks: 1, modifiers: 0 };
    viewer.send({ ...mouse, action: 'down' });
    viewer.send({ ...mouse, action: 'up', buttons: 0 });
    await until(() => viewer.told.findLast(({ type }) => type === 'dialog' && isOpen()), 'the dialog');
  }

  /** Whether the viewer shows a dialog. */
  function isOpen(): boolean {
    const last = viewer.told.findLast((message) => message.type === 'dialog');
    return last?.type === 'dialog' && last.dialog !== null;
  }

  /** Lets ten seconds pass; messages that the service sent meanwhile have arrived. */
  async function tenSeconds({ socket } = viewer): Promise<void> {
    const pinged = once(socket, 'ping');
    clock.advance(10_000);
    await pinged;
    const answered = once(socket, 'pong');
    socket.ping();
    await answered;
  }

  it('is dismissed after 30 seconds although somebody is in control, who is told', async () => {
    await openDialog();
    await tenSeconds();
    await tenSeconds();
    assert.ok(!viewer.told.some(({ type }) => type === 'notice'), 'it waits for the viewer');
    await tenSeconds();
    assert.match((await viewer.said('notice')).text, /dismissed because nobody answered/);
    await until(() => !isOpen(), 'the end of the dialog');
    assert.equal(await run('await page.title()'), 'false');
  });

  it('is dismissed within 20 seconds once nobody is in control', async () => {
    await openDialog();
    const watcher = await openViewer(session.liveViewUrl);
    await viewer.close();
    // The service may learn only then that the viewer has gone.
    await tenSeconds(watcher);
    await tenSeconds(watcher);
    assert.match((await watcher.said('notice')).text, /dismissed because nobody answered/);
    await until(async () => (await run('await page.title()')) === 'false', 'an answer to the page');
    await watcher.close();
  });

  it('gets 30 seconds of its own after another one was answered', async () => {
    await openDialog();
    await tenSeconds();
    await tenSeconds();
    viewer.send({ type: 'dialog', accept: false, text: '' });
    await until(() => !isOpen(), 'the end of the dialog');
    await openDialog();
    await tenSeconds();
    await tenSeconds();
    assert.ok(!viewer.told.some(({ type }) => type === 'notice'));
    await tenSeconds();
    await viewer.said('notice');
    assert.equal(await run('await page.title()'), 'false');
  });
});
