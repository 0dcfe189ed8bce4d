import { join } from 'node:path';
import { askInView, openDocs } from '../../../test/harness/docs-view.ts';
import { embeddedService } from '../../../test/harness/embedded-service.ts';
import { eventually } from '../../../test/harness/eventually.ts';
import { ScriptedAgent } from '../../../test/harness/mcp-agent.ts';
import { clipboardText, enterText, pickFromMenu } from '../../../test/harness/rows-and-editors.ts';
import { endedRun } from '../../../test/harness/run-results.ts';
import { refOf, startScriptedModel } from '../../../test/harness/scripted-model.ts';
import { openSidebar, rowsOf, showViews, statusItem } from '../../../test/harness/sidebar.ts';
import type { Workbench } from '../../../test/harness/workbench.ts';
import { frameWith, runCommand } from '../../../test/harness/workbench-actions.ts';
import { ROOT } from '../repository.mjs';
import { camera, closeEditors, crawlShop, LONG, openStudio, useTheme } from './studio.ts';
import { makeFolder, openShop } from './tea-shop.ts';

type Shoot = (name: string) => Promise<void>;

/** Takes a picture of each feature for README.md and the docs. */
export async function takeReadme(target = join(ROOT, 'docs', 'images')): Promise<void> {
  const shop = await openShop();
  const model = await startScriptedModel();
  model.serve({ models: ['llama3.2'] });
  let step = 0;
  model.script((request) => {
    // A call that only tests the model.
    if (!request.tools) return { text: 'OK' };
    const number = step++;
    if (number === 0)
      return { calls: [{ name: 'type', arguments: { ref: refOf(request, /textbox "Name"/), text: 'Ada' } }] };
    if (number === 1) return { calls: [{ name: 'click', arguments: { ref: refOf(request, /button "Order"/) } }] };
    return { calls: [{ name: 'finish', arguments: { answer: 'Ordered a box for Ada.' } }] };
  });
  const { folder, remove } = makeFolder(shop.url);
  const workbench = await openStudio({
    folder,
    file: join(folder, 'teas.js'),
    colorTheme: 'Light Modern',
    size: { width: 1200, height: 760 },
  });
  const shoot = camera(workbench.page, target);
  try {
    await takeRun(workbench, shoot);
    await takeLiveView(workbench, shop.url, shoot);
    await takeAgent(workbench, shop.url, shoot);
    await takeCrawl(workbench, shop.url, shoot);
    await takeWebhooks(workbench, shop.url, shoot);
    await takeDocs(workbench, shoot);
    // Last: with a model, sentences of crawls and questions would go to it.
    await useModel(workbench, model.baseUrl);
    await takeInteract(workbench, shop.url, shoot);
  } catch (error) {
    await shoot('failed');
    throw error;
  } finally {
    await workbench.close();
    remove();
    await model.close();
    shop.close();
  }
}

async function takeRun({ page }: Workbench, shoot: Shoot): Promise<void> {
  await statusItem(page).waitFor({ timeout: LONG });
  await runCommand(page, 'Web Data: Run File');
  const run = await endedRun(page, LONG);
  if (run.state !== 'ok') throw new Error(run.error);
  await statusItem(page).filter({ hasText: 'Tea shop' }).waitFor({ timeout: LONG });
  // The second run is in the warm session that is named by its page.
  await runCommand(page, 'Web Data: Run File');
  await endedRun(page, LONG, run.runId);
  await shoot('run');
}

async function takeLiveView({ page }: Workbench, url: string, shoot: Shoot): Promise<void> {
  await runCommand(page, 'View: Toggle Panel Visibility');
  await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
  await runCommand(page, 'Web Data: Open Live View');
  const live = await frameWith(page, '#app[data-frames]', LONG);
  await shoot('live-view-light');
  await live.locator('button.control').click();
  await live.locator('#app[data-control="true"]').waitFor({ timeout: LONG });
  await live.locator('.address').fill(`${url}order`);
  await live.locator('.address').press('Enter');
  await live.locator('.tab-title', { hasText: /^Order$/ }).waitFor({ timeout: LONG });
  await live.locator('.keyboard, textarea').first().focus();
  await page.keyboard.press('Tab');
  await page.keyboard.type('Ada');
  // While the live view has the focus, all keys go to its page.
  await page.locator('.tab', { hasText: 'teas.js' }).click();
  await useTheme(page, 'Dark Modern');
  await shoot('live-view-dark');
  await useTheme(page, 'Light Modern');
  await live.locator('button.control').click();
  await live.locator('#app[data-control="false"]').waitFor({ timeout: LONG });
  await closeEditors(page);
}

