import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addExtraPath,
  type Configuration,
  hasExtraPaths,
  linkPlaywright,
  writePythonStubs,
} from '../../../src/extension/types/python/python-stubs.ts';
import '../../harness/fake-vscode.ts';

const { hasPythonCells, isAboutSessionName } = await import('../../../src/extension/types/python/python.ts');

/** Settings of VS Code: sections that an installed extension contributes have a default. */
function settings(values: Record<string, { globalValue?: unknown; workspaceValue?: unknown }>) {
  const updates: unknown[] = [];
  const configuration = (section: string): Configuration => ({
    inspect: () => (values[section] ? { defaultValue: [], ...values[section] } : {}),
    update: async (...change) => {
      updates.push([section, ...change]);
    },
  });
  return { configuration, updates };
}

describe('types for Python', () => {
  let folder: string;
  let service: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'webdata-python-types-')));
    service = join(folder, 'service');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function installPlaywright(packages: string): string {
    const installed = join(service, 'python', 'python3.12-playwright', packages, 'playwright');
    mkdirSync(join(installed, 'async_api'), { recursive: true });
    writeFileSync(join(installed, 'async_api', '__init__.py'), `# ${packages}\n`);
    return installed;
  }

  it("declares the session's names as built-in names", async () => {
    const stubs = join(folder, 'stubs');
    assert.equal(await writePythonStubs(stubs, service), false);
    const text = readFileSync(join(stubs, '__builtins__.pyi'), 'utf8');
    for (const line of ['page: Page', 'context: BrowserContext', 'browser: Browser', 'playwright: Playwright'])
      assert.ok(text.split('\n').includes(line), line);
  });

  for (const packages of [join('lib', 'python3.12', 'site-packages'), join('Lib', 'site-packages')]) {
    it(`uses Playwright from ${packages} of the service, even if it is installed later`, async () => {
      const stubs = join(folder, 'stubs');
      await writePythonStubs(stubs, service);
      installPlaywright(packages);
      assert.equal(await linkPlaywright(stubs, service), true);
      assert.equal(await linkPlaywright(stubs, service), true);
      const linked = readFileSync(join(stubs, 'playwright', 'async_api', '__init__.py'), 'utf8');
      assert.equal(linked, `# ${packages}\n`);
    });
  }

  it('links nothing before the types were added', async () => {
    installPlaywright(join('lib', 'python3.12', 'site-packages'));
    assert.equal(await linkPlaywright(join(folder, 'stubs'), service), false);
  });

  it('adds its folder to the settings of installed Python extensions once, and keeps other entries', async () => {
    const values = { 'python.analysis': { globalValue: ['/user'], workspaceValue: ['/theirs'] } };
    const { configuration, updates } = settings(values);
    assert.equal(await addExtraPath('/stubs', false, configuration), 1);
    assert.equal(await addExtraPath('/stubs', true, configuration), 1);
    assert.deepEqual(updates, [
      ['python.analysis', 'extraPaths', ['/theirs', '/stubs'], false],
      ['python.analysis', 'extraPaths', ['/user', '/stubs'], true],
    ]);
    const again = settings({ 'basedpyright.analysis': { workspaceValue: ['/stubs'] } });
    assert.equal(await addExtraPath('/stubs', false, again.configuration), 1);
    assert.deepEqual(again.updates, []);
  });

  it('changes no setting without a Python extension', async () => {
    const { configuration, updates } = settings({});
    assert.equal(hasExtraPaths(configuration), false);
    assert.equal(await addExtraPath('/stubs', true, configuration), 0);
    assert.deepEqual(updates, []);
  });

  it('is offered only for undefined names of the session', () => {
    assert.ok(isAboutSessionName('"page" is not defined'));
    assert.ok(isAboutSessionName('Undefined name `browser`'));
    assert.ok(isAboutSessionName("undefined name 'context'"));
    assert.ok(!isAboutSessionName('"pages" is not defined'));
    assert.ok(!isAboutSessionName('"page" is possibly unbound'));
    assert.ok(hasPythonCells('import os\n# %% open\n'));
    assert.ok(!hasPythonCells('print("# %%")\n'));
  });
});
