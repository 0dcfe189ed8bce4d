// @ts-check
import { join } from 'node:path';
import { commandScript, ROOT } from './repository.mjs';

const MINUTE = 60_000;

/**
 * A check is a program that counts as one test; other suites are the mocha tests in `folders`, run by `runner`.
 * @typedef {object} Suite
 * @property {number} limit milliseconds for the whole suite
 * @property {() => string[]} [check] script and arguments for Node
 * @property {string[]} [folders] of the tests
 * @property {string} [runner] the program that runs the tests, in test/harness
 * @property {number} [timeout] milliseconds for one test
 * @property {string[]} [files] only these, as glob patterns in the folders
 * @property {boolean} [onPostgres] whether the tests' services keep their data in a PostgreSQL cluster of the suite's own
 * @property {Record<string, string>} [env] variables of the tests
 * @property {number} [shards] processes that share the files: one by default
 * @property {number} [load] of the three that run at the same time: one by default. One workbench keeps two processors busy
 * @property {boolean} [background] runs beside any others, with what they leave of the processors: only for checks, whose limit alone counts time
 */

/** @type {Record<string, Suite>} */
export const SUITES = {
  types: { limit: 20 * MINUTE, check: () => [commandScript('typescript', 'tsc')], background: true },
  lint: {
    limit: 20 * MINUTE,
    check: () => [commandScript('@biomejs/biome', 'biome'), 'check', '.'],
    background: true,
  },
  imports: {
    limit: 20 * MINUTE,
    background: true,
    check: () => [
      commandScript('dependency-cruiser', 'depcruise'),
      '--config',
      join(ROOT, '.dependency-cruiser.cjs'),
      'src',
    ],
  },
  unit: { limit: 10 * MINUTE, folders: ['test/unit'], runner: 'run-node.ts', timeout: 10_000, shards: 2, load: 2 },
  // Its tests wait more than they compute.
  service: {
    limit: 30 * MINUTE,
    folders: ['test/service', 'test/faults'],
    runner: 'run-node.ts',
    timeout: MINUTE,
    shards: 3,
    load: 3,
  },
  // Published clients of the API, as processes against the built service.
  clients: { limit: 30 * MINUTE, folders: ['test/clients'], runner: 'run-node.ts', timeout: 3 * MINUTE },
  // How long it takes depends on --cases.
  fuzz: { limit: 180 * MINUTE, folders: ['test/fuzz'], runner: 'run-node.ts', timeout: 60 * MINUTE },
  database: {
    limit: 15 * MINUTE,
    folders: ['test/service', 'test/database'],
    runner: 'run-node.ts',
    timeout: MINUTE,
    // What touches the database most; `npm run test:service -- --database` runs all.
    files: [
      'postgres-*.test.ts',
      'fleet*.test.ts',
      'crawl/{batch,crash,crawl,pages,watch}.test.ts',
      'team/*.test.ts',
      'webhooks/crawl-webhooks.test.ts',
    ],
    onPostgres: true,
  },
  vscode: { limit: 20 * MINUTE, folders: ['test/vscode'], runner: 'run-vscode.ts', timeout: 2 * MINUTE, load: 2 },
  package: { limit: 20 * MINUTE, folders: ['test/package'], runner: 'run-node.ts', timeout: 3 * MINUTE, load: 2 },
  ui: { limit: 30 * MINUTE, folders: ['test/ui'], runner: 'run-node.ts', timeout: 2 * MINUTE, load: 3 },
  desktop: { limit: 20 * MINUTE, folders: ['test/vscode'], runner: 'run-desktop.ts', timeout: 2 * MINUTE, load: 2 },
  // Several services on one database.
  fleet: { limit: 15 * MINUTE, folders: ['test/fleet'], runner: 'run-node.ts', timeout: MINUTE, load: 2 },
  // What `npm test` fails a sample of, all of it.
  faults: {
    limit: 60 * MINUTE,
    folders: ['test/faults'],
    files: ['fault-points.test.ts'],
    runner: 'run-node.ts',
    timeout: MINUTE,
    env: { WEBDATA_FAULT_POINTS: 'all' },
  },
  soak: { limit: 180 * MINUTE, folders: ['test/soak'], runner: 'run-node.ts', timeout: 120 * MINUTE },
};

/**
 * What `npm test` starts and shows in this order. Those that fill the processors come first; of the others,
 * one of load 1 runs beside one of load 2: what waits much first, then `unit`, which computes.
 */
export const DEFAULT_SUITES = [
  'types',
  'lint',
  'imports',
  'ui',
  'service',
  'database',
  'package',
  'vscode',
  'fleet',
  'unit',
  'clients',
  'fuzz',
];
