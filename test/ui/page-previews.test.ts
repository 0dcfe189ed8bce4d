import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { takePicture } from '../harness/pictures.ts';
import { expand } from '../harness/shown.ts';
import { rowsOf, showViews, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { errorMessages, frameWith, runCommand } from '../harness/workbench-actions.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
/** Pictures of a site that the preview loads itself: it shows only those that are sent encrypted. */
const pictures = 'https://pictures.test';
const picture = (name: string, alt: string) => `<img src="${pictures}/${name}.svg" alt="${alt}">`;
const said = (words: string) =>
  `<p>${words} We have tried it for two winters on a boat that is never dry, and wrote down what broke and what it cost to mend.</p>`;

const post = (author: string, day: number, body: string) =>
  `<article class="post"><header><span class="author">${author}</span> <time datetime="2026-03-0${day}">${day} March 2026</time></header>${body}</article>`;
const thread = `<title>Which stove for a small boat?</title><main><h1>Which stove for a small boat?</h1>${[
  post('maren', 1, said('Which one would you take?') + picture('stove', 'A stove below a porthole')),
  post('ole', 2, `<blockquote><p>Which one would you take?</p></blockquote>${said('The small one with a rail.')}`),
  post('ida', 3, `${said('Set the draught like this:')}<pre><code>open 1/2\nwait 10\nopen 1/4</code></pre>`),
  post('maren', 4, '<p>Thank you, that is it.</p>'),
].join('')}</main>`;

const data = {
  '@context': 'https://schema.org',
  '@type': 'ProductGroup',
  name: 'Harbour jacket',
  hasVariant: ['Navy', 'Moss', 'Rust'].map((color, at) => ({
    '@type': 'Product',
    name: `Harbour jacket, ${color}`,
    color,
    size: ['S', 'M', 'L'][at],
  })),
};
const product = `<title>Harbour jacket</title><script type="application/ld+json">${JSON.stringify(data)}</script><main><h1>Harbour jacket</h1>
  ${picture('front', 'The jacket from the front')}${picture('back', 'The jacket from behind')}<p>€120.00</p>
  <form method="post"><label>Size <select name="size"><option value="">Choose a size</option><option>S</option><option>M</option><option>L</option></select></label><button>Add to cart</button></form>
  <h2>What it is</h2>${said('Waxed cotton, sewn in a hall by the sea.')}<h2>Care</h2><ul><li>Wash it cold</li><li>Wax it each year</li></ul></main>`;

const cells = (row: readonly unknown[], name = 'td') =>
  `<tr>${row.map((each) => `<${name}>${each}</${name}>`).join('')}</tr>`;
const table = `<title>Tides of sixty years</title><main><h1>Tides of sixty years</h1>${said('Measured at the old pier.')}<table>
  ${cells(['Year', ...months, 'Remarks'], 'th')}
  ${Array.from({ length: 60 }, (_, at) =>
    cells([
      1967 + at,
      ...months.map((_, month) => ((at * 7 + month * 13) % 90) / 10),
      at % 9 === 0 ? 'Gauge rebuilt after the storm; values before and after it differ by a hand' : '',
    ]),
  ).join('')}</table>${picture('pier', 'The old pier at low water')}</main>`;

describe('The preview of a page', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: Server;
  let url: string;

  before(async () => {
    const list = ['thread', 'product', 'table'].map((path) => `<li><a href="/${path}">The ${path}</a></li>`).join('');
    const pages: Record<string, string> = {
      '/': `<title>Quay</title><main><h1>Quay</h1><ul>${list}</ul></main>`,
      '/thread': thread,
      '/product': product,
      '/table': table,
    };
    site = createServer((request, response) => {
      const html = pages[request.url ?? ''];
      response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(html && `<!doctype html>${html}`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    folder = mkdtempSync(join(tmpdir(), 'webdata-previews-'));
    mkdirSync(join(folder, 'workspace'));
    workbench = await startWorkbench({ folder: join(folder, 'workspace'), size: { width: 1400, height: 1000 } });
    ({ page } = workbench);
    await page.route(`${pictures}/**`, (route) =>
      route.fulfill({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><rect width="900" height="500" fill="#7a9"/><circle cx="450" cy="250" r="160" fill="#e7d9b0"/></svg>',
      }),
    );
    await statusItem(page).waitFor({ timeout: patience });
    await runCommand(page, 'Web Data: New Browser Session');
    const service = await eventually(async () => embeddedService(workbench.dataDir), patience);
    const started = await service.call('POST', '/v2/crawl', { url });
    assert.equal(started.status, 200, JSON.stringify(started.body));
    await eventually(async () => {
      const { body } = await service.call('GET', `/v2/crawl/${started.body.id}?limit=1`);
      assert.equal(body.status, 'completed');
    }, patience);
    await showViews(page, 'Activity');
    await runCommand(page, 'Web Data: Refresh Views');
    await expand(row('crawl 127.0.0.1'), row('Page Harbour jacket'));
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await takePicture(page, `failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    site?.close();
    site?.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  const row = (start: string) => rowsOf(page, 'Activity').and(page.locator(`[aria-label^="${start}"]`));
  const open = async (title: string): Promise<Frame> => {
    await row(`Page ${title}`).click();
    return frameWith(page, `h1:has-text("${title}")`);
  };
  /** Every picture is loaded, and as wide as the text at most. */
  const showsPictures = (preview: Frame, alts: readonly string[]) =>
    eventually(async () => {
      const shown = await preview.locator('img').evaluateAll((images) =>
        (images as HTMLImageElement[]).map(({ alt, naturalWidth, clientWidth, parentElement }) => ({
          alt,
          isShown: naturalWidth > 0 && clientWidth > 0 && clientWidth <= (parentElement?.clientWidth ?? 0),
        })),
      );
      assert.deepEqual(
        shown,
        alts.map((alt) => ({ alt, isShown: true })),
      );
    }, patience);

  it('shows a thread with who wrote what and when, quotes and code', async () => {
    const preview = await open('Which stove for a small boat?');
    const text = await preview.locator('.markdown-body, body').first().innerText();
    assert.match(text, /maren[\s\S]*1 March 2026[\s\S]*ole[\s\S]*2 March 2026[\s\S]*ida[\s\S]*maren[\s\S]*Thank you/);
    assert.equal(await preview.locator('blockquote').innerText(), 'Which one would you take?');
    assert.match(await preview.locator('pre').innerText(), /open 1\/2\nwait 10\nopen 1\/4/);
    await showsPictures(preview, ['A stove below a porthole']);
    await takePicture(page, 'preview-thread');
  });

  it('shows a product with its pictures, price and options', async () => {
    const preview = await open('Harbour jacket');
    await showsPictures(preview, ['The jacket from the front', 'The jacket from behind']);
    const lines = await preview.locator('p').allInnerTexts();
    for (const line of ['€120.00', 'Size: S, M, L', 'Color: Navy, Moss, Rust'])
      assert.ok(lines.includes(line), lines.join('\n'));
    await takePicture(page, 'preview-product');
  });

  it('shows a long table with all of its rows and columns', async () => {
    const preview = await open('Tides of sixty years');
    const rows = preview.locator('table tr');
    assert.equal(await rows.count(), 61);
    assert.deepEqual(await rows.first().locator('th').allInnerTexts(), ['Year', ...months, 'Remarks']);
    assert.equal(await rows.last().locator('td').count(), 14);
    await showsPictures(preview, ['The old pier at low water']);
    await takePicture(page, 'preview-table');
    assert.deepEqual(await errorMessages(page), []);
  });
});
