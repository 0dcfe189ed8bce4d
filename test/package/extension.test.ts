import assert from 'node:assert/strict';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVSIX } from '@vscode/vsce';
import type { Page } from 'playwright-core';
import { currentExtension } from '../../scripts/lib/package/current-extension.ts';
import { readManifest } from '../../scripts/lib/package/stage.ts';
import { manageExtensions } from '../../scripts/lib/vscode-server.mjs';
import { type FoundService, findService } from '../../src/extension/connection/embedded/discovery.ts';
import { repository } from '../harness/folders.ts';
import { endedRun } from '../harness/run-results.ts';
import { call } from '../harness/service.ts';
import { statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { openFile, runCommand } from '../harness/workbench-actions.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = 60_000;
const older = '0.0.9';
const id = 'web-data.web-data';

describe('the VSIX in a clean VS Code without a network', () => {
  const { version } = readManifest();
  let folder: string;
  let workbench: Workbench;
  let current: string;
  let requested: Set<string>;

  before(async function () {
    this.timeout(300_000);
    current = await currentExtension();
    const olderFile = await currentExtension(older);
    folder = mkdtempSync(join(tmpdir(), 'webdata Räume 🚀 '));
    cpSync(join(repository, 'examples'), join(folder, 'examples'), { recursive: true });
    workbench = await startWorkbench({
      packages: [olderFile],
      dataDirPrefix: 'webdata Ünï 🎉 ',
      folder: join(folder, 'examples'),
      file: join(folder, 'examples', 'hello.js'),
      // Nothing listens there: every connection to another machine fails.
      machineSettings: { 'http.proxy': 'http://127.0.0.1:1' },
      env: { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1,localhost' },
    });
    requested = new Set();
    await workbench.context.route(
      (url) => url.hostname !== '127.0.0.1' && /^https?:$/.test(url.protocol),
      (route) => {
        requested.add(new URL(route.request().url()).host);
        return route.abort('internetdisconnected');
      },
    );
    await statusItem(workbench.page).waitFor({ timeout: RUN });
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
    throw new Error(`No service of version ${wanted} runs.`);
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

  it('runs a file with a result', async () => {
    const run = await runFile(workbench.page);
    assert.equal(run.state, 'ok', run.error);
    assert.equal(run.stdout, 'Opened "The Corner Shop"\n3 goods, 11.30 in total\n');
    assert.equal(JSON.parse(run.result ?? '').length, 3);
    firstSession = run.sessionId;
  });

  it('uses nothing of the source folder', async () => {
    const service = await runningService();
    assert.equal(service.version, older);
    assert.deepEqual(
      globSync(`**/${id}-*/dist/service.cjs`, { cwd: workbench.dataDir }).map((file) => file.split('/')[1]),
      [`${id}-${older}`],
    );
    if (process.platform !== 'linux') return;
    const command = readFileSync(`/proc/${service.pid}/cmdline`, 'utf8');
    assert.ok(command.includes(join(workbench.dataDir, 'extensions')), command);
    assert.ok(!command.replaceAll(process.execPath, '').includes(repository), command);
  });

  it('can be updated while an older version runs and keeps its sessions', async () => {
    await manageExtensions(workbench.dataDir, ['--install-extension', current]);
    const run = await runFile(workbench.page);
    assert.equal(run.state, 'ok', run.error);
    assert.equal(run.sessionId, firstSession);
    assert.equal((await runningService()).version, older);
  });

  it('shares the older service with a second window of the new version, until it is idle', async () => {
    second = await workbench.context.newPage();
    await second.goto(workbench.url);
    await statusItem(second).waitFor({ timeout: RUN });
    const run = await runFile(second);
    assert.equal(run.state, 'ok', run.error);
    const service = await runningService();
    assert.equal(service.version, older, 'sessions keep the older service running');

    for (const session of new Set([firstSession, run.sessionId])) {
      await call(service.baseUrl, service.apiKey ?? '', 'DELETE', `/v2/browser/${session}`);
    }
    assert.notEqual((await serviceOf(version)).pid, service.pid);
  });

  it('serves the window of the older version from then on', async () => {
    await workbench.page.bringToFront();
    const run = await runFile(workbench.page);
    assert.equal(run.state, 'ok', run.error);
    assert.equal((await runningService()).version, version);
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
    await workbench.reload();
    await openFile(workbench.page, 'typed.ts');
    assert.equal(await statusItem(workbench.page).count(), 0);
    await workbench.page.keyboard.press('F1');
    await workbench.page.locator('.quick-input-widget:visible .quick-input-box input').fill('>Web Data: Run File');
    await workbench.page.locator('.quick-input-list', { hasText: 'No matching' }).waitFor();
    for (const end = Date.now() + RUN; existsSync(join(dataDirectory(), 'service.json')); await sleep(100)) {
      assert.ok(Date.now() < end, 'the service still runs');
    }
  });
});

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
