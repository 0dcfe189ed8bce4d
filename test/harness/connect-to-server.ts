import type { Page } from 'playwright-core';
import { runCommand } from './workbench-actions.ts';

/** Environment of a workbench that connects to a server. */
export const keyEnvironment = { WEBDATA_API_KEY: 'key-of-a-test-0123456789' };

/** Connects the window to a server as a user would, with the key from the environment. */
export async function connectToServer(page: Page, baseUrl: string): Promise<void> {
  await runCommand(page, 'Web Data: Connect to Server…');
  const box = page.locator('.quick-input-widget:visible');
  const input = box.locator('.quick-input-box input');
  await box.locator('.quick-input-title', { hasText: '(1/2)' }).waitFor();
  await input.fill(baseUrl);
  await page.keyboard.press('Enter');
  await box.locator('.quick-input-title', { hasText: '(2/2)' }).waitFor();
  await page.keyboard.press('Enter');
  await box.waitFor({ state: 'hidden' });
  await page.locator('.statusbar-item', { hasText: new URL(baseUrl).host }).waitFor();
}
