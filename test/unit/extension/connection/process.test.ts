import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  logTail,
  scrub,
  serviceArguments,
  serviceEnvironment,
  serviceLogName,
  startService,
} from '../../../../src/extension/connection/embedded/process.ts';
import { parseOptions } from '../../../../src/service/options.ts';
import { patience } from '../../../harness/eventually.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

describe('starting the embedded service', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const start = (program: string, timeoutMs = patience) => {
    const path = join(folder, 'program.cjs');
    writeFileSync(path, program);
    const dataDirectory = join(folder, 'data');
    return startService({
      execPath: process.execPath,
      program: path,
      dataDirectory,
      environment: process.env,
      timeoutMs,
    });
  };

  it('says which setting to change if the data directory is not writable', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const options = { execPath: process.execPath, program: '', environment: {}, timeoutMs: patience };
    await assert.rejects(startService({ ...options, dataDirectory: join(file, 'data') }), (error: Error) => {
      assert.ok(error.message.includes(join(file, 'data')));
      assert.match(error.message, /ENOTDIR.*webdata\.embedded\.dataDirectory/);
      return true;
    });
  });

  it('passes arguments and keys that it understands, with no key among the arguments', () => {
    const tuning = { chromePath: '/opt/chrome' };
    const args = serviceArguments({ program: 'service.cjs', dataDirectory: '/data', tuning });
    const environment = serviceEnvironment({ PATH: '/bin' });
    const options = parseOptions(args.slice(1), environment);
    assert.equal(options.linked, true);
    assert.equal(options.chromePath, '/opt/chrome');
    const [first] = options.apiKeys ?? [];
    assert.equal(first?.team, 'editor');
    assert.ok((first?.key.length ?? 0) > 40);
    assert.ok(first && !args.join(' ').includes(first.key));
  });

  it('lets it return memory to the system, unless the environment says how', () => {
    assert.equal(serviceEnvironment({}).MALLOC_ARENA_MAX, '2');
    assert.equal(serviceEnvironment({ MALLOC_ARENA_MAX: '8' }).MALLOC_ARENA_MAX, '8');
  });

  it('lets it trust the authorities of the system, as behind a proxy with a certificate of its own', () => {
    assert.equal(serviceEnvironment({ PATH: '/bin' }).NODE_USE_SYSTEM_CA, '1');
    assert.equal(serviceEnvironment({ NODE_USE_SYSTEM_CA: '0' }).NODE_USE_SYSTEM_CA, '0');
    assert.equal(serviceEnvironment({ NODE_EXTRA_CA_CERTS: '/ca.pem' }).NODE_EXTRA_CA_CERTS, '/ca.pem');
  });

  it('keeps keys from it whatever their case, which Windows ignores', () => {
    const environment = serviceEnvironment({ Webdata_Api_Key: 'canary', vscode_pid: '1', Path: 'C:\\Windows' });
    assert.ok(!JSON.stringify(environment).includes('canary'));
    assert.equal(environment.vscode_pid, undefined);
    assert.equal(environment.Path, 'C:\\Windows');
  });

  it('passes the settings', () => {
    const tuning = {
      pythonPath: '/opt/py/bin/python3',
      agentBrowserPath: '-odd/agent-browser',
      maxSessions: 9,
      spareBrowsers: 0,
    };
    const args = serviceArguments({ program: 'service.cjs', dataDirectory: '/data', tuning });
    const options = parseOptions(args.slice(1), serviceEnvironment({}));
    assert.deepEqual(
      [options.pythonPath, options.agentBrowserPath, options.maxSessions, options.spareBrowsers],
      ['/opt/py/bin/python3', '-odd/agent-browser', 9, 0],
    );
  });

  it('leaves other options to the service and its environment', () => {
    const tuning = { pythonPath: '', agentBrowserPath: '' };
    const args = serviceArguments({ program: 'service.cjs', dataDirectory: '/data', tuning });
    const own = { WEBDATA_BROWSER_ENDPOINT: 'wss://own.test', WEBDATA_AGENT_BROWSER: '/opt/agent-browser' };
    const environment = serviceEnvironment(own);
    const options = parseOptions(args.slice(1), environment);
    assert.deepEqual([options.pythonPath, options.agentBrowserPath], [undefined, '/opt/agent-browser']);
    assert.equal(options.browserEndpoint, 'wss://own.test');
  });

  it('creates a new key each time (NET-15)', () => {
    assert.notDeepEqual(serviceEnvironment({}), serviceEnvironment({}));
  });

  it("passes neither the key and database of another server nor VS Code's own variables", () => {
    const environment = serviceEnvironment({
      HOME: '/home/x',
      WEBDATA_API_KEY: 'canary',
      WEBDATA_API_KEYS: 'canary:a',
      WEBDATA_DATABASE: 'postgres://canary@db/webdata',
      WEBDATA_NODE_URL: 'http://canary.test',
      WEBDATA_SHARED_DIR: '/canary',
      VSCODE_IPC_HOOK: 'x',
      ELECTRON_NO_ASAR: '1',
      NODE_OPTIONS: '--inspect',
    });
    assert.deepEqual(Object.keys(environment).sort(), [
      'ELECTRON_RUN_AS_NODE',
      'HOME',
      'MALLOC_ARENA_MAX',
      'MALLOC_MMAP_THRESHOLD_',
      'MALLOC_TRIM_THRESHOLD_',
      'NODE_USE_SYSTEM_CA',
      'UV_THREADPOOL_SIZE',
      'WEBDATA_API_KEYS',
    ]);
    assert.doesNotMatch(JSON.stringify(environment), /canary/);
  });

  it('reads the line that it prints when it is listening', async () => {
    const started = await start(`
      console.log('noise');
      console.log(JSON.stringify({ event: 'listening', baseUrl: 'http://127.0.0.1:4567', apiKey: 'k', pid: process.pid }));
      // Until the test is over.
      setInterval(() => require('fs').existsSync(__filename) || process.exit(), 20);
    `);
    assert.deepEqual(started, { listening: true, port: 4567 });
  });

  it('returns its exit code and log tail if it exits first', async () => {
    const started = await start(
      `process.stderr.write('The data dir is in use by another service.\\n'); process.exit(1)`,
    );
    assert.deepEqual(started, {
      listening: false,
      exitCode: 1,
      logTail: 'The data dir is in use by another service.',
    });
  });

  it('lets it read its log, of which it keeps the last lines', async () => {
    const started = await start(
      `const last = Buffer.alloc(5);
       process.stderr.write('first');
       require('fs').readSync(2, last, 0, 5, 0);
       process.stderr.write(' and read: ' + last);
       process.exit(1);`,
    );
    assert.deepEqual(started, { listening: false, exitCode: 1, logTail: 'first and read: first' });
  });

  it('times out if it never listens', async () => {
    await assert.rejects(start('setInterval(() => {}, 1000)', 500), /didn't start within 0.5 s/);
  });

  it('reports a program that does not exist', async () => {
    const options = {
      program: 'x.cjs',
      dataDirectory: join(folder, 'data'),
      environment: {},
      timeoutMs: patience,
    };
    await assert.rejects(startService({ ...options, execPath: '/nowhere/node' }), /Couldn't start/);
  });

  it('makes its log readable only by its owner', async () => {
    await start('process.exit(0)');
    const log = join(folder, 'data', serviceLogName);
    assert.equal(readFileSync(log, 'utf8'), '');
    if (process.platform !== 'win32') {
      const { mode } = await import('node:fs').then((fs) => fs.statSync(log));
      assert.equal(mode & 0o077, 0);
    }
  });
});

describe('the log tail of a service', () => {
  it('has the messages of the last lines', async () => {
    const folder = temporaryFolder();
    const lines = [
      { msg: 'one' },
      { msg: 'two' },
      { msg: 'three' },
      { msg: 'it crashed', err: { message: 'no memory' } },
    ];
    writeFileSync(join(folder, serviceLogName), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    assert.equal(await logTail(folder), 'two · three · it crashed: no memory');
    rmSync(folder, { recursive: true, force: true });
  });

  it('contains no key and no capability URL', () => {
    assert.equal(
      scrub('at ws://127.0.0.1:4/cdp/x/AbC0123456789abcdefghijklmnop_- ended'),
      'at ws://127.0.0.1:4/cdp/x/… ended',
    );
    assert.equal(scrub('wd-0AbC0123456789abcdefghijklmnopqrstuv'), '…');
    assert.equal(
      scrub('an ordinary sentence about internationalisation'),
      'an ordinary sentence about internationalisation',
    );
  });
});
