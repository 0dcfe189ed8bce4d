import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ended, linking } from '../harness/crawl-jobs.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { type FaultySite, startFaultySite, status } from '../harness/faulty-site.ts';
import { saveAs } from '../harness/file-dialog.ts';
import { takePicture } from '../harness/pictures.ts';
import { pick, pickFromMenu, spokenRows } from '../harness/rows-and-editors.ts';
import { rowsOf, showViews, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { runCommand } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';

const LONG = patience;

describe('A crawl that is repeated', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: FaultySite;

  before(async function () {
    skipOnFleet(this, 'the crawl is started over the API of the embedded service');
    site = await startFaultySite();
    folder = mkdtempSync(join(tmpdir(), 'webdata-repeat-'));
    workbench = await startWorkbench({
      folder,
      size: { width: 1400, height: 1000 },
      settings: { 'files.simpleDialog.enable': true },
    });
    ({ page } = workbench);
    await statusItem(page).waitFor({ timeout: LONG });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await shoot(`failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const shoot = (name: string) => takePicture(page, name);
  const input = () => page.locator('.quick-input-widget:visible .quick-input-box input');

  it('shows what is new, changed and removed', async () => {
    site.answer('/', linking('Tea house', '/green', '/black', '/old'));
    for (const name of ['green', 'black', 'old']) site.answer(`/${name}`, linking(`The ${name} tea`, '/'));
    await showViews(page, 'Crawls', 'Activity');
    const service = await eventually(async () => embeddedService(workbench.dataDir), LONG);
    const { body } = await service.call('POST', '/v2/crawl', { url: site.baseUrl });
    await ended(service, body.id);
    await runCommand(page, 'Web Data: Refresh Views');

    site.answer('/', linking('Tea house', '/green', '/black', '/old', '/white'));
    site.answer('/black', linking('The black tea, again', '/'));
    site.answer('/white', linking('The white tea', '/'));
    site.answer('/old', status(404));
    const host = new URL(site.baseUrl).host;
    await pickFromMenu(page, rowsOf(page, 'Activity').filter({ hasText: host }), 'Crawl Again');
    const repeated = rowsOf(page, 'Crawls').filter({ hasText: '1 new, 2 changed, 1 removed' });
    await repeated.waitFor({ timeout: LONG });
    await eventually(async (timeout) => {
      // The row of a running crawl is expanded, and collapses when it ends.
      if ((await repeated.getAttribute('aria-expanded')) !== 'true') await repeated.click({ timeout });
      const rows = await spokenRows(rowsOf(page, 'Crawls'));
      for (const start of [
        'Page The white tea, new',
        'Page The black tea, again, changed',
        'Page The green tea, green',
      ])
        assert.ok(
          rows.some((row) => row.startsWith(start)),
          rows.join('\n'),
        );
      assert.ok(
        rows.some((row) => /^Page .*removed/.test(row)),
        rows.join('\n'),
      );
    }, LONG);
    await shoot('crawl-repeated');
  });

  it('is searched for changes only', async () => {
    const crawl = rowsOf(page, 'Crawls').filter({ hasText: '1 new, 2 changed, 1 removed' });
    await pickFromMenu(page, crawl, 'Search Pages…');
    await input().fill('tea');
    const found = () => page.locator('.quick-input-list .monaco-list-row', { hasText: 'green' });
    await found().first().waitFor({ timeout: LONG });
    await page.locator('.quick-input-widget:visible .action-label[aria-label="Only Changes"]').click();
    await page.locator('.quick-input-widget:visible .action-label[aria-label="Show All Pages"]').waitFor();
    await eventually(async () => {
      const rows = await page.locator('.quick-input-list .monaco-list-row').allInnerTexts();
      assert.ok(
        rows.some((row) => row.includes('/white')),
        rows.join('\n'),
      );
      assert.ok(!rows.some((row) => row.includes('/green:')), rows.join('\n'));
    }, LONG);
    await shoot('crawl-repeated-search');
    await page.keyboard.press('Escape');
  });

  it('is saved with its changes only', async () => {
    const crawl = rowsOf(page, 'Crawls').filter({ hasText: '1 new, 2 changed, 1 removed' });
    const target = join(folder, 'changes.jsonl');
    await saveAs(page, async () => {
      await pickFromMenu(page, crawl, 'Save Pages As…');
      await pick(page, 'a page per line');
      await shoot('crawl-repeated-save');
      await pick(page, 'Only Changes');
      return target;
    });
    await eventually(async () => {
      const lines = readFileSync(target, 'utf8').trim().split('\n');
      const changes = lines.map((line) => JSON.parse(line).changeTracking.changeStatus).sort();
      assert.deepEqual(changes, ['changed', 'changed', 'new', 'removed']);
    }, LONG);
  });
});
