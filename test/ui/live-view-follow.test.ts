import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { until } from '../harness/live-viewer.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun, newestRun, type ShownRun } from '../harness/run-results.ts';
import { contains } from '../harness/shown.ts';
import { statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';
import { fleetOf } from '../harness/workbench-fleet.ts';

const RUN = patience;

const article = `<!doctype html><meta name="viewport" content="width=device-width"><title>The Paper</title>
<body style="font:16px/1.5 Georgia,serif;margin:24px;max-width:40em">
<h1>The Paper</h1><p>${'The text of this page is as large as the text beside it. '.repeat(30)}</p>`;

function startSite(): Promise<Server> {
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(article);
  });
  return new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(site)));
}

/** Size of the pane of the live view, and of the page that it shows. */
const sizesOf = (live: Frame) =>
  live.evaluate(() => {
    const pane = document.querySelector('.pane');
    const picture = document.querySelector<HTMLCanvasElement>('canvas.picture');
    return {
      pane: { width: pane?.clientWidth ?? 0, height: pane?.clientHeight ?? 0 },
      page: { width: picture?.width ?? 0, height: picture?.height ?? 0 },
      shown: { width: picture?.clientWidth ?? 0, height: picture?.clientHeight ?? 0 },
    };
  });

describe('a live view that follows', () => {
  let workbench: Workbench;
  let page: Page;
  let site: Server;
  let origin: string;
  let folder: string;
  let live: Frame;
  before(async () => {
    site = await startSite();
    origin = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    folder = mkdtempSync(join(tmpdir(), 'webdata-follow-'));
    writeFileSync(join(folder, 'width.js'), 'await page.evaluate(() => innerWidth)\n');
    writeFileSync(
      join(folder, 'fill.js'),
      `await page.goto('about:blank'); await page.setContent('<h1>Report</h1>')\n`,
    );
    writeFileSync(join(folder, 'empty.js'), `await page.setContent('')\n`);
    writeFileSync(join(folder, 'open.js'), `await page.goto('http://${origin}/')\n`);
    writeFileSync(join(folder, 'set.js'), 'await page.setViewportSize({ width: 900, height: 500 });\n');
    workbench = await startWorkbench({
      folder,
      size: { width: 1500, height: 900 },
    });
    ({ page } = workbench);
    await openFile(page, 'width.js');
    await runCommand(page, 'Web Data: New Browser Session');
    await statusItem(page).filter({ hasText: 'Untitled' }).waitFor({ timeout: RUN });
    await runCommand(page, 'Web Data: Open Live View');
    live = await frameWith(page, '#app[data-frames] .address');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await shoot(`failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const shoot = (name: string) => takePicture(page, name);
  const run = async (name: string): Promise<ShownRun> => {
    const before = await newestRun(page);
    await page.locator('.tab', { hasText: 'width.js' }).click();
    await openFile(page, name);
    await runCommand(page, 'Web Data: Run File');
    const ended = await endedRun(page, RUN, before?.runId);
    assert.equal(ended.state, 'ok', ended.error);
    return ended;
  };
  /** Waits until the page is as large as the pane, at 100 %. */
  const follows = () =>
    eventually(async () => {
      const { pane, page: content, shown } = await sizesOf(live);
      assert.ok(pane.width > 0);
      assert.deepEqual([content, shown], [pane, pane]);
      return pane;
    });
  const shownSession = () => live.locator('#app').getAttribute('data-session');
  const active = async () => (await embeddedService(workbench.dataDir).call('GET', '/v2/browser?status=active')).body;

  it('shows "Type an address" on a blank page, and opens what is typed', async () => {
    const button = live.locator('.blank .button', { hasText: 'Type an address' });
    await button.waitFor();
    await contains(live.locator('.address'), '');
    assert.equal(await live.locator('.address').getAttribute('placeholder'), 'Type an address');
    await shoot('follow-blank');
    await button.click();
    await live.locator('#app[data-control="true"]').waitFor();
    await until(
      () => live.evaluate(() => document.activeElement?.classList.contains('address')),
      'focus in the address',
    );
    await page.keyboard.type(`${origin}/`);
    await shoot('follow-typing');
    await page.keyboard.press('Enter');
    await live.locator('.tab-title', { hasText: 'The Paper' }).waitFor();
    await live.locator('.blank').waitFor({ state: 'hidden' });
    await live.locator('button.control').click();
    await live.locator('#app[data-control="false"]').waitFor();
  });

  it('shows what code writes into a blank page', async () => {
    await run('fill.js');
    await live.locator('.blank').waitFor({ state: 'hidden' });
    await contains(live.locator('.address'), '');
    await shoot('follow-filled');
    await run('empty.js');
    await live.locator('.blank .button').waitFor();
    await run('open.js');
    await live.locator('.tab-title', { hasText: 'The Paper' }).waitFor();
  });

  it('shows the page as large as its pane, at 100 %, while it only watches', async () => {
    const pane = await follows();
    assert.equal((await run('width.js')).result, String(pane.width));
    await shoot('follow-fills');
    await page.setViewportSize({ width: 1200, height: 800 });
    await until(async () => (await sizesOf(live)).pane.width < pane.width, 'a narrower pane');
    await follows();
    await shoot('follow-narrow');
    await page.setViewportSize({ width: 1500, height: 900 });
    await until(async () => (await sizesOf(live)).pane.width === pane.width, 'the first pane again');
    await follows();
  });

  it('keeps the page 1280 wide on request, and remembers that', async () => {
    await live.locator('button[aria-label^="Use fixed page size"]').click();
    await until(async () => (await sizesOf(live)).page.width === 1280, 'a page of its own size');
    assert.equal((await run('width.js')).result, '1280');
    await shoot('follow-fixed');
    await page.locator('.tab', { hasText: /^Live: / }).click();
    await runCommand(page, 'View: Close Editor');
    await eventually(() => assert.ok(live.isDetached()));
    await runCommand(page, 'Web Data: Open Live View');
    live = await frameWith(page, '#app[data-frames] button[aria-label^="Fit page to view"]');
    await until(async () => (await sizesOf(live)).page.width === 1280, 'a page of its own size');
    await live.locator('button[aria-label^="Fit page to view"]').click();
    await follows();
  });

  it('leaves the page at the size that a snippet sets', async () => {
    await run('set.js');
    await until(async () => (await sizesOf(live)).page.width === 900, 'a page of that size');
    await live.locator('button[aria-label*="fixed page size"][aria-label*="Code"]').waitFor();
    // Other servers have no request that resets a REPL.
    if (fleetOf(workbench.dataDir)) return;
    await runCommand(page, 'Web Data: Reset REPL');
    await follows();
  });

  it('moves to the session that the window uses, unless it is pinned', async () => {
    const first = await shownSession();
    await runCommand(page, 'Web Data: New Browser Session');
    await until(async () => (await shownSession()) !== first, 'another session');
    await live.locator('.blank .button').waitFor();
    const second = await shownSession();
    await page.locator('.tab', { hasText: /^Live: / }).click();
    await page.locator('.editor-actions a[aria-label^="Pin or Unpin Live View"]').first().click();
    await shoot('follow-pinned');
    await runCommand(page, 'Web Data: New Browser Session');
    await until(async () => (await active()).sessions.length === 3, 'a third session');
    const third = (await active()).sessions[0].id;
    await page.locator('.tab', { hasText: /^Live: [^●]/ }).waitFor();
    assert.equal(await shownSession(), second);
    await page.locator('.editor-actions a[aria-label^="Pin or Unpin Live View"]').first().click();
    await until(async () => (await shownSession()) === third, 'the session in use');
    await page.locator('.tab', { hasText: /^Live: ● / }).waitFor();
  });

  it('moves to the next session when its session ends, or to a new one if there is none', async () => {
    const ended = await shownSession();
    const service = embeddedService(workbench.dataDir);
    const [{ id }] = (await active()).sessions;
    assert.equal(id, ended);
    await service.call('DELETE', `/v2/browser/${id}`);
    await until(async () => (await shownSession()) !== ended, 'the next session');
    await live.locator('#app:not(.ended)').waitFor();
    for (const session of (await active()).sessions) await service.call('DELETE', `/v2/browser/${session.id}`);
    await live.locator('#app.ended').waitFor();
    await run('width.js');
    await live.locator('#app:not(.ended)').waitFor();
    await eventually(async () => assert.equal(await shownSession(), (await active()).sessions[0].id));
  });
});
