import type { Locator, Page } from 'playwright-core';

/** Opens the Web Data container in the side bar, if it is not open. */
export async function openSidebar(page: Page): Promise<void> {
  const entry = page.locator('.activitybar .action-item:has(a[aria-label="Web Data"])').first();
  await entry.waitFor({ timeout: 30_000 });
  const container = page.locator('.sidebar .composite.title h2', { hasText: 'Web Data' });
  const isOpen = async () => (await container.isVisible()) && (await entry.getAttribute('class'))?.includes('checked');
  // A window that is still loading may undo the first click.
  for (const end = Date.now() + 30_000; !(await isOpen()); ) {
    if (Date.now() > end) throw new Error('The Web Data container could not be opened.');
    await entry.locator('a').first().click();
    await container.waitFor({ timeout: 3_000 }).catch(() => undefined);
  }
}

/** The rows of the Browser Sessions view. */
export function sessionRows(page: Page): Locator {
  return page.locator('.sidebar .monaco-list-row[aria-label^="Session "]');
}

/** The status bar item with the target and the session. */
export function statusItem(page: Page): Locator {
  return page.locator('.statusbar-item[id$="webdata.status"]');
}

/** Names of the views in the side bar, top to bottom. */
export type SidebarView = 'Browser Sessions' | 'Active Crawls' | 'Activity' | 'Usage' | 'Webhooks';

/** Expands these views of the side bar and collapses the others to make room for their rows. */
export async function showViews(page: Page, ...names: readonly SidebarView[]): Promise<void> {
  await openSidebar(page);
  const headers = page.locator('.sidebar .pane-header');
  await headers.first().waitFor({ timeout: 30_000 });
  for (const header of await headers.all()) {
    const label = (await header.getAttribute('aria-label')) ?? '';
    const wanted = names.some((name) => label.startsWith(name));
    if (((await header.getAttribute('aria-expanded')) === 'true') !== wanted)
      // At its start: in a narrow side bar its actions reach the middle.
      await header.click({ position: { x: 12, y: 8 } });
  }
}

/** The list of one view. */
export function listOf(page: Page, view: SidebarView): Locator {
  return page
    .locator('.sidebar .pane', { has: page.locator(`.pane-header[aria-label^="${view}"]`) })
    .locator('.monaco-list');
}

/** The visible rows of one view. */
export function rowsOf(page: Page, view: SidebarView): Locator {
  return listOf(page, view).locator('.monaco-list-row');
}
