import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually, patience } from '../harness/eventually.ts';
import { takePicture } from '../harness/pictures.ts';
import { offered, saysOnHover } from '../harness/rows-and-editors.ts';
import { endedRun } from '../harness/run-results.ts';
import { statusItem } from '../harness/sidebar.ts';
import { withTypes } from '../harness/with-types.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { openFile, runCommand } from '../harness/workbench-actions.ts';

const shop = `const rows: string[] = await page.locator('li').allInnerTexts();
const missing: number = 'text';
rows.length;
`;
const cells = `// %% open
const rows = await page.title();
page.`;

/** The messages of the errors that the editor shows, from the Problems view. */
async function problems(page: Page): Promise<string[]> {
  const texts = await page.locator('.markers-panel .monaco-list-row .marker-message-line').allInnerTexts();
  return texts.map((text) => text.trim());
}

describe('types in snippets', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-types-'));
    writeFileSync(join(folder, 'shop.ts'), shop);
    writeFileSync(join(folder, 'cells.ts'), cells);
    writeFileSync(join(folder, 'shop.py'), '# %%\nawait page.title()\n');
    workbench = await startWorkbench({ folder, file: join(folder, 'shop.ts'), ...withTypes });
    page = workbench.page;
    await statusItem(page).waitFor();
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows no error about page or await in a TypeScript file, before its first run and after it', async () => {
    const onlyOwnError = async () => {
      await runCommand(page, 'Problems: Focus on Problems View');
      await eventually(async () => {
        const found = await problems(page);
        assert.equal(found.length, 1, found.join('\n'));
        assert.match(found[0] ?? '', /Type 'string' is not assignable to type 'number'/);
      });
    };
    await onlyOwnError();
    await takePicture(page, 'types-before-run');
    await runCommand(page, 'Web Data: Run File');
    // A run opens its results once its session has started, in the place of the problems.
    await endedRun(page, patience);
    await onlyOwnError();
  });

  it('shows the type of page in its hover', async () => {
    await saysOnHover(page, /^page$/, 'let page: Page');
  });

  it('completes the members of page in a file with cells that was never run', async () => {
    await openFile(page, 'cells.ts');
    await page.keyboard.press('ControlOrMeta+End');
    await offered(page, /^addInitScript/);
    await page.keyboard.type('goto');
    await offered(page, /^goto/);
  });

  it('adds types for Python to the user settings with a command', async () => {
    await openFile(page, 'shop.py');
    await runCommand(page, 'Web Data: Add Python Types');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'All Workspaces' }).click();
    const file = join(workbench.dataDir, 'data', 'User', 'settings.json');
    const [added] = await eventually(() => {
      const paths = JSON.parse(readFileSync(file, 'utf8'))['python.analysis.extraPaths'] as string[];
      assert.equal(paths.length, 1);
      return paths;
    });
    assert.match(readFileSync(join(added ?? '', '__builtins__.pyi'), 'utf8'), /^page: Page$/m);
  });

  it('remembers the file after a reload, and writes nothing into the project', async () => {
    await workbench.reload();
    await openFile(page, 'shop.ts');
    await runCommand(page, 'Problems: Focus on Problems View');
    await eventually(async () => {
      const found = await problems(page);
      assert.ok(
        found.some((text) => text.includes(`not assignable to type 'number'`)),
        found.join('\n'),
      );
      assert.ok(!found.some((text) => /Cannot find name 'page'|await/.test(text)), found.join('\n'));
    });
    assert.deepEqual(readdirSync(folder).sort(), ['cells.ts', 'shop.py', 'shop.ts']);
  });
});
