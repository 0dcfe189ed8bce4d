import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { draftCrawl, noteBehind } from '../harness/crawl-draft.ts';
import { ended } from '../harness/crawl-jobs.ts';
import { askInView, openDocs } from '../harness/docs-view.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { saveAs } from '../harness/file-dialog.ts';
import { type PagesSite, startPagesSite } from '../harness/pages-site.ts';
import { takePicture } from '../harness/pictures.ts';
import { editorHolds, pick, pickFromMenu, spokenRows } from '../harness/rows-and-editors.ts';
import { endedRun, newestRun, type ShownRun, shownBehindLines } from '../harness/run-results.ts';
import { expand, reads } from '../harness/shown.ts';
import { rowsOf, sessionRows, showViews, statusItem } from '../harness/sidebar.ts';
import { copyWebhookUrl, deliveryRow } from '../harness/webhooks-view.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { errorMessages, frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';

/** The color of all pages of the site: `teal`. */
const color = [0, 128, 128] as const;

const pageFile = (url: string) => `interface Link { text: string; path: string | null }
await page.goto('${url}/');
console.log('Opened ' + await page.title());
const links: Link[] = await page.locator('li a').evaluateAll((all) =>
  all.map((a) => ({ text: a.textContent ?? '', path: a.getAttribute('href') })));
links
`;

const selected = `const price: number = 2;
const rate = 1.5;
price * rate + 1
`;

const cellsFile = `// %% count
const cups: string[] = ['green', 'black'];
cups.length

// %% pour
console.log('pouring');
const pot: { pour?: () => void } = {};
pot.pour!();
`;

