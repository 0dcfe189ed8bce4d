import { once } from 'node:events';
import { join } from 'node:path';
import { oneAtATime } from '../../scripts/lib/one-at-a-time.ts';
import { createAgentBrowser } from '../../src/service/browsers/runners/bash/agent-browser.ts';
import { createTools } from '../../src/service/browsers/runners/install/install.ts';
import type { SharedTask } from '../../src/service/browsers/runners/install/shared-task.ts';
import {
  createPythonEnvironment,
  type PythonEnvironment,
} from '../../src/service/browsers/runners/python/python-environment.ts';
import { repository } from './folders.ts';

// Installed once and kept between test runs, as a service keeps them in its data dir.
const cache = join(repository, 'node_modules', '.cache', 'web-data-tests');
const tools = createTools(['WEBDATA_TEST', cache]);

const installLimitMs = 4 * 60_000;

export const pythonDirectory = join(cache, 'python');

export const pythonForTests: SharedTask<PythonEnvironment> = createPythonEnvironment({
  tools,
  directory: pythonDirectory,
});

export const agentBrowserForTests: SharedTask<string> = createAgentBrowser({
  tools,
  directory: join(cache, 'agent-browser'),
});

/** Options of a service that uses what is installed for all tests, instead of installing it into its data directory. */
export async function installedTools(): Promise<{ pythonPath: string; agentBrowserPath: string }> {
  return await oneAtATime(join(cache, 'installing'), async () => {
    const { interpreter } = await pythonForTests(() => undefined);
    const folder = await agentBrowserForTests(() => undefined);
    return { pythonPath: interpreter, agentBrowserPath: join(folder, 'agent-browser') };
  });
}

/**
 * Registers a hook that installs what the tests need, all of it at the same time. Skips them with a reason when there is no
 * interpreter or the package index is not reachable.
 */
export function needs(...tasks: SharedTask<unknown>[]): void {
  before(async function () {
    try {
      await oneAtATime(join(cache, 'installing'), async () => {
        const late = AbortSignal.timeout(installLimitMs);
        await Promise.race([
          allOf(tasks.map((task) => task(() => undefined))),
          once(late, 'abort').then(() => Promise.reject(new Error('the installation timed out'))),
        ]);
      });
    } catch (error) {
      console.log(`    skipped: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`);
      this.skip();
    }
  });
}

/** Resolves to all values once none is pending, even if one fails. */
export async function allOf<const Promises extends readonly Promise<unknown>[]>(
  promises: Promises,
): Promise<{ -readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
}
