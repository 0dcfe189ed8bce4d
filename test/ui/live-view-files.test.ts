import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { assertAccessible } from '../harness/accessibility.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { choose, dialogInput, saveAs } from '../harness/file-dialog.ts';
import { until } from '../harness/live-viewer.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun } from '../harness/run-results.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';

const formPage = `<title>Upload</title><body style="font:20px sans-serif;margin:30px"><h1>Upload</h1>
<input type="file" id="file" accept=".txt" style="position:fixed;left:30px;top:100px;width:300px;height:40px">
<a href="/report" style="position:fixed;left:30px;top:160px;width:200px;height:40px">Get the report</a>
<p id="said" style="position:fixed;left:30px;top:200px">nothing yet</p>
<script>file.addEventListener('cancel', () => { document.title = 'canceled'; });
file.addEventListener('change', async () => { document.title = file.files[0].name + ': ' + await file.files[0].text(); });</script>`;

describe('Files in the live view', () => {
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
  const title = (text: string) => live.locator('.tab-title', { hasText: text });

  before(async () => {
    site = createServer((request, response) => {
      if (request.url !== '/report') return response.setHeader('content-type', 'text/html').end(formPage);
      response.setHeader('content-disposition', 'attachment; filename="report.csv"');
      return response.end('name,price\nFox,3\n');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    folder = mkdtempSync(join(tmpdir(), 'webdata-files-'));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    writeFileSync(join(folder, 'open.js'), `await page.goto('${origin}/');\nawait page.title()\n`);
    writeFileSync(join(folder, 'letter.txt'), 'Dear fox');
    workbench = await startWorkbench({
      folder,
      size: { width: 1500, height: 900 },
    });
    ({ page } = workbench);
    await openFile(page, 'open.js');
    await runCommand(page, 'Web Data: Run File');
    assert.equal((await endedRun(page, patience)).result, 'Upload');
    await runCommand(page, 'Web Data: Open Live View');
    live = await frameWith(page, 'canvas.picture');
    await live.locator('button.control', { hasText: 'Take control' }).click();
    await live.locator('.status', { hasText: 'in control' }).waitFor();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await shoot(`failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are chosen in VS Code's own dialog, and reach the page", async () => {
    const input = dialogInput(page);
    await eventually(async (timeout) => {
      if (!(await input.isVisible())) await click(60, 115);
      await input.waitFor({ timeout });
    });
    await shoot('live-view-choose-file');
    await choose(page, join(folder, 'letter.txt'));
    await title('letter.txt: Dear fox').waitFor();
    await shoot('live-view-chosen-file');
  });

  it('tell the page if the dialog was canceled', async () => {
    await click(60, 115);
    await dialogInput(page).waitFor();
    await page.keyboard.press('Escape');
    await title('canceled').waitFor();
  });

  it('that the page gives are shown with their names, and saved where one likes', async () => {
    await click(80, 172);
    const row = live.locator('.download', { hasText: 'report.csv' });
    await row.locator('.download-state', { hasText: '17 B' }).waitFor();
    await shoot('live-view-download');
    // While the page has the keyboard, it gets the keys of commands, too.
    await page.locator('.tab', { hasText: 'open.js' }).first().click();
    await assertAccessible(workbench, live, 'live-view', 'downloads');
    const saved = await saveAs(page, async () => {
      await row.locator('button', { hasText: 'Save As…' }).click();
      const input = dialogInput(page);
      await input.waitFor();
      await until(async () => (await input.inputValue()).endsWith('report.csv'), 'the name');
      return join(folder, 'saved.csv');
    });
    await until(() => readFileSync(saved, 'utf8') === 'name,price\nFox,3\n', 'the saved file');
    await row.locator('button[aria-label="Remove report.csv from the list"]').click();
    await row.waitFor({ state: 'detached' });
  });
});
