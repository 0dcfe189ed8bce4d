// `npm run pictures` takes the pictures of the walkthrough, in the real workbench: node scripts/walkthrough-pictures.ts [FOLDER]
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { askInView, openDocs } from '../test/harness/docs-view.ts';
import { startPagesSite } from '../test/harness/pages-site.ts';
import { enterText } from '../test/harness/rows-and-editors.ts';
import { endedRun } from '../test/harness/run-results.ts';
import { openSidebar, rowsOf, showViews, statusItem } from '../test/harness/sidebar.ts';
import { startWorkbench } from '../test/harness/workbench.ts';
import { runCommand } from '../test/harness/workbench-actions.ts';
import { ROOT } from './lib/repository.mjs';

const target = process.argv[2] ?? join(ROOT, 'media', 'walkthrough');
mkdirSync(target, { recursive: true });
const site = await startPagesSite(6);
const LONG = 90_000;

async function takeAll(page: Page, name: string): Promise<void> {
  const picture = async (step: string) => {
    // The workbench fades and moves its parts.
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: join(target, `${step}-${name}.png`) });
  };
  await statusItem(page).waitFor({ timeout: LONG });
  await openSidebar(page);
  await page.locator('.sidebar .welcome-view a.monaco-button', { hasText: 'New Snippet' }).click({ timeout: LONG });
  await runCommand(page, 'Web Data: Run File');
  const run = await endedRun(page, LONG);
  if (run.state !== 'ok') throw new Error(run.error);
  await picture('run');
  await runCommand(page, 'Web Data: Open Live View');
  await page
    .locator('.tab.active', { hasText: 'Live:' })
    .or(page.locator('.tab', { hasText: 'Live:' }))
    .first()
    .waitFor();
  await page.waitForTimeout(3_000);
  await picture('watch');
  await runCommand(page, 'View: Close All Editors').catch(() => undefined);
  await page.locator('.monaco-dialog-box .monaco-button', { hasText: "Don't Save" }).click({ timeout: 5_000 });
  await runCommand(page, 'View: Close Panel').catch(() => undefined);
  await showViews(page, 'Active Crawls');
  await runCommand(page, 'Web Data: Start Crawl…');
  await enterText(page, site.url, /1\/2/);
  await enterText(page, 'At most 20 pages', /2\/2/);
  await page.locator('.tab.active', { hasText: '.crawl.json' }).waitFor({ timeout: LONG });
  await runCommand(page, 'Web Data: Start This Crawl');
  const row = rowsOf(page, 'Active Crawls').filter({ hasText: 'completed' }).first();
  await row.waitFor({ timeout: LONG });
  await page
    .locator('.notifications-center, .notification-toast')
    .first()
    .waitFor({ timeout: 3_000 })
    .catch(() => undefined);
  await runCommand(page, 'Notifications: Clear All Notifications').catch(() => undefined);
  await row.click();
  await page.keyboard.press('ArrowRight');
  await picture('crawl');
  await askInView(await openDocs(page), 'How long does a session live?');
  await picture('ask');
  await runCommand(page, 'Web Data: Connect to Server…');
  await page.locator('.quick-input-widget:visible .quick-input-box input').fill('http://127.0.0.1:4999');
  await page
    .locator(
      '.quick-input-widget:visible .quick-input-message.severity-error, .quick-input-widget:visible .quick-input-message',
      { hasText: 'listening' },
    )
    .first()
    .waitFor({ timeout: 15_000 });
  await picture('connect');
}

for (const [name, colorTheme] of [
  ['light', 'Light Modern'],
  ['dark', 'Dark Modern'],
  ...(process.env.WEBDATA_PICTURES_CONTRAST ? ([['contrast', 'Default High Contrast']] as const) : []),
] as const) {
  const folder = mkdtempSync(join(tmpdir(), 'webdata-walkthrough-'));
  const workbench = await startWorkbench({
    folder,
    colorTheme,
    size: { width: 1120, height: 700 },
    settings: { 'editor.minimap.enabled': false, 'breadcrumbs.enabled': false, 'chat.commandCenter.enabled': false },
  });
  try {
    await takeAll(workbench.page, name);
  } finally {
    await workbench.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
await site.close();