describe('The main job', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: PagesSite;

  before(async () => {
    site = await startPagesSite(6, 'teal');
    folder = mkdtempSync(join(tmpdir(), 'webdata-main-job-'));
    writeFileSync(join(folder, 'page.ts'), pageFile(site.url));
    writeFileSync(join(folder, 'selection.ts'), `${selected}nothing.of.this.runs\n`);
    writeFileSync(join(folder, 'cells.ts'), cellsFile);
    workbench = await startWorkbench({
      folder,
      size: { width: 1400, height: 1000 },
      settings: { 'files.simpleDialog.enable': true },
    });
    ({ page } = workbench);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await takePicture(page, `failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const host = () => new URL(site.url).host;
  const newest = async (selector: string) =>
    (await frameWith(page, '[data-run-id]')).locator('[data-run-id]').first().locator(selector);
  const behindLines = (expected: RegExp) =>
    eventually(async () => assert.match(await shownBehindLines(page), expected));
  /** Does what runs code, and returns the run when it has ended. */
  const run = async (start: () => Promise<void>): Promise<ShownRun> => {
    const before = await newestRun(page);
    await start();
    return await endedRun(page, patience, before?.runId);
  };
  const runPageFile = async () => {
    await openFile(page, 'page.ts');
    return await run(() => runCommand(page, 'Web Data: Run File'));
  };
  const cursor = (text: string) => page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: text });
  /** Puts the cursor at the start of the line with this text. */
  const goTo = async (text: string, line: number) => {
    await eventually(async (timeout) => {
      await page.locator('.editor-instance .view-line', { hasText: text }).first().click({ timeout });
      await page.keyboard.press('Home');
      await cursor(`Ln ${line}, Col 1`).waitFor({ timeout });
    });
  };
  const crawlRow = () =>
    rowsOf(page, 'Crawls')
      .and(page.locator(`[aria-label^="Crawl of ${host()}"]`))
      .first();
  const activityRow = (start: string) =>
    rowsOf(page, 'Activity')
      .and(page.locator(`[aria-label^="${start}"]`))
      .first();

  it('runs a file against a page: a table, output, and the value behind its line', async () => {
    const { state, error, result, stdout } = await runPageFile();
    assert.equal(state, 'ok', error);
    assert.equal(stdout, 'Opened Tea house\n');
    const links = JSON.parse(result ?? '[]');
    assert.deepEqual(links[0], { text: 'to /guide/1', path: '/guide/1' });
    await reads(await newest('.count'), new RegExp(`^${links.length} rows$`));
    await reads(await newest('.table-row'), /to \/guide\/1/);
    await behindLines(/» \S/);
    await showViews(page, 'Browser Sessions');
    await sessionRows(page).filter({ hasText: 'Tea house' }).first().waitFor();
    await reads(statusItem(page), /Tea house/);
    await takePicture(page, 'main-job-file');
  });

  it('runs only what is selected', async () => {
    await openFile(page, 'selection.ts');
    await eventually(async (timeout) => {
      await goTo('const price', 1);
      for (let line = 0; line < 3; line++) await page.keyboard.press('Shift+ArrowDown');
      await cursor(`${selected.length} selected`).waitFor({ timeout });
    });
    const { state, error, result } = await run(() => runCommand(page, 'Web Data: Run Selection or Cell'));
    assert.deepEqual([state, result], ['ok', '4'], error);
    await behindLines(/» 4/);
  });

  it('runs cells, and marks the line that fails', async () => {
    await openFile(page, 'cells.ts');
    await goTo('const cups', 2);
    const counted = await run(() => page.keyboard.press('Shift+Enter'));
    assert.equal(counted.result, '2', counted.error);
    await behindLines(/» 2/);
    await goTo('const pot', 7);
    const failed = await run(() => page.keyboard.press('Shift+Enter'));
    assert.deepEqual([failed.state, failed.stdout], ['failed', 'pouring\n']);
    assert.match(failed.error ?? '', /TypeError: pot\.pour is not a function[\s\S]*cells\.ts:8/);
    await behindLines(/✗ TypeError: pot\.pour is not a function/);
    await page.locator('.editor-instance .squiggly-error').first().waitFor({ state: 'attached' });
    await takePicture(page, 'main-job-cells');
  });

  it('shows the page in the live view', async () => {
    await runPageFile();
    await runCommand(page, 'Web Data: Open Live View');
    const live = await frameWith(page, 'canvas.picture');
    await reads(live.locator('.tab-title'), /^Tea house$/);
    await eventually(async () => {
      const [ofColor = 0, dark = 0] = await live.locator('canvas.picture').evaluate(sharesOf, color);
      assert.ok(ofColor > 0.5 && ofColor < 1, `${ofColor} of the picture has the color of the page`);
      assert.ok(dark > 0, 'no text is in the picture');
    });
    await takePicture(page, 'main-job-live-view');
    await runCommand(page, 'View: Close All Editors');
  });

  it('crawls a site as described in a sentence', async () => {
    await showViews(page, 'Crawls');
    await draftCrawl(page, site.url, 'Only the guide, at most 5 pages');
    await editorHolds(page, '"limit": 5');
    await editorHolds(page, '"includePaths": ["^/guide');
    const lens = page.locator('.editor-instance .codelens-decoration');
    await noteBehind(page, '', /From your description: Only the guide, at most 5 pages/);
    await lens.filter({ hasText: 'Matches 5 of ' }).first().waitFor();
    await takePicture(page, 'main-job-draft');
    await runCommand(page, 'Web Data: Start This Crawl');
    await eventually(async () =>
      assert.match((await crawlRow().getAttribute('aria-label')) ?? '', /completed · .*5 pages/),
    );
    await takePicture(page, 'main-job-crawl');
  });

  it('opens the pages of the crawl from the side bar', async () => {
    await showViews(page, 'Crawls');
    const guide = rowsOf(page, 'Crawls').and(page.locator('[aria-label^="Page Page guide 1,"]'));
    // The row of a running crawl is expanded, and collapses when it ends.
    await eventually(async (timeout) => {
      await expand(crawlRow(), guide);
      await guide.click({ timeout });
      await frameWith(page, 'text=zanzibarred', timeout);
    });
    await takePicture(page, 'main-job-page');
  });

  it('saves the pages of the crawl', async () => {
    await showViews(page, 'Crawls');
    const file = await saveAs(page, async () => {
      await pickFromMenu(page, crawlRow(), 'Save Pages As…');
      await pick(page, 'a page per line');
      return join(folder, 'pages.jsonl');
    });
    const texts = [...site.pages].filter(([path]) => /^\/guide\/[1-5]$/.test(path));
    await eventually(() => {
      const saved = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.equal(saved.length, texts.length);
      for (const [path, text] of texts)
        assert.ok(saved.find(({ metadata }) => metadata.url === site.url + path)?.markdown.includes(text), path);
    });
  });

  it('shows what was done, and what it used', async () => {
    await showViews(page, 'Activity');
    await runCommand(page, 'Web Data: Refresh Views');
    for (const kind of [`crawl ${host()}`, 'browser session']) await activityRow(kind).waitFor();
    await takePicture(page, 'main-job-activity');
    await showViews(page, 'Usage');
    await eventually(async () => {
      const usage = await frameWith(page, '.chart [role="option"]');
      const month = await usage.locator('.chart [role="option"]').last().getAttribute('aria-label');
      assert.match(month ?? '', /^\w+ \d{4}: [\d,]*[1-9][\d,]* tokens, [\d.,]+ credits$/);
    });
    await takePicture(page, 'main-job-usage');
  });

  it('answers a question from the docs, with sources', async () => {
    const docs = await openDocs(page);
    const turn = await askInView(docs, 'How long may a session live?');
    assert.equal(await turn.getAttribute('data-state'), 'answered', await turn.innerText());
    await reads(turn.locator('.markdown'), /3600/);
    await reads(turn.locator('.evidence li'), /browser-sessions\.md/);
    await turn.locator('.evidence .link').first().click();
    await page.locator('.tab.active', { hasText: 'browser-sessions.md' }).waitFor();
    await takePicture(page, 'main-job-docs');
  });

  it('receives the webhooks of a crawl', async () => {
    // A session starts the service.
    if (!(await newestRun(page))) await runPageFile();
    await runCommand(page, 'Web Data: Start Webhook Receiver');
    const webhook = await copyWebhookUrl(page);
    const service = await eventually(() => embeddedService(workbench.dataDir));
    const { status, body } = await service.call('POST', '/v2/crawl', { url: `${site.url}/blog/1`, limit: 1, webhook });
    assert.equal(status, 200, JSON.stringify(body));
    await ended(service, body.id);
    await showViews(page, 'Webhooks');
    await eventually(async () => {
      const rows = await spokenRows(deliveryRow(page, 'crawl.'));
      assert.deepEqual(
        rows.map((row) => /^(crawl\.\w+),.* verified$/.exec(row)?.[1]),
        ['crawl.completed', 'crawl.page', 'crawl.started'],
        rows.join('\n'),
      );
    });
    await deliveryRow(page, 'crawl.page').click();
    await page.locator('.tab.active', { hasText: 'crawl.page.json' }).waitFor();
    await editorHolds(page, '"type": "crawl.page"');
    await takePicture(page, 'main-job-webhooks');
  });

  it('has shown no error', async () => {
    assert.deepEqual(await errorMessages(page), []);
  });
});

/** Runs in the live view: the shares of the picture that have a color, but for what JPEG changes, and that are dark. */
function sharesOf(canvas: SVGElement | HTMLElement, color: readonly number[]): number[] {
  const { width, height } = canvas as HTMLCanvasElement;
  const data = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
  let ofColor = 0;
  let dark = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = data.slice(at, at + 3);
    if (color.every((value, index) => Math.abs(value - (data[at + index] ?? 0)) < 16)) ofColor++;
    if (red + green + blue < 100) dark++;
  }
  return [ofColor / (width * height), dark / (width * height)];
}
