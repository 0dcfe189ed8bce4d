import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { connectToServer, keyEnvironment } from '../harness/connect-to-server.ts';
import { patience } from '../harness/eventually.ts';
import { takePicture } from '../harness/pictures.ts';
import { endedRun, newestRun } from '../harness/run-results.ts';
import { pythonForTests } from '../harness/runner-tools.ts';
import { spawnService } from '../harness/service.ts';
import { statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { openFile, runCommand } from '../harness/workbench-actions.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;

const files = {
  'package.json': '{ "name": "shop" }',
  '.env': 'CURRENCY=EUR',
  'node_modules/prices/package.json': '{ "name": "prices", "main": "index.js" }',
  'node_modules/prices/index.js': 'exports.tea = 3;',
  'src/helper.ts': 'export const double = (price: number): number => price * 2;\n',
  'src/shop.ts': `import { writeFileSync } from 'node:fs';
import { tea } from 'prices';
import { double } from './helper';

const total: number = double(tea);
writeFileSync('out.json', JSON.stringify({ total }));
[total, process.env.CURRENCY, process.cwd()]
`,
  'src/needs.js': "import './missing-part.js';\n",
  'src/helper.py': 'def double(price):\n    return price * 2\n',
  'src/shop.py': 'import os\nimport helper\n\n[helper.double(3), os.getcwd()]\n',
};

describe('code in a project', () => {
  let workbench: Workbench;
  let page: Page;
  let folder: string;
  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'webdata-project-')));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const python = await pythonForTests(() => undefined).catch(() => undefined);
    workbench = await startWorkbench({
      folder,
      env: keyEnvironment,
      file: join(folder, 'src', 'shop.ts'),
      settings: { 'webdata.run.envFile': ['$', '{workspaceFolder}/.env'].join('') },
      machineSettings: python && { 'webdata.embedded.pythonPath': python.interpreter },
    });
    page = workbench.page;
    await statusItem(page).waitFor({ timeout: RUN });
  });
  after(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function runOpenFile() {
    const before = await newestRun(page);
    await runCommand(page, 'Web Data: Run File');
    return await endedRun(page, RUN, before?.runId);
  }

  it('imports a file and a package, has the env file, and writes into the workspace folder', async () => {
    const run = await runOpenFile();
    assert.equal(run.state, 'ok', run.error);
    assert.match(run.result ?? '', /6[\s\S]*EUR/);
    assert.ok(run.result?.includes(folder), run.result);
    assert.deepEqual(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')), { total: 6 });
  });

  it('uses the changed version of an imported file in the next run', async () => {
    writeFileSync(join(folder, 'src', 'helper.ts'), 'export const double = (price: number): number => price * 20;\n');
    const run = await runOpenFile();
    assert.match(run.result ?? '', /60/, run.error);
  });

  it('marks the line of an import that is not found', async () => {
    await openFile(page, 'needs.js');
    const run = await runOpenFile();
    assert.match(run.error ?? '', /Cannot find module '\.\/missing-part\.js', imported from .*needs\.js/);
    await page.locator('.squiggly-error').first().waitFor({ state: 'attached' });
  });

  it('imports a Python module beside the file', async function () {
    if (!existsSync((await pythonForTests(() => undefined).catch(() => undefined))?.interpreter ?? '')) this.skip();
    await openFile(page, 'shop.py');
    const run = await runOpenFile();
    assert.match(run.result ?? '', /6/, run.error);
    assert.ok(run.result?.includes(folder), run.result);
  });

  it('marks the line of an import on a server that cannot read the project, and sends nothing', async () => {
    const server = await spawnService(['--port', '0', '--data-dir', join(folder, 'server')], {
      WEBDATA_API_KEYS: `${keyEnvironment.WEBDATA_API_KEY}:team`,
    });
    try {
      await connectToServer(page, server.line.baseUrl);
      await openFile(page, 'shop.ts');
      const run = await runOpenFile();
      assert.match(run.error ?? '', /Can't import "prices": this server can't read your project's files/);
      assert.equal(run.sessionId, '', 'no session was created');
      await page.locator('.squiggly-error').first().waitFor({ state: 'attached' });
      await takePicture(page, 'import-on-server');
    } finally {
      server.child.kill();
      await server.exited;
    }
  });
});
