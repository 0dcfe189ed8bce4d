import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { agentBrowserVersion, createAgentBrowser } from '../../../src/service/browsers/runners/bash/agent-browser.ts';
import { createTools, type Tools } from '../../../src/service/browsers/runners/install/install.ts';
import { createSharedTask } from '../../../src/service/browsers/runners/install/shared-task.ts';
import { createPythonRunner } from '../../../src/service/browsers/runners/python/python.ts';
import {
  createPythonEnvironment,
  pythonPlaywright,
} from '../../../src/service/browsers/runners/python/python-environment.ts';
import { RunnerUnavailableError } from '../../../src/service/browsers/runners/runner.ts';
import { findProgram, findPrograms } from '../../../src/service/platform/system/find-program.ts';
import { findStrays, killStrays } from '../../../src/service/platform/system/stray-processes.ts';
import { eventually, patience } from '../../harness/eventually.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('installing runner tools', () => {
  before(function () {
    // Shell scripts stand in for the installers.
    if (process.platform === 'win32') this.skip();
  });
  let folder: string;
  let tools: Tools;
  beforeEach(() => {
    folder = temporaryFolder();
    tools = createTools(['WEBDATA_TEST', folder]);
    mkdirSync(join(folder, 'bin'));
  });
  afterEach(async () => {
    await tools.close();
    await killStrays('WEBDATA_TEST', folder);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Puts a program on the PATH of a test. */
  function program(name: string, script: string): string {
    const path = join(folder, 'bin', name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return path;
  }

  const unavailable = (pattern: RegExp) => (error: unknown) => {
    assert.ok(error instanceof RunnerUnavailableError);
    assert.equal(error.status, 503);
    assert.match(error.message, pattern);
    return true;
  };

  describe('programs', () => {
    it('are found on PATH in order, only in absolute entries (EXE-15)', () => {
      const other = join(folder, 'other');
      mkdirSync(other);
      const one = program('one', '');
      writeFileSync(join(other, 'one'), '', { mode: 0o755 });
      writeFileSync(join(other, 'plain'), '', { mode: 0o644 });
      mkdirSync(join(other, 'directory'));
      const path = ['', '.', 'relative', join(folder, 'bin'), other].join(':');
      assert.deepEqual(findPrograms(['none', 'one'], path), [one, join(other, 'one')]);
      assert.equal(findProgram(['plain', 'directory'], path), undefined);
      assert.equal(findProgram(['one'], ''), undefined);
    });
  });

  describe('tools', () => {
    it('report their output, with the last lines in errors', async () => {
      const lines: string[] = [];
      await tools.run(program('fine', 'echo one; echo; echo two >&2'), [], (line) => lines.push(line));
      assert.deepEqual(lines.sort(), ['one', 'two']);
      await assert.rejects(tools.run(program('bad', 'echo why >&2; exit 3'), []), { message: 'why' });
      await assert.rejects(tools.run(program('mute', 'exit 3'), []), /exited with code 3/);
      await assert.rejects(tools.run(join(folder, 'none'), []), /ENOENT/);
    });

    it('get no keys, but the settings of package managers', async () => {
      const given = {
        WEBDATA_API_KEYS: 'k',
        AWS_SECRET_ACCESS_KEY: 's',
        PIP_TEST: 'x',
        npm_config_test: 'y',
        https_proxy: 'z',
      };
      const saved = Object.fromEntries(Object.keys(given).map((name) => [name, process.env[name]]));
      Object.assign(process.env, given);
      try {
        const own = createTools(['WEBDATA_TEST', folder]);
        const lines: string[] = [];
        await own.run(
          '/bin/sh',
          ['-c', 'for name in "$@"; do echo "$name=$(printenv "$name")"; done', 'sh', ...Object.keys(given)],
          (line) => lines.push(line),
        );
        assert.deepEqual(lines, [
          'WEBDATA_API_KEYS=',
          'AWS_SECRET_ACCESS_KEY=',
          'PIP_TEST=x',
          'npm_config_test=y',
          'https_proxy=z',
        ]);
      } finally {
        for (const [name, value] of Object.entries(saved)) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
      }
    });

    it('are stopped on close with everything they started', async () => {
      const going = tools.run(program('slow', 'sleep 300 & echo started; wait'), [], () => void tools.close());
      await assert.rejects(going, /SIGKILL|started/);
      assert.deepEqual(await findStrays('WEBDATA_TEST', folder), []);
    });

    it('end with the service, also if that is killed, with everything they started', async () => {
      const slow = program('slow', 'sleep 300 & sleep 300');
      const source = JSON.stringify(
        new URL('../../../src/service/browsers/runners/install/install.ts', import.meta.url).href,
      );
      const script = `const { createTools } = await import(${source});
        await createTools(['WEBDATA_TEST', process.argv[1]]).run(process.argv[2], []);`;
      const service = spawn(process.execPath, ['--input-type=module', '--eval', script, folder, slow]);
      const strays = () => findStrays('WEBDATA_TEST', folder);
      await eventually(async () => assert.equal((await strays()).length, 3));
      service.kill('SIGKILL');
      await eventually(async () => assert.deepEqual(await strays(), []));
    });
  });

  describe('shared work', () => {
    it('is done once for all callers, who all get its progress', async () => {
      let finish: (value: string) => void = () => undefined;
      let count = 0;
      const logged: string[] = [];
      const task = createSharedTask(
        (tell) => {
          count++;
          tell('begun');
          return new Promise<string>((resolve) => {
            finish = (value) => {
              tell('almost');
              resolve(value);
            };
          });
        },
        (value) => value !== 'stale',
        (text) => logged.push(text),
      );
      const heard: string[][] = [[], []];
      const first = task((text) => heard[0]?.push(text));
      const second = task((text) => heard[1]?.push(text));
      finish('stale');
      assert.deepEqual(await Promise.all([first, second]), ['stale', 'stale']);
      assert.deepEqual(heard, [
        ['begun', 'almost'],
        ['begun', 'almost'],
      ]);
      assert.deepEqual(logged, ['begun', 'almost']);
      assert.equal(count, 1);

      const again = task(() => undefined);
      finish('fresh');
      assert.equal(await again, 'fresh');
      assert.equal(await task(() => undefined), 'fresh');
      assert.equal(count, 2);
    });

    it('is retried after a failure', async () => {
      let count = 0;
      const task = createSharedTask(async () => {
        if (count++ === 0) throw new Error('first');
        return 'second';
      });
      await assert.rejects(
        task(() => undefined),
        { message: 'first' },
      );
      assert.equal(await task(() => undefined), 'second');
    });
  });

  describe('Python', () => {
    /** A stand-in for an interpreter: a version, whether it has Playwright, and what it does as `-m venv DIR`. */
    const interpreter = (name: string, version: string, playwright: boolean, venv = 'exit 1') =>
      program(
        name,
        `case "$*" in "-c "*find_spec*) printf '%s\\n' '${version} ${playwright ? 'True' : 'False'}' /usr /usr/local;; "-m venv "*) ${venv};; esac`,
      );
    const environment = (more: { configured?: string } = {}) =>
      createPythonEnvironment({ tools, directory: join(folder, 'python'), path: join(folder, 'bin'), ...more });
    /** A virtual environment whose pip notes what it was asked. */
    const makesVenv = `mkdir -p "$3/bin"; printf '#!/bin/sh\\necho "$@" >> "%s"\\n' "$3/asked" > "$3/bin/python"; chmod +x "$3/bin/python"; echo made`;

    it('is reported as missing if no usable one is found', async () => {
      await assert.rejects(
        environment()(() => undefined),
        unavailable(/No usable Python was found.*no python3 or python on PATH.*Install Python 3\.10/),
      );
      interpreter('python3', '3.9', false);
      program('python', 'echo Python 2.7 >&2; exit 1');
      await assert.rejects(
        environment()(() => undefined),
        unavailable(/Python 3\.9 is too old.*Python 2\.7/),
      );
      await assert.rejects(
        environment({ configured: join(folder, 'none') })(() => undefined),
        unavailable(/none: .*ENOENT/),
      );
    });

    it('gets Playwright in a separate environment, once', async () => {
      interpreter('python3', '3.9', false);
      interpreter('python3.12', '3.12', true, makesVenv);
      mkdirSync(join(folder, 'python', 'of-an-earlier-version'), { recursive: true });
      const notices: string[] = [];
      assert.equal(await environment().missing(), join(folder, 'python', `python3.12-playwright${pythonPlaywright}`));
      const found = await environment()((text) => notices.push(text));
      const name = `python3.12-playwright${pythonPlaywright}`;
      assert.deepEqual(found, {
        interpreter: join(folder, 'python', name, 'bin', 'python'),
        bin: join(folder, 'python', name, 'bin'),
        packages: join(folder, 'python', name, 'lib', 'python3.12', 'site-packages'),
        reads: [join(folder, 'python', name), '/usr', '/usr/local'],
      });
      const asked = readFileSync(join(folder, 'python', name, 'asked'), 'utf8');
      assert.match(asked, new RegExp(`-m pip install .*playwright==${pythonPlaywright}`));
      assert.match(notices[0] ?? '', /^Installing Playwright .* into .* \(first use only\)$/);
      assert.ok(notices.includes('made'));
      assert.match(notices.at(-1) ?? '', /is installed$/);
      assert.deepEqual(readdirSync(join(folder, 'python')), [name]);

      interpreter('python3.12', '3.12', true, 'echo "made twice"; exit 1');
      assert.deepEqual(await environment()(() => undefined), found);
    });

    it('is installed again if an install was interrupted', async () => {
      interpreter('python3', '3.12', false, makesVenv);
      const half = join(folder, 'python', `python3.12-playwright${pythonPlaywright}`, 'bin');
      mkdirSync(half, { recursive: true });
      writeFileSync(join(half, 'python'), 'half', { mode: 0o755 });
      await environment()(() => undefined);
      assert.match(readFileSync(join(half, 'python'), 'utf8'), /^#!/);
    });

    it('is used unchanged if it was configured and has Playwright', async () => {
      const configured = interpreter('mine', '3.13', true);
      assert.deepEqual(await environment({ configured })(() => undefined), {
        interpreter: configured,
        reads: ['/usr', '/usr/local'],
      });
    });

    it('reports what was tried and what to do if an install fails, and leaves nothing behind', async () => {
      interpreter('python3', '3.12', false, 'echo "ensurepip is not available" >&2; exit 1');
      await assert.rejects(
        environment()(() => undefined),
        unavailable(
          /Failed to install Playwright .* with .*python3 \(Python 3\.12\).*ensurepip is not available\nInstall .*python3-venv/s,
        ),
      );
      const noIndex = `mkdir -p "$3/bin"; printf '#!/bin/sh\\necho no route to index >&2; exit 1\\n' > "$3/bin/python"; chmod +x "$3/bin/python"`;
      interpreter('python3', '3.12', false, noIndex);
      await assert.rejects(
        environment()(() => undefined),
        unavailable(/no route to index\nCheck that the package index is reachable/),
      );
      assert.deepEqual(readdirSync(join(folder, 'python')), []);
    });

    it('is reported as being installed when the timeout passes, and the install continues', async () => {
      let finish: () => void = () => undefined;
      const installed = new Promise<void>((resolve) => {
        finish = resolve;
      });
      let asked = 0;
      const task = createSharedTask(async (tell) => {
        asked++;
        tell('on it');
        await installed;
        return { interpreter: join(folder, 'none') };
      });
      const runner = createPythonRunner({
        cdpUrl: 'ws://127.0.0.1:9/',
        directory: folder,
        marker: ['WEBDATA_TEST', folder],
        environment: () => task,
      });
      const notices: string[] = [];
      const run = (timeoutMs = 50) => runner.run({ code: '1', timeoutMs, onNotice: (text) => notices.push(text) });
      await assert.rejects(run(), unavailable(/being installed.*Try again/));
      await assert.rejects(run(), unavailable(/being installed.*Try again/));
      assert.equal(asked, 1);
      assert.deepEqual(notices, ['on it']);
      await runner.reset();
      finish();
      await assert.rejects(run(patience), unavailable(/none.*(ENOENT|not found)/));
      await runner.dispose();
    });
  });

  describe('agent-browser', () => {
    const agentBrowser = (more: { configured?: string } = {}) =>
      createAgentBrowser({ tools, directory: join(folder, 'tool'), path: join(folder, 'bin'), ...more });

    it('is found on PATH', async () => {
      program('agent-browser', 'exit 0');
      assert.equal(await agentBrowser()(() => undefined), join(folder, 'bin'));
    });

    it('is used from the configured path, under its own name', async () => {
      const configured = program('my-agent', 'echo mine');
      const bin = await agentBrowser({ configured })(() => undefined);
      assert.equal(await tools.run(join(bin, 'agent-browser'), []), 'mine');
      const asked = agentBrowser({ configured });
      rmSync(join(folder, 'tool'), { recursive: true });
      assert.equal(await asked.missing(), undefined);
      assert.ok(!existsSync(join(folder, 'tool')), 'asking whether it is missing changes nothing');
      await Promise.all([asked(() => undefined), asked.missing(), asked.missing()]);
      await assert.rejects(
        agentBrowser({ configured: join(folder, 'none') })(() => undefined),
        unavailable(/none isn't an executable file/),
      );
    });

    it('is announced before it is installed, if npm can install it', async () => {
      assert.equal(await agentBrowser().missing(), undefined);
      program('npm', 'exit 1');
      assert.equal(await agentBrowser().missing(), join(folder, 'tool', agentBrowserVersion));
      assert.equal(await agentBrowser({ configured: '/somewhere/agent-browser' }).missing(), undefined);
      program('agent-browser', 'exit 0');
      assert.equal(await agentBrowser().missing(), undefined);
    });

    it('is reported as missing if neither it nor npm is found', async () => {
      await assert.rejects(
        agentBrowser()(() => undefined),
        unavailable(/neither is npm, which could install it\. Install/),
      );
    });

    it('is installed with npm, once, for this system only', async () => {
      symlinkSync(process.execPath, join(folder, 'bin', 'node'));
      const make = `
        const { mkdirSync, writeFileSync } = require('fs');
        const folder = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules/agent-browser/bin';
        mkdirSync(folder, { recursive: true });
        for (const system of ['linux-x64', 'linux-arm64', 'linux-musl-x64', 'linux-musl-arm64', 'darwin-x64', 'darwin-arm64'])
          writeFileSync(folder + '/agent-browser-' + system, '#!/bin/sh\\necho ' + system);
        console.log(process.argv.at(-1));`;
      writeFileSync(join(folder, 'make.cjs'), make);
      program('npm', `exec "${process.execPath}" "${join(folder, 'make.cjs')}" "$@"`);
      mkdirSync(join(folder, 'tool', '0.0.1'), { recursive: true });
      const notices: string[] = [];
      const bin = await agentBrowser()((text) => notices.push(text));
      assert.match(
        await tools.run(join(bin, 'agent-browser'), []),
        new RegExp(`^${process.platform}-.*${process.arch}$`),
      );
      assert.deepEqual(readdirSync(join(folder, 'tool')), [agentBrowserVersion]);
      assert.equal(readdirSync(join(bin, '..', 'node_modules', 'agent-browser', 'bin')).length, 1);
      assert.ok(notices.includes(`agent-browser@${agentBrowserVersion}`));

      program('npm', 'exit 1');
      assert.equal(await agentBrowser()(() => undefined), bin);
    });

    it('reports what was tried and what to do if npm fails, and leaves nothing behind', async () => {
      program('npm', 'echo "no registry" >&2; exit 1');
      await assert.rejects(
        agentBrowser()(() => undefined),
        unavailable(
          new RegExp(`with ${basename(folder) && '.*'}npm into .*: no registry\nCheck that the npm registry`, 's'),
        ),
      );
      assert.deepEqual(readdirSync(join(folder, 'tool')), []);
    });
  });
});
