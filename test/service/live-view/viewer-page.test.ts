import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChrome } from '../../../src/service/browsers/chrome/find.ts';
import { violations } from '../../harness/accessibility.ts';
import { eventually } from '../../harness/eventually.ts';
import { repository } from '../../harness/folders.ts';
import { until } from '../../harness/live-viewer.ts';
import { patient } from '../../harness/patient.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';
import { type Site, startSite } from './site.ts';

interface Created {
  id: string;
  liveViewUrl: string;
  interactiveLiveViewUrl: string;
}
const secretOf = (url: string) => url.split('/').at(-1) ?? '';

/** A browser of the user, or of an attacker. */
async function launch(...args: string[]): Promise<Browser> {
  const executablePath = findChrome().path ?? '';
  return await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0, args });
}

/** Serves texts as HTML on a separate port. */
async function serve(pages: Record<string, string>): Promise<{ origin: string; server: Server; referers: string[] }> {
  const referers: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.referer) referers.push(request.headers.referer);
    const text = pages[new URL(request.url ?? '/', 'http://x').pathname];
    const type = request.url?.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type }).end(text ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, referers };
}

/** Waits for a picture; in control, for one of the size that the page gets there: points of an earlier one move. */
async function drawn(page: Page): Promise<void> {
  const state = () =>
    page.evaluate(() => {
      const app = document.querySelector<HTMLElement>('#app');
      const [pane, canvas] = ['.pane', 'canvas.picture'].map((each) => document.querySelector<HTMLElement>(each));
      return {
        frames: Number(app?.dataset.frames),
        control: app?.dataset.control,
        pane: [pane?.clientWidth, pane?.clientHeight],
        canvas: [canvas?.offsetWidth, canvas?.offsetHeight],
        text: app?.innerText,
      };
    });
  await eventually(async () => {
    const { frames, control, pane, canvas, text } = await state();
    const isDrawn = frames > 0 && (String(pane) === String(canvas) || control !== 'true');
    assert.ok(isDrawn, `${frames} frames, ${canvas.join(' × ')} of ${pane.join(' × ')}, control: ${control}\n${text}`);
  });
}
/** Where a point of the page's viewport is on the viewer's. */
async function pointOf(page: Page, x: number, y: number) {
  const canvas = page.locator('canvas.picture');
  const box = await canvas.boundingBox();
  assert.ok(box);
  const scale = box.width / (await canvas.evaluate((element: HTMLCanvasElement) => element.width));
  return [box.x + x * scale, box.y + y * scale] as const;
}

