import { join } from 'node:path';
import type { Language } from '../../../contract/sessions/execution.ts';
import { createAgentBrowser } from './bash/agent-browser.ts';
import { createBashRunner } from './bash/bash.ts';
import { createTools, type ToolTask } from './install/install.ts';
import { createNodeRunner } from './node/node.ts';
import { createPythonRunner } from './python/python.ts';
import { createPythonEnvironment, type PythonEnvironment } from './python/python-environment.ts';
import type { Runner, RunnerOptions } from './runner.ts';

export interface RunnersOptions {
  dataDir: string;
  /** Python interpreter to use instead of the one on PATH. */
  pythonPath: string | undefined;
  /** agent-browser to use instead of the one on PATH. */
  agentBrowserPath: string | undefined;
  /** Environment variable (name, value) that marks installers, so that a stray one can be found. */
  marker: readonly [name: string, value: string];
  /** Called with the progress of installs, for the log. */
  onNotice(text: string): void;
}

/** Creates the runners of all sessions. What a language needs is found or installed once. */
export function createRunners(options: RunnersOptions) {
  const { dataDir, pythonPath, agentBrowserPath, marker, onNotice } = options;
  const tools = createTools(marker);
  const environments = new Map<string | undefined, ToolTask<PythonEnvironment>>();
  const environment = (chosen?: string) => {
    const advice = chosen && 'Select another interpreter with the command "Python: Select Interpreter".';
    const python = { tools, onNotice, directory: join(dataDir, 'python'), configured: chosen ?? pythonPath, advice };
    const task = environments.get(chosen) ?? createPythonEnvironment(python);
    environments.set(chosen, task);
    return task;
  };
  const agentBrowser = createAgentBrowser({
    tools,
    onNotice,
    directory: join(dataDir, 'agent-browser'),
    configured: agentBrowserPath,
  });
  return {
    /** Creates a runner for a session. */
    create: {
      node: (options) =>
        // Snippets in a sandbox must not change code that the service loads.
        createNodeRunner({ ...options, ...(!options.isolate && { cacheDirectory: join(dataDir, 'compile-cache') }) }),
      python: (options) => createPythonRunner({ ...options, environment }),
      bash: (options) => createBashRunner({ ...options, agentBrowser }),
    } satisfies Readonly<Record<Language, (options: RunnerOptions) => Runner>>,
    /**
     * Returns the folder that the next run in a language installs a tool into; undefined if it installs nothing, or fails first.
     * @param python the project's interpreter
     */
    missing: async (language: Language, chosen?: string): Promise<string | undefined> => {
      if (language === 'node') return undefined;
      if (language === 'bash') return await agentBrowser.missing();
      return await environment(chosen).missing();
    },
    /** Cancels running installs. */
    close: (): Promise<void> => tools.close(),
  };
}
