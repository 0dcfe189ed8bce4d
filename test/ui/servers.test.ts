import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { findService } from '../../src/extension/connection/embedded/discovery.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { openSidebar, sessionRows, statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { errorMessages, notification, runCommand } from '../harness/workbench-actions.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = 60_000;
const key = 'remote-key-0123456789abcdef';

/** Answers the input box that is open. */
async function answer(page: Page, prompt: RegExp, text: string): Promise<void> {
  await page
    .locator('.quick-input-widget:visible .quick-input-message', { hasText: prompt })
    .waitFor({ timeout: 15_000 });
  const input = page.locator('.quick-input-widget:visible .quick-input-box input');
  await input.fill(text);
  await input.press('Enter');
}

async function connect(page: Page, baseUrl: string, apiKey: string): Promise<void> {
  await runCommand(page, 'Web Data: Connect to Server…');
  await answer(page, /Base URL/, baseUrl);
  await answer(page, /API key/, apiKey);
}

const serviceFolder = ({ dataDir }: Workbench) => join(dataDir, 'data/User/globalStorage/web-data.web-data/service');

describe('a remote server instead of the embedded service', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  let server: ServiceProcess;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-servers-'));
    writeFileSync(join(folder, 'sum.js'), `console.log('summing'); 20 + 22`);
    server = await spawnService(['--port', '0', '--data-dir', join(folder, 'server')], {
      WEBDATA_API_KEYS: `${key}:team`,
    });
    workbench = await startWorkbench({ folder, file: join(folder, 'sum.js') });
    page = workbench.page;
    // Drawn when the extension has been activated, which takes its time on a busy machine.
    await statusItem(page).waitFor({ timeout: RUN });
  });
  after(async () => {
    await workbench?.close();
    server?.child.kill();
    await server?.exited;
    rmSync(folder, { recursive: true, force: true });
  });

  /** The process of the embedded service, once it is another one than `pid`. */
  async function otherPid(pid: number | undefined, timeout: number): Promise<number | undefined> {
    for (const end = Date.now() + timeout; Date.now() < end; ) {
      const { service } = await findService(serviceFolder(workbench));
      if (service && service.pid !== pid) return service.pid;
      await sleep(100);
    }
    throw new Error(`No other service than ${pid} was started.`);
  }

  it("isn't used if it rejects the key", async () => {
    assert.deepEqual(await errorMessages(page), []);
    await connect(page, server.line.baseUrl, 'a-wrong-key');
    await notification(page, /401/);
    const [refusal = '', ...others] = await errorMessages(page);
    assert.match(refusal, /401/);
    assert.doesNotMatch(refusal, /a-wrong-key/);
    assert.deepEqual(others, []);
    assert.match(await statusItem(page).innerText(), /embedded/);
  });

  it('asks first if the connection is not encrypted', async () => {
    await runCommand(page, 'Web Data: Connect to Server…');
    await answer(page, /Base URL/, 'http://server.invalid');
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /server\.invalid[\s\S]*isn't encrypted/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.match(await statusItem(page).innerText(), /embedded/);
  });

  it('runs code, shows its sessions and is named in the status bar', async () => {
    await connect(page, `${server.line.baseUrl}/`, key);
    await statusItem(page)
      .filter({ hasText: new URL(server.line.baseUrl).host })
      .waitFor({ timeout: 15_000 });
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN);
    assert.deepEqual([run.state, run.result, run.stdout], ['ok', '42', 'summing\n']);
    const { body } = await call(server.line.baseUrl, key, 'GET', '/v2/browser');
    assert.deepEqual(
      body.sessions.map(({ id }: { id: string }) => id),
      [run.sessionId],
    );
    await openSidebar(page);
    await sessionRows(page).first().waitFor({ timeout: 15_000 });
    assert.deepEqual(await findService(serviceFolder(workbench)), { reason: undefined }, 'nothing was started here');
  });

  it('has its ended session replaced, with a notice', async () => {
    const before = await newestRun(page);
    await call(server.line.baseUrl, key, 'DELETE', `/v2/browser/${before?.sessionId}`);
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN, before?.runId);
    assert.equal(run.state, 'ok', run.error);
    assert.notEqual(run.sessionId, before?.sessionId);
  });

  it('can be switched back to the embedded service', async () => {
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Use Embedded Service');
    await statusItem(page).filter({ hasText: 'embedded' }).waitFor({ timeout: 15_000 });
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN, before?.runId);
    assert.equal(run.state, 'ok', run.error);
    const { body } = await call(server.line.baseUrl, key, 'GET', '/v2/browser');
    assert.ok(!body.sessions.some(({ id }: { id: string }) => id === run.sessionId));
  });

  it('reports once that the embedded service stopped, with a Restart button', async () => {
    const found = await findService(serviceFolder(workbench));
    assert.ok(found.service);
    await sessionRows(page).first().waitFor({ timeout: 15_000 });
    process.kill(found.service.pid, 'SIGKILL');
    const notice = await notification(page, /embedded service stopped unexpectedly/);
    assert.equal(await notice.count(), 1);
    await notice.locator('.monaco-button', { hasText: 'Restart' }).click();
    await otherPid(found.service.pid, RUN);
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Run File');
    assert.equal((await endedRun(page, RUN, before?.runId)).state, 'ok');
  });

  it('stops the embedded service cleanly on a restart, and runs continue in a new one', async () => {
    const before = await findService(serviceFolder(workbench));
    await runCommand(page, 'Web Data: Restart Embedded Service');
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await dialog.locator('.monaco-button', { hasText: 'Restart' }).click();
    const pid = await otherPid(before.service?.pid, RUN);
    assert.notEqual(pid, before.service?.pid);
    const last = await newestRun(page);
    await runCommand(page, 'Web Data: Run File');
    assert.equal((await endedRun(page, RUN, last?.runId)).state, 'ok');
  });
});

describe('no Chrome', () => {
  let workbench: Workbench;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-chrome-'));
    writeFileSync(join(folder, 'sum.js'), `1 + 1`);
    workbench = await startWorkbench({
      folder,
      file: join(folder, 'sum.js'),
      machineSettings: { 'webdata.embedded.chromePath': '/nowhere/chrome' },
    });
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is reported in the view and in the run, with the setting to change', async () => {
    const { page } = workbench;
    await openSidebar(page);
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN);
    assert.equal(run.state, 'failed');
    assert.match(run.error ?? '', /\/nowhere\/chrome/);
    await page.locator('.sidebar .message', { hasText: 'No Chrome' }).waitFor({ timeout: 15_000 });
    for (const text of ['Set Chrome Path', '/nowhere/chrome']) {
      await page.locator('.sidebar .monaco-list-row', { hasText: text }).waitFor();
    }
    const notice = await notification(page, /nowhere/);
    await notice.locator('.monaco-button', { hasText: 'Set Chrome Path' }).waitFor();
  });
});
