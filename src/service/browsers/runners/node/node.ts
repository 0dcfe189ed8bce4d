import { programs } from '../programs.ts';
import { createReplRunner } from '../repl-runner.ts';
import type { Runner, RunnerOptions } from '../runner.ts';
import type { RunnerProgram } from '../runner-process.ts';

export interface NodeRunnerOptions extends RunnerOptions {
  /** Folder of the compile cache that processes share, which makes them start faster. */
  cacheDirectory?: string;
}

/** Limit of the JavaScript heap in megabytes. */
const heapLimit = 1024;

/** Returns how the program of Node.js snippets is started. */
export function nodeProgram(cacheDirectory?: string): RunnerProgram {
  return {
    command: process.execPath,
    args: [
      `--max-old-space-size=${heapLimit}`,
      // A project doesn't have to declare the type of its modules.
      '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
      programs.nodeRunner,
      programs.playwright,
      ...(cacheDirectory === undefined ? [] : [cacheDirectory]),
    ],
    env: process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
  };
}

/** Creates a warm Node.js REPL with `page`, `context` and `browser` of Playwright in scope. */
export function createNodeRunner(options: NodeRunnerOptions): Runner {
  return createReplRunner('node', options, () => nodeProgram(options.cacheDirectory));
}
