import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { clipboardText } from './rows-and-editors.ts';
import { runCommand } from './workbench-actions.ts';

/** The rows of deliveries in the Webhooks view whose accessible names start so. */
export function deliveryRow(page: Page, start: string): Locator {
  return page.locator(`.monaco-list-row[aria-label^="${start}"]`);
}

/** The URL of the webhook receiver, copied as a person would. */
export async function copyWebhookUrl(page: Page): Promise<string> {
  await runCommand(page, 'Web Data: Copy Webhook URL');
  return await eventually(async () => {
    const text = await clipboardText(page);
    assert.match(text, /^http:\/\/127\.0\.0\.1:\d+\/webhooks$/);
    return text;
  });
}
