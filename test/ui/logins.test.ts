import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { embeddedService } from '../harness/embedded-service.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { choose } from '../harness/file-dialog.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun, newestRun, type ShownRun } from '../harness/run-results.ts';
import { clickOver } from '../harness/shown.ts';
import { openSidebar } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, openFile, runCommand } from '../harness/workbench-actions.ts';
import { fleetOf } from '../harness/workbench-fleet.ts';

const nextYear = Math.floor(Date.now() / 1000) + 365 * 24 * 3600;

/** A login as Playwright stores it: of the site, and of another one. */
function storedLogin() {
  const cookie = (name: string, value: string, domain: string) => ({
    name,
    value,
    domain,
    path: '/',
    expires: nextYear,
    httpOnly: true,
    secure: false,
    sameSite: 'Lax',
  });
  return { cookies: [cookie('who', 'Ada', '127.0.0.1'), cookie('other', 'x', 'other.test')], origins: [] };
}

describe('logins in VS Code', () => {
  let workbench: Workbench;
  let page: Page;
  let shop: Server;
  let folder: string;
  before(async function () {
    shop = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/login') response.setHeader('set-cookie', 'who=Grace; Max-Age=3600; HttpOnly');
      const [, who] = /\bwho=(\w+)/.exec(request.headers.cookie ?? '') ?? [];
      response.end(`<title>Shop</title><h1>${who ? `Welcome, ${who}` : 'Please log in'}</h1>`);
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    folder = mkdtempSync(join(tmpdir(), 'webdata-logins-'));
    writeFileSync(join(folder, 'state.json'), JSON.stringify(storedLogin()));
    writeFileSync(join(folder, 'who.js'), `await page.goto('${origin}/');\nawait page.textContent('h1');\n`);
    writeFileSync(join(folder, 'login.js'), `await page.goto('${origin}/login');\nawait page.title();\n`);
    workbench = await startWorkbench({ folder });
    // Other servers take no logins.
    if (fleetOf(workbench.dataDir)) this.skip();
    ({ page } = workbench);
    await openSidebar(page);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await takePicture(page, `failed-${this.currentTest.title.slice(0, 20)}`);
  });
  after(async () => {
    await workbench?.close();
    shop?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const rows = () => page.locator('.quick-input-list .monaco-list-row');
  const titled = (heading: RegExp) => page.locator('.quick-input-title', { hasText: heading }).waitFor();
  const said = (text: RegExp) => page.locator('.statusbar-item', { hasText: text }).first().waitFor();
  const typeName = async (name: string) => {
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill(name);
    await rows()
      .filter({ hasText: new RegExp(`${name}.*a new profile`) })
      .click();
  };
  async function runFile(name: string): Promise<ShownRun> {
    const before = await newestRun(page);
    await openFile(page, name);
    await runCommand(page, 'Web Data: Run File');
    return await endedRun(page, patience, before?.runId);
  }
  async function startWith(profile: string): Promise<void> {
    await runCommand(page, 'Web Data: New Browser Session with Options…');
    await rows()
      .filter({ hasText: /Profile/ })
      .first()
      .click();
    await rows().filter({ hasText: profile }).first().click();
    await rows()
      .filter({ hasText: /Start with These Options/ })
      .first()
      .click();
    await page.locator(`.sidebar .monaco-list-row[aria-label*="profile ${profile}"]`).first().waitFor();
  }
  const exported = async (name: string) =>
    (await embeddedService(workbench.dataDir).call('POST', '/embedded/logins/export', { name })).body
      .state as ReturnType<typeof storedLogin>;

  it('are imported from a file, for the sites that one chooses', async () => {
    await runFile('who.js');
    await runCommand(page, 'Web Data: Import Login…');
    await choose(page, join(folder, 'state.json'));
    await titled(/^Import Login$/);
    const other = rows().filter({ hasText: 'other.test' });
    await other.waitFor();
    await takePicture(page, 'import-login-sites');
    await other.locator('input[type="checkbox"], .monaco-checkbox').first().click();
    await page.locator('.quick-input-widget .quick-input-action .monaco-button', { hasText: 'OK' }).click();
    await titled(/Import Login: profile/);
    await typeName('shop');
    await said(/Login imported into profile shop: 1 cookie/);
    assert.deepEqual(
      (await exported('shop')).cookies.map(({ name, domain }) => `${name} ${domain}`),
      ['who 127.0.0.1'],
    );
    await startWith('shop');
    assert.equal((await runFile('who.js')).result, 'Welcome, Ada');
  });

  it('are saved from a session that was started without a profile', async () => {
    await runCommand(page, 'Web Data: New Browser Session');
    assert.equal((await runFile('login.js')).result, 'Shop');
    await runCommand(page, 'Web Data: Save Login as Profile…');
    const asks = (heading: string) =>
      page.locator('.quick-input-widget:visible', {
        has: page.locator('.quick-input-title', { hasText: heading }),
      });
    // There is no list of sessions if this is the only one. The list of profiles has a row of this name, too.
    const session = asks('Select a session to save its login').locator('.monaco-list-row', { hasText: /Shop/ });
    await eventually(async (timeout) => {
      if (await asks('Save Login as Profile').isVisible()) return;
      await session.first().click({ timeout });
      assert.fail('not asked for a profile yet');
    });
    await takePicture(page, 'save-login');
    await typeName('grace');
    await said(/Login saved to profile grace: \d+ cookie/);
    assert.ok((await exported('grace')).cookies.some(({ value }) => value === 'Grace'));
  });

  it('are made by hand: Log In… opens a session of the profile in control', async () => {
    await runCommand(page, 'Web Data: New Browser Session with Options…');
    await rows()
      .filter({ hasText: /Profile/ })
      .first()
      .click();
    const row = rows().filter({ hasText: 'grace' }).first();
    await row.locator('text=127.0.0.1').first().waitFor();
    await takePicture(page, 'profiles-with-logins');
    await clickOver(row, row.locator('a[aria-label="Log In…"]'));
    const live = await frameWith(page, 'canvas.picture');
    await live.locator('.status', { hasText: /^in control/ }).waitFor();
    await page.locator('.sidebar .monaco-list-row[aria-label*="profile grace"]').first().waitFor();
    await takePicture(page, 'log-in');
  });
});
