// What the scenes of the pictures have in common.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { enterText } from '../../../test/harness/rows-and-editors.ts';
import { rowsOf, showViews } from '../../../test/harness/sidebar.ts';
import { startWorkbench, type Workbench, type WorkbenchOptions } from '../../../test/harness/workbench.ts';
import { frameWith, runCommand } from '../../../test/harness/workbench-actions.ts';
import { currentExtension } from '../package/current-extension.ts';

/** Milliseconds for the start of the service, a browser and a crawl. */
export const LONG = 90_000;
/** The workbench fades and moves its parts. */
const SETTLE = 1_500;

/** Starts a workbench with the built package, as a person has it. */
export async function openStudio(options: WorkbenchOptions): Promise<Workbench> {
  const settings = {
    'editor.minimap.enabled': false,
    'breadcrumbs.enabled': false,
    'window.commandCenter': false,
    'workbench.layoutControl.enabled': false,
    ...options.settings,
  };
  return await startWorkbench({ ...options, packages: [await currentExtension()], builtInExtensions: null, settings });
}

/**
 * Returns a function that takes a picture of the window, without the pointer's hovers.
 * @param type WebP for what is in the package: a fourth of a PNG file's size
 */
export function camera(page: Page, folder: string, type: 'png' | 'webp' = 'png'): (name: string) => Promise<void> {
  mkdirSync(folder, { recursive: true });
  return async (name) => {
    await page.mouse.move(0, 0);
    await page.waitForTimeout(SETTLE);
    await page.screenshot({ path: join(folder, `${name}.${type}`), type, ...(type === 'webp' && { quality: 80 }) });
  };
}

/** Switches the color theme by its name, as a person does. */
export async function useTheme(page: Page, name: string): Promise<void> {
  await runCommand(page, 'Preferences: Color Theme');
  await page.locator('.quick-input-widget:visible .quick-input-box input').fill(name);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
  await page
    .locator(`.monaco-workbench.${/dark/i.test(name) ? 'vs-dark' : 'vs'}`)
    .first()
    .waitFor({ timeout: LONG });
}

/** Crawls the shop; calls back once its parameters are in an editor, and leaves the page "Darjeeling" in the preview. */
export async function crawlShop(page: Page, url: string, sentence: string, onDraft: () => Promise<void>) {
  await showViews(page, 'Crawls');
  await runCommand(page, 'Web Data: Start Crawl…');
  await enterText(page, url, /1\/2/);
  await enterText(page, sentence, /2\/2/);
  await page.locator('.tab.active', { hasText: '.crawl.json' }).waitFor({ timeout: LONG });
  await onDraft();
  await runCommand(page, 'Web Data: Start This Crawl');
  const row = rowsOf(page, 'Crawls').filter({ hasText: 'page' }).first();
  await rowsOf(page, 'Crawls').and(page.locator('[aria-label*="completed"]')).first().waitFor({ timeout: LONG });
  await runCommand(page, 'Notifications: Clear All Notifications').catch(() => undefined);
  await row.click();
  await page.keyboard.press('ArrowRight');
  await rowsOf(page, 'Crawls').getByText('Darjeeling').first().click();
  await frameWith(page, '#darjeeling');
}

/** Closes all editors without saving what was changed in them. */
export async function closeEditors(page: Page): Promise<void> {
  await runCommand(page, 'View: Close All Editors');
  const discard = page.locator('.monaco-dialog-box .monaco-button', { hasText: "Don't Save" });
  await discard.click({ timeout: 5_000 }).catch(() => undefined);
}
