import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** Milliseconds for the effect of a click on a busy machine. */
const PATIENCE = 30_000;

/** The accessible names of the visible rows, from top to bottom; the DOM of a list has them in any order. */
export async function spokenRows(rows: Locator): Promise<string[]> {
  const spoken = await rows.evaluateAll((all) =>
    all.map((row) => ({ at: Number(row.getAttribute('data-index')), label: row.getAttribute('aria-label') ?? '' })),
  );
  return spoken.sort((one, other) => one.at - other.at).map(({ label }) => label);
}

/** Picks from the context menu of a row; reopens the menu when a redraw of the list closed it. */
export async function pickFromMenu(page: Page, row: Locator, title: string): Promise<void> {
  const item = page.locator('.monaco-menu .action-item', { hasText: title }).first();
  await eventually(async () => {
    if (await item.isVisible()) await page.keyboard.press('Escape');
    // A hover over the row closes when the pointer leaves.
    await page.mouse.move(0, 0);
    await row.first().click({ button: 'right', timeout: 5_000 });
    await item.waitFor({ timeout: 3_000 });
    // A menu ignores clicks right after it opens.
    await item.hover();
    await item.click({ timeout: 3_000 });
    await item.waitFor({ state: 'hidden', timeout: 3_000 });
  }, 40_000);
}

/** Types into the input box whose title contains `title`, and confirms it. */
export async function enterText(page: Page, text: string, title: RegExp = /\S/): Promise<void> {
  const box = page.locator('.quick-input-widget:visible');
  await box.locator('.quick-input-title').filter({ hasText: title }).waitFor({ timeout: PATIENCE });
  const input = box.locator('.quick-input-box input');
  await input.fill(text);
  await page.keyboard.press('Enter');
  await box.locator('.quick-input-title').filter({ hasText: title }).waitFor({ state: 'hidden' });
}

/** Waits until the visible text contains `text`. */
export async function editorHolds(page: Page, text: string): Promise<void> {
  await eventually(async () => {
    const lines = await page.locator('.editor-group-container.active .view-lines').first().innerText();
    assert.ok(lines.replaceAll('\u00a0', ' ').includes(text), lines);
  }, PATIENCE);
}

export function clipboardText(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}
