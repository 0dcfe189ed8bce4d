// @ts-check
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/harness/free-port.ts';

/**
 * @typedef {{ url: string, stop(mode?: 'SIGINT' | 'SIGKILL'): Promise<void>, start(): Promise<void>, remove(): void }} Cluster
 */

const startTimeoutMs = 120_000;

/** Returns the folder of PostgreSQL's programs, or undefined if they can't be found. */
export function findPostgres() {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
    ...globSync('/usr/pgsql-*/bin').sort().reverse(),
    ...globSync('/opt/homebrew/opt/postgresql@*/bin').sort().reverse(),
  ];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/** Returns why a cluster can't be had here, or undefined. */
export function whyNoPostgres() {
  if (process.platform === 'win32') return 'clusters for tests are not started on Windows';
  if (findPostgres() === undefined) return 'PostgreSQL is not installed (initdb and postgres were not found)';
  if (process.getuid?.() === 0 && postgresUser() === undefined)
    return 'PostgreSQL does not run as root, and there is no user "postgres"';
  return undefined;
}

/** @returns {{ uid: number, gid: number } | undefined} */
function postgresUser() {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

/**
 * Starts a cluster of its own in a temporary folder, on a free port of 127.0.0.1.
 * @param {{ durable?: boolean }} [options] durable: keeps what is committed when it is killed
 * @returns {Promise<Cluster>}
 */
export async function startCluster({ durable = false } = {}) {
  const reason = whyNoPostgres();
  const bin = findPostgres();
  if (reason !== undefined || bin === undefined) throw new Error(`No PostgreSQL cluster can be started: ${reason}.`);
  const user = process.getuid?.() === 0 ? postgresUser() : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'webdata-cluster-'));
  const own = { ...user, cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } };
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'test', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8', '--no-sync'],
    { ...own, stdio: 'ignore' },
  );
  const port = await freePort();
  const settings = [
    ...['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`, 'max_connections=300'],
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let server;

  async function start() {
    const child = spawn(join(bin ?? '', 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...own,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = child;
    let output = '';
    const { promise: ready, resolve } = Promise.withResolvers();
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-10_000);
      if (output.includes('database system is ready to accept connections')) resolve(true);
    });
    child.once('exit', () => resolve(false));
    const timeout = sleep(startTimeoutMs, false, { ref: false });
    if (!(await Promise.race([ready, timeout]))) throw new Error(`PostgreSQL did not start:\n${output}`);
  }

  /** @param {'SIGINT' | 'SIGKILL'} signal */
  async function stop(signal = 'SIGINT') {
    const child = server;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  await start();
  return {
    url: `postgres://test:${password}@127.0.0.1:${port}/postgres`,
    start,
    stop,
    remove() {
      if (server?.exitCode === null && server.signalCode === null) server.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
