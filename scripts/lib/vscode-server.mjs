// @ts-check
// Starts the VS Code server in .vscode-test and builds the URLs that open its workbench.
import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { watchMarkedProcesses } from './processes.mjs';
import { VSCODE_DIR } from './repository.mjs';

/** Every process of a server has this variable, including the extension host and the processes that it starts. */
const MARKER = 'WEBDATA_VSCODE_SERVER';
/** Milliseconds: as long as tests wait for anything. */
const START_TIMEOUT = 120_000;

/**
 * @typedef {object} ServerOptions
 * @property {string} dataDir where the server keeps users' settings, extensions and logs
 * @property {number} [port] 0, the default, for any free port
 * @property {boolean} [trusted] false leaves Workspace Trust on, so that folders open in Restricted Mode
 * @property {Record<string, string | undefined>} [env] added to this process's environment; undefined removes
 * @property {boolean} [testDriver] lets the address name an extension's folder and a file to open; notifications then show no toasts
 * @property {string} [builtInExtensions] folder of the extensions that are built into VS Code: its own by default
 * @property {boolean} [shellEnvironment] false starts no login shell to read the user's variables
 * @property {number} [reconnectionGrace] seconds in which a closed window may reconnect
 *
 * @typedef {object} WorkbenchAddress
 * @property {string} [folder] absolute path of the folder to open
 * @property {string} [file] absolute path of a file to open in an editor
 * @property {string} [extensionDevelopmentPath] absolute path of an extension's folder
 * @property {string} [extensionTestsPath] absolute path of a module exporting run()
 *
 * @typedef {object} VsCodeServer
 * @property {number} port
 * @property {number} pid
 * @property {string} origin
 * @property {(address: WorkbenchAddress) => string} address the URL of a workbench; it includes the server's token
 * @property {() => string} log what the server has printed so far
 * @property {Promise<void>} exited settles when the server's process has exited
 * @property {() => Promise<void>} stop stops the server and everything that it started
 * @property {() => void} kill the same at once, synchronously
 * @property {Record<string, string>} marker a variable: processes with it in their environment are stopped with the server
 */

/**
 * Starts the server and waits until it listens on 127.0.0.1. A connection token guards it: without one, any web page
 * opened on this machine could talk to it.
 * @param {ServerOptions} options
 * @returns {Promise<VsCodeServer>}
 */
export async function startVsCodeServer(options) {
  const main = join(VSCODE_DIR, 'out', 'server-main.js');
  if (!existsSync(main)) throw new Error('VS Code is not installed in .vscode-test. Run "npm run setup".');
  const marker = randomUUID();
  const token = await connectionToken(options.dataDir);
  const args = [
    ...['--host', '127.0.0.1', '--port', String(options.port ?? 0)],
    ...['--connection-token-file', token.file, '--accept-server-license-terms', '--telemetry-level', 'off'],
    ...['--server-data-dir', options.dataDir, '--extensions-dir', join(options.dataDir, 'extensions')],
    ...['--reconnection-grace-time', String(options.reconnectionGrace ?? 30)],
    ...(options.builtInExtensions === undefined ? [] : ['--builtin-extensions-dir', options.builtInExtensions]),
    ...(options.testDriver === false ? [] : ['--enable-smoke-test-driver']),
    ...(options.trusted === false ? [] : ['--disable-workspace-trust']),
  ];
  const child = spawn(process.execPath, [main, ...args], {
    env: {
      ...cleanEnvironment({ ...process.env, ...options.env, [MARKER]: marker }),
      // Set by the command "code", which has that shell's variables already.
      ...(options.shellEnvironment === false && { VSCODE_CLI: '1' }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group: Ctrl-C reaches only this program, which then stops the server in order.
    detached: true,
  });
  /** @type {Promise<void>} */
  const exited = new Promise((resolve) => child.once('exit', () => resolve()));
  let output = '';
  const keep = (/** @type {Buffer} */ chunk) => {
    output = (output + chunk.toString()).slice(-100_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const started = watchMarkedProcesses(MARKER, marker, 2000);
  const kill = () => started.kill();
  const stop = async () => {
    await started.end();
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  };

  try {
    const port = await listeningPort(child, () => output);
    const origin = `http://127.0.0.1:${port}`;
    const address = (/** @type {WorkbenchAddress} */ to) => workbenchUrl(origin, token.value, to);
    return {
      port,
      pid: child.pid ?? 0,
      origin,
      address,
      log: () => output,
      exited,
      stop,
      kill,
      marker: { [MARKER]: marker },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Installs or uninstalls extensions in a data dir, as the `code` command does.
 * @param {string} dataDir
 * @param {string[]} args such as `--install-extension FILE`
 * @returns {Promise<string>} what it printed
 * @throws {Error} with what it printed
 */
export function manageExtensions(dataDir, args) {
  const main = join(VSCODE_DIR, 'out', 'server-main.js');
  const folders = ['--server-data-dir', dataDir, '--extensions-dir', join(dataDir, 'extensions')];
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [main, ...folders, '--accept-server-license-terms', ...args],
      { env: cleanEnvironment(process.env) },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${stdout}${stderr}`.trim() || error.message));
        else resolve(`${stdout}${stderr}`);
      },
    );
  });
}

/**
 * Returns the URL that opens a workbench. Paths become `vscode-remote://` URIs of the same server.
 * @param {string} origin
 * @param {string} token
 * @param {WorkbenchAddress} to
 */
export function workbenchUrl(origin, token, to) {
  const remote = (/** @type {string} */ path) =>
    `vscode-remote://${new URL(origin).host}${pathToFileURL(path).pathname}`;
  /** @type {string[][]} */
  const payload = [['skipWelcome', 'true']];
  if (to.extensionDevelopmentPath) payload.push(['extensionDevelopmentPath', remote(to.extensionDevelopmentPath)]);
  if (to.extensionTestsPath) payload.push(['extensionTestsPath', remote(to.extensionTestsPath)]);
  if (to.file) payload.push(['openFile', remote(to.file)]);
  const url = new URL(origin);
  url.searchParams.set('tkn', token);
  if (to.folder) url.searchParams.set('folder', to.folder);
  url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

/**
 * One token per data dir, in a file that only its owner can read, so that a reloaded URL still works.
 * @param {string} dataDir
 */
async function connectionToken(dataDir) {
  const file = join(dataDir, 'connection-token');
  await mkdir(dataDir, { recursive: true });
  let value = await readFile(file, 'utf8').catch(() => '');
  if (!/^\w{32,}$/.test(value)) {
    value = randomBytes(24).toString('hex');
    await writeFile(file, value, { mode: 0o600 });
  }
  await chmod(file, 0o600);
  return { file, value };
}

/**
 * Removes the variables of an enclosing VS Code (terminal, extension host), which would affect the new one.
 * @param {Record<string, string | undefined>} env
 */
function cleanEnvironment(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name)));
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {() => string} output
 * @returns {Promise<number>}
 */
function listeningPort(child, output) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ what) =>
      reject(new Error(`${what}. Its output:\n${output().trim() || '(nothing)'}`));
    const timer = setTimeout(() => fail('The VS Code server did not start within two minutes'), START_TIMEOUT);
    child.once('error', (error) => fail(`Could not start the VS Code server: ${error.message}`));
    child.once('exit', (code, signal) =>
      fail(`The VS Code server stopped at startup (${signal ?? `exit code ${code}`})`),
    );
    child.stdout?.on('data', () => {
      const match = /available at http:\/\/[^:\s]+:(\d+)/i.exec(output());
      if (!match) return;
      clearTimeout(timer);
      resolve(Number(match[1]));
    });
  });
}
