import assert from 'node:assert/strict';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVSIX } from '@vscode/vsce';
import type { Page } from 'playwright-core';
import { currentExtension } from '../../scripts/lib/package/current-extension.ts';
import { readManifest } from '../../scripts/lib/package/stage.ts';
import { TEST_RUN } from '../../scripts/lib/run-suite.mjs';
import { manageExtensions } from '../../scripts/lib/vscode-server.mjs';
import { type FoundService, findService } from '../../src/discovery/discovery.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { repository } from '../harness/folders.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun } from '../harness/run-results.ts';
import { call } from '../harness/service.ts';
import { counts } from '../harness/shown.ts';
import { statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { openFile, runCommand } from '../harness/workbench-actions.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;
/** A version to update to. */
const newer = '99.0.0';
const id = 'web-data.web-data';

describe('the VSIX in a new account with VS Code and nothing else, without a network', () => {
  const { version } = readManifest();
  let folder: string;
  let workbench: Workbench;
  let update: string;
  const requested = new Set<string>();

  before(async () => {
    const current = await currentExtension();
    update = await currentExtension(newer);
    folder = mkdtempSync(join(tmpdir(), 'webdata Räume 🚀 '));
    mkdirSync(join(folder, 'home'));
    workbench = await startWorkbench({
      packages: [current],
      dataDirPrefix: 'webdata Ünï 🎉 ',
      env: newAccount(join(folder, 'home')),
      asPerson: true,
      prepare: (context) =>
        context.route(
          (url) => url.hostname !== '127.0.0.1' && /^https?:$/.test(url.protocol),
          (route) => {
            requested.add(new URL(route.request().url()).host);
            return route.abort('internetdisconnected');
          },
        ),
    });
  });
  after(async () => {
    await workbench?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const dataDirectory = () => join(workbench.dataDir, 'data/User/globalStorage', id, 'service');
  const runningService = async (): Promise<FoundService> => {
    const { service } = await findService(dataDirectory());
    assert.ok(service, 'no service runs');
    return service;
  };
  /** The service of this version, once it runs. */
  const serviceOf = async (wanted: string): Promise<FoundService> => {
    for (const end = Date.now() + RUN; Date.now() < end; await sleep(100)) {
      const { service } = await findService(dataDirectory());
      if (service?.version === wanted) return service;
    }
    const log = readFileSync(join(dataDirectory(), 'service.log'), 'utf8').split('\n').slice(-15);
    throw new Error(`No service of version ${wanted} runs. The log of the service:\n${log.join('\n')}`);
  };
  /** The address of a window with the examples. */
  const examplesUrl = () => {
    const url = new URL(workbench.url);
    url.searchParams.set('folder', join(folder, 'examples'));
    return url.href;
  };
  const lastRun = new WeakMap<Page, string>();
  async function runFile(page: Page) {
    await runCommand(page, 'Web Data: Run File', RUN);
    const run = await endedRun(page, RUN, lastRun.get(page));
    lastRun.set(page, run.runId);
    return run;
  }
  let second: Page;
  let firstSession: string;

  it('leads to a first result in at most four clicks and a minute', async () => {
    const { page } = workbench;
    await page.evaluate(() => {
      const counted = window as { clicks?: number };
      counted.clicks = 0;
      document.addEventListener('click', () => (counted.clicks = (counted.clicks ?? 0) + 1), true);
    });
    await page.locator('.activitybar .action-item a[aria-label="Web Data"]').click({ timeout: RUN });
    await page.locator('.sidebar .welcome-view a.monaco-button', { hasText: 'New Snippet' }).click({ timeout: RUN });
    await page.locator('.tab.active', { hasText: 'Untitled-1' }).waitFor({ timeout: RUN });
    await page.locator('.editor-actions a[aria-label^="Run File"]').click({ timeout: RUN });
    const run = await endedRun(page, RUN);
    assert.equal(run.state, 'ok', run.error);
    assert.deepEqual(JSON.parse(run.result ?? ''), [
      { tea: 'Assam', price: 4.2 },
      { tea: 'Darjeeling', price: 6.8 },
      { tea: 'Sencha', price: 7.5 },
    ]);
    const clicks = await page.evaluate(() => (window as { clicks?: number }).clicks ?? 0);
    assert.ok(clicks >= 3 && clicks <= 4, `${clicks} clicks`);
    firstSession = run.sessionId;
    lastRun.set(page, run.runId);
    await takePicture(page, 'first-result');
  });

  it('uses nothing of the source folder', async () => {
    const service = await runningService();
    assert.equal(service.version, version);
    assert.deepEqual(
      globSync(`**/${id}-*/dist/service.cjs`, { cwd: workbench.dataDir }).map((file) => file.split('/')[1]),
      [`${id}-${version}`],
    );
    if (process.platform !== 'linux') return;
    const command = readFileSync(`/proc/${service.pid}/cmdline`, 'utf8');
    assert.ok(command.includes(join(workbench.dataDir, 'extensions')), command);
    assert.ok(!command.replaceAll(process.execPath, '').includes(repository), command);
  });

  it('can be updated while it runs and keeps its sessions', async () => {
    await manageExtensions(workbench.dataDir, ['--install-extension', update]);
    const run = await runFile(workbench.page);
    assert.equal(run.state, 'ok', run.error);
    assert.equal(run.sessionId, firstSession);
    assert.equal((await runningService()).version, version);
  });

  it('shares the older service with a second window of the new version, until it is idle', async () => {
    cpSync(join(repository, 'examples'), join(folder, 'examples'), { recursive: true });
    second = await workbench.context.newPage();
    await second.goto(examplesUrl());
    // A folder opens in Restricted Mode.
    await second.locator('.part.banner a', { hasText: 'Manage' }).click({ timeout: RUN });
    await second.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).click({ timeout: RUN });
    await statusItem(second).waitFor({ timeout: RUN });
    await openFile(second, 'hello.js', RUN);
    const run = await runFile(second);
    assert.equal(run.state, 'ok', run.error);
    assert.equal(run.stdout, 'Opened "The Corner Shop"\n3 goods, 11.30 in total\n');
    const service = await runningService();
    assert.equal(service.version, version, 'sessions keep the older service running');

    for (const session of new Set([firstSession, run.sessionId])) {
      await call(service.baseUrl, service.apiKey ?? '', 'DELETE', `/v2/browser/${session}`);
    }
    assert.notEqual((await serviceOf(newer)).pid, service.pid);
  });

  it('serves the window of the older version from then on', async () => {
    await workbench.page.bringToFront();
    const run = await runFile(workbench.page);
    assert.equal(run.state, 'ok', run.error);
    assert.equal((await runningService()).version, newer);
  });

  it('connects to no other host', () => {
    assert.deepEqual(
      [...requested].filter((host) => !/(?:^|\.)(?:open-vsx\.org|vscode-cdn\.net|visualstudio\.com)$/.test(host)),
      [],
    );
  });

  it('leaves no service and no command behind when it is uninstalled', async () => {
    await manageExtensions(workbench.dataDir, ['--uninstall-extension', id]);
    await second.close();
    await workbench.page.goto(examplesUrl());
    await openFile(workbench.page, 'typed.ts', RUN);
    await counts(statusItem(workbench.page), 0);
    await workbench.page.keyboard.press('F1');
    await workbench.page.locator('.quick-input-widget:visible .quick-input-box input').fill('>Web Data: Run File');
    // Commands that are similar to the text may be listed.
    await workbench.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await counts(workbench.page.locator('.quick-input-list').getByText('Web Data: Run File', { exact: true }), 0);
    // As long as VS Code runs, the service waits a minute and a half for its window.
    process.kill(workbench.serverPid, 'SIGKILL');
    await eventually(() => assert.ok(!existsSync(join(dataDirectory(), 'service.json')), 'the service still runs'));
  });
});

/** The environment of an account in which nothing was done yet: of this one's, only where programs are. */
function newAccount(home: string): Record<string, string | undefined> {
  const { PATH = '', CHROME_PATH, TMPDIR, [TEST_RUN]: run } = process.env;
  // Nothing listens there: every connection to another machine fails.
  const proxy = 'http://127.0.0.1:1';
  return {
    ...Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined])),
    HOME: home,
    PATH: PATH.split(delimiter)
      .filter((path) => !path.includes('node_modules'))
      .join(delimiter),
    CHROME_PATH,
    TMPDIR,
    [TEST_RUN]: run,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: '127.0.0.1,localhost',
  };
}

describe('a VSIX for a newer VS Code', () => {
  it('is rejected by name, with the required versions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'webdata-engine-'));
    try {
      const { name, publisher, description } = readManifest();
      const manifest = { name, publisher, description, version: '9.9.9', engines: { vscode: '^9.9.0' } };
      mkdirSync(join(folder, 'stage'));
      writeFileSync(join(folder, 'stage', 'package.json'), JSON.stringify(manifest));
      writeFileSync(join(folder, 'stage', 'README.md'), `# ${name}\n`);
      const file = join(folder, 'newer.vsix');
      await createVSIX({
        cwd: join(folder, 'stage'),
        packagePath: file,
        allowMissingRepository: true,
        skipLicense: true,
      });
      await assert.rejects(manageExtensions(join(folder, 'data'), ['--install-extension', file]), (error: Error) => {
        assert.match(error.message, /not compatible with VS Code/i);
        return true;
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
