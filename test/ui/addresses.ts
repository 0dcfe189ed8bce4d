import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { patience } from '../harness/eventually.ts';
import { editorHolds, enterText } from '../harness/rows-and-editors.ts';
import { contains, reads } from '../harness/shown.ts';
import { rowsOf, showViews, statusItem } from '../harness/sidebar.ts';
import { startOver } from '../harness/start-over.ts';
import type { Workbench } from '../harness/workbench.ts';
import { frameWith, notification, runCommand } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';

/** Milliseconds for the start of the service and of a browser, on a busy machine. */
const LONG = patience;

/** A site that speaks http only. Its JSON is what a server without sessions answers, and SearXNG to a search. */
function startSite(): Promise<Server> {
  const site = createServer((request, response) => {
    if (request.url?.startsWith('/search?')) {
      response.setHeader('content-type', 'application/json');
      const url = `http://${request.headers.host}/found`;
      return response.end(JSON.stringify({ results: [{ url, title: 'A shop for tea', content: 'Green tea.' }] }));
    }
    if (request.url?.startsWith('/v2/')) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ success: true, sessions: [] }));
    }
    response.setHeader('content-type', 'text/html');
    const name = request.url === '/' ? '' : ` ${request.url}`;
    return response.end(`<title>The Tea Shop${name}</title><h1>The Tea Shop</h1><p>Green tea and black tea.</p>`);
  });
  return new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(site)));
}

/** The tests of addresses that are typed, in a window that others have used. */
export function testAddresses(used: () => Workbench): void {
  let page: Page;
  let site: Server;
  /** Host and port of the site. */
  let host: string;
  before(async () => {
    site = await startSite();
    host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    const workbench = used();
    ({ page } = workbench);
    await startOver(workbench);
  });
  after(() => void site?.close());

  const box = () => page.locator('.quick-input-widget:visible');
  const typed = () => box().locator('.quick-input-box input');
  const press = async (text: RegExp, button: string) => {
    const shown = await notification(page, text, LONG);
    await shown.first().locator('.monaco-button', { hasText: button }).click();
  };

  it('need no scheme to scrape', async () => {
    await runCommand(page, 'Web Data: Scrape URL…');
    await enterText(page, host, /Scrape URL/);
    await editorHolds(page, 'The Tea Shop');
  });

  it("are offered over http if https doesn't respond, and a button uses that", async () => {
    await runCommand(page, 'Web Data: Scrape URL…');
    await enterText(page, `https://${host}/https`, /Scrape URL/);
    await press(/doesn't support HTTPS, but answers over HTTP/, `Use http://${host}/https`);
    await page.locator('.tab.active', { hasText: 'The Tea Shop https.md' }).waitFor({ timeout: LONG });
  });

  it('can be edited after a failure, and after the input was closed', async () => {
    await runCommand(page, 'Web Data: Map Site…');
    await enterText(page, 'nowhere.invalid/shop', /Map Site/);
    await press(/nowhere\.invalid/, 'Edit URL');
    await contains(typed(), 'nowhere.invalid/shop');
    await typed().fill('not an address');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await runCommand(page, 'Web Data: Map Site…');
    const before = box().locator('.monaco-list-row', { hasText: 'typed before' });
    await reads(before, /not an address/);
    await page.keyboard.press('Escape');
  });

  it('are found by a search, after its engine is set up', async function () {
    skipOnFleet(this, 'the search engine of a server is set when it starts');
    await runCommand(page, 'Web Data: Search the Web…');
    await enterText(page, 'tea', /Search the Web/);
    await press(/Searching needs a search engine, and none is set up/, 'Set Up Search…');
    await enterText(page, host, /Set Up Search/);
    const results = box().filter({ hasText: '1 result for "tea"' });
    await results.locator('.monaco-list-row', { hasText: 'A shop for tea' }).waitFor({ timeout: LONG });
    await page.keyboard.press('Enter');
    await box().locator('.monaco-list-row', { hasText: 'open it as Markdown' }).waitFor({ timeout: LONG });
    await page.keyboard.press('Enter');
    await page.locator('.tab.active', { hasText: 'The Tea Shop found.md' }).waitFor({ timeout: LONG });
    await showViews(page, 'Activity');
    await rowsOf(page, 'Activity').and(page.locator('[aria-label^="search tea"]')).waitFor({ timeout: LONG });
  });

  it('of a crawl are changed to http before the crawl starts', async () => {
    await runCommand(page, 'Web Data: Start Crawl…');
    await enterText(page, `https://${host}`, /1\/2/);
    await enterText(page, '', /2\/2/);
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.getByText('answers over HTTP').waitFor({ timeout: LONG });
    await dialog.locator('.monaco-button', { hasText: `Use http://${host}` }).click();
    await editorHolds(page, `"url": "http://${host}/"`);
  });

  it('of a server are offered over http while they are typed', async () => {
    await runCommand(page, 'Web Data: Connect to Server…');
    await typed().fill(`https://${host}`);
    await box()
      .locator('.quick-input-message', { hasText: /doesn't support HTTPS, but answers over HTTP/ })
      .waitFor({ timeout: LONG });
    await box().locator('a[aria-label^="Use http://"]').click();
    await contains(typed(), `http://${host}/`);
    await typed().press('Enter');
    await enterText(page, 'key-of-the-tea-shop', /2\/2/);
    await statusItem(page).filter({ hasText: host }).waitFor({ timeout: LONG });
    await runCommand(page, 'Web Data: Use Embedded Service');
    await statusItem(page).filter({ hasText: 'embedded' }).waitFor({ timeout: LONG });
  });

  it('in the live view need no scheme, stay after an error, and are offered over http', async () => {
    await runCommand(page, 'Web Data: New Browser Session');
    await statusItem(page).filter({ hasText: 'Untitled' }).waitFor({ timeout: LONG });
    await runCommand(page, 'Web Data: Open Live View');
    const live = await frameWith(page, 'input.address', LONG);
    await live.locator('button', { hasText: 'Take control' }).click({ timeout: LONG });
    const address = live.locator('input.address');
    const enter = async (text: string) => {
      await address.fill(text);
      await address.press('Enter');
    };
    await enter('ftp://files.test');
    await live.locator('.notice', { hasText: `"ftp://files.test" isn't an http or https URL.` }).waitFor();
    await contains(address, 'ftp://files.test');
    await enter(host);
    await contains(address, `http://${host}/`);
    await enter(`https://${host}/again`);
    const offer = live.locator('.notice button', { hasText: `Use http://${host}/again` });
    await offer.click({ timeout: LONG });
    await contains(address, `http://${host}/again`);
  });
}
