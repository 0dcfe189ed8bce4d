// @ts-check
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, globSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithThisProgram } from './cleanup.mjs';
import { startCluster, whyNoPostgres } from './postgres.mjs';
import { watchMarkedProcesses } from './processes.mjs';
import { ROOT } from './repository.mjs';
import { SUITES } from './suites.mjs';
import { nothing, parseCounts, sum, withFailure } from './summary.mjs';
import { suiteOf } from './test-arguments.mjs';

/** Every process of a suite carries this variable; one that survives the suite is a failed test. */
export const TEST_RUN = 'WEBDATA_TEST_RUN';

/** URL of the cluster that the tests' services keep their data in: see test/harness/postgres.ts. */
export const TEST_CLUSTER = 'WEBDATA_TEST_CLUSTER';
const TEST_FLEET = 'WEBDATA_TEST_FLEET';

/** Options for the test runners in test/harness, as JSON: see test/harness/test-options.ts. */
export const TEST_OPTIONS = 'WEBDATA_TEST_OPTIONS';

/**
 * @typedef {import('./summary.mjs').Counts} Counts
 * @typedef {{ code: number | null, signal: string | null, timedOut: boolean }} Ending
 */

/**
 * Runs one suite and returns its counts. Failures of the suite are counted, not thrown.
 * @param {string} name
 * @param {{ files: string[], grep?: string, database?: boolean, fleet?: boolean, cases?: number, seed?: number }} selection
 * @returns {Promise<Counts>}
 */
export async function runSuite(name, selection) {
  const suite = SUITES[name];
  if (!suite) throw new Error(`Unknown suite "${name}".`);
  const folder = mkdtempSync(join(tmpdir(), 'webdata-test-'));
  const run = randomUUID();
  const watch = watchMarkedProcesses(TEST_RUN, run);
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
    if (suite.check) return countCheck(name, await runToEnd(suite.check(), suite.limit, {}));
    const onPostgres = suite.onPostgres === true || selection.database === true;
    if (onPostgres) {
      const reason = whyNoPostgres();
      if (reason !== undefined) return skipped(name, reason);
      cluster = await startCluster();
    }
    if (selection.fleet) {
      const reason = whyNoPostgres();
      if (reason !== undefined) return skipped(name, reason);
      fleet = await startTestFleet();
    }
    const files = testFiles(name, selection.files);
    if (files.length === 0) return withFailure(nothing(), `${name}: no tests in ${suite.folders?.join(' and ')}`);
    const script = join(ROOT, 'test', 'harness', suite.runner ?? '');
    const runs = shards(files, suite.shards ?? 1).map(async (shard, index) => {
      const countsFile = join(folder, `counts-${index}.json`);
      const options = {
        files: shard,
        timeout: suite.timeout,
        grep: selection.grep,
        cases: selection.cases,
        seed: selection.seed,
        forbidOnly: selection.files.length === 0,
        countsFile,
        outputFile: join(folder, `output-${index}.txt`),
      };
      const env = {
        ...suite.env,
        [TEST_RUN]: run,
        [TEST_OPTIONS]: JSON.stringify(options),
        ...(cluster && { [TEST_CLUSTER]: cluster.url }),
        ...(fleet && { [TEST_FLEET]: fleet.url }),
      };
      const report = index === 0 ? undefined : join(folder, `report-${index}.txt`);
      return { ending: await runToEnd([script], suite.limit, env, report), countsFile, report };
    });
    const all = [];
    for (const { ending, countsFile, report } of await Promise.all(runs)) {
      if (report) process.stdout.write(readFileSync(report));
      all.push({ ending, counts: readCounts(countsFile) });
    }
    return await countLeftovers(name, countShards(name, all), watch);
  } finally {
    await fleet?.close();
    forget();
    clean();
  }
}

/** Starts a fleet that workbenches connect to. */
async function startTestFleet() {
  const { startFleet } = await import('../../test/harness/fleet.ts');
  const { fleetKeys } = await import('../../test/harness/workbench-fleet.ts');
  return await startFleet({ env: { WEBDATA_API_KEYS: fleetKeys } });
}

/**
 * @param {string} name
 * @param {Ending} ending
 * @returns {Counts}
 */
export function countCheck(name, ending) {
  if (ending.code === 0 && !ending.timedOut) return { ...nothing(), passed: 1 };
  return withFailure(nothing(), `${name}: ${describeEnding(ending)}`);
}

