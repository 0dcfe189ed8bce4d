import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { eventually, patience } from './eventually.ts';

/** Milliseconds for one attempt: a dialog that still reads its folder may replace what was typed, or ignore Enter. */
const ATTEMPT = 8_000;

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
  await eventually(async () => {
    if (!(await input.isVisible())) target = await open();
    await eventually(async () => assert.match(await input.inputValue({ timeout: 1_000 }), /^(\/|[A-Z]:\\)/i), ATTEMPT);
    await input.fill(target, { timeout: 1_000 });
    // The dialog writes the path that it has read over what was typed before it was done.
    await page.waitForTimeout(200);
    assert.equal(await input.inputValue({ timeout: 1_000 }), target);
    await input.press('Enter', { timeout: 1_000 });
    await eventually(() => assert.ok(existsSync(target), `${target} is not there`), ATTEMPT);
  }, timeout);
  return target;
}
