import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { findProgram } from '../../src/service/platform/system/find-program.ts';
import { assertAccessible } from '../harness/accessibility.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { saveAs } from '../harness/file-dialog.ts';
import { assertFocusOrder } from '../harness/focus-order.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun, newestRun, type ShownRun } from '../harness/run-results.ts';
import { holdService } from '../harness/service-link.ts';
import { clickOver, counts, reads } from '../harness/shown.ts';
import { openSidebar, statusItem } from '../harness/sidebar.ts';
import { untilStored } from '../harness/stored-state.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;

const files = {
  'err.js': `${'// a comment\n'.repeat(12)}// %% fails
const rows = [1];
${' '.repeat(11)}rows.nothing.here;
`,
  'click.js': `await page.setContent('<h1>Shop</h1>');\nawait page.locator('#none').click({ timeout: 200 });\n`,
  'rows.js': `console.log('read');\nArray.from({ length: 100_000 }, (_, n) => [n, n % 7])`,
  'objects.js': `Array.from({ length: 300 }, (_, n) => ({ name: 'item ' + n, price: 300 - n, tags: { deep: [n] } }))`,
  'nested.js': `({ list: Array.from({ length: 3000 }, (_, n) => ({ n, inner: { deep: { deeper: ['end ' + n] } } })) })`,
  'cut.js': `Array.from({ length: 30_000 }, (_, n) => ({ n, text: 'x'.repeat(60) }))`,
  'image.js': `await page.setContent('<body style="background: teal">'); await page.screenshot()`,
  'html.js': `'<div style="color: rgb(1, 2, 3)"><h1>Shop</h1><script>document.title = 1</script></div>'`,
  'output.js': `console.log('x'.repeat(99) + '\\n'.repeat(1)); for (let n = 0; n < 30_000; n++) console.log('line ' + n + ' ' + 'y'.repeat(60)); 'done'`,
  'endless.js': 'await new Promise(() => {});\n',
  'sizes.ts': 'enum Size {\n  Small,\n  Large,\n}\nSize.Large;\n',
  'title.sh': 'agent-browser get title\n',
};

const onlyEmbeddedTellsSize = 'only the embedded service says how long a truncated text was';

