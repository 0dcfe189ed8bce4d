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

/** Width of the window for pictures. */
const width = Number(process.env.WEBDATA_WIDTH ?? 1500);

const formPage = `<title>Order</title><body style="font:20px sans-serif;margin:30px"><style>body>*{position:fixed;left:30px;width:220px;height:40px}</style>
<input aria-label="Name" style="top:20px"><select aria-label="Size" style="top:80px"><option>Small</option><option>Medium</option><optgroup label="Large ones"><option>Large</option><option disabled>Huge</option></optgroup></select>
<input type="date" aria-label="Day" value="2026-03-04" style="top:140px"><button style="top:200px" onclick="document.title='sent'">Send</button>`;

describe('Lists and recording in the live view', () => {
  let workbench: Workbench;
  let page: Page;
  let site: Server;
  let folder: string;
  let live: Frame;
  const shoot = (name: string) => takePicture(page, name);

  /** Clicks a point of the session's page. */
  async function click(x: number, y: number): Promise<void> {
    const canvas = live.locator('canvas.picture');
    const box = await canvas.boundingBox();
    assert.ok(box);
    const scale = box.width / (await canvas.evaluate((each: HTMLCanvasElement) => each.width));
    await page.mouse.click(box.x + x * scale, box.y + y * scale);
  }
  const record = () => live.locator('button[aria-label="Record actions as code"]');
  const code = async () =>
    (await page.locator('.editor-instance .view-lines').first().innerText()).replaceAll('\u00a0', ' ');
  const written = (text: string) => until(async () => (await code()).includes(text), text);

  before(async () => {
    site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(formPage));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    folder = mkdtempSync(join(tmpdir(), 'webdata-record-'));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    writeFileSync(join(folder, 'open.js'), `await page.goto('${origin}/');\nawait page.title()\n`);
    writeFileSync(join(folder, 'order.py'), '# order\n');
    workbench = await startWorkbench({ folder, size: { width, height: 900 } });
    ({ page } = workbench);
    await openFile(page, 'open.js');
    await runCommand(page, 'Web Data: Run File');
    assert.equal((await endedRun(page, patience)).result, 'Order');
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

  it('takes control and records what is done, in the language of the last editor', async () => {
    await page.locator('.editor-group-container').first().locator('.tab').first().click();
    await openFile(page, 'order.py');
    await page.keyboard.press('Control+End');
    await record().click();
    await live.locator('.status', { hasText: 'recording to the editor' }).waitFor();
    assert.equal(await record().getAttribute('aria-pressed'), 'true');
    await written('await page.goto("http');
    await click(80, 40);
    await page.keyboard.type('Fox');
    await click(80, 100);
    const list = live.locator('.field-choice select');
    await list.waitFor();
    await written('await page.get_by_role("textbox", name="Name").fill("Fox")');
    await shoot('live-view-list');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await list.waitFor({ state: 'detached' });
    await written('await page.get_by_label("Size").select_option(label="Medium")');
    await click(80, 160);
    const day = live.locator('.field-choice input[type="date"]');
    await day.waitFor();
    await shoot('live-view-date');
    await day.fill('2026-05-06');
    await live.locator('.field-choice button', { hasText: 'Set' }).click();
    await written('.fill("2026-05-06")');
    await click(80, 220);
    await live.locator('.tab-title', { hasText: /^sent$/ }).waitFor();
    await written('await page.get_by_role("button", name="Send").click()');
    await shoot('live-view-record');
  });

  it('ends when control is released', async () => {
    await click(80, 40);
    await page.keyboard.type('!');
    await page.keyboard.press('Escape');
    await live.locator('.status', { hasText: 'read-only' }).waitFor();
    assert.equal(await record().getAttribute('aria-pressed'), 'false');
    await written('.fill("Fox!")');
  });

  it('has no accessibility violations with an open list', async () => {
    await live.locator('button.control', { hasText: 'Take control' }).click();
    await live.locator('.status', { hasText: 'in control' }).waitFor();
    await click(80, 100);
    await live.locator('.field-choice select').waitFor();
    await assertAccessible(workbench, live, 'live-view', 'an open list');
    await live.locator('.field-choice select').press('Escape');
    await live.locator('.field-choice').waitFor({ state: 'detached' });
  });
});
