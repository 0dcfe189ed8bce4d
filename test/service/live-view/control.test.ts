import assert from 'node:assert/strict';
import { watchOnlyQuery } from '../../../src/contract/sessions/live-view-wire.ts';
import { eventually } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { openViewer, type TestViewer, until } from '../../harness/live-viewer.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';
import { type Site, startSite } from './site.ts';

/** Presses and releases a button, or a key, as a viewer does. */
const click = (viewer: TestViewer, x: number, y: number, clicks = 1) => {
  for (const action of ['down', 'up']) {
    const buttons = action === 'down' ? 1 : 0;
    viewer.send({ type: 'mouse', action, x, y, button: 'left', buttons, clicks, modifiers: 0 });
  }
};
const press = (viewer: TestViewer, key: string, keyCode: number, modifiers = 0) => {
  for (const action of ['down', 'up']) {
    const code = key.length === 1 ? `Key${key.toUpperCase()}` : key;
    viewer.send({ type: 'key', action, key, code, keyCode, location: 0, repeat: false, modifiers });
  }
};
const ctrl = 2;

describe('control through the live view', () => {
  let service: TestService;
  let site: Site;
  let session: { id: string; liveViewUrl: string; interactiveLiveViewUrl: string };
  let viewer: TestViewer;
  before(async () => {
    [service, site] = [await startTestService(chosenBrowsers), await startSite()];
    session = (await service.call('POST', '/v2/browser', {})).body;
  });
  beforeEach(async () => {
    await run(
      `for (const other of context.pages().slice(1)) await other.close(); await page.goto('${site.origin}/form'); 1`,
    );
    viewer = await openViewer(session.interactiveLiveViewUrl);
    await until(() => viewer.frames > 0, 'a picture');
  });
  afterEach(async () => {
    await viewer.close();
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
  const value = (id: string) => run(`await page.evaluate("document.getElementById('${id}').value")`);
  /** Waits until an expression of the page has this value; a page that is just leaving says nothing. */
  const sees = (code: string, expected: string) =>
    until(
      async () => (await run(`String(await page.evaluate("${code}").catch(() => ''))`)) === expected,
      `${code} = ${expected}`,
    );

  it('clicks, types with modifiers, inserts text and scrolls', async () => {
    click(viewer, 100, 40);
    press(viewer, 'a', 65);
    press(viewer, 'B', 66, 8);
    viewer.send({ type: 'text', text: 'ç 日本 🙂' });
    await sees('document.activeElement.value', 'aBç 日本 🙂');
    press(viewer, 'a', 65, ctrl);
    press(viewer, 'Backspace', 8);
    await sees('document.activeElement.value', '');
    viewer.send({ type: 'wheel', x: 100, y: 400, dx: 0, dy: 200, modifiers: 0 });
    await until(async () => Number(await run('await page.evaluate("long.scrollTop")')) > 0, 'scrolling');
  });

  it('shows the composition of an input method, and inserts its result', async () => {
    click(viewer, 100, 40);
    viewer.send({ type: 'compose', text: 'に', caret: 1 });
    await sees('document.activeElement.value', 'に');
    viewer.send({ type: 'compose', text: 'にほ', caret: 2 });
    viewer.send({ type: 'text', text: '日本' });
    await sees('document.activeElement.value', '日本');
  });

  it('copies and cuts the selection, except passwords', async () => {
    click(viewer, 100, 40);
    viewer.send({ type: 'text', text: 'copy this' });
    press(viewer, 'a', 65, ctrl);
    viewer.send({ type: 'copy', cut: false });
    assert.equal((await viewer.said('clipboard')).text, 'copy this');
    viewer.send({ type: 'copy', cut: true });
    await sees('document.getElementById(`name`).value', '');
    click(viewer, 100, 100);
    press(viewer, 'a', 65, ctrl);
    const before = viewer.told.length;
    viewer.send({ type: 'copy', cut: false });
    const told = await until(
      () => viewer.told.slice(before).find((message) => message.type === 'clipboard'),
      'an answer for a password',
    );
    assert.equal(told.type === 'clipboard' && told.text, '');
    assert.equal(await value('secret'), 'hidden word');
  });

  it('shows dialogs of the page and answers them while the runner is warm', async () => {
    click(viewer, 100, 160);
    const { dialog } = await viewer.said('dialog', (message) => message.dialog !== null);
    assert.deepEqual(dialog, { kind: 'confirm', message: 'Sure?', text: '' });
    // A viewer that connects now sees it too.
    const other = await openViewer(session.liveViewUrl);
    await other.said('dialog', (message) => message.dialog?.message === 'Sure?');
    viewer.send({ type: 'dialog', accept: true, text: '' });
    await viewer.said('tabs', ({ tabs }) => tabs[0]?.title === 'true');
    await other.close();
  });

  it('leaves dialogs of a run to the run', async () => {
    const asked = await run(
      `const asked = new Promise((resolve) => page.once('dialog', async (dialog) => { await dialog.accept(); resolve(dialog.message()) }));
       await page.click('button'); await asked`,
    );
    assert.equal(asked, 'Sure?');
    assert.equal(await run('await page.title()'), 'true');
  });

  it('goes to addresses, back, forward and reloads, and nowhere else', async () => {
    viewer.send({ type: 'navigate', url: `${site.origin}/two` });
    await viewer.said('tabs', ({ tabs }) => tabs[0]?.title === 'Two');
    await viewer.said('state', ({ canGoBack }) => canGoBack);
    viewer.send({ type: 'history', to: 'back' });
    await viewer.said('state', ({ canGoForward }) => canGoForward);
    await sees('document.title', 'Form');
    viewer.send({ type: 'history', to: 'forward' });
    await sees('document.title', 'Two');
    await run('await page.evaluate("document.title = `changed`"); 1');
    viewer.send({ type: 'history', to: 'reload' });
    await sees('document.title', 'Two');
    for (const url of ['file:///etc/passwd', 'javascript:document.title=1', 'chrome://version']) {
      viewer.send({ type: 'navigate', url });
    }
    await viewer.said('notice', ({ text }) => /isn.t an http or https URL/.test(text));
    await sees('document.title', 'Two');
  });

  it('opens and closes tabs, but never the last', async () => {
    viewer.send({ type: 'new-tab' });
    const { tabs } = await viewer.said('tabs', (message) => message.tabs.length === 2);
    const added = tabs[1]?.id ?? '';
    await viewer.said('tabs', ({ shown }) => shown === added);
    viewer.send({ type: 'close-tab', tab: added });
    await until(() => viewer.told.findLast(({ type }) => type === 'tabs'), 'tabs');
    await until(() => {
      const last = viewer.told.findLast((message) => message.type === 'tabs');
      return last?.type === 'tabs' && last.tabs.length === 1;
    }, 'one tab');
    viewer.send({ type: 'close-tab', tab: tabs[0]?.id });
    await viewer.said('notice', ({ text }) => /last tab/.test(text));
    // The runner hears of the closed tab on a connection of its own.
    await eventually(async () => assert.equal(await run('context.pages().length'), '1'));
  });

  const openWatching = () => openViewer(`${session.interactiveLiveViewUrl}?${watchOnlyQuery}`);
  const wants = (width: number) => ({ type: 'viewport', size: { width, height: 500 } });

  it('fits the page to the viewer on request, and restores its size', async () => {
    const before = await run('await page.evaluate("innerWidth")');
    viewer.send(wants(700));
    await sees('innerWidth', '700');
    await viewer.said('state', ({ sizedBy }) => sizedBy === 'viewer');
    await until(() => viewer.frame?.width === 700, 'a picture of that size');
    viewer.send({ type: 'viewport', size: null });
    await sees('innerWidth', before);
    viewer.send(wants(800));
    await sees('innerWidth', '800');
    await viewer.close();
    await sees('innerWidth', before);
  });

  it('fits the page to the viewer in control, otherwise to the first one that may, while it only watches', async () => {
    const before = await run('await page.evaluate("innerWidth")');
    const [first, second] = [await openWatching(), await openWatching()];
    first.send(wants(600));
    await sees('innerWidth', '600');
    second.send(wants(650));
    first.send(wants(610));
    await sees('innerWidth', '610');
    const inControl = await openViewer(session.interactiveLiveViewUrl);
    inControl.send(wants(900));
    await sees('innerWidth', '900');
    await inControl.close();
    await sees('innerWidth', '610');
    await first.close();
    await sees('innerWidth', '650');
    // It may size the page, and nothing else.
    second.send({ type: 'navigate', url: 'about:blank' });
    await second.said('dropped', ({ count }) => count === 1);
    await second.close();
    await sees('innerWidth', before);
  });

  it('keeps the size of the page from one viewer to the next, until it is clear that nobody wants one', async () => {
    const clock = createFakeClock();
    const own = await startTestService({ ...chosenBrowsers, clock });
    try {
      const { id, interactiveLiveViewUrl } = (await own.call('POST', '/v2/browser', {})).body;
      const evaluate = async (code: string) =>
        (await own.call('POST', `/v2/browser/${id}/execute`, { code: `await page.evaluate(\`${code}\`)` })).body.result;
      const hasWidth = (width: string) => eventually(async () => assert.equal(await evaluate('innerWidth'), width));
      const before: string = await evaluate('innerWidth');
      // The service may hear of a closed socket later than the viewer.
      const getsOwnSize = (ms: number) =>
        eventually(async () => {
          clock.advance(ms);
          assert.equal(await evaluate('innerWidth'), before);
        });
      const first = await openViewer(interactiveLiveViewUrl);
      first.send(wants(700));
      await hasWidth('700');
      await evaluate('window.widths = []; addEventListener("resize", () => widths.push(innerWidth)); 1');
      await first.close();
      const watching = await openViewer(`${interactiveLiveViewUrl}?${watchOnlyQuery}`);
      const second = await openViewer(interactiveLiveViewUrl);
      await second.said('state');
      // What the first one leaves behind ends before the second one says anything.
      clock.advance(500);
      second.send(wants(700));
      second.send({ type: 'navigate', url: 'file:///' });
      await second.said('notice');
      assert.deepEqual(
        [...second.told, ...watching.told].filter((it) => it.type === 'state' && it.sizedBy !== 'viewer'),
        [],
      );
      assert.equal(await evaluate('widths.join()'), '');
      await second.close();
      await getsOwnSize(500);
      // One that never says which size it wants doesn't keep that of another one.
      const third = await openViewer(interactiveLiveViewUrl);
      third.send(wants(700));
      await hasWidth('700');
      await third.close();
      await openViewer(interactiveLiveViewUrl);
      await getsOwnSize(5_000);
      await watching.close();
    } finally {
      await own.close();
    }
  });

  it('leaves the page at the size that code set', async () => {
    const watching = await openWatching();
    watching.send(wants(600));
    await sees('innerWidth', '600');
    await run('await page.setViewportSize({ width: 1000, height: 600 })');
    await watching.said('state', ({ sizedBy }) => sizedBy === 'code');
    watching.send(wants(620));
    // Chrome sends a picture when the page is painted: without a change, that of the new size may not come.
    await until(async () => {
      assert.equal(await run('await page.evaluate("document.body.append(1), innerWidth")'), '1000');
      return watching.frame?.width === 1000;
    }, 'a picture of that size');
    // A fresh process has set nothing.
    await service.call('POST', `/embedded/browser/${session.id}/reset`, {});
    await sees('innerWidth', '620');
    await watching.close();
  });

  it('counts as activity', async () => {
    const clock = createFakeClock();
    const own = await startTestService({ ...chosenBrowsers, clock });
    try {
      const short = (await own.call('POST', '/v2/browser', { activityTtl: 10 })).body;
      const active = await openViewer(short.interactiveLiveViewUrl);
      const listed = async () => (await own.call('GET', '/v2/browser?status=active')).body.sessions[0];
      for (let x = 1; x < 4; x++) {
        clock.advance(8_000);
        active.send({ type: 'mouse', action: 'move', x, y: 5, button: 'none', buttons: 0, clicks: 0, modifiers: 0 });
        await eventually(async () => assert.equal(Date.parse((await listed()).lastActivity), clock.now()));
      }
      await active.close();
      clock.advance(10_000);
      await eventually(async () => assert.equal(await listed(), undefined));
    } finally {
      await own.close();
    }
  });

  it("isn't delayed by mouse moves: a click overtakes those that wait", async () => {
    for (let x = 0; x < 300; x++) {
      viewer.send({ type: 'mouse', action: 'move', x, y: 300, button: 'none', buttons: 0, clicks: 0, modifiers: 0 });
    }
    click(viewer, 100, 40);
    await sees('document.activeElement.id', 'name');
    const moves = Number(await run('await page.evaluate("inputs.filter(each => each === `mousemove`).length")'));
    assert.ok(moves < 300, `${moves} of 300 moves were passed on`);
  });
});
