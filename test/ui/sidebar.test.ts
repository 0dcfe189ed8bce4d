import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../harness/accessibility.ts';
import { draftCrawl, noteBehind, notesOf } from '../harness/crawl-draft.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { dialogInput, saveAs } from '../harness/file-dialog.ts';
import { assertFocusOrder } from '../harness/focus-order.ts';
import { type GatedSite, startGatedSite } from '../harness/gated-site.ts';
import { takePicture } from '../harness/pictures.ts';
import { clipboardText, editorHolds, offered, pickFromMenu, spokenRows } from '../harness/rows-and-editors.ts';
import { counts, expand } from '../harness/shown.ts';
import { listOf, rowsOf, showViews, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { errorMessages, frameWith, notification, openFile, runCommand } from '../harness/workbench-actions.ts';
import { onFleet } from '../harness/workbench-fleet.ts';

/** Milliseconds for the start of the service and for what follows from a reading of a view. */
const LONG = patience;
const guide = ['green', 'black', 'white', 'oolong', 'mint', 'rooibos', 'chai', 'mate'].map((tea) => `/guide/${tea}`);

describe('The side bar', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: GatedSite;

  before(async () => {
    site = await startGatedSite([...guide, '/blog/news', '/blog/jobs']);
    folder = mkdtempSync(join(tmpdir(), 'webdata-sidebar-'));
    writeFileSync(join(folder, 'links.md'), `${site.url}guide/mint\n`);
    workbench = await startWorkbench({
      folder,
      size: { width: 1400, height: 1000 },
      settings: { 'files.simpleDialog.enable': true },
    });
    ({ page } = workbench);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await picture(`failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const picture = (name: string) => takePicture(page, name);
  const crawlRow = () => rowsOf(page, 'Crawls').and(page.locator(`[aria-label^="Crawl of ${site.host}"]`));
  const requestRow = (start: string) => rowsOf(page, 'Activity').and(page.locator(`[aria-label^="${start}"]`));
  const activityHeader = () => page.locator('.sidebar .pane-header[aria-label^="Activity"]');

  it('shows in each empty view what it is for, without requests', async () => {
    await showViews(page, 'Browser Sessions', 'Crawls', 'Activity', 'Usage');
    const buttons = page.locator('.sidebar .welcome-view-content a.monaco-button');
    await buttons.filter({ hasText: 'New Snippet' }).waitFor();
    for (const link of ['start a crawl', 'scrape a page']) {
      await page.locator('.sidebar .welcome-view-content a:not(.monaco-button)', { hasText: link }).waitFor();
    }
    await counts(buttons, 1, 'one button leads to the first result');
    await picture('sidebar-empty');
    assert.deepEqual(await errorMessages(page), []);
  });

  it('turns a sentence into crawl parameters, and marks them', async () => {
    await draftCrawl(page, site.url, 'Only the guide, at most 5 pages');
    await editorHolds(page, '"limit": 5');
    await editorHolds(page, '"includePaths": ["^/guide');
    await noteBehind(page, '', /From your description: Only the guide, at most 5 pages/);
    await eventually(async () => assert.deepEqual(await markedLines(), ['limit', 'includePaths']));
    await picture('start-crawl');
  });

  it('checks the parameters against their schema, and completes others', async () => {
    const squiggle = page.locator('.editor-instance .squiggly-warning, .editor-instance .squiggly-error');
    await replaceInEditor(': 5,', ': 0,');
    await squiggle.first().waitFor({ timeout: LONG });
    await replaceInEditor(': 0,', ': 6,');
    await squiggle.first().waitFor({ state: 'detached', timeout: LONG });
    // Once the user has edited it, it is theirs.
    await eventually(async () => assert.deepEqual(await markedLines(), ['includePaths']));
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('"maxDisc');
    await offered(page, 'maxDiscoveryDepth');
    await picture('start-crawl-completion');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+Shift+k');
  });

  it('starts the crawl and shows its progress', async () => {
    site.hold();
    await runCommand(page, 'Web Data: Start This Crawl');
    await crawlRow().waitFor({ timeout: LONG });
    await eventually(async () => assert.match((await spokenRows(crawlRow()))[0] ?? '', /, 0\/[1-8]/), LONG);
    await rowsOf(page, 'Crawls').getByText('At most 6 pages').waitFor();
    // What was started is kept as it was: closing it asks nothing.
    await page.locator('.tab.active:not(.dirty)', { hasText: '.crawl.json' }).waitFor({ timeout: LONG });
    await rowsOf(page, 'Crawls').getByText('Only ^/guide(/|$)').waitFor();
    await picture('crawl-running');
  });

  it('reports once that it finished while nobody sees it, and shows its results', async () => {
    await showViews(page, 'Activity');
    site.open();
    const notice = await notification(page, /Crawl of .* completed: 6 pages/);
    await counts(notice, 1);
    await picture('crawl-told');
    await notice.locator('.monaco-button', { hasText: 'Open' }).click();
    await eventually(async () => assert.match((await spokenRows(crawlRow()))[0] ?? '', /completed · 6 pages/), LONG);
    await rowsOf(page, 'Crawls').and(page.locator('[aria-label^="Page "]')).first().waitFor({ timeout: LONG });
    await picture('crawl-done');
    await showViews(page, 'Crawls', 'Activity');
  });

  it('finds it in Activity, and opens its record', async () => {
    await runCommand(page, 'Web Data: Refresh Views');
    await pickFromMenu(page, requestRow('crawl '), 'Open as JSON');
    await page.locator('.tab.active', { hasText: /^crawl-.*\.json/ }).waitFor({ timeout: LONG });
    await editorHolds(page, '"status": "completed"');
    // Its pages are folded.
    await page.locator('.editor-instance .inline-folded').first().waitFor({ timeout: LONG });
    await picture('record-of-a-crawl');
  });

  it('loads more without losing the position or the selection', async () => {
    // While nobody looks, nothing is read.
    await showViews(page, 'Crawls');
    const service = embeddedService(workbench.dataDir);
    // More than the view reads to close the gap: the list starts over.
    for (let number = 1; number <= 240; number++) {
      const what = number % 20 === 0 ? 'map' : 'scrape';
      const { status } = await service.call('POST', `/v2/${what}`, { url: `${site.url}guide/green?${number}` });
      assert.equal(status, 200);
    }
    await showViews(page, 'Activity');
    await runCommand(page, 'Web Data: Refresh Views');
    const more = rowsOf(page, 'Activity').and(page.locator('[aria-label^="Load more"]'));
    await requestRow(`map ${site.host}/guide/green?240`).waitFor({ timeout: LONG });
    await eventually(async (timeout) => {
      await pressInActivity('End');
      await more.waitFor({ timeout });
    }, LONG);
    const last = await eventually(async () => {
      const row = (await spokenRows(rowsOf(page, 'Activity'))).at(-2) ?? '';
      assert.match(row, /^(scrape|map) /);
      return row;
    });
    await requestRow(last).click();
    await page.locator('.tab.active', { hasText: /^Preview |^map-.*\.json/ }).waitFor({ timeout: LONG });
    await more.click();
    // The way to older ones has gone further down; what was selected is where it was.
    await eventually(async () => {
      const rowsAfter = await spokenRows(rowsOf(page, 'Activity'));
      assert.ok(rowsAfter.includes(last) && rowsAfter.at(-1) !== 'Load more', rowsAfter.join('\n'));
      assert.equal(await more.count(), 0);
    }, LONG);
    const selected = rowsOf(page, 'Activity').and(page.locator('.selected'));
    await eventually(async () => {
      const rowsSelected = await spokenRows(selected);
      assert.ok(
        rowsSelected.every((row) => row === last),
        `the selection went to ${rowsSelected}`,
      );
    });
    // The oldest of all is the crawl.
    await eventually(async (timeout) => {
      await pressInActivity('End');
      await requestRow('crawl ').waitFor({ timeout });
    }, LONG);
    await picture('activity-all');
    await pressInActivity('Home');
  });

  it('filters requests by one kind', async () => {
    await runCommand(page, 'Web Data: Filter Activity…');
    const kinds = page.locator('.quick-input-list .monaco-list-row');
    // The embedded service has no deep research and no llms.txt files.
    await eventually(async () => assert.equal(await kinds.count(), onFleet() ? 12 : 10), LONG);
    await picture('activity-filter');
    await kinds.filter({ hasText: 'Maps' }).click();
    await activityHeader().getByText('only maps').waitFor({ timeout: LONG });
    await eventually(async () => {
      const rows = await spokenRows(rowsOf(page, 'Activity'));
      assert.equal(rows.filter((label) => label.startsWith('map ')).length, 12, rows.join('\n'));
      assert.ok(!rows.some((label) => label.startsWith('scrape ')), rows.join('\n'));
    }, LONG);
    await picture('activity-maps');
    await requestRow('map ').first().click();
    await editorHolds(page, "Servers don't keep records of this kind of request (map).");
    await runCommand(page, 'Web Data: Filter Activity…');
    await kinds.filter({ hasText: 'All' }).click();
    await requestRow('scrape ').first().waitFor({ timeout: LONG });
  });

  it('shows a scrape as a page, and saves it under a safe name', async () => {
    const row = requestRow(`scrape ${site.host}/guide/green?239`);
    await row.first().click();
    await frameWith(page, 'h1:text-is("All about green")', LONG);
    await picture('markdown-preview');

    const input = dialogInput(page);
    const open = async () => {
      await pickFromMenu(page, row, 'Save Record As…');
      await eventually(async () => assert.match(await input.inputValue(), /\/scrape-127\.0\.0\.1[\w.-]*\.md$/), LONG);
      return await input.inputValue();
    };
    const saved = await saveAs(page, open);
    assert.equal(dirname(saved), folder);
    await eventually(() => assert.match(readFileSync(saved, 'utf8'), /# All about green/), LONG);

    // What is there already stays unless the person agrees.
    writeFileSync(saved, 'mine');
    await open();
    const refused = page.locator('.quick-input-widget:visible', { hasText: /already exists/ });
    await eventually(async (timeout) => {
      await input.press('Enter', { timeout });
      await refused.waitFor({ timeout });
    }, LONG);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'hidden' });
    assert.equal(readFileSync(saved, 'utf8'), 'mine');
  });

  it('draws usage as a chart with a table, by key and as CSV', async () => {
    await showViews(page, 'Usage');
    const view = await frameWith(page, '.chart [role="option"]', LONG);
    const month = view.locator('.chart [role="option"]').last();
    await month.click();
    const tokens = await eventually(async () => {
      assert.match((await month.getAttribute('aria-label')) ?? '', /^\w+ \d{4}: [\d,]+ tokens, [\d.,]+ credits$/);
      const cells = await view.locator('tbody tr').first().locator('td').allInnerTexts();
      const [used = 0, credits = 0] = cells.map((text) => Number(text.replaceAll(',', '')));
      assert.ok(used > 0);
      assert.equal(Math.round(used / 15), Math.round(credits));
      return used;
    });
    await counts(view.locator('.notice[role="status"]'), 1, 'what it says is announced');
    await picture('usage');
    await runCommand(page, 'Web Data: Toggle Usage by API Key');
    await view.locator('.legend li').first().waitFor({ timeout: LONG });
    await assertAccessible(workbench, view, 'usage');
    await assertFocusOrder(view);
    await runCommand(page, 'Web Data: Copy Usage as CSV');
    await eventually(async () => {
      assert.match(
        await clipboardText(page),
        new RegExp(`^month,api_key,tokens,credits\\r\\n\\d{4}-\\d\\d,\\S+,${tokens},`),
      );
    });
  });

  it('scrapes the URL under the cursor without reading the clipboard, and interacts with it', async () => {
    await openFile(page, 'links.md');
    // As in a browser that denies it: VS Code then shows an error.
    await page.evaluate(() => {
      const refused = () => Promise.reject(new DOMException('Not allowed', 'NotAllowedError'));
      Object.defineProperty(navigator.clipboard, 'readText', { value: refused, configurable: true });
    });
    await runCommand(page, 'Web Data: Scrape URL…');
    const choices = page.locator('.quick-input-list .monaco-list-row');
    await picture('scrape-url');
    await choices.filter({ hasText: 'under the cursor' }).filter({ hasText: '/guide/mint' }).click();
    await page.locator('.tab.active', { hasText: /^All about mint\.md/ }).waitFor({ timeout: LONG });
    await editorHolds(page, '# All about mint');
    await page.locator('.editor-actions a[aria-label^="Interact with Scrape"]').click();
    await statusItem(page).filter({ hasText: /mint/ }).waitFor({ timeout: LONG });
    await page.evaluate(() => Reflect.deleteProperty(navigator.clipboard, 'readText'));
    assert.deepEqual(await errorMessages(page), []);
    await picture('interact-with-what-was-scraped');
  });

  it('maps a site into a list with checkboxes, and scrapes the selected pages', async () => {
    await runCommand(page, 'Web Data: Map Site…');
    await page.locator('.quick-input-widget:visible .quick-input-title', { hasText: 'Map Site' }).waitFor();
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill(site.url);
    await page.keyboard.press('Enter');
    const widget = page.locator('.quick-input-widget:visible');
    await widget.locator('.quick-input-title', { hasText: /\d+ pages on/ }).waitFor({ timeout: LONG });
    await picture('map');
    for (const tea of ['rooibos', 'mate']) {
      await widget.locator('.monaco-list-row', { hasText: `/guide/${tea}` }).click();
    }
    await page.keyboard.press('Enter');
    await widget.locator('.monaco-list-row', { hasText: 'Batch Scrape' }).click({ timeout: LONG });
    await showViews(page, 'Activity');
    const batch = requestRow('batch scrape ');
    await expand(batch, rowsOf(page, 'Activity').and(page.locator('[aria-label^="Page "][aria-label*="rooibos"]')));
    assert.deepEqual(await errorMessages(page), []);
  });

  /** Goes to the first or the last row of Activity with the keyboard. */
  async function pressInActivity(key: 'Home' | 'End'): Promise<void> {
    await listOf(page, 'Activity').focus();
    await page.keyboard.press(key);
  }

  /** Replaces a text of the editor in front, through its own find widget. */
  async function replaceInEditor(text: string, by: string): Promise<void> {
    const found = page.locator('.editor-instance .find-widget.visible');
    await page.locator('.editor-group-container.active .view-lines').first().click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('ControlOrMeta+f');
    await found.waitFor();
    await found.locator('.find-part textarea').fill(text);
    await found.locator('.matchesCount', { hasText: /^1 of 1$/ }).waitFor();
    await page.keyboard.press('Escape');
    await found.waitFor({ state: 'detached' });
    await page.keyboard.insertText(by);
    await editorHolds(page, by);
  }

  /** Returns the parameters whose lines say which words set them. */
  async function markedLines(): Promise<string[]> {
    return [...(await notesOf(page))].filter(([, note]) => note.includes('from “')).map(([name]) => name);
  }
});
