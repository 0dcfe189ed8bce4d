import type { Page } from 'playwright-core';
import { enterText } from './rows-and-editors.ts';
import { runCommand } from './workbench-actions.ts';

/** Describes a crawl of a site in a sentence; resolves when its draft is shown. */
export async function draftCrawl(page: Page, url: string, sentence: string): Promise<void> {
  await runCommand(page, 'Web Data: Start Crawl…');
  await enterText(page, url, /1\/2/);
  await enterText(page, sentence, /2\/2/);
  await page
    .locator('.tab.active', { hasText: '.crawl.json' })
    .filter({ hasText: new URL(url).port })
    .waitFor();
}
