import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { eventually } from './eventually.ts';

// What can be drawn again at any time, asked until it is as expected.

/** Waits until there are so many elements. */
export async function counts(elements: Locator, expected: number, message?: string): Promise<void> {
  await eventually(async () => assert.equal(await elements.count(), expected, message));
}

/** Waits until the text of the first element matches. */
export async function reads(elements: Locator, expected: RegExp): Promise<void> {
  await eventually(async () => assert.match(await elements.first().innerText(), expected));
}

/** Waits until a field contains exactly this. */
export async function contains(field: Locator, expected: string, message?: string): Promise<void> {
  await eventually(async () => assert.equal(await field.inputValue(), expected, message));
}

/** Clicks what an element shows while the pointer is over it, which a redraw ends. */
export async function clickOver(element: Locator, action: Locator): Promise<void> {
  await eventually(async (timeout) => {
    await element.hover({ timeout });
    await action.click({ timeout });
  });
}

/** Expands a row of a tree until a row below it is shown; fails with the rows that are shown instead. */
export async function expand(row: Locator, below: Locator): Promise<void> {
  const rows = row.page().locator('.sidebar .monaco-list-row');
  await eventually(async (timeout) => {
    if (await below.first().isVisible()) return;
    if ((await row.first().getAttribute('aria-expanded', { timeout })) !== 'true') await row.first().click({ timeout });
    await below.first().waitFor({ timeout });
  }).catch(async (cause: unknown) => {
    const shown = await rows.evaluateAll((all) =>
      all.map(({ ariaExpanded, ariaLabel }) => (ariaExpanded ? `${ariaLabel} (expanded: ${ariaExpanded})` : ariaLabel)),
    );
    throw new Error(`These rows are shown instead:\n${shown.join('\n')}`, { cause });
  });
}
