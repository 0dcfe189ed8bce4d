// @ts-check
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { commandScript, ROOT } from './repository.mjs';

/**
 * The mocha tests in `folders`. `needs` names the steps of setup that it requires, `parts` those that some of its tests
 * require, which are skipped without them.
 * @typedef {object} Suite
 * @property {string[]} folders
 * @property {string[]} needs
 * @property {string[]} [parts]
 * @property {boolean} [drivesOthers] whether its tests drive windows, browsers of others or nodes: files that fail are tried once more
 * @property {number} [jobs] files that are tested at the same time: as many as there are processors by default
 * @property {number} [limit] milliseconds for one test, if not the common limit
 * @property {string} [runner] a program in test/harness that runs the tests, instead of this one's mocha
 * @property {string[]} [files] only these, as glob patterns in the folders
 * @property {string[]} [longest] small files that take long, which begin first
 * @property {boolean} [waits] whether its tests mostly wait for other programs: the suites after it run beside it
 * @property {boolean} [onPostgres] whether the tests' services keep their data in a PostgreSQL cluster of the suite's own
 * @property {string[]} [onPostgresToo] files of other suites that are run on the cluster as well
 * @property {Record<string, string>} [env] variables of the tests
 */

const processors = availableParallelism();
/** Files at a time where tests wait as well: more than there are processors keep these busy. */
const waiting = processors + 1;
/** One workbench keeps two processors busy. */
const workbenches = Math.max(1, Math.floor(processors / 2));
const service = ['build', 'browser'];
const workbench = ['build', 'browser', 'vscode'];

/** @type {Record<string, Suite>} */
export const SUITES = {
  unit: {
    folders: ['test/unit'],
    needs: ['build'],
    jobs: waiting,
    longest: ['test/unit/scripts/run-suite.test.ts', 'test/unit/typescript-plugin/typescript-plugin.test.ts'],
  },
  service: {
    folders: ['test/service', 'test/faults'],
    needs: service,
    parts: ['shell', 'bubblewrap', 'proxy'],
    longest: [
      'test/service/crawl/page-kinds.test.ts',
      'test/faults/fault-points.test.ts',
      'test/faults/large-documents.test.ts',
      'test/faults/full-disk.test.ts',
      'test/faults/costly-documents.test.ts',
      'test/faults/hung-chrome.test.ts',
      'test/service/traffic-faults.test.ts',
      'test/service/mcp/tasks.test.ts',
      'test/service/live-view/slow-viewers.test.ts',
      'test/service/mcp/conformance.test.ts',
      'test/service/crawl/traps.test.ts',
    ],
    jobs: waiting + 1,
  },
  database: {
    folders: ['test/database'],
    needs: service,
    jobs: waiting,
    onPostgres: true,
    // What a dialect can change: searches, orders, cursors, what a crash leaves, and what several processes read and write.
    // `npm run test:service -- --database` runs all of that suite.
    onPostgresToo: ['test/service/crawl/{crash,left-out,pages}.test.ts', 'test/service/team/keys.test.ts'],
  },
  fleet: { folders: ['test/fleet'], needs: service, parts: ['grid'], drivesOthers: true },
  // Published clients of the API, as processes against the built service.
  clients: { folders: ['test/clients'], needs: service, drivesOthers: true, waits: true },
  // How long it takes depends on --cases.
  fuzz: { folders: ['test/fuzz'], needs: service, limit: 3_600_000 },
  package: { folders: ['test/package'], needs: workbench, drivesOthers: true },
  ui: { folders: ['test/ui'], needs: workbench, jobs: workbenches, drivesOthers: true },
  vscode: { folders: ['test/vscode'], needs: workbench, runner: 'run-vscode.ts', drivesOthers: true },
  // What people use it for, once, in one window.
  'main-job': { folders: ['test/main-job'], needs: workbench, drivesOthers: true },
  desktop: { folders: ['test/vscode'], needs: service, runner: 'run-desktop.ts' },
  // What `npm test` tries a sample of, all of it.
  faults: {
    folders: ['test/faults', 'test/service'],
    needs: service,
    files: [
      ...['costly-documents.test.ts', 'fault-points.test.ts', 'large-documents.test.ts', 'long-turns.test.ts'],
      ...['crawl/page-kinds.test.ts', 'runners/node-limits.test.ts', 'traffic-faults.test.ts', 'quotes.test.ts'],
    ],
    env: { WEBDATA_FAULT_POINTS: 'all' },
  },
  soak: { folders: ['test/soak'], needs: service },
};

/**
 * Programs that count as one test each: script and arguments for Node.
 * @type {Record<string, () => string[]>}
 */
export const CHECKS = {
  // In one thread: several check much of it twice, and tests run beside it.
  types: () => [commandScript('typescript', 'tsc'), '--singleThreaded'],
  lint: () => [commandScript('@biomejs/biome', 'biome'), 'check', '.'],
  imports: () => [
    commandScript('dependency-cruiser', 'depcruise'),
    '--config',
    join(ROOT, '.dependency-cruiser.cjs'),
    'src',
  ],
};

/** What `npm test` runs, in this order: what fails soonest comes first. */
export const DEFAULT_SUITES = ['unit', 'service', 'clients', 'vscode', 'fuzz', 'main-job'];

/** What `npm run test:all` runs. */
export const ALL_SUITES = [...DEFAULT_SUITES, 'database', 'fleet', 'package', 'ui'];
