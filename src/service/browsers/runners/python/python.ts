import { delimiter, dirname } from 'node:path';
import type { SharedTask } from '../install/shared-task.ts';
import { programs } from '../programs.ts';
import { createReplRunner } from '../repl-runner.ts';
import type { Runner, RunnerOptions } from '../runner.ts';
import type { PythonEnvironment } from './python-environment.ts';

export interface PythonRunnerOptions extends RunnerOptions {
  /** Finds or creates a Python with Playwright, for the interpreter of a project if it has one. */
  environment: (interpreter?: string) => SharedTask<PythonEnvironment>;
}

/**
 * Creates a warm Python REPL with `page`, `context` and `browser` of async Playwright in scope. It runs on the interpreter of
 * the run's project, if that has one.
 */
export function createPythonRunner(options: PythonRunnerOptions): Runner {
  let chosen: string | undefined;
  let started = false;

  const runner = createReplRunner('python', options, async (notice) => {
    started = true;
    const ofProject = chosen;
    const { interpreter, bin, packages, reads } = await options.environment(ofProject)(notice);
    const command = ofProject ?? interpreter;
    // An interpreter without Playwright is used with the packages of the environment that was created for its version.
    const borrowed = ofProject !== undefined && packages !== undefined ? [packages] : [];
    const folder = ofProject === undefined ? bin : dirname(ofProject);
    return {
      command,
      args: ['-B', programs.pythonRunner, ...borrowed],
      env: {
        // Standard streams are UTF-8 also where the console has another code page.
        PYTHONIOENCODING: 'utf-8',
        ...(folder !== undefined && { PATH: [folder, process.env.PATH].filter(Boolean).join(delimiter) }),
      },
      ...(reads && { reads }),
    };
  });

  return {
    ...runner,
    async run(request) {
      if (request.place && request.place.python !== chosen) {
        chosen = request.place.python;
        if (started) {
          request.onNotice?.(
            `The interpreter is now ${chosen ?? 'the default'}. The variables of earlier runs were lost.`,
          );
          await runner.reset();
        }
      }
      return await runner.run(request);
    },
  };
}
