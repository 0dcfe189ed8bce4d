import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { newestRun } from '../harness/run-results.ts';
import { openSidebar, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { runCommand } from '../harness/workbench-actions.ts';

describe('Restricted Mode', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-restricted-'));
    writeFileSync(join(folder, 'cells.js'), `// %% one\n1 + 1\n`);
    workbench = await startWorkbench({
      folder,
      file: join(folder, 'cells.js'),
      restricted: true,
      settings: {
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.untrustedFiles': 'open',
        // Bound to keys, commands are reached without the menus that hide them.
      },
    });
    page = workbench.page;
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows in the view that nothing runs', async () => {
    await openSidebar(page);
    await page.locator('.sidebar .welcome-view', { hasText: 'Nothing runs in Restricted Mode' }).first().waitFor();
  });

  it('shows no play button and no CodeLens', async () => {
    await page.locator('.tab.active', { hasText: 'cells.js' }).waitFor();
    // The extension has been activated.
    await statusItem(page).waitFor();
    assert.equal(await page.locator('.editor-actions a[aria-label^="Run File"]').count(), 0);
    assert.equal(await page.locator('.codelens-decoration a', { hasText: 'Run cell' }).count(), 0);
  });

  it('runs nothing by keyboard either, and starts no service (EXT-01)', async () => {
    await page.locator('.monaco-editor .view-line').first().click();
    await page.keyboard.press('ControlOrMeta+Alt+Enter');
    await page.keyboard.press('ControlOrMeta+Alt+Shift+Enter');
    // Done after what the keys would have done.
    await runCommand(page, 'Problems: Focus on Problems View');
    await page.locator('.markers-panel').waitFor();
    assert.equal(await newestRun(page), undefined);
    assert.equal(existsSync(join(workbench.dataDir, 'data/User/globalStorage/web-data.web-data/service')), false);
  });
});
