import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { eventually, patience } from './eventually.ts';

/** The input of the file dialog that is open (with `files.simpleDialog.enable`). */
export function dialogInput(page: Page): Locator {
  return page.locator('.quick-input-widget:visible .quick-input-box input');
}

/**
 * Saves a file through the Save dialog and returns its path once it is there. `open` opens the dialog and names the
 * path; it is called again if the dialog closed without saving. Fails after `timeout` milliseconds.
 */
export async function saveAs(page: Page, open: () => Promise<string>, timeout = patience): Promise<string> {
  const input = dialogInput(page);
  let target = '';
  // A dialog that still reads its folder may replace what was typed, or ignore Enter.
  await eventually(async (timeout) => {
    if (!(await input.isVisible())) target = await open();
    await eventually(async () => assert.match(await input.inputValue({ timeout }), /^(\/|[A-Z]:\\)/i), 3 * timeout);
    await input.fill(target, { timeout });
    // The dialog writes the path that it has read over what was typed before it was done.
    await page.waitForTimeout(200);
    assert.equal(await input.inputValue({ timeout }), target);
    await input.press('Enter', { timeout });
    await eventually(() => assert.ok(existsSync(target), `${target} is not there`), 3 * timeout);
  }, timeout);
  return target;
}
