import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';

describe('the Web Data view container', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await startWorkbench({ folder: join(ROOT, 'examples') });
  });
  after(() => workbench?.close());

  it('has its place in the activity bar and opens the Browser Sessions view', async () => {
    const { page } = workbench;
    const entry = page.locator('.activitybar .action-item a[aria-label="Web Data"]').first();
    await entry.waitFor({ timeout: 30_000 });
    await entry.click();
    // A container with one view has no header for it: the view's name stands in the title.
    const view = page.locator('.sidebar .pane-header[aria-label^="Browser Sessions"]');
    await view.waitFor({ state: 'attached', timeout: 30_000 });
    assert.match(await page.locator('.sidebar .composite.title h2').innerText(), /^Web Data/);
  });
});
