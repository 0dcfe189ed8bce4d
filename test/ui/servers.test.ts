import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { findService } from '../../src/discovery/discovery.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { startScriptedServer } from '../harness/scripted-server.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';
import { contains, counts, reads } from '../harness/shown.ts';
import { openSidebar, sessionRows, showViews, statusItem } from '../harness/sidebar.ts';
import { type SmallSite, startSmallSite } from '../harness/small-site.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { errorMessages, frameWith, notification, runCommand } from '../harness/workbench-actions.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;
const key = 'remote-key-0123456789abcdef';

/** Answers the input box that is open. */
async function answer(page: Page, prompt: RegExp, text: string): Promise<void> {
  await page.locator('.quick-input-widget:visible .quick-input-message', { hasText: prompt }).waitFor();
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
  let site: SmallSite;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-servers-'));
    site = await startSmallSite([]);
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
    await site?.close();
    await server?.exited;
    rmSync(folder, { recursive: true, force: true });
  });

  async function restartService(): Promise<void> {
    const before = await findService(serviceFolder(workbench));
    await runCommand(page, 'Web Data: Restart Embedded Service');
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await dialog.locator('.monaco-button', { hasText: 'Restart' }).click();
    await replaced(before.service?.pid);
  }

  /** Waits until the embedded service is another process than `pid`. */
  const replaced = (pid: number | undefined) =>
    eventually(async () => {
      const { service } = await findService(serviceFolder(workbench));
      assert.ok(service && service.pid !== pid, `no other service than ${pid} was started`);
    });

  it('is checked while its address and key are typed, and stays in the input until it is accepted', async () => {
    const box = page.locator('.quick-input-widget:visible');
    const input = box.locator('.quick-input-box input');
    const says = (text: RegExp) => box.locator('.quick-input-message', { hasText: text }).waitFor({ timeout: RUN });
    await runCommand(page, 'Web Data: Connect to Server…');
    await input.fill(site.url);
    await says(/responded, but it isn't a web data server/);
    await input.fill(server.line.baseUrl.replace('http:', 'https:'));
    await says(/doesn't support HTTPS, but answers over HTTP/);
    await takePicture(page, 'connect-no-tls');
    await box.locator('a[aria-label^="Use http://"]').click();
    await box.locator('.quick-input-message', { hasText: /Base URL/ }).waitFor({ timeout: RUN });
    await contains(input, `${server.line.baseUrl}/`);
    await input.press('Enter');
    await says(/API key for/);
    await input.fill('a-wrong-key');
    await says(/rejected this API key \(status 401\)/);
    await takePicture(page, 'connect-refused');
    await input.press('Enter');
    await says(/rejected this API key/);
    await box.locator('a[aria-label="Back"], .quick-input-titlebar .codicon-quick-input-back').first().click();
    await says(/Base URL/);
    await contains(input, `${server.line.baseUrl}/`, 'the address was not kept');
    await page.keyboard.press('Escape');
    assert.deepEqual(await errorMessages(page), []);
    await reads(statusItem(page), /embedded/);
  });

  it('asks first if the connection is not encrypted', async () => {
    // Another way to write the address of this machine, which is not known as such.
    const address = server.line.baseUrl.replace('127.0.0.1', '[::ffff:127.0.0.1]');
    await runCommand(page, 'Web Data: Connect to Server…');
    await answer(page, /Base URL|Nothing|answers/, address);
    const dialog = page.locator('.monaco-dialog-box');
    await reads(dialog, /\[::ffff:7f00:1\][\s\S]*isn't encrypted/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await reads(statusItem(page), /embedded/);
  });

  it('runs code, shows its sessions and is named in the status bar', async () => {
    await connect(page, `${server.line.baseUrl}/`, key);
    await statusItem(page)
      .filter({ hasText: new URL(server.line.baseUrl).host })
      .waitFor();
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN);
    assert.deepEqual([run.state, run.result, run.stdout], ['ok', '42', 'summing\n']);
    const { body } = await call(server.line.baseUrl, key, 'GET', '/v2/browser');
    assert.deepEqual(
      body.sessions.map(({ id }: { id: string }) => id),
      [run.sessionId],
    );
    await openSidebar(page);
    await sessionRows(page).first().waitFor();
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

  it('is said to be away in the status bar and in the run, which is repeated once it is back', async () => {
    const before = await newestRun(page);
    const port = new URL(server.line.baseUrl).port;
    server.child.kill('SIGKILL');
    await server.exited;
    await runCommand(page, 'Web Data: Run File');
    const lost = await endedRun(page, RUN, before?.runId);
    assert.equal(lost.state, 'failed');
    await statusItem(page).filter({ hasText: "doesn't respond" }).waitFor({ timeout: RUN });
    await takePicture(page, 'server-away');
    server = await spawnService(['--port', port, '--data-dir', join(folder, 'server')], {
      WEBDATA_API_KEYS: `${key}:team`,
    });
    const results = await frameWith(page, '[data-run-id]');
    await results.locator('button', { hasText: 'Try again' }).click();
    const run = await endedRun(page, RUN, lost.runId);
    assert.deepEqual([run.state, run.result], ['ok', '42'], run.error);
    await statusItem(page).filter({ hasNotText: "doesn't respond" }).waitFor({ timeout: RUN });
  });

  it('is named as what ended a run at its limit, which the embedded service does not have', async () => {
    const limited = await startScriptedServer();
    limited.script.instead = (path, exchange) => {
      if (path === '/v2/browser/limited/execute') {
        exchange.json({ success: false, killed: true, exitCode: 137, error: 'Execution timed out after 300 seconds' });
      } else if (path === '/v2/browser') exchange.json({ success: true, id: 'limited', sessions: [] });
      else return false;
      return true;
    };
    try {
      await connect(page, limited.baseUrl, key);
      await statusItem(page)
        .filter({ hasText: new URL(limited.baseUrl).host })
        .waitFor();
      const before = await newestRun(page);
      await runCommand(page, 'Web Data: Run File');
      const run = await endedRun(page, RUN, before?.runId);
      assert.match(run.error ?? '', /^The run was stopped after 300 s, the limit of this server\./);
      const results = await frameWith(page, '[data-run-id]');
      await results.locator('button', { hasText: 'Use Embedded Service' }).first().waitFor();
      await takePicture(page, 'server-limit');
      await results.locator('button', { hasText: 'Use Embedded Service' }).first().click();
      const again = await endedRun(page, RUN, run.runId);
      assert.equal(again.state, 'ok', again.error);
    } finally {
      await limited.close();
    }
  });

  it('can be switched back to the embedded service', async () => {
    await connect(page, server.line.baseUrl, key);
    await statusItem(page)
      .filter({ hasText: new URL(server.line.baseUrl).host })
      .waitFor();
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Use Embedded Service');
    await statusItem(page).filter({ hasText: 'embedded' }).waitFor();
    await runCommand(page, 'Web Data: Run File');
    const run = await endedRun(page, RUN, before?.runId);
    assert.equal(run.state, 'ok', run.error);
    const { body } = await call(server.line.baseUrl, key, 'GET', '/v2/browser');
    assert.ok(!body.sessions.some(({ id }: { id: string }) => id === run.sessionId));
  });

  it('reports once that the embedded service stopped, with a Restart button', async () => {
    const found = await findService(serviceFolder(workbench));
    assert.ok(found.service);
    await sessionRows(page).first().waitFor();
    process.kill(found.service.pid, 'SIGKILL');
    const notice = await notification(page, /embedded service stopped unexpectedly/);
    await counts(notice, 1);
    await notice.locator('.monaco-button', { hasText: 'Restart' }).click();
    await replaced(found.service.pid);
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Run File');
    assert.equal((await endedRun(page, RUN, before?.runId)).state, 'ok');
  });

  it('stops the embedded service cleanly on a restart, and runs continue in a new one', async () => {
    await restartService();
    const last = await newestRun(page);
    await runCommand(page, 'Web Data: Run File');
    assert.equal((await endedRun(page, RUN, last?.runId)).state, 'ok');
  });

  it('reports in the view and in the run that there is no Chrome, with the setting to change', async () => {
    writeFileSync(
      join(workbench.dataDir, 'data/Machine/settings.json'),
      JSON.stringify({ 'webdata.embedded.chromePath': '/nowhere/chrome' }),
    );
    // VS Code reads a changed file of settings at a time of its own.
    const run = await eventually(async () => {
      await restartService();
      const last = await newestRun(page);
      await runCommand(page, 'Web Data: Run File');
      const ended = await endedRun(page, RUN, last?.runId);
      assert.equal(ended.state, 'failed');
      return ended;
    });
    assert.match(run.error ?? '', /\/nowhere\/chrome/);
    await page.locator('.sidebar .message', { hasText: 'No Chrome' }).waitFor();
    await showViews(page, 'Browser Sessions');
    for (const text of ['Install Chrome…', 'Set Chrome Path', '/nowhere/chrome']) {
      await page.locator('.sidebar .monaco-list-row', { hasText: text }).waitFor();
    }
    const notice = await notification(page, /nowhere/);
    await notice.locator('.monaco-button', { hasText: 'Set Chrome Path' }).waitFor();
    await takePicture(page, 'no-chrome');
    // The command for this system is in a terminal, for the person to run.
    const results = await frameWith(page, '[data-run-id]');
    await results.locator('button', { hasText: 'Install Chrome…' }).click();
    await page
      .locator('.terminal-wrapper, .terminal-tabs-entry, .single-terminal-tab')
      .first()
      .waitFor({ timeout: RUN });
  });
});
