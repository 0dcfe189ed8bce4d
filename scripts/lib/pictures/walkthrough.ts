import { join } from 'node:path';
import { askInView, openDocs } from '../../../test/harness/docs-view.ts';
import { endedRun } from '../../../test/harness/run-results.ts';
import { openSidebar, showViews, statusItem } from '../../../test/harness/sidebar.ts';
import type { Workbench } from '../../../test/harness/workbench.ts';
import { frameWith, runCommand } from '../../../test/harness/workbench-actions.ts';
import { ROOT } from '../repository.mjs';
import { takeAgent } from './readme.ts';
import { camera, closeEditors, crawlShop, LONG, openStudio } from './studio.ts';
import { makeFolder, openShop } from './tea-shop.ts';

const themes = { light: 'Light Modern', dark: 'Dark Modern' } as const;

/** Takes a picture of each step of the walkthrough, in a light and a dark theme. */
export async function takeWalkthrough(target = join(ROOT, 'media', 'walkthrough')): Promise<void> {
  const shop = await openShop();
  try {
    for (const [name, colorTheme] of Object.entries(themes)) {
      const { folder, remove } = makeFolder();
      const workbench = await openStudio({ folder, colorTheme, size: { width: 960, height: 600 } });
      const shoot = camera(workbench.page, target, 'webp');
      try {
        await takeSteps(workbench, shop.url, (step) => shoot(`${step}-${name}`));
      } finally {
        await workbench.close();
        remove();
      }
    }
  } finally {
    shop.close();
  }
}

async function takeSteps(workbench: Workbench, url: string, shoot: (step: string) => Promise<void>): Promise<void> {
  const { page } = workbench;
  await statusItem(page).waitFor({ timeout: LONG });
  await openSidebar(page);
  await page.locator('.sidebar .welcome-view a.monaco-button', { hasText: 'New Snippet' }).click({ timeout: LONG });
  await runCommand(page, 'Web Data: Run File');
  const run = await endedRun(page, LONG);
  if (run.state !== 'ok') throw new Error(run.error);
  await statusItem(page).filter({ hasText: 'Tea shop' }).waitFor({ timeout: LONG });
  // The session has its room without the views that are empty.
  await showViews(page, 'Browser Sessions');
  await shoot('run');
  await runCommand(page, 'View: Toggle Panel Visibility');
  await runCommand(page, 'Web Data: Open Live View');
  await frameWith(page, '#app[data-frames]', LONG);
  await shoot('watch');
  await closeEditors(page);
  await crawlShop(page, url, 'At most 20 pages', async () => {});
  await shoot('crawl');
  await closeEditors(page);
  await showViews(page, 'Browser Sessions', 'Crawls');
  await askInView(await openDocs(page), 'How long does a session live?');
  await shoot('ask');
  await runCommand(page, 'View: Toggle Secondary Side Bar Visibility');
  await takeAgent(workbench, url, () => shoot('agents'));
  await closeEditors(page);
  await runCommand(page, 'Web Data: Connect to Server…');
  const input = page.locator('.quick-input-widget:visible');
  await input.locator('.quick-input-box input').fill('http://127.0.0.1:4999');
  await input.locator('.quick-input-message', { hasText: 'listening' }).first().waitFor({ timeout: 15_000 });
  await shoot('connect');
}
