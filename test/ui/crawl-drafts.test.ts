import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { draftCrawl, noteBehind } from '../harness/crawl-draft.ts';
import { linking } from '../harness/crawl-jobs.ts';
import { embeddedService, endEmbeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { type GatedSite, startGatedSite } from '../harness/gated-site.ts';
import { takePicture } from '../harness/pictures.ts';
import { editorHolds, enterText, offered } from '../harness/rows-and-editors.ts';
import { startShopSite } from '../harness/shop-site.ts';
import { counts, expand } from '../harness/shown.ts';
import { rowsOf, showViews } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { errorMessages, notification, runCommand } from '../harness/workbench-actions.ts';
import { skipOnFleet } from '../harness/workbench-fleet.ts';

/** Milliseconds for the start of the service and for what follows from it. */
const LONG = patience;

describe('Crawl drafts and reloads', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: GatedSite;

  before(async () => {
    site = await startGatedSite(['/guide/green', '/guide/black', '/blog/news']);
    folder = mkdtempSync(join(tmpdir(), 'webdata-drafts-'));
    workbench = await startWorkbench({
      folder,
      size: { width: 1400, height: 1000 },
    });
    ({ page } = workbench);
  });
  after(async () => {
    await workbench?.close();
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async function () {
    await takePicture(page, `drafts-${this.currentTest?.title.slice(0, 20)}`);
  });
  const lens = (text: string) => page.locator('.editor-instance .codelens-decoration', { hasText: text }).first();

  it('warn about parts of the sentence that no parameter expresses', async () => {
    await draftCrawl(page, site.url, 'The guide with screenshots, but not the blog');
    await editorHolds(page, '"includePaths": ["^/guide');
    await editorHolds(page, '"excludePaths": ["^/blog');
    await lens('Not understood: “with screenshots”').waitFor({ timeout: LONG });
    // However much is said there, what starts the crawl isn't cut off.
    const first = page.locator('.editor-instance .codelens-decoration a').first();
    assert.match((await first.textContent()) ?? '', /Start crawl/);
    await noteBehind(page, '', /Understood: parts of the site/);
  });

  it('complete the webhook with the running receiver', async () => {
    await runCommand(page, 'Web Data: Start Webhook Receiver');
    await showViews(page, 'Webhooks');
    await page.locator('.tab', { hasText: '.crawl.json' }).first().click();
    await page.locator('.editor-instance .view-lines').first().click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('"web');
    await (await offered(page, 'webhook receiver')).click();
    await editorHolds(page, '"webhook": "http://127.0.0.1:');
  });

  const listsOfShop = async () => {
    const shop = await startShopSite();
    const last = 100;
    // More pages of a list than a map reads at first.
    shop.answer('/archive', (_request, response, url) => {
      const number = Number(url.searchParams.get('page') ?? 1);
      const next = number < last ? [`/archive?page=${number + 1}`] : [];
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(linking(`Archive, page ${number}`, `/archive/item-${number}`, ...next));
    });
    shop.answer(
      '/product/2',
      `${linking('Product 2', '/shop')}<script>document.querySelector('ul').innerHTML += '<li>Part of it</li>'.repeat(9)</script>`,
    );
    return shop;
  };
  const startCrawl = () =>
    page.locator('.editor-instance .codelens-decoration a', { hasText: 'Start crawl' }).first().click();
  const includeNothing = async () => {
    // The lines move down when it is drawn above them.
    await lens('Matches ').waitFor({ timeout: LONG });
    const include = page.locator('.editor-group-container.active .view-line', { hasText: 'includePaths' });
    await include.getByText('product').first().dblclick();
    await page.keyboard.type('nothing');
    await lens('Matches none of ').waitFor({ timeout: LONG });
  };
  const press = async (notice: RegExp, button: string) => {
    const found = await notification(page, notice);
    await found.locator('.monaco-button', { hasText: button }).first().click();
  };
  const crawlRow = (description: RegExp) =>
    eventually(async () => {
      const spoken = await rowsOf(page, 'Crawls').evaluateAll((all) => all.map((row) => row.ariaLabel ?? ''));
      assert.ok(
        spoken.some((label) => description.test(label)),
        spoken.join('\n'),
      );
    }, LONG);

  it('say how many pages they would get, and why none, as they are edited', async () => {
    const shop = await listsOfShop();
    try {
      await draftCrawl(page, shop.baseUrl, 'all the products in the shop, not the blog or docs');
      await editorHolds(page, '"includePaths": ["^/product');
      await lens('Matches 60 of ').waitFor({ timeout: LONG });
      await noteBehind(page, 'includePaths', /leaves out \d+ pages/);
      await takePicture(page, 'drafts-matches');
      const asked = shop.requests.length;
      await includeNothing();
      await page.locator('.editor-instance .squiggly-warning').first().waitFor({ timeout: LONG });
      await takePicture(page, 'drafts-matches-none');
      assert.equal(shop.requests.length, asked, 'the site was asked again');
      await page.keyboard.press('ControlOrMeta+z');
      await lens('Matches 60 of ').waitFor({ timeout: LONG });
      await page.locator('.editor-instance .squiggly-warning').first().waitFor({ state: 'detached', timeout: LONG });
    } finally {
      await shop.close();
    }
  });

  it('become crawls that say what they left out, and go on after their limit', async () => {
    const shop = await listsOfShop();
    try {
      await showViews(page, 'Crawls');
      await draftCrawl(page, shop.baseUrl, 'all the products in the shop, at most 10 pages');
      await editorHolds(page, '"limit": 10');
      await lens('Matches 10 of ').waitFor({ timeout: LONG });
      await startCrawl();
      await crawlRow(/completed · 10 pages, at least \d+ more known · .*1 rendered · kept until .*\d\d:\d\d/);
      const left = () => rowsOf(page, 'Crawls').and(page.locator('[aria-label^="Left out: "]'));
      await left().click({ timeout: LONG });
      const reason = rowsOf(page, 'Crawls').and(page.locator('[aria-label^="beyond the limit"]'));
      await reason.waitFor({ timeout: LONG });
      await takePicture(page, 'crawl-left-out');
      await press(/10 pages, at least \d+ more known/, 'Continue…');
      const twice = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Twice as many pages' });
      await twice.locator('text=At most 20 pages').waitFor({ timeout: LONG });
      await takePicture(page, 'crawl-continue');
      await twice.click();
      await crawlRow(/completed · 20 pages, at least \d+ more known/);
      await takePicture(page, 'crawl-twice');
      await press(/20 pages, at least \d+ more known/, 'Continue…');
      const more = page.locator('.quick-input-list .monaco-list-row', { hasText: 'At most 1,000 pages' });
      await more.waitFor({ timeout: LONG });
      await more.click();
      await crawlRow(/completed · 60 pages, \d+ more read for their links · .*1 rendered · kept until/);
      await reason.waitFor({ state: 'detached', timeout: LONG });
      await takePicture(page, 'crawl-continued');
      const service = embeddedService(workbench.dataDir);
      const { body } = await service.call('GET', '/v2/team/activity?endpoint=crawl');
      assert.equal(body.data.length, 1, 'the same crawl went on');
      // Which rows are open after the crawl went on is VS Code's decision.
      const row = (spoken: string) =>
        rowsOf(page, 'Crawls')
          .and(page.locator(`[aria-label^="${spoken}"]`))
          .first();
      const include = row('not in includePaths');
      await expand(left(), include);
      await include.locator('.monaco-tl-twistie').click();
      await row(`${shop.baseUrl}/blog`).waitFor({ timeout: LONG });
      await takePicture(page, 'crawl-left-out-ways');
      await include.click();
      await editorHolds(page, '"includePaths": ["^/product(/|$)", "^/blog(/|$)"');
      await takePicture(page, 'crawl-wider');
      await row(`${shop.baseUrl}/blog`).click({ timeout: LONG });
      await page.locator('.tab', { hasText: 'Blog' }).first().waitFor({ timeout: LONG });
      await takePicture(page, 'crawl-left-out-page');
    } finally {
      await shop.close();
    }
  });

  it('become crawls that start higher up if all links are beside the start page', async () => {
    const shop = await listsOfShop();
    try {
      await showViews(page, 'Crawls');
      await draftCrawl(page, `${shop.baseUrl}/docs/page-1`, '');
      await noteBehind(page, 'crawlEntireDomain', /leaves out \d+ pages/);
      await startCrawl();
      await press(/Crawl of .* completed: 1 page, .*left out/, 'Start at ');
      await enterText(page, '', /2\/2/);
      await editorHolds(page, `"url": "${shop.baseUrl}/docs/"`);
      await takePicture(page, 'crawl-start-higher');
    } finally {
      await shop.close();
    }
  });

  it('become crawls that say why they found no page', async () => {
    const shop = await listsOfShop();
    try {
      await showViews(page, 'Crawls');
      await draftCrawl(page, shop.baseUrl, 'all the products in the shop');
      await includeNothing();
      await startCrawl();
      const why = /No page was crawled\. The crawl found and left out .*includePaths/;
      await crawlRow(/completed · 0 pages/);
      await counts(rowsOf(page, 'Crawls').getByText(why), 1);
      await takePicture(page, 'crawl-without-pages');
    } finally {
      await shop.close();
    }
  });

  it('have scrapes beside them that take options, and say that they got an error page', async () => {
    const shop = await startShopSite();
    const box = page.locator('.quick-input-widget:visible');
    const title = (text: string | RegExp) => box.locator('.quick-input-title').filter({ hasText: text });
    const option = (name: string) => page.locator('.quick-input-list .monaco-list-row', { hasText: name });
    shop.answer('/gone', (_request, response) => {
      const html = linking('This page is gone', '/shop');
      response.writeHead(404, { 'content-type': 'text/html' }).end(html);
    });
    try {
      // Escape would close the notifications before the list.
      await runCommand(page, 'Notifications: Clear All Notifications');
      await runCommand(page, 'Web Data: Scrape URL…');
      await title('Scrape URL').waitFor({ timeout: LONG });
      await box.locator('.action-label[aria-label="Options"]').click();
      await option('Wait').click({ timeout: LONG });
      await enterText(page, '0.2', /Seconds to wait before a page is read/);
      await option('Formats').click({ timeout: LONG });
      await title('Formats besides Markdown').waitFor({ timeout: LONG });
      await option('links').click();
      await takePicture(page, 'scrape-formats');
      await page.keyboard.press('Enter');
      await title('Scrape Options').waitFor({ timeout: LONG });
      await option('links').waitFor({ timeout: LONG });
      await takePicture(page, 'scrape-options');
      await page.keyboard.press('Escape');
      await title('waits 0.2 s · links').waitFor({ timeout: LONG });
      await takePicture(page, 'scrape-url');
      await enterText(page, `${shop.baseUrl}/gone`, /Scrape URL/);
      await notification(page, /The site answered with HTTP status 404\. This is its error page\./);
      await takePicture(page, 'scrape-error-page');
    } finally {
      await shop.close();
    }
  });

  it('have maps beside them that follow lists, and find more', async () => {
    const shop = await listsOfShop();
    const title = page.locator('.quick-input-widget:visible .quick-input-title');
    try {
      // Escape would close the notifications before the list.
      await runCommand(page, 'Notifications: Clear All Notifications');
      await runCommand(page, 'Web Data: Map Site…');
      await title.filter({ hasText: 'Map Site · waits 0.2 s' }).waitFor({ timeout: LONG });
      await page.locator('.quick-input-widget:visible .action-label[aria-label="Options"]').click();
      await title.filter({ hasText: 'Map Options' }).waitFor({ timeout: LONG });
      await takePicture(page, 'map-options');
      await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Reset' }).click();
      // The list opens again.
      const wait = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Wait' });
      await wait.filter({ hasText: '0 s' }).waitFor({ timeout: LONG });
      await page.keyboard.press('Escape');
      shop.answer(
        '/list',
        `${linking('List', '/list/1')}<button>Load more</button><script>addEventListener('x', alert)</script>`,
      );
      await enterText(page, `${shop.baseUrl}/list`, /^Map Site$/);
      await title.filter({ hasText: /^2 pages on / }).waitFor({ timeout: LONG });
      await notification(
        page,
        /Web Data: http\S+\/list: The page has a button "Load more", which wasn't clicked: what it loads is missing/,
      );
      await takePicture(page, 'map-lacks');
      await page.keyboard.press('Escape');
      await runCommand(page, 'Web Data: Map Site…');
      await enterText(page, `${shop.baseUrl}/archive`, /^Map Site$/);
      await title.filter({ hasText: /5\d more pages read/ }).waitFor({ timeout: LONG });
      await takePicture(page, 'map-partial');
      await page.locator('.quick-input-widget:visible .action-label[aria-label="Find More"]').click();
      await title.filter({ hasText: /^200 pages on / }).waitFor({ timeout: LONG });
      await counts(page.locator('.quick-input-widget:visible .action-label[aria-label="Find More"]'), 0);
      await takePicture(page, 'map-whole');
      await page.keyboard.press('Escape');
    } finally {
      await shop.close();
    }
  });

  it('say below the main content what it leaves out, and get the whole page', async () => {
    const shop = await startShopSite();
    const sentence = 'The harbor opens at six in the morning, and the first boats come in with their catch. ';
    const about = `<aside><h2>Who writes this</h2><p>${sentence.repeat(2)}</p></aside>`;
    shop.answer(
      '/harbor',
      `<title>Harbor</title><article><h1>Harbor</h1>${`<p>${sentence.repeat(4)}</p>`.repeat(3)}</article>${about}`,
    );
    try {
      await runCommand(page, 'Notifications: Clear All Notifications');
      await runCommand(page, 'Web Data: Scrape URL…');
      await enterText(page, `${shop.baseUrl}/harbor`, /^Scrape URL/);
      await page.locator('.tab.active', { hasText: 'Harbor.md' }).waitFor({ timeout: LONG });
      await lens('Scrape Whole Page').waitFor({ timeout: LONG });
      await editorHolds(page, "Not in the main content, 15% of the page's text: Who writes this");
      await takePicture(page, 'left-out');
      await runCommand(page, 'Markdown: Open Preview');
      const button = page.locator(
        '.editor-group-container.active .editor-actions a[aria-label^="Get More of This Page"]',
      );
      await button.waitFor({ timeout: LONG });
      await takePicture(page, 'left-out-preview');
      await button.click();
      await editorHolds(page, '## Who writes this');
      await counts(page.locator('.editor-group-container.active .codelens-decoration', { hasText: 'Whole Page' }), 0);
      assert.deepEqual(await errorMessages(page), []);
    } finally {
      await shop.close();
    }
  });

  it('have beside them a button that scrapes an endless list to its end', async () => {
    const shop = await startShopSite();
    const rows = 450;
    const more = `const more = () => { for (let n = 0; n < 30 && list.children.length < ${rows}; n++) list.insertAdjacentHTML('beforeend', '<li style="height: 60px">Row ' + (list.children.length + 1) + '</li>') }`;
    const atEnd = 'scrollY + innerHeight > document.body.scrollHeight - 100';
    shop.answer(
      '/feed',
      `<title>Feed</title><h1>Feed</h1><ul id="list"></ul><script>${more}; more(); addEventListener('scroll', () => { if (${atEnd}) more() })</script>`,
    );
    const button = 'Load More and Scrape Again';
    try {
      await runCommand(page, 'Notifications: Clear All Notifications');
      await runCommand(page, 'Web Data: Scrape URL…');
      await enterText(page, `${shop.baseUrl}/feed`, /^Scrape URL/);
      await page.locator('.tab.active', { hasText: 'Feed.md' }).waitFor({ timeout: LONG });
      // First, since it isn't asked for while something else has the focus, as notifications do when they are looked at.
      await lens(button).waitFor({ timeout: LONG });
      await notification(page, /keeps adding content as it is scrolled/);
      await takePicture(page, 'feed-lens');
      await runCommand(page, 'Notifications: Clear All Notifications');
      await runCommand(page, 'Markdown: Open Preview');
      const inTitleBar = page.locator(
        `.editor-group-container.active .editor-actions a[aria-label^="Get More of This Page"]`,
      );
      await inTitleBar.waitFor({ timeout: LONG });
      await takePicture(page, 'feed-preview');
      await inTitleBar.click();
      await page.locator('.tab.active', { hasText: /^Feed.*\.md/ }).waitFor({ timeout: LONG });
      await page.locator('.editor-group-container.active .editor-instance .view-lines').first().click();
      await page.keyboard.press('ControlOrMeta+End');
      await editorHolds(page, `Row ${rows}`);
      await counts(page.locator('.editor-group-container.active .codelens-decoration', { hasText: button }), 0);
      await takePicture(page, 'feed-whole');
      assert.deepEqual(await errorMessages(page), []);
    } finally {
      await shop.close();
    }
  });

  it('keep edits and warnings when the window is reopened, and views start the service to show stored data', async function () {
    skipOnFleet(this, 'a window starts and ends only the embedded service');
    await showViews(page, 'Activity', 'Crawls', 'Browser Sessions');
    await runCommand(page, 'Web Data: Scrape URL…');
    await enterText(page, `${site.url}guide/green`, /Scrape/);
    const request = () => rowsOf(page, 'Activity').and(page.locator('[aria-label*="/guide/green"]'));
    await request().first().waitFor({ timeout: LONG });
    await page.locator('.tab', { hasText: '.crawl.json' }).first().click();
    await editorHolds(page, '"webhook": "http://127.0.0.1:');
    await workbench.leave();
    // The service would wait a minute and a half for the window, as VS Code still runs.
    endEmbeddedService(workbench.dataDir);
    await eventually(() => assert.throws(() => embeddedService(workbench.dataDir), /no service runs/), LONG);
    await page.goto(workbench.url);
    await page.locator('.tab', { hasText: '.crawl.json' }).first().click({ timeout: LONG });
    await editorHolds(page, '"webhook": "http://127.0.0.1:');
    await lens('Not understood: “with screenshots”').waitFor({ timeout: LONG });
    await request().first().waitFor({ timeout: LONG });
    assert.deepEqual(await errorMessages(page), []);
  });
});
