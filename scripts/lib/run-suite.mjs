// @ts-check
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { availableParallelism, platform, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { patience } from '../../test/harness/eventually.ts';
import { endWithThisProgram } from './cleanup.mjs';
import { startCluster, whyNoPostgres } from './postgres.mjs';
import { watchMarkedProcesses } from './processes.mjs';
import { ROOT } from './repository.mjs';
import { describeFailures, failure, parseResults } from './results.mjs';
import { SUITES } from './suites.mjs';
import { suiteOf } from './test-arguments.mjs';

/** Every process of a suite carries this variable; one that survives the suite is a failed test. */
export const TEST_RUN = 'WEBDATA_TEST_RUN';

/** URL of the cluster that the tests' services keep their data in: see test/harness/postgres.ts. */
export const TEST_CLUSTER = 'WEBDATA_TEST_CLUSTER';
const TEST_FLEET = 'WEBDATA_TEST_FLEET';

/** Options for the tests and their runners in test/harness, as JSON: see test/harness/test-options.ts. */
export const TEST_OPTIONS = 'WEBDATA_TEST_OPTIONS';

/**
 * Milliseconds for one test: longer than any wait for a state in it, which says what was missing. A slow machine makes
 * tests slow, not red.
 */
const TEST_LIMIT = 10 * 60_000;

/** Of these programs and those that they fork, in MiB: collecting it half as often saves a twentieth of their time. */
const YOUNG_MEMORY = '--max-semi-space-size=32';

/** Bytes that a suite's temporary files may take. */
const LEAST_MEMORY = 8 * 2 ** 30;

/**
 * @typedef {import('./results.mjs').Result} Result
 * @typedef {{ files: string[], grep?: string, database?: boolean, fleet?: boolean, cases?: number, seed?: number }} Selection
 */

/**
 * Runs the tests of a suite and prints their reports. Failures of the suite are results, not thrown.
 * @param {string} name
 * @param {Selection} selection
 * @param {(text: string) => void} [say] gets the report when the tests have ended; it is otherwise printed as it is made
 * @returns {Promise<Result[]>}
 */
export async function runSuite(name, selection, say) {
  const suite = SUITES[name];
  if (!suite) throw new Error(`Unknown suite "${name}".`);
  const files = testFiles(name, selection);
  if (files.length === 0) return [failure(`${name}: no tests in ${suite.folders.join(' and ')}`)];
  const onPostgres = suite.onPostgres === true || selection.database === true;
  const missing = onPostgres || selection.fleet === true ? whyNoPostgres() : undefined;
  if (missing !== undefined) return skipped(name, missing);
  // Short, since the paths of sockets in it are limited.
  const folder = mkdtempSync(join(inMemory() ?? tmpdir(), 'wd-'));
  const temporary = join(folder, 't');
  mkdirSync(temporary);
  // As that of the system: PostgreSQL and sandboxes run as other users.
  chmodSync(folder, 0o711);
  chmodSync(temporary, 0o1777);
  const mark = randomUUID();
  const watch = watchMarkedProcesses(TEST_RUN, mark);
  /** @type {import('./postgres.mjs').Cluster | undefined} */
  let cluster;
  /** @type {import('../../test/harness/fleet.ts').TestFleet | undefined} */
  let fleet;
  const clean = () => {
    watch.kill();
    cluster?.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  const forget = endWithThisProgram({ stop: async () => {}, kill: clean });
  try {
    if (onPostgres) cluster = await startCluster();
    if (selection.fleet) fleet = await startTestFleet();
    const options = {
      files,
      root: ROOT,
      timeout: suite.limit ?? TEST_LIMIT,
      grep: selection.grep,
      jobs: suite.jobs ?? availableParallelism(),
      cases: selection.cases,
      seed: selection.seed,
      forbidOnly: true,
      color: process.stdout.isTTY === true,
      resultsFile: join(folder, 'results.json'),
      outputFile: join(folder, 'output.txt'),
    };
    const env = {
      ...suite.env,
      // What tests and killed browsers leave goes with it. Elsewhere, the paths of sockets would be too long.
      ...(platform() === 'linux' && { TMPDIR: temporary }),
      // Many of its processes and threads load the same modules.
      ...(!suite.drivesOthers && { NODE_COMPILE_CACHE: join(folder, 'compiled') }),
      [TEST_RUN]: mark,
      [TEST_OPTIONS]: JSON.stringify(options),
      ...(cluster && { [TEST_CLUSTER]: cluster.url }),
      ...(fleet && { [TEST_FLEET]: fleet.url }),
    };
    const report = say && join(folder, 'report.txt');
    const results = await runProgram(name, suite.runner ?? 'run-processes.ts', env, options.resultsFile, report);
    if (results.length === 0) results.push(failure(`${name}: no test ran`));
    const print = say ?? console.log;
    if (report) print(readFileSync(report, 'utf8').trimEnd());
    const failed = describeFailures(results);
    if (failed) print(`\n${failed}\n`);
    results.push(...(await leftRunning(name, watch)));
    tellLeftFolders(name, temporary, print);
    return results;
  } finally {
    await fleet?.close();
    forget();
    clean();
  }
}

/** Where Linux keeps files in memory, if there is enough of it: profiles of browsers take a fifth less to make there. */
function inMemory() {
  const folder = '/dev/shm';
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const mayRun = !/ \/dev\/shm \S+ \S*noexec/.test(readFileSync('/proc/mounts', 'utf8'));
    return mayRun && bavail * bsize >= LEAST_MEMORY ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The result of a suite that can't run here; says why.
 * @param {string} name
 * @param {string} reason
 * @returns {Result[]}
 */
export function skipped(name, reason) {
  console.log(`${name}: skipped, because ${reason}`);
  return [{ title: name, state: 'skipped' }];
}

/**
 * Runs a program that writes its results into a file.
 * @param {string} name
 * @param {string} runner
 * @param {NodeJS.ProcessEnv} env
 * @param {string} resultsFile
 * @param {string} [report] file for what the program prints, which otherwise goes where this one's output goes
 * @returns {Promise<Result[]>}
 */
async function runProgram(name, runner, env, resultsFile, report) {
  const args = [YOUNG_MEMORY, join(ROOT, 'test', 'harness', runner)];
  // No pipe, which a process that is left could keep open.
  const output = report ? openSync(report, 'w') : 'inherit';
  const options = { cwd: ROOT, env: { ...process.env, ...env } };
  const child = spawn(process.execPath, args, { ...options, stdio: ['inherit', output, output] });
  if (typeof output === 'number') closeSync(output);
  const code = await new Promise((end) => child.once('exit', end));
  const results = readResults(resultsFile) ?? [];
  const isTold = code === 0 || results.some(({ state }) => state === 'failed');
  return isTold ? results : [...results, failure(`${name}: ${runner} ended with ${code}`)];
}

/** Starts a fleet that workbenches connect to. Its nodes have the tools that tests install for the embedded service. */
async function startTestFleet() {
  const { startFleet } = await import('../../test/harness/fleet.ts');
  const { fleetKeys, fleetWebhookSecret } = await import('../../test/harness/workbench-fleet.ts');
  const { agentBrowserForTests, pythonForTests } = await import('../../test/harness/runner-tools.ts');
  const silent = () => {};
  const [python, agentBrowser] = await Promise.allSettled([pythonForTests(silent), agentBrowserForTests(silent)]);
  const args = [
    ...(python.status === 'fulfilled' ? ['--python', python.value.interpreter] : []),
    ...(agentBrowser.status === 'fulfilled' ? ['--agent-browser', join(agentBrowser.value, 'agent-browser')] : []),
  ];
  return await startFleet({ args, env: { WEBDATA_API_KEYS: fleetKeys, WEBDATA_WEBHOOK_SECRET: fleetWebhookSecret } });
}

/**
 * @param {string} file
 * @returns {Result[] | undefined}
 */
function readResults(file) {
  try {
    return parseResults(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The absolute paths of a suite's tests, those that take longest first, by their size if nothing else is known: one that is
 * taken last keeps a processor waiting.
 * @param {string} name
 * @param {Selection} selection only these files, if any of them are in this suite
 */
function testFiles(name, { files: chosen }) {
  const own = chosen.filter((file) => suiteOf(file) === name || (name === 'desktop' && suiteOf(file) === 'vscode'));
  if (own.length > 0) return own.map((file) => resolve(ROOT, file));
  const { folders = [], files = ['**/*.test.ts'], onPostgresToo = [], longest = [] } = SUITES[name] ?? {};
  const patterns = folders.flatMap((folder) => files.map((pattern) => `${folder}/${pattern}`));
  const first = longest.map((file) => join(ROOT, file));
  /** @param {string} file */
  const timeOf = (file) => (first.includes(file) ? Number.MAX_SAFE_INTEGER : statSync(file).size);
  return globSync([...patterns, ...onPostgresToo], { cwd: ROOT })
    .map((file) => join(ROOT, file))
    .sort((a, b) => timeOf(b) - timeOf(a) || (a < b ? -1 : 1));
}

/**
 * Says which folders of their own the tests have left, with what is in them. What killed browsers and services leave isn't theirs.
 * @param {string} name
 * @param {string} temporary
 * @param {(text: string) => void} print
 */
function tellLeftFolders(name, temporary, print) {
  for (const folder of readdirSync(temporary).filter((entry) => /^webdata-[a-z]+-\w{6}$/.test(entry))) {
    const content = readdirSync(join(temporary, folder), { recursive: true }).slice(0, 10).join(', ');
    print(`${name}: left ${folder} in its temporary folder, with ${content || 'nothing'}`);
  }
}

/**
 * @param {string} name
 * @param {ReturnType<typeof watchMarkedProcesses>} watch
 */
async function leftRunning(name, watch) {
  let left = watch.look();
  for (const end = Date.now() + patience; left.length > 0 && Date.now() < end; left = watch.look()) await sleep(50);
  return left.map(({ command }) => failure(`${name}: left a process running: ${command}`));
}
