import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTemporaryFolders, type TemporaryFolders } from '../../../src/service/browsers/chrome/temporary-folders.ts';
import { bubblewrapArguments, type SandboxLayout } from '../../../src/service/browsers/isolation/bubblewrap.ts';
import { exitInside, openIsolation } from '../../../src/service/browsers/isolation/isolation.ts';
import { sandboxEnvironment } from '../../../src/service/browsers/isolation/sandbox.ts';
import { parseOptions } from '../../../src/service/options.ts';
import { silentLog } from '../../../src/service/platform/log.ts';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the isolation of sessions', () => {
  const isolationOf = (args: string[], env: NodeJS.ProcessEnv = {}) => parseOptions(args, env).isolation;
  const beyond = ['--host', '0.0.0.0', '--allowed-host', 'a'];

  it('is bubblewrap for a service that other machines use, unless another one is set', () => {
    assert.equal(isolationOf([]), 'none');
    assert.equal(isolationOf(beyond), 'bubblewrap');
    assert.equal(isolationOf(['--public-url', 'https://data.example.com']), 'bubblewrap');
    assert.equal(isolationOf([...beyond, '--isolation', 'none']), 'none');
    assert.equal(isolationOf([], { WEBDATA_ISOLATION: 'bubblewrap' }), 'bubblewrap');
    assert.equal(isolationOf(beyond, { WEBDATA_ISOLATION: 'none' }), 'none');
  });

  it('must be known, and fit the other options', () => {
    assert.throws(() => isolationOf(['--isolation', 'docker']), /--isolation must be bubblewrap or none, got "docker"/);
    assert.throws(() => isolationOf(['--isolation', 'bubblewrap', '--headed']), /Use either --headed or --isolation/);
    assert.throws(
      () => isolationOf(['--isolation', 'bubblewrap', '--no-auth']),
      /can't be used together.*Use API keys/,
    );
    assert.equal(isolationOf(['--no-auth']), 'none');
    assert.throws(() => isolationOf(['--isolation', 'bubblewrap', '--port', '80']), /--port must be above 1023/);
  });

  const partsFor = (dataDir: string, temporary: TemporaryFolders, log = silentLog) => ({
    ...{ dataDir, sharedDir: dataDir, temporary, log },
    egress: () => Promise.reject(new Error('not used')),
  });

  it('says once at the start if code may create user namespaces, and what to do', async function () {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return this.skip();
    const dataDir = temporaryFolder();
    const temporary = await openTemporaryFolders(dataDir);
    const warnings: unknown[][] = [];
    const log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) };
    const open = (bwrap: string) => {
      writeFileSync(join(dataDir, 'bwrap'), `#!/bin/sh\n${bwrap}\n`, { mode: 0o755 });
      return openIsolation({ ...partsFor(dataDir, temporary, log), path: dataDir });
    };
    try {
      await open('exit 0');
      assert.deepEqual(warnings, []);
      await assert.rejects(open('echo no right >&2; exit 1'), /bubblewrap doesn't work here: no right/);
      assert.deepEqual(warnings, []);
      await open('case "$*" in *max_user_namespaces*) echo "read-only" >&2; exit 1;; esac');
      assert.equal(warnings.length, 1);
      assert.match(JSON.stringify(warnings), /read-only.*code in sandboxes may create user namespaces.*another user/);
    } finally {
      temporary.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('is refused with the reason on other systems, without bubblewrap, and if every sandbox would see the data', async () => {
    const dataDir = temporaryFolder();
    const temporary = await openTemporaryFolders(dataDir);
    const parts = partsFor(dataDir, temporary);
    try {
      const onMac = openIsolation({ ...parts, platform: 'darwin' });
      await assert.rejects(
        onMac,
        /^Error: Sessions can't be isolated: bubblewrap needs Linux\. Or set --isolation none/,
      );
      const without = openIsolation({ ...parts, platform: 'linux', path: dataDir });
      await assert.rejects(without, /bwrap is not on PATH\. Install bubblewrap/);
      for (const folders of [{ dataDir: '/usr/src/app/data' }, { sharedDir: '/usr' }]) {
        const inSystem = openIsolation({ ...parts, ...folders, platform: 'linux', path: dataDir });
        await assert.rejects(inSystem, /every session sees what is in \/usr, and \/usr\S* is there/);
      }
    } finally {
      temporary.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('shows a sandbox only what it was given', () => {
    const layout: SandboxLayout = {
      tmp: '/t/tmp',
      home: '/t/home',
      etc: '/t/etc',
      gate: '/t/gate',
      writable: ['/data/browsers/1/work'],
      readOnly: ['/opt/node', '/usr/bin/node'],
      cwd: '/data/browsers/1/work',
      userNamespaces: false,
      asRoot: false,
    };
    const args = bubblewrapArguments(layout);
    const sources = args.flatMap((arg, index) =>
      /^--(?:ro-)?bind(?:-try)?$/.test(arg) ? [args[index + 1] ?? ''] : [],
    );
    const known =
      /^\/(?:usr|s?bin|lib(?:x?32|64)?)$|^\/etc\/|^\/var\/cache\/fontconfig$|^\/t\/|^\/opt\/node$|^\/data\/browsers\/1\/work$/;
    for (const source of sources) assert.match(source, known);
    for (const secret of ['/etc/shadow', '/etc/passwd', '/data', '/usr/bin/node'])
      assert.ok(!sources.includes(secret), secret);
    for (const flag of ['--unshare-user', '--disable-userns', '--unshare-net', '--unshare-pid', '--die-with-parent'])
      assert.ok(args.includes(flag), flag);
    const ofBrowser = bubblewrapArguments({ ...layout, gate: undefined, userNamespaces: true });
    assert.ok(!ofBrowser.includes('--unshare-net') && !ofBrowser.includes('--disable-userns'));
    const ofRoot = bubblewrapArguments({ ...layout, asRoot: true });
    assert.ok(!ofRoot.includes('--unshare-user') && join(...ofRoot).includes('--cap-drop/ALL'));
  });

  it("withholds the desktop's variables and names the proxy", () => {
    const env = { PATH: '/bin', LANG: 'C', HOME: '/root', USER: 'root', DISPLAY: ':0', XDG_RUNTIME_DIR: '/run/user/0' };
    const { PATH, LANG, HOME, USER, HTTPS_PROXY, ...others } = sandboxEnvironment(env, 'http://127.0.0.1:3128');
    assert.deepEqual(
      [PATH, LANG, HOME, USER, HTTPS_PROXY],
      ['/bin', 'C', '/home/webdata', 'webdata', 'http://127.0.0.1:3128'],
    );
    assert.ok(!('DISPLAY' in others) && !('XDG_RUNTIME_DIR' in others));
    assert.equal(sandboxEnvironment(env, undefined).HTTP_PROXY, undefined);
  });

  it('reports the signal that ended a program', () => {
    assert.deepEqual(exitInside(137, null), { code: null, signal: 'SIGKILL' });
    assert.deepEqual(exitInside(1, null), { code: 1, signal: null });
    assert.deepEqual(exitInside(null, 'SIGTERM'), { code: null, signal: 'SIGTERM' });
  });
});
