import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultSpareBrowsers, type StartedHost, startAhead } from './browsers/ahead.ts';
import type { TemporaryFolders } from './browsers/chrome/temporary-folders.ts';
import { clearBrowsers } from './browsers/clear-browsers.ts';
import { defaultDataDir, prepareDataDir } from './platform/data-dir.ts';
import { lockDataDir } from './platform/storage/data-dir-lock.ts';
import { spareBrowsersFor } from './platform/system/memory.ts';
import { variables } from './variables.ts';

/** What is done before the program of the service is loaded. */
export interface Ahead {
  /** Releases the lock of the data directory. */
  unlock(): void;
  /** Of the browsers, after those of earlier services were deleted. */
  temporary: TemporaryFolders;
  /** Why folders of earlier browsers could not be deleted. */
  left: string | undefined;
  host: StartedHost | undefined;
}

/** The options that matter here. */
const named = {
  'data-dir': { type: 'string' },
  chrome: { type: 'string' },
  'spare-browsers': { type: 'string' },
} as const;

/** With them, browsers start in another way, or not on this machine. */
const otherBrowsers = {
  options: [
    'headed',
    'browser-endpoint',
    'isolation',
    'host',
    'public-url',
    'deny-private-targets',
    'database',
    'shared-dir',
    'help',
    'version',
  ],
  variables: [variables.browserEndpoint, variables.isolation, variables.database, variables.sharedDir],
};

/**
 * Starts the browser of the first session while the program is loaded, for a service as windows start it. Never rejects: if it
 * can't, resolves to undefined, and the service says why.
 */
export async function begin(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ahead | undefined> {
  const { values } = parseArgs({ args: [...args], strict: false, options: named });
  const { options, variables } = otherBrowsers;
  const isCommand = args[0]?.startsWith('-') === false;
  if (isCommand || options.some((name) => name in values) || variables.some((name) => env[name])) return undefined;
  const [folder, chromePath, spares] = Object.keys(named).map((name) => values[name]?.toString());
  if (!(spareBrowsersFor(Number(spares ?? defaultSpareBrowsers), defaultSpareBrowsers) > 0)) return undefined;
  let unlock: (() => void) | undefined;
  try {
    const dataDir = resolve(folder ?? defaultDataDir(env));
    prepareDataDir(dataDir);
    unlock = lockDataDir(dataDir);
    let left: string | undefined;
    const temporary = await clearBrowsers(dataDir, (reason) => {
      left = reason;
    });
    return { unlock, temporary, left, host: await startAhead({ dataDir, chromePath, temporary }) };
  } catch {
    unlock?.();
    return undefined;
  }
}
