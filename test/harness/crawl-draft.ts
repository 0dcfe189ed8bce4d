import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually, patience } from './eventually.ts';
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

/** Waits for what is said behind the line of a parameter, or of the first line if its name is empty. */
export async function noteBehind(page: Page, name: string, note: RegExp): Promise<void> {
  await eventually(async () => assert.match((await notesOf(page)).get(name) ?? '', note, name), patience);
}

/** Returns what is said behind the lines of the draft in front, by their parameters. */
export async function notesOf(page: Page): Promise<Map<string, string>> {
  const lines = page.locator('.editor-group-container.active .editor-instance .view-lines .view-line');
  const notes = await lines.evaluateAll((all) =>
    all.map((line): [string, string] => {
      const parts = [...line.querySelectorAll('span')].map((part) => getComputedStyle(part, '::after').content);
      const note = parts.filter((text) => text !== 'none' && text !== 'normal').join(' ');
      return [/"(\w+)"/.exec(line.textContent ?? '')?.[1] ?? '', note];
    }),
  );
  return new Map(notes.filter(([, note]) => note !== ''));
}
