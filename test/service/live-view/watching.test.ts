import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { eventually, patience } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { page, startFaultySite } from '../../harness/faulty-site.ts';
import { openViewer, until } from '../../harness/live-viewer.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { type Site, startSite } from './site.ts';

interface Created {
  id: string;
  cdpUrl: string;
  liveViewUrl: string;
  interactiveLiveViewUrl: string;
}

describe('watching a session', () => {
  let service: TestService;
  let site: Site;
  let session: Created;
  before(async () => {
    [service, site] = [await startTestService(), await startSite()];
    session = (await service.call<Created>('POST', '/v2/browser', {})).body;
  });
  beforeEach(() =>
    run('for (const other of context.pages().slice(1)) await other.close(); await page.goto("about:blank")'),
  );
  after(async () => {
    await service.close();
    site.close();
  });

  const run = async (code: string) => {
    const { body } = await service.call('POST', `/v2/browser/${session.id}/execute`, { code });
    assert.equal(body.error, undefined);
    return body.result as string;
  };

  it('has a URL to watch and one to control, in every response with the session', async () => {
    const { body } = await service.call('GET', '/v2/browser');
    const listed = body.sessions.find(({ id }: Created) => id === session.id);
    assert.equal(listed.liveViewUrl, session.liveViewUrl);
    assert.equal(listed.interactiveLiveViewUrl, session.interactiveLiveViewUrl);
    assert.ok(session.liveViewUrl.startsWith(`${service.baseUrl}/live/`));
    assert.ok(session.interactiveLiveViewUrl.startsWith(`${service.baseUrl}/live/`));
  });

  it('streams pictures of a moving page, with its size', async () => {
    await run(`await page.goto('${site.origin}/'); 1`);
    const viewer = await openViewer(session.liveViewUrl);
    await until(() => viewer.frames > 20, 'twenty pictures');
    const { frame } = viewer;
    assert.ok(frame);
    assert.deepEqual([...frame.jpeg.subarray(0, 2)], [0xff, 0xd8]);
    assert.equal(`${frame.width}x${frame.height}`, await run('await page.evaluate("innerWidth+`x`+innerHeight")'));
    assert.ok(Math.abs(Date.now() - frame.at) < patience);
    await viewer.close();
  });

  it('shows a static page to every viewer that connects', async () => {
    await run(`await page.goto('${site.origin}/still'); 1`);
    const viewers = [];
    for (let count = 0; count < 4; count++) {
      const viewer = await openViewer(session.liveViewUrl);
      await until(() => viewer.frames > 0, `a picture for viewer ${count}`);
      viewers.push(viewer);
    }
    for (const viewer of viewers) await viewer.close();
  });

  it('reports title, address and icon of every tab, and follows popups', async () => {
    await run(`await page.goto('${site.origin}/still'); 1`);
    const viewer = await openViewer(session.liveViewUrl);
    const first = await viewer.said('tabs', ({ tabs }) => tabs.some(({ icon }) => icon !== undefined));
    const before = viewer.frames;
    assert.match(first.tabs[0]?.icon ?? '', /^data:image\/png;base64,/);
    await run(`await page.evaluate("window.open('/two')"); 1`);
    const both = await viewer.said('tabs', ({ tabs }) => tabs.some(({ title }) => title === 'Two'));
    assert.deepEqual(
      both.tabs.map(({ title }) => title),
      ['Still', 'Two'],
    );
    const popup = both.tabs[1]?.id;
    await viewer.said('tabs', ({ shown }) => shown === popup);
    await until(() => viewer.frames > before, 'a picture of the popup');
    await run('for (const each of context.pages().slice(1)) await each.close(); 1');
    await viewer.said('tabs', ({ tabs, shown }) => tabs.length === 1 && shown === both.tabs[0]?.id && shown !== popup);
    await viewer.close();
  });

  it('loads no more than the beginning of an icon that never ends (BUD-16)', async () => {
    let closed = 0;
    const endless = await startFaultySite({
      otherwise: (_request, response) => {
        response.once('close', () => closed++);
        response.writeHead(200, { 'content-type': 'image/png' }).write(Buffer.alloc(1024 * 1024));
      },
    });
    endless.answer('/', page('<title>Endless</title><link rel=icon href=/icon>'));
    const viewer = await openViewer(session.liveViewUrl);
    try {
      await run(`await page.goto('${endless.baseUrl}/'); 1`);
      await eventually(() => assert.ok(closed > 0));
    } finally {
      await viewer.close();
      await endless.close();
    }
  });

  it('lets each viewer select a tab without changing the browser', async () => {
    await run(`await page.goto('${site.origin}/'); await (await context.newPage()).goto('${site.origin}/still'); 1`);
    const [one, two] = [await openViewer(session.liveViewUrl), await openViewer(session.liveViewUrl)];
    const { tabs } = await one.said('tabs', (message) => message.tabs.some(({ title }) => title === 'Moving'));
    const moving = tabs.find(({ title }) => title === 'Moving')?.id ?? '';
    one.send({ type: 'show-tab', tab: moving });
    await one.said('tabs', ({ shown }) => shown === moving);
    const before = one.frames;
    await until(() => one.frames > before + 5, 'pictures of a tab in the background');
    assert.notEqual(two.told.findLast((message) => message.type === 'tabs')?.shown, moving);
    one.send({ type: 'show-tab', tab: 'nonsense' });
    await one.close();
    await two.close();
  });

  it('shows where a run navigates, and titles that a page sets', async () => {
    const viewer = await openViewer(session.liveViewUrl);
    await run(`await page.goto('${site.origin}/two'); 1`);
    await viewer.said('tabs', ({ tabs }) => tabs[0]?.url === `${site.origin}/two` && tabs[0].title === 'Two');
    await run('await page.evaluate("document.title = `Three`"); 1');
    await viewer.said('tabs', ({ tabs }) => tabs[0]?.title === 'Three');
    await viewer.close();
  });

  it('captures nothing while nobody watches, and stops when a viewer hides the view', async () => {
    await run(`await page.goto('${site.origin}/'); 1`);
    const viewer = await openViewer(session.liveViewUrl);
    await until(() => viewer.frames > 5, 'pictures');
    viewer.send({ type: 'watch', on: false });
    // Frames in flight arrive; then nothing comes while the page keeps moving.
    let last = -1;
    await until(async () => {
      if (viewer.frames === last) return true;
      last = viewer.frames;
      await setTimeout(500);
      return false;
    }, 'silence');
    viewer.send({ type: 'watch', on: true });
    await viewer.nextFrame();
    await viewer.close();
    assert.equal(await run('1 + 1'), '2');
  });

  it("doesn't count as activity, and ends with the reason (LIF-10)", async () => {
    const clock = createFakeClock();
    const own = await startTestService({ clock });
    try {
      const short = (await own.call<Created>('POST', '/v2/browser', { activityTtl: 10 })).body;
      const viewer = await openViewer(short.liveViewUrl);
      await until(() => viewer.frames > 0, 'a picture');
      clock.advance(10_000);
      assert.deepEqual(await viewer.closed, { code: 4410, reason: 'The session has ended.' });
      assert.equal((await viewer.said('ended')).reason, 'closed after 10 s idle');
    } finally {
      await own.close();
    }
  });

  it("isn't available with streamWebView: false", async () => {
    const { body } = await service.call<Created>('POST', '/v2/browser', { streamWebView: false });
    assert.equal(body.liveViewUrl, '');
    assert.equal(body.interactiveLiveViewUrl, '');
    const { sessions } = (await service.call('GET', '/v2/browser')).body;
    const listed = sessions.find(({ id }: Created) => id === body.id);
    assert.deepEqual([listed.liveViewUrl, listed.streamWebView], ['', false]);
    const secret = session.liveViewUrl.split('/').at(-1);
    await assert.rejects(openViewer(`${service.baseUrl}/live/${body.id}/${secret}`), /status 40[14]/);
    await service.call('DELETE', `/v2/browser/${body.id}`);
  });
});
