import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { currentExtension } from '../../scripts/lib/package/current-extension.ts';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { startWorkbench } from '../harness/workbench.ts';
import { runCommand } from '../harness/workbench-actions.ts';
import { median, printTarget, printTimes } from './figures.ts';

const rounds = 10;
/** An extension whose program is one line, installed beside the product: what VS Code itself takes. */
const empty = {
  name: 'empty',
  publisher: 'test',
  version: '1.0.0',
  displayName: 'Empty',
  engines: { vscode: '^1.100.0' },
  main: './extension.cjs',
  activationEvents: ['onStartupFinished'],
};

/**
 * Loads and activates the packaged extension in new extension hosts of a real VS Code. The figure is VS Code's own, from
 * Show Running Extensions: the milliseconds of loading its code and of activate(), without the promise that it returns.
 * In it is also what VS Code did in between, which the empty extension shows.
 */
export async function run(): Promise<void> {
  const file = await currentExtension();
  const workbench = await startWorkbench({
    packages: [file],
    builtInExtensions: null,
    // Nothing else can be opened while an editor is shown as a dialog.
    settings: { 'workbench.editor.useModal': 'off' },
    manifests: { 'test.empty-1.0.0': empty },
    folder: join(ROOT, 'examples'),
    // All rows of the list are drawn.
    size: { width: 1280, height: 3000 },
  });
  const times = { 'an empty extension': [] as number[], 'code loading and activate()': [] as number[] };
  try {
    for (let round = 0; round <= rounds; round++) {
      if (round > 0) await workbench.reload();
      const [floor, figure] = await activationTimes(workbench.page);
      // The first round fills the caches of the system.
      if (round === 0) continue;
      times['an empty extension'].push(floor);
      times['code loading and activate()'].push(figure);
    }
  } finally {
    await workbench.close();
  }
  console.log(`${(statSync(file).size / 1e6).toFixed(2)} MB in the VSIX`);
  printTimes(times);
  const reached = median(times['code loading and activate()']);
  printTarget('code loading and activate(), ms, median', reached, '< 50', reached < 50);
}

async function activationTimes(page: Page): Promise<[number, number]> {
  await page.locator('.statusbar-item[id*="web-data"]').first().waitFor({ timeout: 60_000 });
  await runCommand(page, 'Developer: Show Running Extensions');
  return [await activationTime(page, 'Empty'), await activationTime(page, 'Web Data')];
}

async function activationTime(page: Page, name: string): Promise<number> {
  const row = page.locator('.runtime-extensions-editor .monaco-list-row, .editor-instance .monaco-list-row', {
    has: page.locator('.name', { hasText: new RegExp(`^${name}$`) }),
  });
  const text = await row.locator('.activation-time').first().innerText();
  const [, milliseconds] = /(\d+)\s*ms/.exec(text) ?? [];
  if (!milliseconds) throw new Error(`Show Running Extensions has no time for ${name}: ${text}`);
  return Number(milliseconds);
}