describe('Run Results', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let frame: Frame;
  let previous: string | undefined;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-results-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    workbench = await startWorkbench({
      folder,
      file: join(folder, 'err.js'),
      settings: { 'files.simpleDialog.enable': true, 'workbench.reduceMotion': 'auto' },
    });
    page = workbench.page;
    await statusItem(page).waitFor({ timeout: RUN });
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function runFile(name: string): Promise<ShownRun> {
    await openFile(page, name);
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN, previous);
    previous = run.runId;
    frame = await frameWith(page, '[data-run-id]');
    return run;
  }

  const newest = (selector: string): Locator => frame.locator('[data-run-id]').first().locator(selector);

  /** Waits until the view has told screen readers so. */
  async function announced(text: RegExp): Promise<void> {
    await eventually(async () =>
      assert.match((await frame.locator('.spoken[role="status"]').textContent()) ?? '', text),
    );
  }

  async function cursor(): Promise<string> {
    return await page.locator('.statusbar-item[id="status.editor.selection"]').innerText();
  }

  it('shows an error once, with a link to its line in the file, also from a cell', async () => {
    await page.locator('.codelens-decoration a', { hasText: 'Run cell' }).first().click();
    const run = await endedRun(page, RUN);
    previous = run.runId;
    frame = await frameWith(page, '[data-run-id]');
    assert.equal(run.stderr, undefined, 'stderr holds the same text');
    assert.match(run.error ?? '', /^TypeError: Cannot read properties of undefined[^\n]*err\.js:15:25$|err\.js:15:25/);
    await reads(newest('.head'), /err\.js · cell fails[\s\S]*\d\d:\d\d:\d\d[\s\S]*m?s/);
    assert.doesNotMatch(await frame.locator('body').innerText(), /snippet\.js/);
    await newest('.source-link').first().click();
    await eventually(async () => assert.match(await cursor(), /Ln 15, Col 25/));
  });

  it('says what to write instead of an enum, and marks its line', async () => {
    const run = await runFile('sizes.ts');
    assert.match(run.error ?? '', /^TypeScript: Enums can't run.*Use an object: const Size = /);
    await page.locator('.squiggly-error').first().waitFor({ state: 'attached' });
    await takePicture(page, 'enum-hint');
  });

  it('asks before it installs what a language needs, and says that nothing was installed', async function () {
    skipOnFleet(this, 'other servers install nothing for a window');
    if (!findProgram(['npm']) || findProgram(['agent-browser'])) this.skip();
    await openFile(page, 'title.sh');
    await runCommand(page, 'Web Data: Run File');
    const dialog = page.locator('.monaco-dialog-box', { hasText: 'Install agent-browser to run this code?' });
    await dialog.waitFor();
    await reads(dialog, /about \d+ MB to download, \d+ MB on disk/);
    await takePicture(page, 'install-asks');
    await dialog.locator('.monaco-button', { hasText: 'Cancel' }).click();
    const run = await endedRun(page, RUN, previous);
    previous = run.runId;
    assert.equal(run.state, 'cancelled');
    const notice = newest('.notice').filter({ hasText: "Nothing was installed, so the code didn't run." });
    await eventually(async () => {
      const [line, icon] = await Promise.all([notice.boundingBox(), notice.locator('.codicon').boundingBox()]);
      assert.ok(line && icon, 'the notice is drawn');
      const below = icon.y + icon.height / 2 - (line.y + line.height / 2);
      assert.ok(Math.abs(below) < 1.5, `the icon is ${below} px below the middle of its line`);
    });
    await takePicture(page, 'install-refused');
  });

  it("folds Playwright's call log", async () => {
    const run = await runFile('click.js');
    assert.match(run.error ?? '', /TimeoutError/);
    await announced(/^click\.js failed: TimeoutError/);
    await reads(newest('.message'), /^TimeoutError: locator\.click: Timeout 200ms exceeded\.$/);
    const log = newest('.call-log');
    assert.equal(await log.getAttribute('open'), null);
    await log.locator('summary').click();
    await reads(log, /waiting for locator\('#none'\)/);
  });

  it('respects reduced motion while code runs', async () => {
    await openFile(page, 'endless.js');
    await runCommand(page, 'Web Data: Run File');
    frame = await frameWith(page, '[data-run-id]');
    const mark = frame.locator('.running .state');
    await mark.waitFor({ timeout: RUN });
    const motion = () => mark.evaluate((icon) => getComputedStyle(icon).animationName);
    await eventually(async () => assert.equal(await motion(), 'spin'));
    // Whoever asked the system for less motion gets none.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await eventually(async () => assert.equal(await motion(), 'none'));
    await page.emulateMedia({ reducedMotion: null });
    await page.locator('.editor-actions a[aria-label^="Stop Run"]').first().click();
    const run = await endedRun(page, RUN, previous);
    previous = run.runId;
    assert.equal(run.state, 'cancelled');
  });

  it('shows 100,000 rows as a table that draws only what is visible', async () => {
    await runFile('rows.js');
    await reads(newest('.count'), /^100,000 rows$/);
    await newest('.table-row').first().waitFor();
    assert.ok((await newest('.table-row').count()) < 200);
    await frame.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
    await eventually(async () => {
      const drawn = await newest('.table-row .row-number').allInnerTexts();
      assert.ok(drawn.length < 200 && drawn.some((text) => Number(text) > 40_000));
    });
    await newest('.jump').filter({ hasText: 'stdout' }).click();
    await eventually(async () => {
      const { y } = (await newest('.part.stdout').boundingBox()) ?? {};
      assert.ok(y !== undefined && y < 800, 'the output below the table is in view');
    });
    await frame.evaluate(() => window.scrollTo(0, 0));
  });

  it('sorts, filters and saves a table', async () => {
    await runFile('objects.js');
    const cells = newest('.table-row').first().locator('.cell');
    await newest('.column').filter({ hasText: 'price' }).click();
    await eventually(async () => assert.deepEqual((await cells.allInnerTexts()).slice(0, 2), ['item 299', '1']));
    await newest('.filter').fill('ITEM 29');
    await reads(newest('.count'), /^11 rows of 300 rows$/);
    const target = await saveAs(page, async () => {
      await newest('.link-button').filter({ hasText: 'Save as CSV…' }).click();
      await page.locator('.monaco-dialog-box', { hasText: 'leaves out 289 rows' }).waitFor();
      await page.getByRole('button', { name: 'Save This Part' }).click();
      return join(folder, 'saved.csv');
    });
    await eventually(() => {
      const saved = readFileSync(target, 'utf8').split('\r\n');
      assert.deepEqual(saved.slice(0, 2), ['name,price,tags', 'item 299,1,"{""deep"":[299]}"']);
      assert.equal(saved.length, 13);
    });
  });

  it('says how much of a truncated value is shown, and saves all of it', async function () {
    skipOnFleet(this, onlyEmbeddedTellsSize);
    await runFile('cut.js');
    await newest('.notice')
      .filter({ hasText: /^\s*First 1\.0 MB of 2\.4 MB shown\./ })
      .waitFor();
    await reads(newest('.count'), /^1\d,\d{3} of 30,000 rows$/);
    await newest('.link-button').filter({ hasText: 'Show All 30,000 rows' }).waitFor();
    await takePicture(page, 'result-cut');
    const target = await saveAs(page, async () => {
      await newest('.link-button').filter({ hasText: 'Save as JSON…' }).click();
      return join(folder, 'whole.json');
    });
    await eventually(() => assert.equal(JSON.parse(readFileSync(target, 'utf8')).length, 30_000));
    await reads(newest('.count'), /^30,000 rows$/);
    await counts(newest('.notice'), 0);
  });

  it('expands nested values to any depth', async () => {
    await runFile('nested.js');
    const toggle = (text: string) => newest('.tree-toggle').filter({ hasText: text }).first();
    for (const name of ['list', '[1000 … 1999]', '1001', 'inner', 'deep', 'deeper']) {
      await toggle(name).focus();
      await toggle(name).press('Enter');
    }
    await newest('.tree-row').filter({ hasText: '"end 1001"' }).waitFor();
    assert.ok((await newest('.tree-row').count()) < 300);
    // Folded and shown again, it is as it was left.
    await newest('.head').press('ArrowLeft');
    await newest('.tree-row').first().waitFor({ state: 'detached' });
    await newest('.head').press('ArrowRight');
    await newest('.tree-row').filter({ hasText: '"end 1001"' }).waitFor();
    await toggle('list').press('Enter');
    await newest('.tree-row').filter({ hasText: '"end 1001"' }).waitFor({ state: 'detached' });
  });

  it('fits an image, and opens it in an editor', async () => {
    await runFile('image.js');
    await eventually(async () => {
      const [image, panel] = await Promise.all([newest('.picture').boundingBox(), frame.locator('body').boundingBox()]);
      assert.ok(image && panel && image.width > 100 && image.width <= panel.width);
    });
    await clickOver(newest('.part').first(), newest('[aria-label="Open in Editor"]').first());
    await page.locator('.tab.active', { hasText: /result\.png/ }).waitFor();
    const viewer = await frameWith(page, 'img.scale-to-fit, .image.scale-to-fit, .container.image img');
    await eventually(async () => {
      const width = await viewer
        .locator('img')
        .first()
        .evaluate((element) => (element as HTMLImageElement).naturalWidth);
      assert.ok(width > 100);
    });
  });

  it('previews HTML in a frame without scripts', async () => {
    await runFile('html.js');
    await newest('.link-button').filter({ hasText: 'Preview' }).click();
    const preview = newest('iframe.preview');
    assert.equal(await preview.getAttribute('sandbox'), '');
    const heading = preview.contentFrame().locator('h1');
    await heading.waitFor();
    assert.equal(await heading.evaluate((element) => getComputedStyle(element).color), 'rgb(1, 2, 3)');
  });

  it('has no accessibility violations, with runs of every kind open', async () => {
    await newest('.link-button').filter({ hasText: 'Show Source' }).click();
    const closed = frame.locator('.head[aria-expanded="false"]');
    while ((await closed.count()) > 0) await closed.first().press('ArrowRight');
    await frame.locator('.call-log').first().waitFor();
    await assertAccessible(workbench, frame, 'run-results');
    await assertFocusOrder(frame);
  });

  it('shows long output with one scroll bar, and says how much was cut off', async function () {
    skipOnFleet(this, onlyEmbeddedTellsSize);
    await runFile('output.js');
    await eventually(async () => assert.ok(((await newestRun(page))?.stdout ?? '').length > 1_000_000));
    await announced(/^output\.js done: 'done'|^output\.js done: done$/);
    await newest('.notice')
      .filter({ hasText: /First 1\.0 MB of 2\.\d MB shown\./ })
      .waitFor();
    await eventually(async () => assert.deepEqual(await frame.evaluate(scrollBars), { inner: 0, isWider: false }));
  });

  it('marks the runs of the current session', async () => {
    await counts(newest('.session.current[title="Current session"]'), 1);
    await runCommand(page, 'Web Data: New Browser Session');
    await counts(frame.locator('.session.current'), 0);
  });

  it('moves between runs with the arrow keys', async () => {
    const heads = frame.locator('.head');
    await heads.first().press('ArrowDown');
    const focused = () => heads.evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement));
    await eventually(async () => assert.equal(await focused(), 1));
    await page.keyboard.press('ArrowRight');
    await heads.nth(1).and(frame.locator('[aria-expanded="true"]')).waitFor();
    await page.keyboard.press('ArrowLeft');
    await heads.nth(1).and(frame.locator('[aria-expanded="false"]')).waitFor();
    await page.keyboard.press('End');
    await eventually(async () => assert.equal(await focused(), (await heads.count()) - 1));
    assert.ok(await newestRun(page));
  });

  it('keeps long results when the window is reloaded, and knows how long they were', async function () {
    skipOnFleet(this, onlyEmbeddedTellsSize);
    const whole = await runFile('objects.js');
    const cut = await runFile('cut.js');
    await untilStored(page, cut.runId);
    const link = await holdService(workbench.dataDir);
    await workbench.reload();
    await openSidebar(page);
    frame = await frameWith(page, `[data-run-id="${cut.runId}"]`, RUN);
    await reads(newest('.count'), /^1\d,\d{3} of 30,000 rows$/);
    await newest('.link-button').filter({ hasText: 'Show All 30,000 rows' }).click();
    await reads(newest('.count'), /^30,000 rows$/);
    link.close();
    const older = frame.locator(`[data-run-id="${whole.runId}"]`);
    await older.locator('.head').click();
    await reads(older.locator('.count'), /^300 rows$/);
    await counts(older.locator('.cut'), 0);
  });
});

/** Runs in the view: how many of its parts have a scroll bar of their own, and whether it is wider than its window. */
function scrollBars() {
  const inner = [...document.querySelectorAll('#app *')].filter((element) => {
    const { overflowY } = getComputedStyle(element);
    return /auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight + 1;
  }).length;
  return { inner, isWider: document.documentElement.scrollWidth > window.innerWidth };
}
