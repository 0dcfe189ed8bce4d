import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findChrome } from './chrome/find.ts';
import { type ChromeProcess, startChrome } from './chrome/launch.ts';
import type { TemporaryFolders } from './chrome/temporary-folders.ts';
import { nodeProgram } from './runners/node/node.ts';
import { type RunnerChild, startRunnerChild } from './runners/runner-process.ts';
import { hostFolders, hostMarker, hostParents } from './sessions/host-folders.ts';

/** What the first session needs, started while the rest of the service still loads: its browser and the runner of Node.js. */
export interface StartedHost {
  id: string;
  browser: ChromeProcess;
  runner: RunnerChild;
}

/** How many browsers are kept ready unless another number is given. */
export const defaultSpareBrowsers = 1;

export interface AheadOptions {
  dataDir: string;
  chromePath: string | undefined;
  temporary: TemporaryFolders;
}

/** Starts both; undefined if either can't be started: the first session then starts its own and says why. */
export async function startAhead({ dataDir, chromePath, temporary }: AheadOptions): Promise<StartedHost | undefined> {
  const { path } = findChrome(chromePath);
  if (path === undefined) return undefined;
  const id = randomUUID();
  const { directory, userDataDir, workDir, downloads } = hostFolders(hostParents(dataDir), id);
  try {
    for (const folder of [userDataDir, workDir, downloads]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const marker = [hostMarker, directory] as const;
    const mode = { headless: true, temporary };
    const browser = await startChrome(path, { userDataDir, marker }, mode, process.getuid?.() !== 0);
    const program = nodeProgram(join(dataDir, 'compile-cache'));
    return { id, browser, runner: startRunnerChild(program, { marker, directory: workDir }) };
  } catch {
    return undefined;
  }
}
