import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Saves a picture of the window in the folder that WEBDATA_PICTURES names; does nothing without it. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.WEBDATA_PICTURES;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