/** A coding agent in a session, which asks before it orders. */
export async function takeAgent({ page, dataDir }: Workbench, url: string, shoot: Shoot): Promise<void> {
  await showViews(page, 'Browser Sessions');
  const service = await eventually(() => embeddedService(dataDir), LONG);
  const { body: key } = await eventually(() => service.call('POST', '/embedded/agent-keys', { name: 'Cursor' }), LONG);
  const agent = await ScriptedAgent.connect(service.baseUrl, key.key, 'Cursor');
  try {
    await agent.open(`${url}order`);
    const row = rowsOf(page, 'Browser Sessions').filter({ hasText: 'Cursor is using this session' }).first();
    await pickFromMenu(page, row, 'Open Live View');
    const live = await frameWith(page, '#app[data-frames]', LONG);
    await agent.type('textbox "Name"', 'Ada');
    const rules = { hosts: ['docs.tea.example'] };
    await service.call('POST', `/embedded/agent-keys/${key.id}/rules`, { rules });
    const ordering = agent.click('button "Order"');
    await live.locator('.agent-request').waitFor({ timeout: LONG });
    await shoot('agent');
    await live.getByRole('button', { name: 'Allow Once' }).click();
    await ordering;
    await agent.call('session_close');
  } finally {
    await agent.close();
  }
  await closeEditors(page);
}

async function takeCrawl({ page }: Workbench, url: string, shoot: Shoot): Promise<void> {
  await openSidebar(page);
  await crawlShop(page, url, 'At most 20 pages, without /delivery', () => shoot('start-crawl'));
  await shoot('pages');
}

async function useModel({ page }: Workbench, baseUrl: string): Promise<void> {
  await runCommand(page, 'Web Data: Set Up a Language Model…');
  const rows = page.locator('.quick-input-widget:visible .monaco-list-row');
  await rows.filter({ hasText: 'Enter a URL…' }).click({ timeout: LONG });
  await enterText(page, baseUrl, /1\/3/);
  await enterText(page, '', /2\/3/);
  await rows.filter({ hasText: 'llama3.2' }).click({ timeout: LONG });
  await rows.first().waitFor({ state: 'hidden', timeout: LONG });
}

async function takeInteract({ page }: Workbench, url: string, shoot: Shoot): Promise<void> {
  await closeEditors(page);
  await runCommand(page, 'Web Data: Scrape URL…');
  await page.locator('.quick-input-widget:visible input[type="text"]').fill(`${url}order`);
  await page.keyboard.press('Enter');
  await page.locator('.tab', { hasText: 'order.md' }).waitFor({ timeout: LONG });
  await showViews(page, 'Browser Sessions', 'Crawls', 'Activity');
  await shoot('sidebar-light');
  await runCommand(page, 'Web Data: Interact with Scrape…');
  // Its session is named by the page, as that of the snippet is.
  await page.locator('.pane-header', { hasText: '2 active' }).waitFor({ timeout: LONG });
  await runCommand(page, 'Web Data: Send Prompt…');
  await enterText(page, 'Order a box for Ada');
  await page.locator('.part.panel').waitFor({ timeout: LONG });
  const results = await frameWith(page, '[data-run-id] .title:has-text("Order a box")', LONG);
  await results.locator('[data-run-id]:first-child:not([data-state="running"])').waitFor({ timeout: LONG });
  await runCommand(page, 'Web Data: Open Live View');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Ordered for Ada' }).click({ timeout: LONG });
  await frameWith(page, '#app[data-frames]', LONG);
  await shoot('interact');
  await runCommand(page, 'View: Toggle Panel Visibility');
  await runCommand(page, 'Web Data: Destroy Browser Session');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Ordered for Ada' }).click({ timeout: LONG });
  await page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Destroy' }).click({ timeout: LONG });
  await closeEditors(page);
}

async function takeWebhooks({ page, dataDir }: Workbench, url: string, shoot: Shoot): Promise<void> {
  await runCommand(page, 'Web Data: Start Webhook Receiver');
  await showViews(page, 'Webhooks');
  await rowsOf(page, 'Webhooks').filter({ hasText: 'listening' }).first().waitFor({ timeout: LONG });
  await runCommand(page, 'Web Data: Copy Webhook URL');
  await page.waitForTimeout(1_000);
  const receiver = await clipboardText(page);
  const { status } = await embeddedService(dataDir).call('POST', '/v2/crawl', {
    url,
    webhook: { url: receiver, metadata: { order: '7' } },
  });
  if (status !== 200) throw new Error(`The crawl was answered with ${status}.`);
  await rowsOf(page, 'Webhooks').filter({ hasText: 'crawl.completed' }).first().waitFor({ timeout: LONG });
  await rowsOf(page, 'Webhooks').filter({ hasText: '/darjeeling' }).first().click();
  await page.locator('.tab.active', { hasText: 'crawl.page.json' }).waitFor({ timeout: LONG });
  await shoot('webhooks');
  await showViews(page, 'Usage');
  await frameWith(page, '.chart [role="option"]', LONG);
  await shoot('usage-light');
}

async function takeDocs({ page }: Workbench, shoot: Shoot): Promise<void> {
  await closeEditors(page);
  await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
  const docs = await openDocs(page);
  await askInView(docs, 'How long may a session live?');
  await askInView(docs, 'How do I verify the signature of a webhook in Node.js?');
  await shoot('docs-light');
  await useTheme(page, 'Dark Modern');
  await shoot('docs-dark');
  await useTheme(page, 'Light Modern');
  await runCommand(page, 'View: Toggle Secondary Side Bar Visibility');
  await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
}
