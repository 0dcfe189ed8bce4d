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

/**
 * Expands a row of a tree until a row below it is shown. What is clicked while VS Code reads the rows of a tree again is
 * collapsed when they are drawn.
 */
export async function expand(row: Locator, below: Locator): Promise<void> {
  await eventually(async (timeout) => {
    if (await below.first().isVisible()) return;
    if ((await row.first().getAttribute('aria-expanded', { timeout })) !== 'true') await row.first().click({ timeout });
    await below.first().waitFor({ timeout });
  });
}
