import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { takePicture } from '../harness/pictures.ts';
import { editorHolds } from '../harness/rows-and-editors.ts';
import { endedRun, newestRun, type ShownRun } from '../harness/run-results.ts';
import { agentBrowserForTests, needs, pythonForTests } from '../harness/runner-tools.ts';
import { clickOver, counts, reads } from '../harness/shown.ts';
import { openSidebar, sessionRows, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, notification, openFile, runCommand } from '../harness/workbench-actions.ts';
import { fleetOf } from '../harness/workbench-fleet.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;

/** A site that knows its visitors by a cookie. */
function startShop(): Promise<Server> {
  const shop = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/login') response.setHeader('set-cookie', 'who=Ada; Max-Age=3600; HttpOnly');
    const isKnown = request.url === '/login' || /\bwho=Ada\b/.test(request.headers.cookie ?? '');
    response.end(`<title>Shop</title><h1>${isKnown ? 'Welcome, Ada' : 'Please log in'}</h1>`);
  });
  return new Promise((resolve) => shop.listen(0, '127.0.0.1', () => resolve(shop)));
}

/** Takes a row of the list that is open, by what its label begins with. */
async function pick(page: Page, row: RegExp): Promise<void> {
  const label = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: row });
  await label.first().click();
}

async function type(page: Page, text: string, heading: RegExp): Promise<void> {
  await page.locator('.quick-input-title', { hasText: heading }).waitFor();
  await page.locator('.quick-input-widget:visible .quick-input-box input').fill(text);
}

/** Opens a file and runs it with the button in its title. */
async function runFile(page: Page, name: string, timeout = RUN): Promise<ShownRun> {
  const before = await newestRun(page);
  await openFile(page, name);
  await page.locator('.editor-actions a[aria-label^="Run File"]').first().click();
  return await endedRun(page, timeout, before?.runId);
}

