import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { assertAccessible } from '../harness/accessibility.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { dialogInput, saveAs } from '../harness/file-dialog.ts';
import { assertFocusOrder } from '../harness/focus-order.ts';
import { until } from '../harness/live-viewer.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun } from '../harness/run-results.ts';
import { holdService } from '../harness/service-link.ts';
import { contains, counts, reads } from '../harness/shown.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';
import { testAgents } from './agents.ts';

const RUN = patience;

const counterPage = `<title>The Counter</title><body style="font:24px sans-serif;margin:40px;background:#f4f7ff">
<h1>The Counter</h1><p id="n" style="font-size:60px">0</p>
<form onsubmit="sent.textContent='Sent: '+q.value;document.title='Sent '+q.value;return false">
<input id="q" placeholder="Your name" style="position:fixed;left:40px;top:260px;width:400px;height:50px;font:24px sans-serif">
<button style="position:fixed;left:460px;top:260px;width:160px;height:56px;font:24px sans-serif">Send</button></form>
<p id="sent" style="position:fixed;left:40px;top:330px"></p>
<script>setInterval(() => { n.textContent = Number(n.textContent) + 1 }, 100)</script>`;

/** A site of two pages, on this machine. */
function startSite(): Promise<Server> {
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/two' ? '<title>Page Two</title><h1>Page Two</h1>' : counterPage);
  });
  return new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(site)));
}

/** A point of the page's viewport, in the window of the workbench. */
async function pointOf(frame: Frame, x: number, y: number) {
  const box = await frame.locator('canvas.picture').boundingBox();
  assert.ok(box);
  const width = await frame.locator('canvas.picture').evaluate((canvas: HTMLCanvasElement) => canvas.width);
  const scale = box.width / width;
  return { x: box.x + x * scale, y: box.y + y * scale };
}

const framesOf = async (frame: Frame) => Number((await frame.locator('#app').getAttribute('data-frames')) ?? 0);
const statusOf = async (frame: Frame) => (await frame.locator('.status').textContent()) ?? '';

