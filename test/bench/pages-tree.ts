// How soon the rows and pages of a crawl of 1,000 pages appear in VS Code after a click.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually } from '../harness/eventually.ts';
import { rowsOf, showViews } from '../harness/sidebar.ts';
import { startWorkbench } from '../harness/workbench.ts';
import { runCommand } from '../harness/workbench-actions.ts';
import { median, printTarget } from './figures.ts';

const pageCount = 1_000;
const folders = 10;
const opened = 9;
const startMs = 120_000;

export async function run(): Promise<void> {
  const site = createServer((request, response) => {
    const path = request.url ?? '/';
    response.writeHead(path === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(`<title>${path}</title><main><h1>${path}</h1>${'<p>Some words about tea.</p>'.repeat(60)}</main>`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const workbench = await startWorkbench({ builtInExtensions: null, size: { width: 1400, height: 1000 } });
  try {
    const { page } = workbench;
    await showViews(page, 'Activity');
    const service = await eventually(async () => embeddedService(workbench.dataDir), startMs);
    const urls = Array.from({ length: pageCount }, (_, number) => `${origin}/s${number % folders}/p${number}`);
    const { body } = await service.call('POST', '/v2/batch/scrape', { urls });
    await eventually(async () => {
      const state = await service.call('GET', `/v2/batch/scrape/${body.id}?limit=1`);
      if (state.body.status !== 'completed') throw new Error(`${state.body.completed} pages`);
    }, 600_000);
    await runCommand(page, 'Web Data: Refresh Views');
    const batch = rowsOf(page, 'Activity').and(page.locator('[aria-label^="batch scrape"]'));
    await batch.getByText(`${pageCount.toLocaleString('en-US')} pages`).waitFor({ timeout: startMs });
    await page.waitForTimeout(2_000);

    const firstRowMs = await timeAfterClick(page, batch, '.sidebar [aria-label^="Folder s0,"]');
    await page.locator('.sidebar [aria-label^="Folder s0,"]').click();
    const rows = rowsOf(page, 'Activity').and(page.locator('[aria-label^="Page /s0/"]'));
    await rows.first().waitFor({ timeout: startMs });
    const times: number[] = [];
    // The first one opens the preview, too, which VS Code starts for it.
    for (let index = 0; index <= opened; index++) {
      const name = `p${index * folders}`;
      const row = rows.and(page.locator(`[aria-label^="Page /s0/${name},"]`));
      times.push(await timeAfterClick(page, row, `.tab.active[aria-label*="${name}.md"]`));
    }
    const [first = Number.NaN, ...others] = times;
    console.log(`the first page, with the start of VS Code's preview: ${Math.round(first)} ms`);
    console.log(`other pages: ${others.map(Math.round).join(', ')} ms`);
    printTarget('ms to the first row of a tree of 1,000 pages', firstRowMs, 'under 300', firstRowMs < 300);
    const pageMs = median(others);
    printTarget('ms to the tab of any page of 1,000, median', pageMs, 'under 200', pageMs < 200);
  } finally {
    await workbench.close();
    site.closeAllConnections();
    site.close();
  }
}

/** Clicks, and returns the milliseconds until the page draws an element that matches the selector. */
async function timeAfterClick(page: Page, target: Locator, selector: string): Promise<number> {
  const time = page.evaluate(
    (appears) =>
      new Promise<number>((resolve) => {
        addEventListener(
          'mousedown',
          () => {
            const start = performance.now();
            const look = () => {
              if (document.querySelector(appears)) resolve(performance.now() - start);
              else requestAnimationFrame(look);
            };
            look();
          },
          { capture: true, once: true },
        );
      }),
    selector,
  );
  await target.first().click();
  return await time;
}