describe('the page of a live view, in a real browser', () => {
  let service: TestService;
  let site: Site;
  let browser: Browser;
  let session: Created;
  before(async () => {
    [service, site, browser] = [await startTestService(chosenBrowsers), await startSite(), await launch()];
    session = (await service.call<Created>('POST', '/v2/browser', {})).body;
  });
  beforeEach(async () => {
    await run(`await page.goto('${site.origin}/form'); 1`);
  });
  after(async () => {
    await browser?.close();
    await service.close();
    site.close();
  });

  const run = async (code: string) => {
    const { body } = await service.call('POST', `/v2/browser/${session.id}/execute`, { code });
    assert.equal(body.error, undefined);
    return body.result as string;
  };
  /** Opens the view in control, and waits until the page has the size of the pane: the first picture can be an older one. */
  const control = async (page: Page) => {
    await page.goto(session.interactiveLiveViewUrl);
    await drawn(page);
    const pane = await page
      .locator('.pane')
      .evaluate(({ clientWidth, clientHeight }) => `${clientWidth},${clientHeight}`);
    await until(
      async () => (await run('await page.evaluate("[innerWidth, innerHeight].join()")')) === pane,
      'the page has the size of the pane',
    );
    await drawn(page);
  };

  it('draws, shows that it is read-only, and never reveals its secret', async () => {
    const page = patient(await browser.newPage());
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(session.liveViewUrl);
    await drawn(page);
    await page.locator('.status', { hasText: /^watching · read-only/ }).waitFor();
    assert.equal(await page.locator('.tab-title').first().textContent(), 'Form');
    assert.equal(await page.locator('.address').inputValue(), `${site.origin}/form`);
    assert.equal(await page.locator('button.control').isVisible(), false, 'control is not asked for here');
    const secret = secretOf(session.liveViewUrl);
    assert.ok(!page.url().includes(secret));
    assert.ok(!(await page.content()).includes(secret));
    await page.mouse.click(...(await pointOf(page, 60, 40)));
    await page.keyboard.type('nothing');
    assert.equal(await run('await page.evaluate("inputs.join()")'), '');
    assert.deepEqual(problems, []);
    // The tab itself can be loaded again.
    await page.reload();
    await drawn(page);
    await page.close();
  });

  it('is in control immediately at the interactive URL; keys, paste and copy work, and Escape releases control', async () => {
    const context = patient(await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] }));
    const page = await context.newPage();
    await control(page);
    await page.mouse.click(...(await pointOf(page, 60, 40)));
    await page.locator('.status', { hasText: /keys go to the page/ }).waitFor();
    await page.keyboard.type('Fox and ');
    await page.evaluate(() => navigator.clipboard.writeText('grapes 葡萄'));
    await page.keyboard.press('Control+v');
    const value = () => run('await page.evaluate("document.getElementById(`name`).value")');
    await until(async () => (await value()) === 'Fox and grapes 葡萄', 'pasted text');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await until(
      async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'Fox and grapes 葡萄',
      'copied text',
    );
    await page.keyboard.press('Control+x');
    await until(async () => (await value()) === '', 'cut text');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement?.matches('.address')), true);
    await page.keyboard.type('localhost:1/none');
    assert.equal(await value(), '', 'what is typed now is not for the page');
    await page.locator('.address').fill(`${site.origin}/two`);
    await page.keyboard.press('Enter');
    await page.locator('.tab-title', { hasText: 'Two' }).waitFor();
    await context.close();
  });

  it("chooses files with the browser's own chooser, and saves downloads there", async () => {
    const page = patient(await browser.newPage());
    await control(page);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      pointOf(page, 60, 210).then((point) => page.mouse.click(...point)),
    ]);
    await page.locator('.dialog', { hasText: 'The page asks for a file' }).waitFor();
    await chooser.setFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear fox') });
    await until(
      async () => (await run('await page.evaluate("file.files[0]?.text() ?? null")')) === 'Dear fox',
      'the file',
    );
    assert.equal(await page.locator('.dialog').count(), 0);
    await page.mouse.click(...(await pointOf(page, 420, 90)));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.download', { hasText: 'report.csv' }).locator('button', { hasText: 'Save As…' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'report.csv');
    assert.equal(readFileSync(await download.path(), 'utf8'), 'a,b\n');
    assert.ok(!download.url().includes(secretOf(session.interactiveLiveViewUrl)));
    await page.close();
  });

  it('gives the page one size when it opens, also if there are downloads below the picture', async () => {
    await run(`await Promise.all([page.waitForEvent('download'), page.click('text=report')]); 1`);
    const page = patient(await browser.newPage());
    const sizes: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        if (String(payload).includes('"viewport"')) sizes.push(String(payload));
      }),
    );
    await page.goto(session.interactiveLiveViewUrl);
    await page.locator('.download', { hasText: 'report.csv' }).first().waitFor();
    await drawn(page);
    const pane = page.locator('.pane');
    const size = await pane.evaluate(({ clientWidth: width, clientHeight: height }) => ({ width, height }));
    assert.deepEqual(sizes, [JSON.stringify({ type: 'viewport', size })]);
    await page.close();
  });

  it('shows the list of a field over the picture', async () => {
    const page = patient(await browser.newPage());
    await control(page);
    await page.mouse.click(...(await pointOf(page, 450, 40)));
    const list = page.locator('.field-choice select');
    await list.waitFor();
    assert.deepEqual(await violations(page, undefined, 10), []);
    await list.press('ArrowDown');
    await list.press('Enter');
    await until(async () => (await run('await page.locator("#size").inputValue()')) === 'Large', 'the choice');
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'keyboard');
    await page.close();
  });

  it('breaks no rule of accessibility, in light and dark colors', async () => {
    const page = patient(await browser.newPage());
    await page.goto(session.interactiveLiveViewUrl);
    await drawn(page);
    await page.locator('button[aria-label="New tab"]').click();
    await page.locator('.tab').nth(1).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(page, undefined, 10), [], colorScheme);
    }
    await page.locator('.tab[aria-selected="true"]').press('Delete');
    await page.locator('.tab').nth(1).waitFor({ state: 'detached' });
    await page.close();
  });

  it('shows dialogs of the page over its picture', async () => {
    const page = patient(await browser.newPage());
    await control(page);
    await page.mouse.click(...(await pointOf(page, 60, 160)));
    const dialog = page.locator('.dialog', { hasText: 'Sure?' });
    await dialog.waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.tab-title', { hasText: /^true$/ }).waitFor();
    await page.close();
  });

  it('shows popups as tabs, and switches between them with the keyboard', async () => {
    const page = patient(await browser.newPage());
    await control(page);
    await page.mouse.click(...(await pointOf(page, 40, 275)));
    const popup = page.locator('.tab-box.selected', { hasText: 'Two' });
    await popup.waitFor().catch(async (error: Error) => {
      const shown = await page.locator('#app').innerText();
      assert.fail(
        `${error.message}\n${shown}\nThe page got: ${await run('await page.evaluate("String(inputs) + hits.join()")')}`,
      );
    });
    await page.locator('.tab-box.selected .tab').focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.tab-box.selected', { hasText: 'Form' }).waitFor();
    await page.locator('.tab-box', { hasText: 'Two' }).locator('button[aria-label="Close Two"]').click();
    await until(async () => (await page.locator('.tab').count()) === 1, 'one tab');
    await page.close();
  });

  it('keeps the last picture when the session ends, and shows the reason', async () => {
    const { body: short } = await service.call<Created>('POST', '/v2/browser', {});
    const page = patient(await browser.newPage());
    await page.goto(short.interactiveLiveViewUrl);
    await drawn(page);
    await service.call('DELETE', `/v2/browser/${short.id}`);
    await page.locator('.cover', { hasText: 'The session has ended: destroyed by request.' }).waitFor();
    assert.equal(await page.locator('.ended canvas').isVisible(), true);
    const gone = await page.goto(short.liveViewUrl);
    assert.equal(gone?.status(), 410);
    await page.locator('p', { hasText: 'has ended' }).waitFor();
    await page.close();
  });

  // With a real attacker's page.
  it("can't be reached by a page of another port on this machine that knows its address (WS-01, WS-03, WS-10)", async () => {
    const attacker = await serve({ '/': '<title>evil</title><body>' });
    const page = patient(await browser.newPage());
    await page.goto(attacker.origin);
    const socket = (url: string) =>
      page.evaluate(
        (address) =>
          new Promise<string>((resolve) => {
            const opened = new WebSocket(address);
            opened.onopen = () => resolve('open');
            opened.onerror = () => resolve('refused');
          }),
        url.replace('http', 'ws'),
      );
    for (const url of [session.liveViewUrl, session.interactiveLiveViewUrl]) {
      assert.equal(await socket(url), 'refused');
      assert.equal(
        await page.evaluate(
          (address) =>
            fetch(address).then(
              (r) => r.text(),
              () => 'refused',
            ),
          url,
        ),
        'refused',
      );
      const opaque = page.evaluate(
        (address) =>
          fetch(address, { mode: 'no-cors' }).then(
            (r) => r.type,
            () => 'refused',
          ),
        url,
      );
      assert.equal(await opaque, 'refused');
      const framed = await page.evaluate(
        (address) =>
          new Promise<boolean>((resolve) => {
            const frame = document.body.appendChild(document.createElement('iframe'));
            frame.onload = () => resolve(frame.contentDocument === null);
            frame.src = address;
          }),
        url,
      );
      assert.equal(framed, true);
    }
    for (const frame of page.frames().slice(1)) {
      assert.equal(
        await frame
          .locator('#app')
          .count()
          .catch(() => 0),
        0,
        'nothing of the viewer runs in the frame',
      );
    }
    assert.equal(await run('await page.evaluate("inputs.join()")'), '');
    await page.close();
    attacker.server.close();
  });

  it("can't be reached by a page whose name was rebound to this machine", async () => {
    const rebinding = await launch('--host-resolver-rules=MAP rebind.test 127.0.0.1');
    try {
      const page = patient(await rebinding.newPage());
      const answer = await page.goto(session.liveViewUrl.replace('127.0.0.1', 'rebind.test'));
      assert.equal(answer?.status(), 403);
      assert.equal(await page.locator('#app').count(), 0);
      const opened = await page.evaluate(
        (url) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(url);
            socket.onopen = () => resolve('open');
            socket.onerror = () => resolve('refused');
          }),
        session.interactiveLiveViewUrl.replace('http', 'ws'),
      );
      assert.equal(opened, 'refused');
    } finally {
      await rebinding.close();
    }
  });
});

