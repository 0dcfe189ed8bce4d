import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { openTemporaryFolders } from '../../../src/service/browsers/chrome/temporary-folders.ts';
import { childEnvironment, variableIn } from '../../../src/service/platform/environment.ts';
import { type Killing, killTree } from '../../../src/service/platform/system/kill-tree.ts';
import { availableMemory, spareBrowsersFor } from '../../../src/service/platform/system/memory.ts';
import { removeEmptyFolder, removeFolder, renameInUse } from '../../../src/service/platform/system/rename.ts';
import { findStrays, macProcesses } from '../../../src/service/platform/system/stray-processes.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const failing = (code: string) => Object.assign(new Error(code), { code });

describe('an empty folder', () => {
  it('is deleted, unlike one with files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'webdata-empty-'));
    try {
      const [empty, used] = [join(folder, 'empty'), join(folder, 'used')];
      mkdirSync(empty);
      mkdirSync(used);
      writeFileSync(join(used, 'download.csv'), 'a');
      for (const path of [empty, used, join(folder, 'gone')]) await removeEmptyFolder(path);
      assert.equal(existsSync(empty), false);
      assert.equal(existsSync(join(used, 'download.csv')), true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('a folder that code has filled', () => {
  it('is deleted however deeply its folders are nested, and whatever they permit', async function () {
    if (process.platform === 'win32') this.skip();
    const outside = temporaryFolder();
    const folder = temporaryFolder();
    const [inner, outer] = [join(folder, 'inner'), join(folder, 'outer')];
    mkdirSync(inner);
    writeFileSync(join(inner, 'file'), '');
    symlinkSync(outside, join(inner, 'link'));
    writeFileSync(join(outside, 'kept'), '');
    // Their path is longer than any that a program may name.
    for (let depth = 0; depth < 30; depth++) {
      mkdirSync(outer);
      renameSync(inner, join(outer, 'n'.repeat(200)));
      renameSync(outer, inner);
    }
    chmodSync(inner, 0);
    await removeFolder(folder);
    assert.ok(!existsSync(folder));
    assert.deepEqual(readdirSync(outside), ['kept']);
    rmSync(outside, { recursive: true });
  });

  it('BUD-20: is deleted a few entries at a time, however many it has', async () => {
    const folder = temporaryFolder();
    for (const [name, count] of [
      ['', 3_000],
      ['inner', 3_000],
      ['folders', 300],
    ] as const) {
      mkdirSync(join(folder, name), { recursive: true });
      for (let n = 0; n < count; n++) {
        if (name === 'folders') mkdirSync(join(folder, name, `${n}`));
        else writeFileSync(join(folder, name, `${n}`), '');
      }
    }
    const waiting = new Set<number>();
    let most = 0;
    const hook = createHook({
      init(id, type) {
        if (type.startsWith('FSREQ')) most = Math.max(most, waiting.add(id).size);
      },
      before: (id) => void waiting.delete(id),
    }).enable();
    await removeFolder(folder).finally(() => hook.disable());
    assert.ok(!existsSync(folder));
    assert.ok(most > 0 && most <= 500, `${most} at the same time`);
  });

  it('does not keep a service from having a folder for temporary files', async function () {
    if (process.platform === 'win32') this.skip();
    const parent = realpathSync(mkdtempSync('/tmp/w-'));
    const first = await openTemporaryFolders('/data', [parent]);
    let { path } = (await first.create()) ?? assert.fail('there is no folder');
    mkdirSync(join(path, 'tmp', 'locked'), { recursive: true });
    writeFileSync(join(path, 'tmp', 'locked', 'file'), '');
    // Root ignores this.
    chmodSync(join(path, 'tmp', 'locked'), 0);
    const next = await openTemporaryFolders('/data', [parent]);
    path = (await next.create())?.path ?? assert.fail('the next service has no folder');
    assert.deepEqual(readdirSync(dirname(path)), [basename(path)]);
    rmSync(parent, { recursive: true });
  });

  it('is in the next folder where the path of the first is too long for sockets', async function () {
    if (process.platform === 'win32') this.skip();
    const parent = realpathSync(mkdtempSync('/tmp/w-'));
    const long = join(parent, 'n'.repeat(40));
    mkdirSync(long);
    assert.equal(await (await openTemporaryFolders('/data', [long])).create(), undefined);
    const { path } = (await (await openTemporaryFolders('/data', [long, parent])).create()) ?? assert.fail('no folder');
    assert.equal(dirname(dirname(path)), parent);
    rmSync(parent, { recursive: true });
  });
});

describe('the end of a process and what it started', () => {
  function on(platform: NodeJS.Platform, kill: Killing['kill'] = () => undefined) {
    const done: unknown[] = [];
    const system: Killing = {
      platform,
      kill: (pid, signal) => {
        done.push([pid, signal]);
        kill(pid, signal);
      },
      run: (program, args) => done.push([program, ...args]),
    };
    killTree(41, system);
    return done;
  }

  it('is by its group on Linux and macOS', () => {
    assert.deepEqual(on('linux'), [[-41, 'SIGKILL']]);
    assert.deepEqual(on('darwin'), [[-41, 'SIGKILL']]);
  });

  it('is by its tree on Windows, which has no groups', () => {
    assert.deepEqual(on('win32'), [['taskkill', '/pid', '41', '/T', '/F']]);
  });

  it('is nothing if it has exited or never started', () => {
    assert.doesNotThrow(() =>
      on('linux', () => {
        throw failing('ESRCH');
      }),
    );
    killTree(undefined);
  });
});

describe('a folder that is renamed', () => {
  async function rename(platform: NodeJS.Platform, failures: string[]) {
    const waits: number[] = [];
    let calls = 0;
    const outcome = await renameInUse('from', 'to', {
      platform,
      rename: async () => {
        const code = failures[calls++];
        if (code) throw failing(code);
      },
      wait: async (ms) => waits.push(ms),
    }).then(
      () => 'renamed',
      (error: NodeJS.ErrnoException) => error.code,
    );
    return { outcome, calls, waits };
  }

  it('is tried again on Windows while it is in use', async () => {
    assert.deepEqual(await rename('win32', ['EPERM', 'EBUSY', 'EACCES']), {
      outcome: 'renamed',
      calls: 4,
      waits: [20, 50, 100],
    });
  });

  it('fails there after a while, and at once for another reason', async () => {
    const always = Array.from({ length: 20 }, () => 'EBUSY');
    const { outcome, calls } = await rename('win32', always);
    assert.deepEqual([outcome, calls], ['EBUSY', 8]);
    assert.deepEqual(await rename('win32', ['ENOENT']), { outcome: 'ENOENT', calls: 1, waits: [] });
  });

  it('fails at once on other systems, where nothing is locked', async () => {
    for (const platform of ['linux', 'darwin'] as const)
      assert.deepEqual(await rename(platform, ['EACCES']), { outcome: 'EACCES', calls: 1, waits: [] });
  });
});

describe('the environment of a child process', () => {
  it('has one PATH on Windows, whatever its case', () => {
    const from = { Path: 'C:\\Windows', systemroot: 'C:\\Windows', ProgramFiles: 'C:\\Program Files', SECRET: 'x' };
    assert.deepEqual(childEnvironment({}, from, 'win32'), {
      PATH: 'C:\\Windows',
      SystemRoot: 'C:\\Windows',
      PROGRAMFILES: 'C:\\Program Files',
    });
    const changed = childEnvironment({ PATH: 'C:\\venv;C:\\Windows' }, from, 'win32');
    assert.deepEqual(
      Object.entries(changed).filter(([name]) => name.toLowerCase() === 'path'),
      [['PATH', 'C:\\venv;C:\\Windows']],
    );
  });

  it('tells a variable by its own name only, which has no case on Windows', () => {
    const environment = { PATH: 'C:\\Windows' };
    assert.equal(variableIn(environment, 'Path', 'win32'), 'C:\\Windows');
    assert.equal(variableIn(environment, 'Path', 'linux'), undefined);
    assert.equal(variableIn(environment, 'PATH', 'linux'), 'C:\\Windows');
    assert.equal(variableIn(environment, 'constructor', 'linux'), undefined);
  });

  it('takes names as they are elsewhere, where they differ by case', () => {
    assert.deepEqual(childEnvironment({}, { Path: '/other', PATH: '/bin', LANG: 'C' }, 'linux'), {
      PATH: '/bin',
      LANG: 'C',
    });
  });

  it('has the certificate authorities of the machine, and still no key', () => {
    const from = {
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      SSL_CERT_FILE: '/ca.pem',
      SSLKEYLOGFILE: '/keys',
      API_KEY: 'canary',
    };
    assert.deepEqual(childEnvironment({}, from, 'linux'), {
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      SSL_CERT_FILE: '/ca.pem',
    });
  });

  it('has a locale on macOS, where an app from the Dock has none', () => {
    assert.equal(childEnvironment({}, { PATH: '/bin' }, 'darwin').LC_CTYPE, 'UTF-8');
    assert.equal(childEnvironment({}, { LANG: 'de_DE.UTF-8' }, 'darwin').LC_CTYPE, undefined);
    assert.equal(childEnvironment({}, { PATH: '/bin' }, 'linux').LC_CTYPE, undefined);
  });
});

describe('strays on macOS', () => {
  const folder = '/Users/ada/Library/Application Support/Code/browsers/7c1e';
  const output = [
    `  101 /opt/agent-browser daemon AGENT_BROWSER_SESSION=1a WEBDATA_HOST=${folder} LANG=C`,
    `  102 /bin/zsh -c sleep 9 WEBDATA_HOST=${folder}`,
    `  103 node x.js WEBDATA_HOST=${folder}/work PATH=/bin`,
    `  104 node x.js WEBDATA_HOST=${folder}-two PATH=/bin`,
    `  105 node x.js OTHER_WEBDATA_HOST=${folder}`,
    '  106 /usr/sbin/cfprefsd agent',
    '',
  ].join('\n');
  const list = (text: string) => () => macProcesses(async () => text);

  it('are found by their environment, such as the daemons of agent-browser, also below a path with spaces', async () => {
    assert.deepEqual(await findStrays('WEBDATA_HOST', folder, list(output)), [101, 102, 103]);
  });

  it('are none where the processes cannot be listed', async () => {
    assert.deepEqual(await findStrays('WEBDATA_HOST', folder, list('')), []);
    assert.deepEqual(await macProcesses(() => Promise.reject(new Error('no ps'))), []);
  });

  it('never include this process', async () => {
    const own = `${process.pid} node WEBDATA_HOST=${folder}\n`;
    assert.deepEqual(await findStrays('WEBDATA_HOST', folder, list(own)), []);
  });
});

describe('the memory of the machine', () => {
  const gb = 1024 ** 3;

  it('is that of the container, if that has a limit', () => {
    assert.equal(availableMemory(32 * gb, 2 * gb), 2 * gb);
    assert.equal(availableMemory(32 * gb, 0), 32 * gb);
    // What an unlimited control group reports.
    assert.equal(availableMemory(32 * gb, 2 ** 63), 32 * gb);
  });

  it('has no room for a spare browser on 2 GB, unless more than the default are configured', () => {
    assert.equal(spareBrowsersFor(1, 1, false, 2 * gb), 0);
    assert.equal(spareBrowsersFor(2, 1, false, 2 * gb), 2);
    assert.equal(spareBrowsersFor(1, 1, false, 32 * gb), 1);
    assert.equal(spareBrowsersFor(0, 1, false, 32 * gb), 0);
  });

  it('takes no spare browser from others, unless more than the default are configured', () => {
    assert.equal(spareBrowsersFor(1, 1, true, 32 * gb), 0);
    assert.equal(spareBrowsersFor(2, 1, true, 32 * gb), 2);
  });
});
