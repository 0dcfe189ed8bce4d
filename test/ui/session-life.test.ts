import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { connectToServer, keyEnvironment } from '../harness/connect-to-server.ts';
import { embeddedService } from '../harness/embedded-service.ts';
import { until } from '../harness/live-viewer.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { openSidebar, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { frameWith, notification, openFile, runCommand } from '../harness/workbench-actions.ts';

const RUN = 60_000;
/** A time left, as opposed to the time of day in the name of a session without a page. */
const countdown = /(?<!Untitled \d*)\d:\d\d/;

describe("the lifetime of the window's session", function () {
  this.timeout(180_000);
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let server: ServiceProcess;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-life-'));
    writeFileSync(join(folder, 'sum.js'), '20 + 22\n');
    writeFileSync(join(folder, 'slow.js'), 'await page.waitForTimeout(4000);\n');
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
    const session = await until(
      async () => ((await listed()).renewed ? await listed() : undefined),
      'a renewal',
      30_000,
    );
    assert.equal(session.activityTtl, 1800);
    assert.ok(left(session.expiresAt) > 30, session.expiresAt);
    await page
      .locator('.sidebar .monaco-list-row[aria-label*="closes after 30 min idle"]')
      .waitFor({ timeout: 30_000 });
    await until(async () => !countdown.test(await statusItem(page).innerText()), 'a status without countdown');
    await shoot('life-no-deadline');
  });

  it('closes after the idle time in the settings as soon as that is changed', async () => {
    change({ 'webdata.session.idleMinutes': 7 });
    await until(async () => (await listed()).activityTtl === 420, 'the new idle time', 30_000);
    await page.locator('.sidebar .monaco-list-row[aria-label*="closes after 7 min idle"]').waitFor({ timeout: 30_000 });
  });

  it('keeps an explicitly set deadline, and is extended from the warning', async () => {
    change({ 'webdata.session.ttl': 63, 'webdata.session.idleMinutes': 8 });
    await until(async () => (await listed()).activityTtl === 480, 'the new settings');
    const { id } = await listed();
    await runCommand(page, 'Web Data: New Browser Session');
    const session = await until(
      async () => ((await listed()).id === id ? undefined : await listed()),
      'a session',
      RUN,
    );
    assert.ok(left(session.expiresAt) < 1.1, session.expiresAt);
    await until(async () => countdown.test(await statusItem(page).innerText()), 'a countdown');
    const warning = await notification(page, /expires in one minute/, 30_000);
    await shoot('life-warning');
    await warning.locator('.monaco-button', { hasText: 'Extend' }).click();
    await until(async () => (await listed()).expiresAt > session.expiresAt, 'a later end', 30_000);
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
    await runCommand(page, 'Web Data: Run File');
    // The code takes seconds: the notice is there while it runs.
    const running = await frameWith(page, '[data-run-id][data-state="running"] .notice, [data-state="running"]', RUN);
    await running
      .locator('[data-state="running"]', {
        hasText: /has ended\. This run uses the new session/,
      })
      .waitFor({ timeout: RUN });
    await shoot('life-replaced');
    const ended = await endedRun(page, RUN, runId);
    assert.notEqual(ended.sessionId, sessionId);
    await notification(page, /Code now runs in the new session/);
  });
});
