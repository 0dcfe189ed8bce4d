// @ts-check
import { join } from 'node:path';
import { commandScript, ROOT } from './repository.mjs';

const MINUTE = 60_000;

/**
 * A check is a program that counts as one test; other suites are the mocha tests in `folder`, run by `runner`.
 * @typedef {object} Suite
 * @property {number} limit milliseconds for the whole suite
 * @property {() => string[]} [check] script and arguments for Node
 * @property {string} [folder] of the tests
 * @property {string} [runner] the program that runs the tests, in test/harness
 * @property {number} [timeout] milliseconds for one test
 * @property {string[]} [files] only these, as glob patterns in `folder`
 * @property {boolean} [onPostgres] whether the tests' services keep their data in a PostgreSQL cluster of the suite's own
 */

/** @type {Record<string, Suite>} */
export const SUITES = {
  types: { limit: 5 * MINUTE, check: () => [commandScript('typescript', 'tsc')] },
  lint: { limit: 5 * MINUTE, check: () => [commandScript('@biomejs/biome', 'biome'), 'check', '.'] },
  imports: {
    limit: 5 * MINUTE,
    check: () => [
      commandScript('dependency-cruiser', 'depcruise'),
      '--config',
      join(ROOT, '.dependency-cruiser.cjs'),
      'src',
    ],
  },
  unit: { limit: 10 * MINUTE, folder: 'test/unit', runner: 'run-node.ts', timeout: 10_000 },
  service: { limit: 30 * MINUTE, folder: 'test/service', runner: 'run-node.ts', timeout: MINUTE },
  database: {
    limit: 15 * MINUTE,
    folder: 'test/service',
    runner: 'run-node.ts',
    timeout: MINUTE,
    // What touches the database most; `npm run test:service -- --database` runs all.
    files: ['crawl/{batch,crash,crawl,pages,watch}.test.ts', 'team/*.test.ts', 'webhooks/crawl-webhooks.test.ts'],
    onPostgres: true,
  },
  vscode: { limit: 20 * MINUTE, folder: 'test/vscode', runner: 'run-vscode.ts', timeout: 2 * MINUTE },
  ui: { limit: 30 * MINUTE, folder: 'test/ui', runner: 'run-node.ts', timeout: 2 * MINUTE },
  desktop: { limit: 20 * MINUTE, folder: 'test/vscode', runner: 'run-desktop.ts', timeout: 2 * MINUTE },
  soak: { limit: 180 * MINUTE, folder: 'test/soak', runner: 'run-node.ts', timeout: 120 * MINUTE },
};

/** What `npm test` runs, in this order. */
export const DEFAULT_SUITES = ['types', 'lint', 'imports', 'unit', 'service', 'database', 'vscode', 'ui'];
