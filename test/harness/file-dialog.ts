import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { eventually, patience } from './eventually.ts';

/** The input of the file dialog that is open (with `files.simpleDialog.enable`). */
export function dialogInput(page: Page): Locator {
  return page.locator('.quick-input-widget:visible .quick-input-box input');
}

/** Types a path into the file dialog that is open, and accepts it. A dialog that still reads its folder may replace what was typed. */
async function type(page: Page, path: string, timeout: number): Promise<void> {
  const input = dialogInput(page);
  await eventually(async () => assert.match(await input.inputValue({ timeout }), /^(\/|[A-Z]:\\)/i), 3 * timeout);
  await input.fill(path, { timeout });
  // The dialog writes the path that it has read over what was typed before it was done.
  await page.waitForTimeout(200);
  assert.equal(await input.inputValue({ timeout }), path);
  await input.press('Enter', { timeout });
}

/** Chooses a file in the Open dialog that is open, and waits until the dialog is gone: it ignores Enter as long as it reads its folder. */
export async function choose(page: Page, path: string): Promise<void> {
  const input = dialogInput(page);
  const isOpen = () =>
    input.evaluateAll((all, typed) => all.some((each) => (each as HTMLInputElement).value === typed), path);
  let isTyped = false;
  await eventually(async (timeout) => {
    if (isTyped && !(await isOpen())) return;
    await type(page, path, timeout);
    isTyped = true;
    await eventually(async () => assert.ok(!(await isOpen()), `The dialog still asks for ${path}`), 3 * timeout);
  });
}

/**
 * Saves a file through the Save dialog and returns its path once it is there. `open` opens the dialog and names the
 * path; it is called again if the dialog closed without saving. Fails after `timeout` milliseconds.
 */
export async function saveAs(page: Page, open: () => Promise<string>, timeout = patience): Promise<string> {
  const input = dialogInput(page);
  let target = '';
  await eventually(async (timeout) => {
    if (!(await input.isVisible())) target = await open();
    await type(page, target, timeout);
    await eventually(() => assert.ok(existsSync(target), `${target} is not there`), 3 * timeout);
  }, timeout);
  return target;
}