describe('browser sessions with a profile', () => {
  let workbench: Workbench;
  let page: Page;
  let shop: Server;
  let folder: string;
  before(async function () {
    // The tools of other languages may have to be installed first.
    this.timeout(10 * RUN);
    const python = await pythonForTests(() => undefined).catch(() => undefined);
    const agentBrowser = await agentBrowserForTests(() => undefined).catch(() => undefined);
    shop = await startShop();
    const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    folder = mkdtempSync(join(tmpdir(), 'webdata-profile-'));
    const remember = `await page.evaluate(() => localStorage.setItem('basket', 'tea'));`;
    writeFileSync(join(folder, 'login.js'), `await page.goto('${origin}/login');\n${remember}\nawait page.title();\n`);
    const basket = `await page.evaluate(() => localStorage.getItem('basket'))`;
    writeFileSync(
      join(folder, 'who.js'),
      `await page.goto('${origin}/');\n[await page.textContent('h1'), ${basket}].join(' / ');\n`,
    );
    writeFileSync(join(folder, 'notes.txt'), '[6, 7].reduce((a, b) => a * b)\n');
    writeFileSync(
      join(folder, 'open.py'),
      `await page.set_content('<title>From Python</title>')\nawait page.title()\n`,
    );
    writeFileSync(join(folder, 'forgets.py'), 'title = page.title()\ntitle.upper()\n');
    writeFileSync(join(folder, 'title.sh'), 'agent-browser get title\n');
    workbench = await startWorkbench({
      folder,
      file: join(folder, 'login.js'),
      machineSettings: {
        ...(python && { 'webdata.embedded.pythonPath': python.interpreter }),
        ...(agentBrowser && { 'webdata.embedded.agentBrowserPath': join(agentBrowser, 'agent-browser') }),
      },
      // A busy machine may take long to start an interpreter.
      settings: { 'webdata.run.timeout': 150 },
    });
    page = workbench.page;
    await openSidebar(page);
  });
  after(async () => {
    await workbench?.close();
    shop?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const listed = async (): Promise<{ id: string }[]> =>
    (await embeddedService(workbench.dataDir).call('GET', '/v2/browser?status=active')).body.sessions;

  it('are created with options that are picked or typed', async () => {
    await runCommand(page, 'Web Data: New Browser Session with Options…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Start with Defaults' }).waitFor();
    await takePicture(page, 'options');
    await pick(page, /Profile/);
    await type(page, 'shop', /profile/);
    await pick(page, /shop.*a new profile/);
    await pick(page, /Lifetime/);
    await type(page, '29', /lifetime/);
    await page.locator('.quick-input-list', { hasText: 'expected a whole number from 30 to 3,600' }).waitFor();
    await takePicture(page, 'lifetime');
    await type(page, '20 min', /lifetime/);
    await pick(page, /20 minutes/);
    await takePicture(page, 'options-changed');
    await pick(page, /Start with These Options/);
    const row = sessionRows(page).first();
    await row.waitFor({ timeout: RUN });
    await page.locator('.sidebar .monaco-list-row[aria-label*="if idle"]').waitFor();
    const label = /^Session shop, 1\d:\d\d · [0-4]:\d\d if idle · profile shop/;
    await eventually(async () => assert.match((await row.getAttribute('aria-label')) ?? '', label));
    const fleet = fleetOf(workbench.dataDir);
    const target = fleet ? new URL(fleet.url).host : 'embedded';
    await eventually(async () => {
      const [, shown] = /^\s*shop 1\d:\d\d · (.*)$/.exec(await statusItem(page).innerText()) ?? [];
      assert.equal(shown?.trim(), target);
    });
  });

  it('keep a login for the next session of that profile', async () => {
    const login = await runFile(page, 'login.js');
    assert.equal(login.result, 'Shop', login.error);
    await runCommand(page, 'Web Data: Destroy Browser Session');
    await page.locator('.sidebar .monaco-list-row[aria-label="Ended, 1 session"]').waitFor();

    await runCommand(page, 'Web Data: New Browser Session with Options…');
    await pick(page, /Profile/);
    // Other servers don't list their profiles.
    const known = fleetOf(workbench.dataDir) ? 'used by a session' : 'saved ';
    await page.locator('.quick-input-list .monaco-list-row', { hasText: known }).waitFor();
    await takePicture(page, 'profiles');
    await pick(page, new RegExp(`shop.*${known}`));
    await pick(page, /Start with These Options/);
    await page.locator('.sidebar .monaco-list-row[aria-label*="profile shop"]').waitFor({ timeout: RUN });
    const who = await runFile(page, 'who.js');
    assert.notEqual(who.sessionId, login.sessionId);
    assert.equal(who.result, 'Welcome, Ada / tea', who.error);
  });

  it('warn once before they end, and continue in a new one with the same profile', async () => {
    await runCommand(page, 'Web Data: Destroy Browser Session');
    await page.locator('.sidebar .monaco-list-row[aria-label="Ended, 2 sessions"]').waitFor();
    await runCommand(page, 'Web Data: New Browser Session with Options…');
    await pick(page, /Profile/);
    await pick(page, /shop/);
    await pick(page, /Lifetime/);
    await type(page, '1:03', /lifetime/);
    await pick(page, /63 seconds/);
    await pick(page, /Start with These Options/);
    await page.locator('.statusbar-item.warning-kind[id$="webdata.status"]').waitFor();
    const notice = await notification(page, /expires in one minute/);
    await counts(page.locator('.notification-list-item', { hasText: 'expires in one minute' }), 1);
    const [expiring] = await listed();
    await takePicture(page, 'ends-soon');
    await notice.locator('.monaco-button', { hasText: 'New Session' }).click();
    await page.locator(`.statusbar-item[id$="webdata.status"]:not(.warning-kind)`).waitFor();
    const who = await runFile(page, 'who.js');
    assert.notEqual(who.sessionId, expiring?.id);
    assert.equal(who.result, 'Welcome, Ada / tea', who.error);
  });

  it('are shown as a document without the URLs that control them', async () => {
    await runCommand(page, 'Web Data: Use Browser Session…');
    const row = page.locator('.quick-input-list .monaco-list-row').first();
    await clickOver(row, row.locator('a[aria-label="Show Session Details"]'));
    await page.locator('.tab.active', { hasText: /session .*\.json/ }).waitFor();
    await editorHolds(page, 'activityTtl');
    await takePicture(page, 'details');
    await editorHolds(page, '"name": "shop"');
    const text = page.locator('.editor-group-container.active .view-lines');
    await reads(text, /"cdpUrl":.?"ws:\/\/127\.0\.0\.1:\d+\/….?\(hidden/);
    await page.locator('.editor-group-container.active .monaco-editor.focused').first().waitFor();
    await page.keyboard.type('x');
    await page
      .locator('.monaco-editor-overlaymessage', { hasText: /read-only/i })
      .first()
      .waitFor();
    await reads(text, /^\{/);
  });

  it('lend their login to a scrape', async () => {
    const box = page.locator('.quick-input-widget:visible');
    // Escape would close the notifications before the list.
    await runCommand(page, 'Notifications: Clear All Notifications');
    await runCommand(page, 'Web Data: Scrape URL…');
    await box.locator('.quick-input-title', { hasText: 'Scrape URL' }).waitFor();
    await box.locator('.action-label[aria-label="Options"]').click();
    await pick(page, /Login/);
    await pick(page, /Current Session/);
    await box.locator('.quick-input-title', { hasText: 'Scrape Options' }).waitFor();
    await takePicture(page, 'scrape-options');
    await page.keyboard.press('Escape');
    const { port } = shop.address() as AddressInfo;
    await type(page, `127.0.0.1:${port}`, /Scrape URL · login of the session/);
    await page.keyboard.press('Enter');
    await page.locator('.tab.active', { hasText: 'Shop.md' }).waitFor({ timeout: RUN });
    await editorHolds(page, 'Welcome, Ada');
  });

  it('share nothing without a profile', async () => {
    const header = page.locator('.sidebar .pane-header', { hasText: 'Browser Sessions' });
    await clickOver(header, page.locator('.sidebar a[aria-label="New Browser Session"]').first());
    await page
      .locator('.sidebar .monaco-list-row[aria-label*="current"]:not([aria-label*="shop"])')
      .waitFor({ timeout: RUN });
    const who = await runFile(page, 'who.js');
    assert.equal(who.result, 'Please log in / ', who.error);
  });

  it('are in one collapsed row after they ended, and can be cleared', async () => {
    const ended = page.locator('.sidebar .monaco-list-row[aria-label^="Ended, "]');
    await ended.and(page.locator('[aria-expanded="false"]')).waitFor();
    const active = (await listed()).length;
    await counts(sessionRows(page), active);
    await ended.click();
    await eventually(async () => assert.ok((await sessionRows(page).count()) > active), RUN);
    await takePicture(page, 'ended');
    await clickOver(ended, ended.locator('a[aria-label="Clear Ended Browser Sessions"]'));
    await ended.waitFor({ state: 'hidden', timeout: RUN });
    await counts(sessionRows(page), active);
  });

  it('run a file in the selected language, whatever its name', async () => {
    const before = await newestRun(page);
    await openFile(page, 'notes.txt');
    await runCommand(page, 'Web Data: Run File with Language…');
    await takePicture(page, 'languages');
    await pick(page, /JavaScript/);
    const run = await endedRun(page, RUN, before?.runId);
    assert.equal(run.result, '42', run.error);
  });

  describe('run files of other languages', () => {
    needs(pythonForTests, agentBrowserForTests);

    it('with the play button: Python, then a shell script in the same tab', async () => {
      const python = await runFile(page, 'open.py', 3 * RUN);
      assert.deepEqual([python.state, python.result], ['ok', 'From Python'], python.error);
      const shell = await runFile(page, 'title.sh', 3 * RUN);
      assert.equal(shell.state, 'ok', shell.error);
      assert.equal(shell.stdout?.trim(), 'From Python');
      assert.equal(shell.sessionId, python.sessionId);
    }).timeout(7 * RUN);

    it('and say that a call in Python has to be awaited', async () => {
      const forgotten = await runFile(page, 'forgets.py', 3 * RUN);
      assert.equal(forgotten.state, 'failed');
      const results = await frameWith(page, '[data-run-id]');
      await results.locator('.notice', { hasText: 'Page calls must be awaited here. Add "await"' }).first().waitFor();
      await takePicture(page, 'await-hint');
    }).timeout(4 * RUN);
  });
});
