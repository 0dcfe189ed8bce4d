import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../harness/eventually.ts';
import { statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench, withTypes } from '../harness/workbench.ts';

const cells = `// %% open
const list = page.locator('li');
list.`;

/** Stands for the extension of TypeScript 7: while it is installed and chosen, VS Code's own TypeScript is off. */
const native = { name: 'native-preview', publisher: 'TypeScriptTeam', version: '1.0.0', engines: { vscode: '*' } };

describe('types in snippets with TypeScript 7, whose server has no plugins', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-types-'));
    writeFileSync(join(folder, 'cells.ts'), cells);
    workbench = await startWorkbench({
      folder,
      file: join(folder, 'cells.ts'),
      manifests: { 'typescriptteam.native-preview-1.0.0': native },
      ...withTypes,
      settings: { ...withTypes.settings, 'js/ts.experimental.useTsgo': true, 'editor.wordBasedSuggestions': 'off' },
    });
    page = workbench.page;
    await statusItem(page).waitFor({ timeout: 60_000 });
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('completes the members of page and of what it returns', async () => {
    const suggested = page.locator('.suggest-widget.visible .monaco-list-row');
    await page.locator('.monaco-editor .view-line').first().click();
    await page.keyboard.press('ControlOrMeta+End');
    await eventually(async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('ControlOrMeta+Space');
      await suggested.filter({ hasText: /^allInnerTexts/ }).waitFor({ timeout: 5_000 });
    }, 60_000);
    await page.keyboard.press('Escape');
    await page.keyboard.type(`all();\npage.`);
    await suggested.filter({ hasText: /^addInitScript/ }).waitFor({ timeout: 30_000 });
    await page.keyboard.press('Escape');
  });

  it('leaves everything else to the installed TypeScript', async () => {
    await page.keyboard.type('title();\n[1].');
    await page.keyboard.press('ControlOrMeta+Space');
    await page.locator('.suggest-widget.visible .message', { hasText: 'No suggestions' }).waitFor({ timeout: 30_000 });
    await page.keyboard.press('Escape');
  });

  it('shows the type of page in its hover', async () => {
    await page
      .locator('.monaco-editor .view-line span', { hasText: /^\s*page$/ })
      .first()
      .hover();
    await page.locator('.monaco-hover-content', { hasText: 'let page: Page' }).first().waitFor({ timeout: 30_000 });
  });
});
