import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/repository.mjs';
import { embeddedService } from '../harness/embedded-service.ts';
import { patience } from '../harness/eventually.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun } from '../harness/run-results.ts';
import { reads } from '../harness/shown.ts';
import { openSidebar, showViews, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, runCommand, useDisplayLanguage } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;

describe('the Web Data view container', () => {
  let workbench: Workbench;
  before(async function () {
    skipOnFleet(this, 'first steps begin without a server');
    workbench = await startWorkbench({
      folder: join(ROOT, 'examples'),
      machineSettings: { 'webdata.embedded.startWithViews': false },
    });
  });
  after(() => workbench?.close());

  it('has its place in the activity bar and opens the Browser Sessions view', async () => {
    const { page } = workbench;
    await openSidebar(page);
    // A view that is alone in its container shares the container's title.
    const titles = page.locator('.sidebar :is(.composite.title h2, .pane-header)');
    await titles.filter({ hasText: 'Browser Sessions' }).first().waitFor();
    await page.locator('.sidebar .composite.title h2', { hasText: 'Web Data' }).waitFor();
  });

  it("offers a snippet if nothing has run yet, and doesn't start the service if views shouldn't", async () => {
    const { page } = workbench;
    await page.locator('.sidebar .welcome-view a.monaco-button', { hasText: 'New Snippet' }).waitFor();
    await reads(statusItem(page), /Web Data: embedded/);
    await showViews(page, 'Activity');
    await page.locator('.sidebar .welcome-view-content a', { hasText: 'scrape a page' }).waitFor();
    assert.throws(() => embeddedService(workbench.dataDir), /no service runs/);
  });

  it('ticks off the completed steps of the walkthrough, and no others', async () => {
    const { page } = workbench;
    await runCommand(page, 'Web Data: New Snippet');
    await runCommand(page, 'Web Data: Run File', RUN);
    const run = await endedRun(page, RUN);
    assert.equal(run.state, 'ok', run.error);
    await runCommand(page, 'Web Data: Open Walkthrough');
    const step = (id: string, checked: boolean) =>
      page.locator(`[data-done-step-id$="#${id}"][aria-checked="${checked}"]`).first();
    await step('run', true).waitFor({ timeout: RUN });
    for (const id of ['watch', 'crawl', 'ask', 'agents', 'connect']) {
      await step(id, false).waitFor();
    }
    await takePicture(page, 'walkthrough');
  });

  it('speaks the display language of VS Code, in views, commands and webviews', async () => {
    const { page } = workbench;
    await useDisplayLanguage(workbench, 'zh-cn');
    await openSidebar(page);
    const titles = page.locator('.sidebar :is(.composite.title h2, .pane-header)');
    await titles.filter({ hasText: '浏览器会话' }).first().waitFor();
    await statusItem(page).filter({ hasText: '嵌入式' }).waitFor();
    await runCommand(page, 'Web Data: 向文档提问');
    const docs = await frameWith(page, '#app > .box textarea');
    assert.equal(await docs.locator('#app > .box textarea').getAttribute('placeholder'), '向文档提问');
    await docs.locator('.welcome', { hasText: '每个回答都列出其来源。' }).waitFor();
    assert.equal(await docs.locator('html').getAttribute('lang'), 'zh-cn');
    assert.equal(await docs.locator('h1').textContent(), '文档');
  });
});
