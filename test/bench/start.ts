import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { currentExtension } from '../../scripts/lib/package/current-extension.ts';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { startWorkbench } from '../harness/workbench.ts';
import { runCommand } from '../harness/workbench-actions.ts';
import { median, printTarget, printTimes } from './figures.ts';

const rounds = 10;

/**
 * Loads and activates the packaged extension in new extension hosts of a real VS Code. The figure is VS Code's own, from
 * Show Running Extensions: the milliseconds of loading its code and of activate(), without the promise that it returns.
 */
export async function run(): Promise<void> {
  const file = await currentExtension();
  const workbench = await startWorkbench({ packages: [file], folder: join(ROOT, 'examples') });
  const times: number[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      if (round > 0) await workbench.reload();
      const figure = await activationTime(workbench.page);
      // The first round fills the caches of the system.
      if (round > 0) times.push(figure);
    }
  } finally {
    await workbench.close();
  }
  console.log(`${(statSync(file).size / 1e6).toFixed(2)} MB in the VSIX`);
  printTimes({ 'code loading and activate()': times });
  printTarget('code loading and activate(), ms, median', median(times), '< 50', median(times) < 50);
}

async function activationTime(page: Page): Promise<number> {
  await page.locator('.statusbar-item[id*="web-data"]').first().waitFor({ timeout: 60_000 });
  await runCommand(page, 'Developer: Show Running Extensions');
  const row = page.locator('.runtime-extensions-editor .monaco-list-row, .editor-instance .monaco-list-row', {
    has: page.locator('.name', { hasText: /^Web Data$/ }),
  });
  const text = await row.locator('.activation-time').first().innerText();
  const [, milliseconds] = /(\d+)\s*ms/.exec(text) ?? [];
  if (!milliseconds) throw new Error(`Show Running Extensions has no time for the extension: ${text}`);
  return Number(milliseconds);
}
