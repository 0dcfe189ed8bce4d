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
  await eventually(async () => {
    await element.hover({ timeout: 5_000 });
    await action.click({ timeout: 3_000 });
  });
}