describe('Live View', () => {
  let workbench: Workbench;
  let page: Page;
  let site: Server;
  let folder: string;
  let live: Frame;
  before(async () => {
    site = await startSite();
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    folder = mkdtempSync(join(tmpdir(), 'webdata-live-'));
    writeFileSync(join(folder, 'one.js'), `await page.goto('${origin}/');\nawait page.title()\n`);
    writeFileSync(join(folder, 'two.js'), `await page.goto('${origin}/two');\nawait page.title()\n`);
    workbench = await startWorkbench({
      folder,
      size: { width: 1500, height: 900 },
      settings: { 'files.simpleDialog.enable': true },
    });
    ({ page } = workbench);
    // Opened through the UI: a window started with a file shows only that file after a reload.
    await openFile(page, 'one.js');
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN);
    assert.equal(run.result, 'The Counter', run.error);
    await runCommand(page, 'Web Data: Open Live View');
    live = await frameWith(page, 'canvas.picture');
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

  it('opens beside the editor and watches a counter move, read-only', async () => {
    const before = await until(() => framesOf(live), 'picture');
    await until(async () => (await framesOf(live)) > before + 5, 'moving picture');
    await eventually(async () => assert.match(await statusOf(live), /^watching · read-only/));
    await contains(live.locator('.address'), `http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await reads(live.locator('.tab-title'), /^The Counter$/);
    await counts(page.locator('.tab.active', { hasText: 'one.js' }), 1, 'the editor kept its place');
    await shoot('live-view-watching');
  });

  it('sends nothing to the page while it is read-only', async () => {
    const at = await pointOf(live, 100, 280);
    await page.mouse.click(at.x, at.y);
    await page.keyboard.type('nobody');
    assert.equal(await live.locator('.address').evaluate((field: HTMLInputElement) => field.readOnly), true);
  });

  it('takes control, types into a form, and releases with Escape', async () => {
    await live.locator('button.control').click();
    await live.locator('#app[data-control="true"]').waitFor();
    await live.locator('.spoken[role="status"]', { hasText: /^in control$/ }).waitFor({ state: 'attached' });
    const field = await pointOf(live, 100, 280);
    await page.mouse.click(field.x, field.y);
    await page.keyboard.type('Ada Lövelace');
    await until(async () => /keys go to the page/.test(await statusOf(live)), 'focus on the page');
    const typed = await framesOf(live);
    await until(async () => (await framesOf(live)) > typed + 3, 'picture of what was typed');
    await shoot('live-view-control');
    const send = await pointOf(live, 500, 285);
    await page.mouse.click(send.x, send.y);
    // Only what was typed in control arrived.
    await live.locator('.tab-title', { hasText: /^Sent Ada Lövelace$/ }).waitFor();
    await page.keyboard.press('Escape');
    await live.locator('#app[data-control="false"]').waitFor();
    await live.locator('.spoken[role="status"]', { hasText: /^watching, read-only$/ }).waitFor({ state: 'attached' });
    await eventually(async () => assert.match(await statusOf(live), /^watching · read-only/));
  });

  it('shows where a run navigates', async () => {
    const last = await endedRun(page, RUN);
    // What is opened goes where the focus is: beside the live view, not over it.
    await page.locator('.tab', { hasText: 'one.js' }).click();
    await openFile(page, 'two.js');
    await runCommand(page, 'Web Data: Run File');
    await endedRun(page, RUN, last.runId);
    await live.locator('.tab-title', { hasText: /^Page Two$/ }).waitFor();
    await eventually(async () => assert.match(await live.locator('.address').inputValue(), /\/two$/));
  });

  it('saves a screenshot and a recording of what was shown', async () => {
    const save = async (button: string, ending: string) => {
      const file = await saveAs(page, async () => {
        await live.locator(`button[aria-label="${button}"]`).click();
        const input = dialogInput(page);
        await input.waitFor();
        await until(async () => (await input.inputValue()).endsWith(ending), `name ending in ${ending}`);
        return join(folder, `saved${ending}`);
      });
      return await until(() => {
        const bytes = readFileSync(file);
        return bytes.length > 0 && bytes;
      }, 'bytes');
    };
    const png = await save('Save screenshot', '.png');
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    const webm = await save('Save recording', '.webm');
    assert.deepEqual([...webm.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
    assert.match(webm.toString('latin1', 0, 200), /webm/);
  });

  it('is restored after the window was reloaded', async () => {
    // The service ends some seconds after its last window: on a busy machine a reload takes longer.
    const otherWindow = await holdService(workbench.dataDir);
    await workbench.reload();
    live = await frameWith(page, 'canvas.picture');
    await until(() => framesOf(live), 'picture after the reload');
    await live.locator('.tab-title', { hasText: /^Page Two$/ }).waitFor();
    otherWindow.close();
  });

  it('has no accessibility violations while it is read-only', async () => {
    await assertAccessible(workbench, live, 'live-view', 'watching');
    // In control, the Tab key goes to the page.
    await assertFocusOrder(live);
  });

  it('has no accessibility violations in control, with two tabs', async () => {
    await live.locator('button.control').click();
    await live.locator('button[aria-label="New tab"]').click();
    await live.locator('.tab').nth(1).waitFor();
    await assertAccessible(workbench, live, 'live-view');
    // From the address of an empty page, as from any other: no control is left out.
    await live.locator('.address').focus();
    await page.keyboard.press('Tab');
    await until(
      () => live.evaluate(() => document.activeElement?.classList.contains('icon-button')),
      'focus on a button',
    );
    // With the keyboard: the buttons that close a tab are for the pointer.
    await live.locator('.tab[aria-selected="true"][aria-keyshortcuts="Delete"]').press('Delete');
    await live.locator('.tab').nth(1).waitFor({ state: 'detached' });
    await live.locator('button.control').click();
    await live.locator('#app[data-control="false"]').waitFor();
  });

  it('keeps the last picture, grayed out, when the session ends, and offers a new one', async () => {
    await runCommand(page, 'Web Data: Destroy Browser Session');
    const destroy = page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Destroy' });
    await destroy.waitFor();
    await shoot('destroy-asks');
    await destroy.click();
    await live.locator('.cover', { hasText: 'The session has ended: destroyed by request.' }).waitFor();
    const opacity = () => live.locator('.ended canvas.picture').evaluate((canvas) => getComputedStyle(canvas).opacity);
    await eventually(async () => assert.equal(await opacity(), '0.35'));
    await shoot('live-view-ended');
    await assertAccessible(workbench, live, 'live-view', 'ended');
    await assertFocusOrder(live);
    await live.locator('.cover .button', { hasText: 'New session' }).click();
    live = await frameWith(page, '#app[data-frames]:not(.ended)');
  });

  it('opens again where it was moved to', async () => {
    const groups = page.locator('.editor-group-container');
    const tab = page.locator('.editor-group-container .tab', { hasText: 'Live:' });
    await tab.click();
    await counts(groups, 2);
    await runCommand(page, 'View: Move Editor into First Group');
    await groups.nth(1).waitFor({ state: 'detached' });
    await runCommand(page, 'View: Close Editor');
    await tab.waitFor({ state: 'detached' });
    await runCommand(page, 'Web Data: Open Live View');
    await tab.waitFor();
    await counts(groups, 1);
  });

  describe('of an agent and a person in one session', () => testAgents(() => workbench));
});
