import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { eventually, patience } from '../harness/eventually.ts';
import { editorHolds } from '../harness/rows-and-editors.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { counts } from '../harness/shown.ts';
import { statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { openFile, runCommand } from '../harness/workbench-actions.ts';
import { testRunsInEditor } from './run-in-editor.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;

const cells = `const base = 40;
base + 1

// %% two
base + 2

// %% three
base + 3
`;

/** Code that ends near the bottom of the editor, where the panel opens, with more lines below. */
const long = `${Array.from({ length: 30 }, (_, index) => `const line${index} = ${index};`).join('\n')}\n'the end'\n${'\n'.repeat(20)}`;

/** The results shown after lines of the editor, top to bottom: drawn text that isn't in the file. */
async function lineResults(page: Page): Promise<string[]> {
  const drawn = await page.locator('.monaco-editor .view-line span').evaluateAll((spans) =>
    spans.map((span) => ({
      top: span.getBoundingClientRect().top,
      text: getComputedStyle(span, '::after').content,
    })),
  );
  const results = drawn.filter(({ text }) => /[»✗✓]/.test(text)).sort((one, other) => one.top - other.top);
  return results.map(({ text }) => /»\s*(\S+)/.exec(text)?.[1] ?? text);
}

async function showsResults(page: Page, expected: string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await lineResults(page), expected), RUN);
}

const play = (page: Page): Locator => page.locator('.editor-actions a[aria-label^="Run File"]').first();
const stop = (page: Page): Locator => page.locator('.editor-actions a[aria-label^="Stop Run"]').first();
const lens = (page: Page, title: string): Locator =>
  page.locator('.codelens-decoration a').filter({ hasText: title }).first();

async function leftOf(locator: Locator): Promise<number> {
  return (await locator.boundingBox())?.x ?? Number.NaN;
}

describe('running cells', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-cells-'));
    writeFileSync(join(folder, 'cells.js'), cells);
    writeFileSync(join(folder, 'long.js'), long);
    writeFileSync(join(folder, 'endless.js'), `const on = 1;\nawait new Promise(() => {});\n`);
    // It brings breakpoints to JavaScript.
    const builtInExtensions = ['ms-vscode.js-debug'];
    workbench = await startWorkbench({ folder, file: join(folder, 'long.js'), builtInExtensions });
    page = workbench.page;
    await statusItem(page).waitFor({ timeout: RUN });
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps the result line in view when the panel opens over it', async () => {
    const line = page.locator('.monaco-editor .view-line', { hasText: "'the end'" }).first();
    await line.waitFor({ timeout: RUN });
    const before = await eventually(async () => {
      const box = await line.boundingBox();
      assert.ok(box);
      return box.y;
    });
    await play(page).click();
    const run = await endedRun(page, RUN);
    assert.equal(run.result, 'the end', run.error);
    await eventually(async () => {
      const [bottom, editor] = await Promise.all([line.boundingBox(), page.locator('.editor-instance').boundingBox()]);
      assert.ok(bottom && editor, 'the line is drawn');
      assert.ok(editor.y + editor.height < before, 'the panel covers the place where the line was');
      assert.ok(bottom.y + bottom.height <= editor.y + editor.height + 1, 'the line is above the panel');
    }, RUN);
    await showsResults(page, ['the']);
  });

  it('never moves the stop button to where the play button was, and keeps the text in place', async () => {
    await openFile(page, 'endless.js');
    const text = page.locator('.monaco-editor .view-line', { hasText: 'const on' }).first();
    await text.click();
    // With another icon beside that of a breakpoint, the gutter would get wider.
    await page.keyboard.press('F9');
    await page
      .locator('.codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified')
      .first()
      .waitFor({ timeout: RUN });
    const places = async () => ({ play: await leftOf(play(page)), text: await leftOf(text) });
    // Neither is measured while it moves.
    for (const element of [play(page), text]) await element.click({ trial: true });
    const before = await places();
    await play(page).click();
    await stop(page).waitFor({ timeout: RUN });
    await eventually(async () => assert.equal((await newestRun(page))?.state, 'running'), RUN);
    await eventually(async () => {
      assert.deepEqual(await places(), before);
      assert.ok((await leftOf(stop(page))) < before.play);
    });
    await stop(page).click();
    await stop(page).waitFor({ state: 'hidden', timeout: RUN });
  });

  it('runs all cells, including code before the first marker, each with its own result', async () => {
    await openFile(page, 'cells.js');
    await lens(page, 'Run all').click();
    await showsResults(page, ['41', '42', '43']);
  });

  it('keeps the results of other cells on an edit, and restores the result when it is undone', async () => {
    await page.locator('.monaco-editor .view-line', { hasText: '// %% two' }).first().click();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await showsResults(page, ['41', '43']);
    await page.keyboard.press('ControlOrMeta+z');
    await showsResults(page, ['41', '42', '43']);
  });

  it('runs the cells above', async () => {
    const before = await newestRun(page);
    await page.locator('.monaco-editor .view-line', { hasText: '// %% three' }).first().click();
    await runCommand(page, 'Web Data: Run Cells Above');
    await eventually(async () => {
      const run = await newestRun(page);
      assert.deepEqual([run?.runId === before?.runId, run?.state, run?.result], [false, 'ok', '42']);
    }, RUN);
  });

  it('runs a cell and moves to the next with Shift+Enter', async () => {
    await page.locator('.monaco-editor .view-line', { hasText: 'const base' }).first().click();
    const first = await newestRun(page);
    await page.keyboard.press('Shift+Enter');
    const second = await endedRun(page, RUN, first?.runId);
    assert.equal(second.result, '41', second.error);
    await page.keyboard.press('Shift+Enter');
    const third = await endedRun(page, RUN, second.runId);
    assert.equal(third.result, '42', third.error);
    await page.keyboard.type('7 +');
    await editorHolds(page, '7 +base + 3');
  });

  it('leaves Shift+Enter to the editor in files without cells', async () => {
    const before = await newestRun(page);
    await openFile(page, 'endless.js');
    await page.locator('.monaco-editor .view-line').first().click();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+Enter');
    const lines = page.locator('.monaco-editor .view-line');
    await counts(lines, 4);
    assert.equal((await newestRun(page))?.runId, before?.runId);
  });

  describe('running from the editor', () => testRunsInEditor(() => ({ workbench, folder })));
});
