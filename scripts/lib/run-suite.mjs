// @ts-check
import { randomUUID } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithThisProgram } from './cleanup.mjs';
import { startCluster, whyNoPostgres } from './postgres.mjs';
import { watchMarkedProcesses } from './processes.mjs';
import { ROOT } from './repository.mjs';
import { runProgram } from './run-program.mjs';
import { makeReport } from './run-report.mjs';
import { makeSlots } from './slots.mjs';
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

/** The load that the suites which run at the same time may have together. */
export const CAPACITY = 3;

/**
 * @typedef {import('./summary.mjs').Counts} Counts
 * @typedef {import('./run-program.mjs').Ending} Ending
 * @typedef {import('./run-report.mjs').Report} Report
 * @typedef {{ files: string[], grep?: string, database?: boolean, fleet?: boolean, cases?: number, seed?: number }} Selection
 */

/**
 * Runs one suite and shows its reports.
 * @param {string} name
 * @param {Selection} selection
 * @returns {Promise<Counts>}
 */
export async function runSuite(name, selection) {
  return (await startSuite(name, selection, makeSlots(CAPACITY)).show()).counts;
}

/**
 * Starts a suite when there are slots for it. `show` shows the reports of its programs one after another, and returns
 * the counts and the duration in seconds. Failures of the suite are counted, not thrown.
 * @param {string} name
 * @param {Selection} selection
 * @param {import('./slots.mjs').Slots} slots
 */
export function startSuite(name, selection, slots) {
  const suite = SUITES[name];
  if (!suite) throw new Error(`Unknown suite "${name}".`);
  const folder = mkdtempSync(join(tmpdir(), 'webdata-test-'));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  const forget = endWithThisProgram({ stop: async () => {}, kill: clean });
  const files = suite.check ? [] : testFiles(name, selection.files);
  const programs = Math.max(1, Math.min(suite.shards ?? 1, files.length));
  const reports = Array.from({ length: programs }, (_, index) => makeReport(join(folder, `report-${index}.txt`)));
  const { limit, background } = suite;
  const ended = slots
    .run(background ? 0 : (suite.load ?? 1), async () => {
      const started = performance.now();
      const counts = suite.check
        ? countCheck(name, await runProgram({ args: suite.check(), limit, background, report: reports[0] }))
        : await runTests(name, suite, { files, selection, folder, reports });
      return { counts, seconds: (performance.now() - started) / 1000 };
    })
    .finally(() => {
      for (const report of reports) report.end();
    });
  // It is awaited only when its turn to be shown has come.
  ended.catch(() => {});
  return {
    async show() {
      try {
        for (const report of reports) await report.follow((text) => process.stdout.write(text));
        return await ended;
      } finally {
        forget();
        clean();
      }
    },
  };
}

/**
 * Runs the tests in one program for each report. Programs that share the files take the next one when they have finished
 * one, so that all end at about the same time.
 * @param {string} name
 * @param {import('./suites.mjs').Suite} suite
 * @param {{ files: string[], selection: Selection, folder: string, reports: Report[] }} run
 * @returns {Promise<Counts>}
 */
async function runTests(name, suite, { files, selection, folder, reports }) {
  if (files.length === 0) return withFailure(nothing(), `${name}: no tests in ${suite.folders?.join(' and ')}`);
  const mark = randomUUID();
  const watch = watchMarkedProcesses(TEST_RUN, mark);
  /** @type {import('./postgres.mjs').Cluster | undefined} */
  let cluster;
  /** @type {import('../../test/harness/fleet.ts').TestFleet | undefined} */
  let fleet;
  const clean = () => {
    watch.kill();
    cluster?.remove();
  };
  const forget = endWithThisProgram({ stop: async () => {}, kill: clean });
  try {
    const onPostgres = suite.onPostgres === true || selection.database === true;
    if (onPostgres || selection.fleet === true) {
      const reason = whyNoPostgres();
      if (reason !== undefined) {
        reports[0]?.print(`${name}: skipped, because ${reason}`);
        return { ...nothing(), skipped: 1 };
      }
      if (onPostgres) cluster = await startCluster();
      if (selection.fleet) fleet = await startTestFleet();
    }
    const queue = reports.length > 1 ? longestFirst(files) : undefined;
    const runs = reports.map(async (report, index) => {
      const countsFile = join(folder, `counts-${index}.json`);
      const options = {
        files: queue ? undefined : files,
        timeout: suite.timeout,
        grep: selection.grep,
        cases: selection.cases,
        seed: selection.seed,
        forbidOnly: selection.files.length === 0,
        color: process.stdout.isTTY === true,
        countsFile,
        outputFile: join(folder, `output-${index}.txt`),
      };
      const env = {
        ...suite.env,
        [TEST_RUN]: mark,
        [TEST_OPTIONS]: JSON.stringify(options),
        ...(cluster && { [TEST_CLUSTER]: cluster.url }),
        ...(fleet && { [TEST_FLEET]: fleet.url }),
      };
      const args = [join(ROOT, 'test', 'harness', suite.runner ?? '')];
      const nextFile = queue && (() => queue.shift());
      const ending = await runProgram({ args, limit: suite.limit, env, report, nextFile });
      report.end();
      return { ending, counts: readCounts(countsFile) };
    });
    return await countLeftovers(name, countShards(name, await Promise.all(runs)), watch);
  } finally {
    await fleet?.close();
    forget();
    clean();
  }
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
 * The order in which programs take the files: a long file that is taken last keeps the others waiting.
 * @param {string[]} files
 */
function longestFirst(files) {
  const sizes = new Map(files.map((file) => [file, statSync(file).size]));
  return files.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
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
