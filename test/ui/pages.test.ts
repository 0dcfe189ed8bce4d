import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import type { Page } from 'playwright-core';
import { connectToServer, keyEnvironment } from '../harness/connect-to-server.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { saveAs as saveFile } from '../harness/file-dialog.ts';
import { type PagesSite, startPagesSite } from '../harness/pages-site.ts';
import { takePicture } from '../harness/pictures.ts';
import { editorHolds, pick, pickFromMenu, spokenRows } from '../harness/rows-and-editors.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { counts, expand, reads } from '../harness/shown.ts';
import { rowsOf, showViews, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { errorMessages, frameWith, runCommand } from '../harness/workbench-actions.ts';

/** Milliseconds for the start of the service and for what follows from a reading of a view. */
const LONG = patience;
const key = keyEnvironment.WEBDATA_API_KEY;
const perFolder = 20;

type Call = (method: string, path: string, body?: object) => Promise<{ status: number; body: Record<string, unknown> }>;

describe('Pages of crawls', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let site: PagesSite;
  let server: ServiceProcess;

  before(async () => {
    site = await startPagesSite(perFolder);
    folder = mkdtempSync(join(tmpdir(), 'webdata-pages-'));
    mkdirSync(join(folder, 'workspace'));
    server = await spawnService(['--port', '0', '--data-dir', join(folder, 'server')], {
      WEBDATA_API_KEYS: `${key}:team`,
    });
    workbench = await startWorkbench({
      folder: join(folder, 'workspace'),
      size: { width: 1400, height: 1000 },
      settings: { 'files.simpleDialog.enable': true },
      env: keyEnvironment,
    });
    ({ page } = workbench);
    await statusItem(page).waitFor({ timeout: LONG });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await picture(`failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    server?.child.kill();
    await server?.exited;
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const picture = (name: string, show?: () => Promise<void>) => takePicture(page, name, show);
  const row = (start: string) => rowsOf(page, 'Activity').and(page.locator(`[aria-label^="${start}"]`));
  const crawlRow = () => row(`crawl ${new URL(site.url).host}`);

  const crawl = async (request: Call) => {
    const started = await request('POST', '/v2/crawl', { url: site.url });
    assert.equal(started.status, 200, JSON.stringify(started.body));
    await eventually(async () => {
      const { body } = await request('GET', `/v2/crawl/${started.body.id}?limit=1`);
      assert.equal(body.status, 'completed');
    }, LONG);
  };
  const expandCrawl = async () => {
    await showViews(page, 'Activity');
    await runCommand(page, 'Web Data: Refresh Views');
    await expand(crawlRow(), row('Folder guide'));
  };
  const saveAs = async (target: string) => {
    const input = page.locator('.quick-input-widget:visible .quick-input-box input');
    await page.locator('.quick-input-widget:visible', { hasText: 'Save Here' }).waitFor({ timeout: LONG });
    // The dialog fills in the folder that it starts in once it has read it.
    await eventually(async () => assert.match(await input.inputValue(), /\/workspace\/$/), LONG);
    await input.fill(target);
    await eventually(async () => assert.equal((await input.inputValue()).replace(/\/$/, ''), target), LONG);
    await page.locator('.quick-input-widget:visible').getByText('Save Here').first().click();
  };
  const confirmMissing = async () => {
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.waitFor({ timeout: LONG });
    await reads(dialog, /2 failed or blocked pages have no content/);
    await picture('pages-save-asks');
    await dialog.locator('.monaco-button', { hasText: 'Save Anyway' }).click();
  };
  const saveAndCompare = async (name: string) => {
    const target = join(folder, name);
    mkdirSync(target);
    await pickFromMenu(page, crawlRow(), 'Save Pages As…');
    await pick(page, 'a folder per site');
    await confirmMissing();
    await saveAs(target);
    const paths = [...site.pages.keys()];
    await eventually(async () => {
      const saved = filesIn(target);
      assert.equal(saved.length, paths.length);
      // The file exists before its content is written.
      assert.ok(saved.every((file) => statSync(join(target, file)).size > 0));
    }, LONG);
    const host = new URL(site.url).host.replace(':', '-');
    for (const [index, path] of paths.entries()) {
      const file = `${host}${path === '/' ? '/index' : path}.md`;
      const text = readFileSync(join(target, file), 'utf8');
      assert.ok(text.includes(`url: "${site.url}${path}"`), text);
      assert.match(text, /^---\n[\s\S]*\ntitle: "[^"]+"\ntime: "\d{4}-[^"]+"\n---\n/);
      assert.ok(text.includes(site.pages.get(path) ?? '-'), text);
      const next = paths[index + 1];
      if (path === '/' || next === undefined) continue;
      const fromFolder = path.split('/')[1];
      const link = next.startsWith(`/${fromFolder}/`) ? `./${next.split('/')[2]}.md` : `..${next}.md`;
      assert.ok(text.includes(`](${link})`), `${file} links to ${link}:\n${text}`);
    }
  };

  it('expand in Activity to folders and pages', async () => {
    await runCommand(page, 'Web Data: New Browser Session');
    const service = await eventually(async () => embeddedService(workbench.dataDir), LONG);
    await crawl((method, path, body) => service.call(method, path, body));
    await expandCrawl();
    await expand(row('1 failed page, 1 blocked page'), row('Page /broken, failed'));
    await row('Page /private, blocked').waitFor({ timeout: LONG });
    await expand(row('Folder guide'), row('Page Page guide 1, 1'));
    await eventually(async () => {
      const rows = await spokenRows(rowsOf(page, 'Activity'));
      assert.ok(rows.includes(`Folder blog, ${perFolder} pages`), rows.join('\n'));
    });
    await picture('pages-tree');
  });

  it('open as a preview whose links lead to other pages', async () => {
    await row('Page Page guide 1, 1').click();
    const preview = await frameWith(page, 'text=zanzibarred', LONG);
    await picture('pages-preview');
    const saved = preview.locator('a', { hasText: 'to /guide/2' });
    assert.equal(await saved.getAttribute('data-href'), '../2%23/Page%20guide%202.md');
    await page.locator('.tab.active', { hasText: /^Preview Page guide 1\.md/ }).waitFor({ timeout: LONG });
    // Links to pages that aren't saved stay web addresses.
    const elsewhere = preview.locator('a', { hasText: 'to the unsaved page' });
    assert.equal(await elsewhere.getAttribute('data-href'), `${site.url}/broken`);
    await saved.click();
    await frameWith(page, 'text=guideword2x', LONG);
    await page.locator('.tab.active', { hasText: /^Preview Page guide 2\.md/ }).waitFor({ timeout: LONG });
    assert.deepEqual(await errorMessages(page), []);
  });

  it('say where a page that failed was linked from, in its hover and its document', async () => {
    const failed = row('Page /broken, failed').first();
    const hover = page.locator('.monaco-hover:visible', { hasText: `Linked from ${site.url}/` });
    const hide = async () => {
      await page.mouse.move(900, 300);
      await hover.waitFor({ state: 'hidden', timeout: LONG });
    };
    const show = async () => {
      await hide();
      await failed.hover();
      await hover.waitFor({ timeout: LONG });
    };
    await show();
    await picture('pages-failed-hover', show);
    // It may lie over the row.
    await hide();
    await failed.click();
    const preview = await frameWith(page, 'text=This page failed:', LONG);
    await preview.locator('p', { hasText: `Linked from ${site.url}/` }).waitFor({ timeout: LONG });
    await picture('pages-failed-preview');
  });

  it('open as markdown, which stays open when the window is reloaded', async () => {
    await pickFromMenu(page, row('Page Page guide 1, 1'), 'Open Page Markdown');
    await editorHolds(page, 'zanzibarred');
    await workbench.reload();
    await page.locator('.tab.active', { hasText: /^Page guide 1\.md/ }).waitFor({ timeout: LONG });
    await editorHolds(page, 'zanzibarred');
  });

  it('are searched as you type, and open at the match', async () => {
    await runCommand(page, 'Web Data: Search Pages…');
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill('zanzibarred');
    const found = page.locator('.quick-input-list .monaco-list-row', { hasText: 'The rare word' });
    await found.waitFor({ timeout: LONG });
    await counts(page.locator('.quick-input-list .monaco-list-row', { hasText: '.md' }), 0);
    await picture('pages-search');
    await found.click();
    await page.locator('.tab.active', { hasText: '1.md' }).waitFor({ timeout: LONG });
    await reads(page.locator('.statusbar-item[id="status.editor.selection"]'), /11 selected/);
  });

  it('are saved as files that match the site', async () => {
    await expandAgain();
    await saveAndCompare('saved');
  });

  it('are saved as JSONL, a line per page', async () => {
    const file = await saveFile(page, async () => {
      await pickFromMenu(page, crawlRow(), 'Save Pages As…');
      await pick(page, 'a page per line');
      return join(folder, 'workspace', 'pages.jsonl');
    });
    const lines = await eventually(() => {
      const read = readFileSync(file, 'utf8').trimEnd().split('\n');
      // Those that failed come last.
      assert.equal(read.length, site.pages.size + 2);
      return read.map((line) => JSON.parse(line));
    }, LONG);
    for (const [path, text] of site.pages) {
      const saved = lines.find(({ metadata }) => metadata.url === site.url + path);
      assert.ok(saved?.markdown.includes(text), path);
    }
  });

  it('work the same on a remote server', async () => {
    await crawl((method, path, body) => call(server.line.baseUrl, key, method, path, body));
    await connectToServer(page, server.line.baseUrl);
    // VS Code redraws a tree some 200 ms after it is told to; until then a click meets a row of the service left behind.
    await row('browser session').waitFor({ state: 'hidden', timeout: LONG });
    await expandCrawl();
    await expand(row('Folder guide'), row('Page Page guide 1, 1'));
    await row('Page Page guide 1, 1').click({ timeout: LONG });
    await frameWith(page, 'text=zanzibarred', LONG);
    await pickFromMenu(page, crawlRow(), 'Search Pages…');
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill('zanzibarred');
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: 'The rare word' }).waitFor({ timeout: LONG });
    const title = page.locator('.quick-input-widget:visible .quick-input-title');
    await title.filter({ hasText: `in the ${site.pages.size} loaded pages` }).waitFor({ timeout: LONG });
    await picture('pages-search-remote');
    await page.keyboard.press('Escape');
    await saveAndCompare('saved-remote');
  });

  const expandAgain = async () => {
    await showViews(page, 'Activity');
    await crawlRow().waitFor({ timeout: LONG });
  };
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}
