import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { assertAccessible } from '../harness/accessibility.ts';
import { patience } from '../harness/eventually.ts';
import { until } from '../harness/live-viewer.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun } from '../harness/run-results.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';

const formPage = `<title>Order</title><body style="font:20px sans-serif;margin:30px"><h1>Order</h1>
<form onsubmit="document.title='sent';return false"><label>Name <input name="q"></label>
<button style="position:fixed;left:30px;top:160px;width:200px;height:50px">Send</button></form>`;

describe('Picking a locator in the live view', () => {
  let workbench: Workbench;
  let page: Page;
  let site: Server;
  let folder: string;
  let live: Frame;
  const shoot = (name: string) => takePicture(page, name);
  const button = () => live.locator('button[aria-label="Pick a locator"]');
  const label = () => live.locator('.pick-label:visible');
  const editorText = async () =>
    (await page.locator('.editor-instance .view-lines').first().innerText()).replaceAll('\u00a0', ' ');

  /** Points at the button of the page. */
  async function send(): Promise<{ x: number; y: number }> {
    const canvas = live.locator('canvas.picture');
    const box = await canvas.boundingBox();
    assert.ok(box);
    const scale = box.width / (await canvas.evaluate((each: HTMLCanvasElement) => each.width));
    return { x: box.x + 100 * scale, y: box.y + 185 * scale };
  }

  /** Opens a file beside the live view, and puts the cursor at its end. */
  async function edit(name: string): Promise<void> {
    await page.locator('.editor-group-container').first().locator('.tab').first().click();
    await openFile(page, name);
    await page.keyboard.press('Control+End');
  }

  before(async () => {
    site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(formPage));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    folder = mkdtempSync(join(tmpdir(), 'webdata-pick-'));
    writeFileSync(join(folder, 'order.js'), `await page.goto('${origin}/');\nawait page.title()\n`);
    writeFileSync(join(folder, 'order.py'), 'order = 1\n');
    workbench = await startWorkbench({
      folder,
      size: { width: 1500, height: 900 },
    });
    ({ page } = workbench);
    await openFile(page, 'order.js');
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, patience);
    assert.equal(run.result, 'Order', run.error);
    await runCommand(page, 'Web Data: Open Live View');
    live = await frameWith(page, 'canvas.picture');
    await until(() => live.locator('.status', { hasText: 'read-only' }).isVisible(), 'the status');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await shoot(`failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('outlines the element under the pointer with its locator, and inserts it at the cursor', async () => {
    await edit('order.js');
    await button().click();
    await live.locator('.status', { hasText: 'click an element to insert its locator' }).waitFor();
    const at = await send();
    await page.mouse.move(at.x, at.y);
    await label().filter({ hasText: "page.getByRole('button', { name: 'Send' })" }).waitFor();
    const box = await live.locator('.pick-box').boundingBox();
    assert.ok(box && box.x < at.x && box.x + box.width > at.x && box.y < at.y && box.y + box.height > at.y);
    // The colors of the system may be those of the page.
    await page.emulateMedia({ forcedColors: 'active' });
    const [seen, wanted] = await live.locator('.pick-box').evaluate((shown) => {
      const sample = document.body.appendChild(document.createElement('span'));
      sample.style.forcedColorAdjust = 'none';
      sample.style.color = 'var(--vscode-focusBorder)';
      const colors = [getComputedStyle(shown).borderTopColor, getComputedStyle(sample).color];
      sample.remove();
      return colors;
    });
    assert.equal(seen, wanted);
    await page.emulateMedia({ forcedColors: 'none' });
    await shoot('live-view-pick');
    await page.mouse.click(at.x, at.y);
    await live.locator('.notice', { hasText: 'Inserted and copied: page.getByRole' }).waitFor();
    await until(async () => /getByRole\('button', \{ name: 'Send' \}\)/.test(await editorText()), 'the locator');
    await live.locator('#app:not(.picking)').waitFor();
    await live.locator('.tab-title', { hasText: /^Order$/ }).waitFor();
  });

  it('inserts it in the language of the editor', async () => {
    await edit('order.py');
    await button().click();
    const at = await send();
    await page.mouse.click(at.x, at.y);
    await until(async () => /page\.get_by_role\("button", name="Send"\)/.test(await editorText()), 'the locator');
    await shoot('live-view-pick-python');
  });

  it('ends with Escape, and has no accessibility violations', async () => {
    await button().click();
    const at = await send();
    await page.mouse.move(at.x, at.y + 1);
    await label().waitFor();
    await assertAccessible(workbench, live, 'live-view', 'picking');
    await button().focus();
    await page.keyboard.press('Escape');
    await live.locator('#app:not(.picking)').waitFor();
    assert.equal(await button().getAttribute('aria-pressed'), 'false');
  });
});
