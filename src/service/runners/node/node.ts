import { access } from 'node:fs/promises';
import { programs } from '../programs.ts';
import { createReplRunner } from '../repl-runner.ts';
import { type Runner, type RunnerOptions, RunnerUnavailableError } from '../runner.ts';

export interface NodeRunnerOptions extends RunnerOptions {
  /** Folder where compiled code is kept from process to process; they start faster with one. */
  cacheDirectory?: string;
  /** Megabytes of JavaScript heap that a snippet may fill. */
  heapLimit?: number;
}

const defaultHeapLimit = 1024;

/** A warm Node process that runs snippets in a REPL, with `page`, `context` and `browser` of Playwright in scope. */
export function createNodeRunner(options: NodeRunnerOptions): Runner {
  const { cdpUrl, downloads, cacheDirectory, heapLimit = defaultHeapLimit } = options;
  return createReplRunner({
    ...options,
    language: 'node',
    async prepare() {
      await access(programs.nodeRunner).catch((error: unknown) => {
        const text = `The node runner is missing: ${programs.nodeRunner} is not there. Build or install the service anew.`;
        throw new RunnerUnavailableError(text, error);
      });
      return {
        command: process.execPath,
        args: [`--max-old-space-size=${heapLimit}`, programs.nodeRunner],
        env: process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
        start: {
          type: 'start',
          cdpUrl,
          ...(downloads !== undefined && { downloads }),
          playwright: programs.playwright,
          ...(cacheDirectory !== undefined && { cacheDirectory }),
        },
      };
    },
  });
}
