import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually } from '../harness/eventually.ts';
import { type GatedSite, startGatedSite } from '../harness/gated-site.ts';
import { takePicture } from '../harness/pictures.ts';
import { editorHolds, enterText } from '../harness/rows-and-editors.ts';
import { rowsOf, showViews } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { runCommand } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';

/** Milliseconds for the start of the service and for what follows from it. */
const LONG = 60_000;

describe('Crawl drafts and reloads', function () {
  this.timeout(3 * LONG);
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: GatedSite;

  before(async () => {
    site = await startGatedSite(['/guide/green', '/guide/black', '/blog/news']);
    folder = mkdtempSync(join(tmpdir(), 'webdata-drafts-'));
    workbench = await startWorkbench({ folder, size: { width: 1400, height: 1000 } });
    ({ page } = workbench);
  });
  after(async () => {
    await workbench?.close();
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async function () {
    await takePicture(page, `drafts-${this.currentTest?.title.slice(0, 20)}`);
  });
  const lens = (text: string) => page.locator('.editor-instance .codelens-decoration', { hasText: text }).first();

  it('warn about parts of the sentence that no parameter expresses', async () => {
    await runCommand(page, 'Web Data: Start Crawl…');
    await enterText(page, site.url, /1\/2/);
    await enterText(page, 'The guide with screenshots, but not the blog', /2\/2/);
    await page.locator('.tab.active', { hasText: '.crawl.json' }).waitFor({ timeout: LONG });
    await editorHolds(page, '"includePaths": ["^/guide');
    await editorHolds(page, '"excludePaths": ["^/blog');
    await lens('Not understood: “with screenshots”').waitFor({ timeout: LONG });
  });

  it('complete the webhook with the running receiver', async () => {
    await runCommand(page, 'Web Data: Start Webhook Receiver');
    await showViews(page, 'Webhooks');
    await page.locator('.tab', { hasText: '.crawl.json' }).first().click();
    await page.locator('.editor-instance .view-lines').first().click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('"web');
    const offered = page.locator('.suggest-widget.visible .monaco-list-row', { hasText: 'webhook receiver' });
    await eventually(async () => {
      if (!(await offered.isVisible())) await page.keyboard.press('ControlOrMeta+Space');
      await offered.waitFor({ timeout: 3_000 });
    }, LONG);
    await offered.click();
    await editorHolds(page, '"webhook": "http://127.0.0.1:');
  });

  it('keep edits and warnings when the window is reopened, and views start the service to show stored data', async function () {
    skipOnFleet(this, 'a window starts and ends only the embedded service');
    await showViews(page, 'Activity', 'Active Crawls', 'Browser Sessions');
    await runCommand(page, 'Web Data: Scrape URL…');
    await enterText(page, `${site.url}guide/green`, /Scrape/);
    const request = () => rowsOf(page, 'Activity').and(page.locator('[aria-label*="/guide/green"]'));
    await request().first().waitFor({ timeout: LONG });
    await page.locator('.tab', { hasText: '.crawl.json' }).first().click();
    await editorHolds(page, '"webhook": "http://127.0.0.1:');
    await workbench.leave();
    // The service ends some seconds after its last window.
    await eventually(() => assert.throws(() => embeddedService(workbench.dataDir), /no service runs/), LONG);
    await page.goto(workbench.url);
    await page.locator('.tab', { hasText: '.crawl.json' }).first().click({ timeout: LONG });
    await editorHolds(page, '"webhook": "http://127.0.0.1:');
    await lens('Not understood: “with screenshots”').waitFor({ timeout: LONG });
    await request().first().waitFor({ timeout: LONG });
    assert.equal(await page.locator('.notification-toast').count(), 0);
  });
});
