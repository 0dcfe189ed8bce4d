import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { embeddedService } from '../harness/embedded-service.ts';
import { openSidebar, showViews, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';

describe('the Web Data view container', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await startWorkbench({
      folder: join(ROOT, 'examples'),
      settings: { 'webdata.embedded.startWithViews': false },
    });
  });
  after(() => workbench?.close());

  it('has its place in the activity bar and opens the Browser Sessions view', async () => {
    const { page } = workbench;
    await openSidebar(page);
    // A view that is alone in its container shares the container's title.
    const titles = page.locator('.sidebar :is(.composite.title h2, .pane-header)');
    await titles.filter({ hasText: 'Browser Sessions' }).first().waitFor({ timeout: 30_000 });
    await page.locator('.sidebar .composite.title h2', { hasText: 'Web Data' }).waitFor({ timeout: 30_000 });
  });

  it('offers a snippet where nothing has run yet, and starts nothing where views are not to', async () => {
    const { page } = workbench;
    await page.locator('.sidebar .welcome-view a.monaco-button', { hasText: 'New Snippet' }).waitFor();
    await statusItem(page).waitFor();
    assert.match(await statusItem(page).innerText(), /Web Data: embedded/);
    await showViews(page, 'Activity');
    await page.locator('.sidebar .welcome-view a.monaco-button', { hasText: 'Scrape URL…' }).first().waitFor();
    assert.throws(() => embeddedService(workbench.dataDir), /no service runs/);
  });
});
