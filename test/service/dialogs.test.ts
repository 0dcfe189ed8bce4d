import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Dialog, type Page } from 'playwright-core';
import puppeteer, { type Dialog as PuppetDialog } from 'puppeteer-core';
import { eventually, patience } from '../harness/eventually.ts';
import { patient } from '../harness/patient.ts';
import { installedTools } from '../harness/runner-tools.ts';
import { chosenBrowsers, startTestService, type TestService } from '../harness/service.ts';

describe('JavaScript dialogs', () => {
  let service: TestService;
  let id: string;
  let cdpUrl: string;
  before(async () => {
    service = await startTestService({ ...chosenBrowsers, ...(await installedTools()) });
  });
  beforeEach(async () => {
    ({ id, cdpUrl } = (await service.call('POST', '/v2/browser', {})).body);
  });
  afterEach(async () => {
    await service.call('DELETE', `/v2/browser/${id}`);
  });
  after(() => service.close());

  const run = async (code: string, language = 'node') =>
    (await service.call('POST', `/v2/browser/${id}/execute`, { code, language })).body;

  /** Connects the session's own clients to the page: they stay connected between runs. */
  const warm = async () => {
    await run('await page.goto("data:text/html,<button>open</button>")');
    await run('await page.title()', 'python');
    await run('agent-browser get title', 'bash');
  };

  const asked = `[alert('a'), confirm('b'), prompt('c', 'd')].join()`;

  for (const ms of [0, 300]) {
    it(`belong to Playwright at cdpUrl, which answers after ${ms} ms`, async () => {
      await warm();
      const browser = await chromium.connectOverCDP(cdpUrl, { timeout: patience });
      const page = patient(browser.contexts()[0]?.pages()[0] as Page);
      page.on('dialog', async (dialog: Dialog) => {
        await delay(ms);
        await dialog.accept('typed');
      });
      for (let repeat = 0; repeat < 3; repeat++) assert.equal(await page.evaluate(asked), ',true,typed');
      await page.setContent('<button onclick="this.textContent = prompt()">open</button>');
      await page.click('button');
      await page.getByText('typed').waitFor();
      await page.evaluate('addEventListener("beforeunload", (event) => event.preventDefault())');
      const leaving = page.waitForEvent('dialog');
      await page.close({ runBeforeUnload: true });
      assert.equal((await leaving).type(), 'beforeunload');
      await eventually(() => assert.ok(page.isClosed()));
      await browser.close();
    });

    it(`belong to Puppeteer over CDP and over BiDi, which answers after ${ms} ms`, async () => {
      await warm();
      for (const protocol of ['cdp', 'webDriverBiDi'] as const) {
        const browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null, protocol });
        const [page] = await browser.pages();
        assert.ok(page);
        page.on('dialog', async (dialog: PuppetDialog) => {
          await delay(ms);
          await dialog.accept('typed');
        });
        for (let repeat = 0; repeat < 3; repeat++) assert.equal(await page.evaluate(asked), ',true,typed', protocol);
        await browser.disconnect();
      }
    });
  }

  it('are answered by the client that listens to them, not by the default of another one (CDP-10)', async () => {
    const [one, other] = [
      await chromium.connectOverCDP(cdpUrl, { timeout: patience }),
      await chromium.connectOverCDP(cdpUrl, { timeout: patience }),
    ];
    const [page, listening] = [one, other].map((browser) => patient(browser.contexts()[0]?.pages()[0] as Page));
    assert.ok(page && listening);
    assert.equal(await page.evaluate(asked), ',false,');
    for (const ms of [0, 200]) {
      listening.once('dialog', async (dialog: Dialog) => {
        await delay(ms);
        await dialog.accept('typed');
      });
      assert.equal(await page.evaluate(`prompt('c')`), 'typed', `${ms} ms`);
    }
    listening.on('dialog', (dialog: Dialog) => dialog.accept('typed'));
    for (let repeat = 0; repeat < 5; repeat++) assert.equal(await page.evaluate(asked), ',true,typed');
    listening.removeAllListeners('dialog');
    assert.equal(await page.evaluate(asked), ',false,');
    await Promise.all([one.close(), other.close()]);
  });

  it('belong to the code that runs, with and without a listener', async () => {
    await warm();
    assert.equal((await run(`await page.evaluate(${JSON.stringify(asked)})`)).result, ',false,');
    await run(`globalThis.answer = (dialog) => dialog.accept('run'); page.on('dialog', answer)`);
    assert.equal((await run(`await page.evaluate(${JSON.stringify(asked)})`)).result, ',true,run');
    await run(`page.off('dialog', answer)`);
    assert.equal((await run(`await page.evaluate(${JSON.stringify(asked)})`, 'python')).result, ',false,');
    const listen = `page.once('dialog', lambda dialog: dialog.accept('python'))`;
    assert.equal((await run(`${listen}\nawait page.evaluate("prompt('c')")`, 'python')).result, 'python');
  });

  it('reach the listener of an earlier run while no other client drives the page', async () => {
    await warm();
    await run(`page.on('dialog', (dialog) => dialog.accept('later')); undefined`);
    await run(`await page.evaluate(() => { setTimeout(() => { document.title = prompt(); }, 100); })`);
    await eventually(async () => assert.equal((await run('await page.title()')).result, 'later'));
  });

  it('never block code for longer than the client that left them open has the page for itself', async () => {
    await warm();
    const browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const [page] = await browser.pages();
    assert.ok(page);
    for (const language of ['node', 'python']) {
      const opened = once(page as never, 'dialog');
      const asking: Promise<unknown> = page.evaluate(`prompt('left open')`);
      await opened;
      const { exitCode, killed } = await run('await page.title()', language);
      assert.deepEqual([exitCode, killed], [0, false], language);
      // Whoever dismisses it, the page goes on.
      assert.equal(await asking, null, language);
    }
    // The client leaves with its dialog open: the page doesn't wait for anybody.
    const opened = once(page as never, 'dialog');
    await page.evaluate(`setTimeout(() => { document.title = 'went on ' + prompt(); })`);
    await opened;
    await browser.disconnect();
    await eventually(async () => assert.equal((await run('await page.title()')).result, 'went on null'));
  });

  it('leave clients only the execution contexts of the page and their own', async () => {
    await warm();
    const browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const [page] = await browser.pages();
    const session = await page?.createCDPSession();
    assert.ok(page && session);
    const contexts = new Map<number, string>();
    session.on('Runtime.executionContextCreated', ({ context }) => contexts.set(context.id, context.name));
    session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => contexts.delete(executionContextId));
    session.on('Runtime.executionContextsCleared', () => contexts.clear());
    await session.send('Runtime.enable');
    await run('await page.goto("data:text/html,<iframe srcdoc=x></iframe>"); await page.locator("iframe").count()');
    await eventually(() => {
      const names = [...contexts.values()].filter((name) => !/puppeteer/i.test(name));
      assert.deepEqual(names, ['', '']);
    });
    await browser.disconnect();
  });
});
