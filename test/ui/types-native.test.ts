import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { offered, saysOnHover } from '../harness/rows-and-editors.ts';
import { statusItem } from '../harness/sidebar.ts';
import { withTypes } from '../harness/with-types.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';

const cells = `// %% open
const list = page.locator('li');
list.`;

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
      ...withTypes,
      settings: { ...withTypes.settings, 'js/ts.experimental.useTsgo': true, 'editor.wordBasedSuggestions': 'off' },
    });
    page = workbench.page;
    await statusItem(page).waitFor();
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('completes the members of page and of what it returns', async () => {
    await page.locator('.monaco-editor .view-line').first().click();
    await page.keyboard.press('ControlOrMeta+End');
    await offered(page, /^allInnerTexts/);
    await page.keyboard.press('Escape');
    await page.keyboard.type(`all();\npage.`);
    await offered(page, /^addInitScript/);
    await page.keyboard.press('Escape');
  });

  it('leaves everything else to the installed TypeScript', async () => {
    await page.keyboard.type('title();\n[1].');
    await page.keyboard.press('ControlOrMeta+Space');
    await page.locator('.suggest-widget.visible .message', { hasText: 'No suggestions' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('shows the type of page in its hover', async () => {
    await saysOnHover(page, /^\s*page$/, 'let page: Page');
  });
});
