import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { assertAccessible } from '../harness/accessibility.ts';
import { patience } from '../harness/eventually.ts';
import { dialogInput, saveAs } from '../harness/file-dialog.ts';
import { until } from '../harness/live-viewer.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun } from '../harness/run-results.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';

/** Logs a thousand lines, and sends a request that is answered and one that isn't found. */
const busyPage = `<title>Busy</title><h1>Busy</h1><script>
for (let i = 0; i < 1000; i++) console.log('line ' + i);
console.error('something broke'); console.warn('something is odd');
fetch('/api/items?token=secret').then(() => fetch('/api/missing'));
</script>`;

/** A site on this machine. */
function startSite(): Promise<Server> {
  const site = createServer((request, response) => {
    if (request.url?.startsWith('/api/')) {
      response.statusCode = request.url.startsWith('/api/items') ? 200 : 404;
      response.setHeader('content-type', 'application/json');
      return response.end('{"items":[{"name":"lamp"}]}');
    }
    response.setHeader('content-type', 'text/html');
    return response.end(busyPage);
  });
  return new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(site)));
}

describe('Console and network in the live view', () => {
  let workbench: Workbench;
  let page: Page;
  let site: Server;
  let folder: string;
  let live: Frame;
  const rows = (text?: RegExp) => live.locator('.traffic-list:visible .traffic-row', text ? { hasText: text } : {});
  const filter = () => live.locator('.traffic-filter');
  const shoot = (name: string) => takePicture(page, name);

  before(async () => {
    site = await startSite();
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    folder = mkdtempSync(join(tmpdir(), 'webdata-traffic-'));
    writeFileSync(join(folder, 'busy.js'), `await page.goto('${origin}/busy');\nawait page.title()\n`);
    workbench = await startWorkbench({
      folder,
      size: { width: 1500, height: 900 },
      settings: { 'files.simpleDialog.enable': true },
    });
    ({ page } = workbench);
    await openFile(page, 'busy.js');
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, patience);
    assert.equal(run.result, 'Busy', run.error);
    await runCommand(page, 'Web Data: Open Live View');
    live = await frameWith(page, 'canvas.picture');
    await live.locator('button[aria-label="Console and network"][aria-pressed="false"]').click();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await shoot(`failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('says since when requests are recorded, if there are none', async () => {
    await live.getByRole('tab', { name: 'Network', exact: true }).click();
    await live.locator('.traffic-message', { hasText: /No requests since recording began at / }).waitFor();
    await live.getByRole('tab', { name: 'Console', exact: true }).click();
    const last = await endedRun(page, patience);
    await page.locator('.tab', { hasText: 'busy.js' }).click();
    await runCommand(page, 'Web Data: Run File');
    await endedRun(page, patience, last.runId);
  });

  it('lists what the page has logged, of a thousand lines only those that are seen', async () => {
    await rows(/line 999/).waitFor();
    assert.ok((await rows().count()) < 200, `${await rows().count()} rows`);
    assert.match((await rows(/line 999/).textContent()) ?? '', /busy:2/);
    await filter().fill('line 52');
    await until(async () => (await rows().count()) === 11, 'the lines that match');
    await shoot('live-view-console-filter');
    await filter().fill('');
    await live.getByRole('combobox', { name: 'Level' }).selectOption('log');
    await until(async () => (await rows(/something/).count()) === 0, 'lines of one level');
    await assertAccessible(workbench, live, 'live-view', 'console');
    await shoot('live-view-console');
    await live.getByRole('combobox', { name: 'Level' }).selectOption('');
  });

  it('opens a request as a document, with its body formatted and secrets masked', async () => {
    await live.getByRole('tab', { name: 'Console', exact: true }).press('ArrowRight');
    await rows(/api\/missing/).waitFor();
    await shoot('live-view-network');
    await assertAccessible(workbench, live, 'live-view', 'network');
    await live.getByRole('checkbox', { name: 'Failed only' }).check();
    await rows(/api\/items/).waitFor({ state: 'detached' });
    assert.match((await rows(/api\/missing/).textContent()) ?? '', /^404GET.*\/api\/missing.*fetch/);
    await live.getByRole('checkbox', { name: 'Failed only' }).uncheck();
    await filter().fill('api/items');
    await until(async () => (await rows().count()) === 1, 'the request that matches');
    const list = live.getByRole('listbox', { name: 'Network' });
    await list.press('End');
    await list.press('Enter');
    await page.locator('.tab.active', { hasText: 'api-items' }).waitFor();
    const text = async () =>
      ((await page.locator('.editor-instance .view-lines').first().innerText()) ?? '').replaceAll('\u00a0', ' ');
    await until(async () => /GET http:\/\/127\.0\.0\.1:\d+\/api\/items/.test(await text()), 'the request');
    assert.ok(!(await text()).includes('secret'));
    await page.locator('.editor-instance .view-lines').first().click();
    await page.keyboard.press('Control+End');
    await until(async () => /"name": "lamp"/.test(await text()), 'the formatted body');
    await shoot('live-view-request');
    await filter().fill('');
  });

  it('saves the requests as an HTTP archive, with secrets only if they are wanted', async () => {
    const save = (choice: string) =>
      saveAs(page, async () => {
        await live.locator('button[aria-label="Save as HAR…"]').click();
        await page.locator('.quick-input-list .monaco-list-row', { hasText: choice }).click();
        await until(async () => (await dialogInput(page).inputValue()).endsWith('.har'), 'the name of the archive');
        return join(folder, `${choice.split(' ')[0]}.har`);
      });
    const file = await save('Mask Secrets');
    const { log } = await until(() => JSON.parse(readFileSync(file, 'utf8') || 'null'), 'an archive');
    assert.ok(log.entries.some((entry: { request: { url: string } }) => entry.request.url.includes('/api/missing')));
    assert.ok(!readFileSync(file, 'utf8').includes('=secret'));
    const whole = await save('Keep Secrets');
    await until(() => readFileSync(whole, 'utf8').includes('=secret'), 'the secret');
  });

  it('shows a whole line of the console with where it comes from', async () => {
    await live.getByRole('tab', { name: 'Console', exact: true }).click();
    await filter().fill('something broke');
    await rows(/something broke/).click();
    await page.locator('.tab.active', { hasText: 'console-' }).waitFor();
    const text = () => page.locator('.editor-instance .view-lines').first().innerText();
    await until(async () => /\/busy:3:/.test(await text()), 'the place of the line');
    await live.locator('button[aria-label="Console and network"][aria-pressed="true"]').click();
    await live.locator('.traffic').waitFor({ state: 'hidden' });
  });
});
