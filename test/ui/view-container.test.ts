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
    const header = page.locator('.sidebar .pane-header', { hasText: 'Browser Sessions' });
    await header.waitFor({ timeout: 30_000 });
    assert.equal(await page.locator('.sidebar .composite.title h2').innerText(), 'Web Data');
  });
});
