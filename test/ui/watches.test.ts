import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { type FaultySite, startFaultySite } from '../harness/faulty-site.ts';
import { takePicture } from '../harness/pictures.ts';
import { enterText, pickFromMenu, spokenRows } from '../harness/rows-and-editors.ts';
import { rowsOf, showViews, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { notification, runCommand } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';

const LONG = patience;

describe('A watch', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: FaultySite;
  let service: ReturnType<typeof embeddedService>;

  before(async function () {
    skipOnFleet(this, 'the checks are read over the API of the embedded service');
    site = await startFaultySite();
    folder = mkdtempSync(join(tmpdir(), 'webdata-watches-'));
    workbench = await startWorkbench({
      folder,
      size: { width: 1400, height: 900 },
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
  const title = (text: string) =>
    page.locator('.quick-input-widget:visible .quick-input-title').filter({ hasText: text });
  const row = (spoken: RegExp) =>
    eventually(async () => {
      const rows = await spokenRows(rowsOf(page, 'Crawls'));
      const found = rows.find((label) => spoken.test(label));
      assert.ok(found !== undefined, rows.join('\n'));
      return rowsOf(page, 'Crawls').and(page.locator(`[aria-label=${JSON.stringify(found)}]`));
    }, LONG);
  const shop = (price: string, more = '') =>
    `<!doctype html><title>Tea house</title><main><h1>Tea house</h1>
    <p>All of our teas are grown by people whom we know by their names, and packed by hand.</p>
    <ul><li>Green tea: 4.50</li><li>Black tea: ${price}</li><li>White tea: 7.20</li></ul>${more}
    <p>We send parcels every morning. Those that weigh less than a kilogram cost three coins.</p></main>`;
  /** Answers the steps of a new watch, with the keyboard only. */
  async function steps(schedule: string, told: string): Promise<void> {
    await title('How Often').waitFor({ timeout: LONG });
    await page.keyboard.type(schedule);
    await page.keyboard.press('Enter');
    await title('What Matters').waitFor({ timeout: LONG });
    await page.keyboard.press('Enter');
    await title('Notifications').waitFor({ timeout: LONG });
    await page.keyboard.type(told);
    await page.keyboard.press('Enter');
    await title('Notifications').waitFor({ state: 'hidden', timeout: LONG });
  }

  it('is created with the keyboard, and looks at once', async () => {
    site.answer('/', shop('5.10'));
    await showViews(page, 'Crawls');
    service = await eventually(async () => embeddedService(workbench.dataDir), LONG);
    await runCommand(page, 'Web Data: Watch for Changes…');
    await title('What').waitFor({ timeout: LONG });
    await shoot('watch-what');
    await page.keyboard.type('A Page');
    await page.keyboard.press('Enter');
    await enterText(page, site.baseUrl, /Page/);
    await title('How Often').waitFor({ timeout: LONG });
    await page.keyboard.type('every now and then');
    await page.getByText("isn't a schedule: enter one").waitFor({ timeout: LONG });
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill('');
    await shoot('watch-how-often');
    await steps('every 30 minutes', 'A Notification');
    const watch = await row(/^Watch 127\.0\.0\.1:\d+, 1 new · just now/);
    assert.equal(await watch.getAttribute('aria-expanded'), 'true');
    await row(/^every 30 minutes, next \d\d:\d\d$/);
    await row(/^Notifications: in VS Code$/);
    const { body } = await service.call('GET', '/v2/monitor');
    assert.deepEqual(
      body.data.map(({ schedule }: { schedule: { cron: string } }) => schedule.cron),
      ['*/30 * * * *'],
    );
    await shoot('watch-created');
  });

  it('says what changed when it is checked, and opens the diff', async () => {
    site.answer('/', shop('5.60', '<p>The tea room is open on Sundays too.</p>'));
    await pickFromMenu(page, await row(/^Watch 127/), 'Check Now');
    await row(/^Watch 127\.0\.0\.1:\d+, 1 changed · just now/);
    const check = await row(/^Check at .*, 1 changed$/);
    await shoot('watch-changed');
    await check.click();
    await page.locator('.tab.active', { hasText: /changed/ }).waitFor({ timeout: LONG });
    const sides = page.locator('.monaco-diff-editor .view-lines');
    await eventually(async () => {
      const [before = '', after = ''] = (await sides.allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '));
      assert.match(before, /Black tea: 5\.10/);
      assert.match(after, /Black tea: 5\.60/);
      assert.match(before, /parcels every morning/, 'lines that did not change are there too');
      assert.doesNotMatch(before, /Sundays/);
      assert.match(after, /Sundays/);
    }, LONG);
    await shoot('watch-diff');
  });

  it('tells by one notice while nobody sees the list, and opens the diff from it', async () => {
    await runCommand(page, 'View: Close All Editors');
    await runCommand(page, 'Notifications: Clear All Notifications');
    await showViews(page, 'Activity');
    site.answer('/', shop('6.30'));
    const [{ id }] = (await service.call('GET', '/v2/monitor')).body.data;
    await runCommand(page, 'Web Data: Check Now');
    await title('Select a watch to check').waitFor({ timeout: LONG });
    await page.keyboard.press('Enter');
    await eventually(async () => {
      const { body } = await service.call('GET', `/v2/monitor/${id}/checks`);
      assert.deepEqual(
        body.data.map(({ status }: { status: string }) => status),
        ['completed', 'completed', 'completed'],
      );
    }, LONG);
    const notice = await notification(page, /127\.0\.0\.1:\d+: 1 changed/);
    assert.equal(await notice.count(), 1);
    await shoot('watch-notice');
    await notice.locator('.monaco-button', { hasText: 'Open' }).click();
    await page.locator('.tab.active', { hasText: /changed/ }).waitFor({ timeout: LONG });
  });

  it('is paused, resumed, edited and deleted from its menu', async () => {
    await runCommand(page, 'Notifications: Clear All Notifications');
    await runCommand(page, 'View: Close All Editors');
    await showViews(page, 'Crawls');
    await pickFromMenu(page, await row(/^Watch 127/), 'Pause or Resume Watch');
    await row(/^Watch .*, paused · 1 changed/);
    await shoot('watch-paused');
    await pickFromMenu(page, await row(/^Watch 127/), 'Pause or Resume Watch');
    await row(/^Watch 127\.0\.0\.1:\d+, 1 changed/);
    await pickFromMenu(page, await row(/^Watch 127/), 'Edit Watch…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'How Often' }).first().waitFor();
    await shoot('watch-edit');
    await page.keyboard.press('Enter');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'every 30 minutes' }).first().waitFor();
    await page.keyboard.type('15 8 * * 1');
    await page.keyboard.press('Enter');
    await row(/^every Monday at 8:15, next/);
    await pickFromMenu(page, await row(/^Watch 127/), 'Delete Watch');
    await page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Delete Watch' }).click();
    await eventually(async () => {
      const rows = await spokenRows(rowsOf(page, 'Crawls'));
      assert.ok(!rows.some((label) => label.startsWith('Watch')), rows.join('\n'));
    }, LONG);
  });

  it('of a site lists the pages that differ', async () => {
    const list = (...names: string[]) => names.map((name) => `<li><a href="/${name}">${name} tea</a></li>`).join('');
    const tea = (name: string, text: string) =>
      `<!doctype html><title>${name}</title><main><h1>${name}</h1><p>${text}</p></main>`;
    site.answer(
      '/teas',
      `<!doctype html><title>Teas</title><main><h1>Teas</h1><ul>${list('teas/green', 'teas/black')}</ul></main>`,
    );
    site.answer('/teas/green', tea('Green tea', 'It is steamed, and tastes of the sea.'));
    site.answer('/teas/black', tea('Black tea', 'It is rolled, and tastes of malt.'));
    await runCommand(page, 'Web Data: Watch for Changes…');
    await title('What').waitFor({ timeout: LONG });
    await page.keyboard.type('A Site');
    await page.keyboard.press('Enter');
    await enterText(page, `${site.baseUrl}/teas`, /Site/);
    await steps('hourly', 'Only the List');
    await row(/^Watch 127\.0\.0\.1:\d+\/teas, 3 new · just now/);
    site.answer('/teas/black', tea('Black tea', 'It is rolled, and tastes of honey.'));
    await pickFromMenu(page, await row(/^Watch 127/), 'Check Now');
    const check = await row(/^Check at .*, 1 changed · 3 pages/);
    await check.locator('.monaco-tl-twistie').click();
    await row(/^Page \/teas\/black, changed$/);
    await row(/^2 unchanged$/);
    await shoot('watch-site');
    await (await row(/^Page .*black, changed$/)).click();
    await page.locator('.tab.active', { hasText: /black, changed/ }).waitFor({ timeout: LONG });
    await shoot('watch-site-diff');
  });
});