describe('the frame that shows another server’s live view (EXT-05)', () => {
  let browser: Browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  it('ignores all messages of its page, and lets it do nothing but render', async () => {
    const hostile = await serve({
      '/': `<title>hostile</title><p id=it>shown</p><script>
        const say = (message) => { parent.postMessage(message, '*'); top.postMessage(message, '*') };
        window.tried = {};
        try { window.tried.api = typeof parent.acquireVsCodeApi } catch (error) { window.tried.api = 'refused' }
        setInterval(() => {
          say({ kind: 'event', name: 'show', params: { sessionId: 'stolen', shown: { kind: 'nothing', reason: 'HACKED' }, canControl: true } });
          say({ kind: 'event', name: 'command', params: { command: 'toggleControl' } });
          say({ kind: 'answer', id: 1, result: null });
          say({ command: 'workbench.action.terminal.sendSequence' });
          try { top.location = 'about:blank#stolen' } catch {}
          window.tried.popup = window.open('about:blank') ? 'opened' : 'refused';
        }, 20);
      </script>`,
    });
    const built = (name: string) => readFileSync(join(repository, 'dist', 'webviews', name), 'utf8');
    const webview = await serve({
      '/': `<!DOCTYPE html><link rel="stylesheet" href="/live-view.css"><main id="app"></main><script>
        window.said = []; window.kept = [];
        window.acquireVsCodeApi = () => ({ postMessage: (message) => said.push(message), getState: () => undefined, setState: (state) => kept.push(state) });
      </script><script src="/live-view.js"></script>`,
      '/live-view.js': built('live-view.js'),
      '/live-view.css': built('live-view.css'),
    });
    const page = patient(await browser.newPage());
    await page.goto(webview.origin);
    const show = { kind: 'page', url: `${hostile.origin}/`, control: false, canControl: true };
    await page.evaluate((shown) => {
      window.postMessage(
        { kind: 'event', name: 'show', params: { sessionId: 'mine', shown, canControl: true, pinned: true } },
        '*',
      );
    }, show);
    const frame = await until(() => page.frames().find((each) => each.url().startsWith(hostile.origin)), 'the frame');
    await frame.locator('#it').waitFor();
    const tried = await until(
      () => frame.evaluate(() => (window as unknown as { tried: { popup?: string } }).tried).then((t) => t.popup && t),
      'tries',
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.deepEqual(tried, { api: 'refused', popup: 'refused' });
    assert.equal(page.url(), `${webview.origin}/`);
    assert.equal(await page.locator('iframe').getAttribute('src'), `${hostile.origin}/`);
    assert.ok(!(await page.content()).includes('HACKED'));
    const state = await page.evaluate(() => {
      const { said, kept } = window as unknown as { said: unknown[]; kept: unknown[] };
      return { said, kept };
    });
    assert.deepEqual(state, { said: [{ kind: 'ready' }], kept: [{ sessionId: 'mine', pinned: true }] });
    const attributes = await page.locator('iframe').evaluate((element: HTMLIFrameElement) => ({
      sandbox: element.getAttribute('sandbox'),
      allow: element.getAttribute('allow'),
      referrer: element.referrerPolicy,
    }));
    assert.equal(attributes.referrer, 'no-referrer');
    assert.equal(attributes.allow, '');
    assert.doesNotMatch(attributes.sandbox ?? 'none', /top-navigation|popups|modals|downloads/);
    assert.deepEqual(hostile.referers, []);
    await page.close();
    hostile.server.close();
    webview.server.close();
  });
});
