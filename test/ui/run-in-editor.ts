import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { eventually, patience } from '../harness/eventually.ts';
import { editorHolds } from '../harness/rows-and-editors.ts';
import { endedRun, newestRun, shownBehindLines } from '../harness/run-results.ts';
import { holdService } from '../harness/service-link.ts';
import { clickOver } from '../harness/shown.ts';
import { openSidebar, sessionRows, statusItem } from '../harness/sidebar.ts';
import { untilStored } from '../harness/stored-state.ts';
import type { Workbench } from '../harness/workbench.ts';
import { frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';
import { fleetOf } from '../harness/workbench-fleet.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;

const cells = `// %% open
await page.setContent('<title>Shop</title><h1>Shop</h1>');
await page.title()

// %% fail
const card = 'visa';
throw new TypeError('no card named ' + card);

// %% wait
console.log('first line');
await new Promise(() => {});
`;

/** The tests, in a window that others have used. Files are added to its folder. */
export function testRunsInEditor(used: () => { workbench: Workbench; folder: string }): void {
  let workbench: Workbench;
  let page: Page;
  let site: Server;
  before(async () => {
    const { folder, ...window } = used();
    workbench = window.workbench;
    page = workbench.page;
    cpSync(join(ROOT, 'examples'), folder, { recursive: true });
    writeFileSync(join(folder, 'shop-cells.js'), cells);
    writeFileSync(join(folder, 'throws.js'), `console.log('before');\nthrow new TypeError('on purpose');\n`);
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<title>Shop</title><h1>Shop</h1>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const { port } = site.address() as AddressInfo;
    writeFileSync(join(folder, 'shop.js'), `await page.goto('http://127.0.0.1:${port}/cart')`);
    writeFileSync(join(folder, 'value.js'), `const rows = ['tea', 'milk'];\nrows.length\n`);
    await openFile(page, 'value.js');
  });
  after(() => void site?.close());

  it('runs the file with the play button of the editor and shows the value after its last line', async () => {
    const before = await newestRun(page);
    await page.locator('.editor-actions a[aria-label^="Run File"]').first().click();
    const run = await endedRun(page, RUN, before?.runId);
    assert.deepEqual([run.state, run.result], ['ok', '2']);
    await eventually(async () => assert.match(await shownBehindLines(page), /» 2\s+[\d.]+ m?s/));
  });

  it('removes the value when its line is edited', async () => {
    await page.locator('.monaco-editor .view-line').nth(1).click();
    await page.keyboard.press('End');
    await page.keyboard.type(';');
    await eventually(async () => assert.doesNotMatch(await shownBehindLines(page), /»/));
  });

  it('runs the unsaved buffer with the key binding, and keeps the focus', async () => {
    const before = await newestRun(page);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type(`'typed, not saved'`);
    await page.keyboard.press('ControlOrMeta+Alt+Enter');
    const run = await endedRun(page, RUN, before?.runId);
    assert.equal(run.result, 'typed, not saved', run.error);
    await page.keyboard.type('!');
    await editorHolds(page, `saved'!`);
    await page.keyboard.press('ControlOrMeta+z');
  });

  it('runs a cell with its CodeLens, and marks the line of its error', async () => {
    const before = await newestRun(page);
    await openFile(page, 'shop-cells.js');
    const lenses = page.locator('.codelens-decoration a', { hasText: 'Run cell' });
    await lenses.first().click();
    const first = await endedRun(page, RUN, before?.runId);
    assert.equal(first.result, 'Shop', first.error);
    await lenses.nth(1).click();
    const second = await endedRun(page, RUN, first.runId);
    assert.equal(second.state, 'failed');
    assert.equal(second.sessionId, first.sessionId);
    await page.locator('.squiggly-error').first().waitFor({ state: 'attached' });
    await eventually(async () => assert.match(await shownBehindLines(page), /✗ TypeError: no card named visa/));
  });

  it('streams output during a run, and ends it with the stop button', async () => {
    const before = await newestRun(page);
    // Only the embedded service sends output while code runs; a server sends it with the result.
    const streamed = fleetOf(workbench.dataDir) ? undefined : 'first line\n';
    await page.locator('.codelens-decoration a', { hasText: 'Run cell' }).nth(2).click();
    await eventually(async () => {
      const going = await newestRun(page);
      assert.notEqual(going?.runId, before?.runId);
      assert.deepEqual([going?.state, going?.stdout], ['running', streamed]);
    });
    await page.locator('.editor-actions a[aria-label^="Stop Run"]').first().click();
    const run = await endedRun(page, RUN, before?.runId);
    assert.deepEqual([run.state, run.stdout], ['cancelled', streamed]);
  });

  it('names the session in the side bar and in the status bar', async () => {
    const before = await newestRun(page);
    await openFile(page, 'shop.js');
    await runCommand(page, 'Web Data: Run File');
    await endedRun(page, RUN, before?.runId);
    await openSidebar(page);
    const row = sessionRows(page).first();
    await page.locator('.sidebar .monaco-list-row[aria-label^="Session Shop, "]').waitFor({ timeout: RUN });
    const fleet = fleetOf(workbench.dataDir);
    await eventually(async () => {
      const status = await statusItem(page).innerText();
      assert.match(status, /^\s*Shop /);
      assert.ok(status.includes(`· ${fleet ? new URL(fleet.url).host : 'embedded'}`), status);
    });
    await row.locator('.codicon-circle-filled').waitFor();
    await statusItem(page).locator('.codicon-circle-filled').waitFor();
  });

  it('repeats an earlier run', async () => {
    const before = await newestRun(page);
    const frame = await frameWith(page, '[data-run-id]');
    const failed = frame.locator('[data-state="failed"]').first();
    await clickOver(failed.locator('.line'), failed.locator('button[aria-label="Run again"]'));
    const run = await endedRun(page, RUN, before?.runId);
    assert.match(run.error ?? '', /no card named visa/);
  });

  it('runs an example in a real browser and shows its output and its result', async () => {
    const before = await newestRun(page);
    await openFile(page, 'hello.js');
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN, before?.runId);
    assert.equal(run.state, 'ok', run.error);
    assert.match(run.sessionId, /\S/);
    assert.equal(run.stdout, 'Opened "The Corner Shop"\n3 goods, 11.30 in total\n');
    assert.deepEqual(JSON.parse(run.result ?? ''), [
      { name: 'Apples', price: 2.4 },
      { name: 'Bread', price: 3.1 },
      { name: 'Cheese', price: 5.8 },
    ]);
  });

  it('continues in the same session with another file', async () => {
    const first = await newestRun(page);
    await openFile(page, 'typed.ts');
    await runCommand(page, 'Web Data: Run File');
    const second = await endedRun(page, RUN, first?.runId);
    assert.equal(second.state, 'ok', second.error);
    assert.equal(second.sessionId, first?.sessionId);
    assert.deepEqual(JSON.parse(second.result ?? ''), { found: 3, longest: 'Earth' });
  });

  it('shows the error of a file that throws next to its earlier output', async () => {
    const last = await newestRun(page);
    await openFile(page, 'throws.js');
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN, last?.runId);
    assert.equal(run.state, 'failed');
    assert.equal(run.stdout, 'before\n');
    assert.match(run.error ?? '', /TypeError: on purpose/);
  });

  it('keeps the session and the history when the window is reloaded', async () => {
    const before = await eventually(async () => {
      const run = await newestRun(page);
      assert.ok(run);
      return run;
    });
    await untilStored(page, before.runId);
    const link = await holdService(workbench.dataDir);
    await workbench.reload();
    await openSidebar(page);
    await sessionRows(page).first().waitFor({ timeout: RUN });
    const frame = await frameWith(page, `[data-run-id="${before.runId}"]`, RUN);
    await eventually(async () =>
      assert.equal(await frame.locator('[data-run-id]').first().getAttribute('data-run-id'), before.runId),
    );
    link.close();
    await runCommand(page, 'Web Data: Run File');
    const after = await endedRun(page, RUN, before.runId);
    assert.equal(after.sessionId, before.sessionId, 'it runs in the session that it ran in before');
  });
}
