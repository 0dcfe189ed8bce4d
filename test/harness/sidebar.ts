import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';

/** Opens the Web Data container in the side bar, if it is not open. */
export async function openSidebar(page: Page): Promise<void> {
  // Its badge is part of its name, and lies over the link.
  const entry = page.locator(`.activitybar .action-item:has(a[aria-label^="Web Data"])`).first();
  await entry.waitFor();
  const container = page.locator('.sidebar .composite.title h2', { hasText: 'Web Data' });
  const isOpen = async () => (await container.isVisible()) && (await entry.getAttribute('class'))?.includes('checked');
  // A window that is still loading may undo the first click.
  await eventually(async (timeout) => {
    if (await isOpen()) return;
    await entry.click({ timeout });
    await container.waitFor({ timeout });
    assert.ok(await isOpen(), 'The Web Data container could not be opened.');
  });
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
export type SidebarView = 'Browser Sessions' | 'Crawls' | 'Activity' | 'Usage' | 'Webhooks';

/** Expands these views of the side bar and collapses the others to make room for their rows. */
export async function showViews(page: Page, ...names: readonly SidebarView[]): Promise<void> {
  await openSidebar(page);
  // A window that is still loading may add views, and expand them as they were.
  await eventually(async (timeout) => {
    const headers = await page
      .locator('.sidebar .pane-header')
      .evaluateAll((all) =>
        all.map((one) => ({ label: one.ariaLabel ?? '', isExpanded: one.ariaExpanded === 'true' })),
      );
    for (const name of names)
      assert.ok(
        headers.some(({ label }) => label.startsWith(name)),
        `no view ${name}`,
      );
    const isWanted = (label: string) => names.some((name) => label.startsWith(name));
    const wrong = headers.findIndex(({ label, isExpanded }) => isExpanded !== isWanted(label));
    if (wrong < 0) return;
    // At its start: in a narrow side bar its actions reach the middle.
    await page
      .locator('.sidebar .pane-header')
      .nth(wrong)
      .click({ position: { x: 12, y: 8 }, timeout });
    assert.fail(`${headers[wrong]?.label} was ${headers[wrong]?.isExpanded ? 'expanded' : 'collapsed'}`);
  });
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