/**
 * A suite that crashed, hung or ran no tests has failed, whatever its counts.
 * @param {string} name
 * @param {Ending} ending
 * @param {Counts | undefined} counts
 * @returns {Counts}
 */
export function countTests(name, ending, counts) {
  if (!counts) return withFailure(nothing(), `${name}: ${describeEnding(ending)} before its tests were counted`);
  if (ending.timedOut) return withFailure(counts, `${name}: ${describeEnding(ending)}`);
  if (counts.passed + counts.failed + counts.skipped === 0) return withFailure(counts, `${name}: no test ran`);
  if (ending.code !== 0 && counts.failed === 0) return withFailure(counts, `${name}: ${describeEnding(ending)}`);
  return counts;
}

/**
 * The counts of a suite whose files ran in several processes. Only all of them together must have run a test: a
 * pattern may choose tests of one alone.
 * @param {string} name
 * @param {{ ending: Ending, counts: Counts | undefined }[]} shards
 * @returns {Counts}
 */
export function countShards(name, shards) {
  const idle = shards.filter(({ ending, counts }) => ending.code === 0 && counts?.passed === 0 && counts.skipped === 0);
  const busy = idle.length < shards.length ? shards.filter((shard) => !idle.includes(shard)) : shards.slice(0, 1);
  return sum(busy.map(({ ending, counts }) => countTests(name, ending, counts)));
}

/**
 * Deals the files out, so that neighbors, which often take equally long, are in different shards.
 * @param {string[]} files
 * @param {number} count
 */
function shards(files, count) {
  const dealt = Array.from({ length: count }, (_, shard) => files.filter((_file, index) => index % count === shard));
  return dealt.filter((shard) => shard.length > 0);
}

/** @param {Ending} ending */
function describeEnding({ code, signal, timedOut }) {
  if (timedOut) return 'timed out';
  return signal ? `stopped by ${signal}` : `exited with code ${code}`;
}

/**
 * @param {string} file
 * @returns {Counts | undefined}
 */
function readCounts(file) {
  try {
    return parseCounts(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {string} name
 * @param {string} reason
 * @returns {Counts}
 */
function skipped(name, reason) {
  console.log(`${name}: skipped, because ${reason}`);
  return { ...nothing(), skipped: 1 };
}

/**
 * The absolute paths of a suite's tests.
 * @param {string} name
 * @param {string[]} chosen only these, if any of them are in this suite
 */
function testFiles(name, chosen) {
  const own = chosen.filter((file) => suiteOf(file) === name || (name === 'desktop' && suiteOf(file) === 'vscode'));
  if (own.length > 0) return own.map((file) => resolve(ROOT, file));
  const suite = SUITES[name];
  const patterns =
    suite?.folders?.flatMap((folder) => (suite.files ?? ['**/*.test.ts']).map((pattern) => `${folder}/${pattern}`)) ??
    [];
  return globSync(patterns, { cwd: ROOT })
    .sort()
    .map((file) => join(ROOT, file));
}

/**
 * @param {string} name
 * @param {Counts} counts
 * @param {ReturnType<typeof watchMarkedProcesses>} watch
 */
async function countLeftovers(name, counts, watch) {
  let left = watch.look();
  // Processes that were asked to stop may still be exiting.
  for (const end = Date.now() + 3000; left.length > 0 && Date.now() < end; left = watch.look()) await sleep(50);
  return left.reduce((all, { command }) => withFailure(all, `${name}: left a process running: ${command}`), counts);
}

/**
 * Runs a script with this Node and shows its output, or writes it into a file.
 * @param {string[]} args
 * @param {number} limit milliseconds
 * @param {Record<string, string>} env
 * @param {string} [outputFile]
 * @returns {Promise<Ending>}
 */
function runToEnd(args, limit, env, outputFile) {
  return new Promise((resolve) => {
    const output = outputFile === undefined ? 'inherit' : openSync(outputFile, 'a');
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    });
    if (typeof output === 'number') closeSync(output);
    const exited = new Promise((end) => child.once('exit', end));
    const stop = async () => {
      child.kill('SIGTERM');
      await Promise.race([exited, sleep(10_000, undefined, { ref: false })]);
      child.kill('SIGKILL');
    };
    const forget = endWithThisProgram({ stop, kill: () => child.kill('SIGKILL') });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      void stop();
    }, limit);
    child.once('error', (error) => {
      console.error(error.message);
      child.emit('exit', null, 'a failed start');
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      forget();
      resolve({ code, signal, timedOut });
    });
  });
}
