import type { Locator, Page } from 'playwright-core';

/** Opens the Web Data container in the side bar, if it is not open. */
export async function openSidebar(page: Page): Promise<void> {
  const entry = page.locator('.activitybar .action-item:has(a[aria-label="Web Data"])').first();
  await entry.waitFor({ timeout: 30_000 });
  if (!(await entry.getAttribute('class'))?.includes('checked')) await entry.locator('a').first().click();
}

/** The rows of the Browser Sessions view. */
export function sessionRows(page: Page): Locator {
  return page.locator('.sidebar .monaco-list-row[aria-label^="Session "]');
}

/** The item in the status bar that names the target and the session. */
export function statusItem(page: Page): Locator {
  return page.locator('.statusbar-item[id$="webdata.status"]');
}
