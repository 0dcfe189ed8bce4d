import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { attemptAfter, eventually, patience } from './eventually.ts';

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
  await eventually(async (timeout) => {
    if (await item.isVisible()) await page.keyboard.press('Escape');
    // A hover over the row closes when the pointer leaves.
    await page.mouse.move(0, 0);
    await row.first().click({ button: 'right', timeout });
    await item.waitFor({ timeout });
    // A menu ignores clicks right after it opens.
    await item.hover({ timeout });
    await item.click({ timeout });
    await item.waitFor({ state: 'hidden', timeout });
  });
}

/** Takes a row of the list that is open, once it is there. */
export async function pick(page: Page, label: string): Promise<void> {
  await page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first().click();
}

/** Types into the input box whose title contains `title`, and confirms it. */
export async function enterText(page: Page, text: string, title: RegExp = /\S/): Promise<void> {
  const box = page.locator('.quick-input-widget:visible');
  await box.locator('.quick-input-title').filter({ hasText: title }).waitFor();
  const input = box.locator('.quick-input-box input');
  await input.fill(text);
  await page.keyboard.press('Enter');
  await box.locator('.quick-input-title').filter({ hasText: title }).waitFor({ state: 'hidden' });
}

/**
 * Asks for completions until this one is offered: nothing is offered before its provider is there, and what was asked
 * while a language server loads may stay without an answer.
 */
export async function offered(page: Page, label: string | RegExp): Promise<Locator> {
  const widget = page.locator('.suggest-widget.visible');
  const wanted = widget.locator('.monaco-list-row', { hasText: label }).first();
  const nothing = widget.locator('.message', { hasText: 'No suggestions' });
  const any = widget.locator('.monaco-list-row').first();
  await eventually(async (timeout) => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+Space');
    await any.or(nothing).first().waitFor({ timeout });
    await wanted.waitFor({ timeout: attemptAfter(0) });
  }, 3 * patience);
  return wanted;
}

/** Points at a word until what is said about it is shown: a language server that is still loading says nothing. */
export async function saysOnHover(page: Page, word: RegExp, text: string): Promise<void> {
  await eventually(async (timeout) => {
    await page.mouse.move(0, 0);
    const found = page.locator('.monaco-editor .view-line span', { hasText: word });
    await found.first().hover({ timeout });
    await page
      .locator('.monaco-hover-content', { hasText: text })
      .first()
      .waitFor({ timeout: 2 * timeout });
  });
}

/** Waits until the visible text contains `text`. */
export async function editorHolds(page: Page, text: string): Promise<void> {
  await eventually(async () => {
    const lines = await page.locator('.editor-group-container.active .view-lines').first().innerText();
    assert.ok(lines.replaceAll('\u00a0', ' ').includes(text), lines);
  });
}

export function clipboardText(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}
