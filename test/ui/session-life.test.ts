import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { connectToServer, keyEnvironment } from '../harness/connect-to-server.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { patience } from '../harness/eventually.ts';
import { type GatedSite, startGatedSite } from '../harness/gated-site.ts';
import { until } from '../harness/live-viewer.ts';
import { takePicture } from '../harness/pictures.ts';
import { pick } from '../harness/rows-and-editors.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { openSidebar, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, notification, openFile, runCommand } from '../harness/workbench-actions.ts';

const RUN = patience;
/** A time left, as opposed to the time of day in the name of a session without a page. */
const countdown = /(?<!Untitled \d*)\d:\d\d/;

describe("the lifetime of the window's session", () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let server: ServiceProcess;
  let site: GatedSite;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-life-'));
    writeFileSync(join(folder, 'sum.js'), '20 + 22\n');
    site = await startGatedSite(['/slow']);
    writeFileSync(join(folder, 'slow.js'), `await page.goto('${site.url}slow', { timeout: 0 });\n`);
    server = await spawnService(['--port', '0', '--data-dir', join(folder, 'server')], {
      WEBDATA_API_KEYS: `${keyEnvironment.WEBDATA_API_KEY}:team`,
    });
    workbench = await startWorkbench({ folder, env: keyEnvironment });
    ({ page } = workbench);
    await openSidebar(page);
    await openFile(page, 'sum.js');
  });
  after(async () => {
    await workbench?.close();
    server?.child.kill();
    await server?.exited;
    await site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const shoot = (name: string) => takePicture(page, name);
  const listed = async () =>
    (await embeddedService(workbench.dataDir).call('GET', '/v2/browser?status=active')).body.sessions[0];
  const change = (settings: object) => {
    mkdirSync(join(folder, '.vscode'), { recursive: true });
    writeFileSync(join(folder, '.vscode', 'settings.json'), JSON.stringify(settings));
  };
  const left = (expiresAt: string) => (Date.parse(expiresAt) - Date.now()) / 60_000;

  it('has no deadline on the embedded service, and shows when it closes if idle', async () => {
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN);
    assert.equal(run.result, '42', run.error);
    const session = await until(async () => ((await listed()).renewed ? await listed() : undefined), 'a renewal');
    assert.equal(session.activityTtl, 1800);
    assert.ok(left(session.expiresAt) > 30, session.expiresAt);
    await page.locator('.sidebar .monaco-list-row[aria-label*="closes after 30 min idle"]').waitFor();
    await until(async () => !countdown.test(await statusItem(page).innerText()), 'a status without countdown');
    await shoot('life-no-deadline');
  });

  it('closes after the idle time in the settings as soon as that is changed', async () => {
    change({ 'webdata.session.idleMinutes': 7 });
    await until(async () => (await listed()).activityTtl === 420, 'the new idle time');
    await page.locator('.sidebar .monaco-list-row[aria-label*="closes after 7 min idle"]').waitFor();
  });

  it('keeps an explicitly set deadline, and is extended from the warning', async () => {
    const { id } = await listed();
    await runCommand(page, 'Web Data: New Browser Session with Options…');
    await pick(page, 'Lifetime');
    await page.locator('.quick-input-title', { hasText: 'lifetime' }).waitFor();
    await page.locator('.quick-input-widget:visible .quick-input-box input').fill('63 s');
    await pick(page, '63 seconds');
    await pick(page, 'Start with These Options');
    const session = await until(async () => ((await listed()).id === id ? undefined : await listed()), 'a session');
    assert.ok(left(session.expiresAt) < 1.1, session.expiresAt);
    await until(async () => countdown.test(await statusItem(page).innerText()), 'a countdown');
    const warning = await notification(page, /expires in one minute/);
    await shoot('life-warning');
    await warning.locator('.monaco-button', { hasText: 'Extend' }).click();
    await until(async () => (await listed()).expiresAt > session.expiresAt, 'a later end');
    assert.equal((await listed()).renewed, undefined);
    change({});
  });

  it('is replaced on another server with a notice before the code is sent', async () => {
    const { baseUrl } = server.line;
    await connectToServer(page, baseUrl);
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Run File');
    const { sessionId, runId } = await endedRun(page, RUN, before?.runId);
    await call(baseUrl, keyEnvironment.WEBDATA_API_KEY, 'DELETE', `/v2/browser/${sessionId}`);
    await openFile(page, 'slow.js');
    site.hold();
    await runCommand(page, 'Web Data: Run File');
    // The notice is there while the code runs.
    const running = await frameWith(page, '[data-run-id][data-state="running"] .notice, [data-state="running"]', RUN);
    await running
      .locator('[data-state="running"]', {
        hasText: /has ended\. This run uses the new session/,
      })
      .waitFor({ timeout: RUN });
    await shoot('life-replaced');
    site.open();
    const ended = await endedRun(page, RUN, runId);
    assert.notEqual(ended.sessionId, sessionId);
    await notification(page, /Code now runs in the new session/);
  });
});
