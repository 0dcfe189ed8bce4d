import { delimiter } from 'node:path';
import type { SharedTask } from '../install/shared-task.ts';
import { programs } from '../programs.ts';
import { createReplRunner } from '../repl-runner.ts';
import type { Runner, RunnerOptions } from '../runner.ts';
import type { PythonEnvironment } from './python-environment.ts';

export interface PythonRunnerOptions extends RunnerOptions {
  /** Finds or creates a Python with Playwright. */
  environment: SharedTask<PythonEnvironment>;
  /** Megabytes that a snippet may allocate, on systems that can enforce it. */
  memoryLimit?: number;
}

const defaultMemoryLimit = 2048;

/** Creates a warm Python REPL with `page`, `context` and `browser` of async Playwright in scope. */
export function createPythonRunner(options: PythonRunnerOptions): Runner {
  const { cdpUrl, downloads, environment, memoryLimit = defaultMemoryLimit } = options;
  return createReplRunner({
    ...options,
    language: 'python',
    async prepare(notice) {
      const { interpreter, bin } = await environment(notice);
      return {
        command: interpreter,
        args: ['-B', programs.pythonRunner],
        env: bin === undefined ? {} : { PATH: [bin, process.env.PATH].filter(Boolean).join(delimiter) },
        start: { type: 'start', cdpUrl, memoryLimit, ...(downloads !== undefined && { downloads }) },
      };
    },
  });
}
