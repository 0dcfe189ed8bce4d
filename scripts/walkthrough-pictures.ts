// `npm run pictures` takes the pictures of the walkthrough, in the real workbench: node scripts/walkthrough-pictures.ts [FOLDER]
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { askInView, openDocs } from '../test/harness/docs-view.ts';
import { enterText } from '../test/harness/rows-and-editors.ts';
import { endedRun } from '../test/harness/run-results.ts';
import { openSidebar, rowsOf, showViews, statusItem } from '../test/harness/sidebar.ts';
import { startWorkbench } from '../test/harness/workbench.ts';
import { runCommand } from '../test/harness/workbench-actions.ts';
import { ROOT } from './lib/repository.mjs';

const target = process.argv[2] ?? join(ROOT, 'media', 'walkthrough');
mkdirSync(target, { recursive: true });
const pages = new Map(
  [
    ['/', 'Tea shop', 'Loose leaf teas from gardens that we know.'],
    ['/assam', 'Assam', 'Malty and strong. Steep for four minutes in boiling water.'],
    ['/darjeeling', 'Darjeeling', 'Flowery and light. Steep for three minutes at 90 °C.'],
    ['/sencha', 'Sencha', 'Fresh and green. Steep for ninety seconds at 70 °C.'],
    ['/rooibos', 'Rooibos', 'Sweet and free of caffeine. Steep for as long as you like.'],
    ['/delivery', 'Delivery', 'We send what you order on the same day.'],
  ].map(([path = '', title, text]) => [path, { title, text }] as const),
);
const links = [...pages].map(([path, { title }]) => `<li><a href="${path}">${title}</a></li>`).join('');
const server = createServer((request, response) => {
  const page = pages.get(request.url ?? '');
  if (!page) return response.writeHead(404).end();
  const { title, text } = page;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main><nav><ul>${links}</ul></nav>`,
  );
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const siteUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const LONG = 90_000;

async function takeAll(page: Page, name: string): Promise<void> {
  const picture = async (step: string) => {
    // The workbench fades and moves its parts.
    await page.waitForTimeout(1_500);
    await page.screenshot({ path: join(target, `${step}-${name}.png`) });
  };
  await statusItem(page).waitFor({ timeout: LONG });
  await openSidebar(page);
  await page.locator('.sidebar .welcome-view a.monaco-button', { hasText: 'New Snippet' }).click({ timeout: LONG });
  await runCommand(page, 'Web Data: Run File');
  const run = await endedRun(page, LONG);
  if (run.state !== 'ok') throw new Error(run.error);
  await picture('run');
  await runCommand(page, 'Web Data: Open Live View');
  await page
    .locator('.tab.active', { hasText: 'Live:' })
    .or(page.locator('.tab', { hasText: 'Live:' }))
    .first()
    .waitFor();
  await page.waitForTimeout(3_000);
  await picture('watch');
  await runCommand(page, 'View: Close All Editors').catch(() => undefined);
  await page.locator('.monaco-dialog-box .monaco-button', { hasText: "Don't Save" }).click({ timeout: 5_000 });
  await runCommand(page, 'View: Toggle Panel Visibility');
  await showViews(page, 'Active Crawls');
  await runCommand(page, 'Web Data: Start Crawl…');
  await enterText(page, siteUrl, /1\/2/);
  await enterText(page, 'At most 20 pages', /2\/2/);
  await page.locator('.tab.active', { hasText: '.crawl.json' }).waitFor({ timeout: LONG });
  await runCommand(page, 'Web Data: Start This Crawl');
  const row = rowsOf(page, 'Active Crawls').filter({ hasText: 'completed' }).first();
  await row.waitFor({ timeout: LONG });
  await page
    .locator('.notifications-center, .notification-toast')
    .first()
    .waitFor({ timeout: 3_000 })
    .catch(() => undefined);
  await runCommand(page, 'Notifications: Clear All Notifications').catch(() => undefined);
  await row.click();
  await page.keyboard.press('ArrowRight');
  await rowsOf(page, 'Active Crawls').getByText('Darjeeling').first().click();
  await picture('crawl');
  await runCommand(page, 'View: Close All Editors');
  await showViews(page, 'Browser Sessions', 'Active Crawls');
  await askInView(await openDocs(page), 'How long does a session live?');
  await picture('ask');
  await runCommand(page, 'View: Toggle Secondary Side Bar Visibility');
  await runCommand(page, 'Web Data: Connect to Server…');
  await page.locator('.quick-input-widget:visible .quick-input-box input').fill('http://127.0.0.1:4999');
  await page
    .locator(
      '.quick-input-widget:visible .quick-input-message.severity-error, .quick-input-widget:visible .quick-input-message',
      { hasText: 'listening' },
    )
    .first()
    .waitFor({ timeout: 15_000 });
  await picture('connect');
}

for (const [name, colorTheme] of [
  ['light', 'Light Modern'],
  ['dark', 'Dark Modern'],
  ...(process.env.WEBDATA_PICTURES_CONTRAST ? ([['contrast', 'Default High Contrast']] as const) : []),
] as const) {
  const parent = mkdtempSync(join(tmpdir(), 'webdata-walkthrough-'));
  const folder = join(parent, 'tea-shop');
  mkdirSync(folder);
  const workbench = await startWorkbench({
    folder,
    colorTheme,
    size: { width: 960, height: 600 },
    settings: { 'editor.minimap.enabled': false, 'breadcrumbs.enabled': false, 'chat.commandCenter.enabled': false },
  });
  try {
    await takeAll(workbench.page, name);
  } finally {
    await workbench.close();
    rmSync(parent, { recursive: true, force: true });
  }
}
server.close();
