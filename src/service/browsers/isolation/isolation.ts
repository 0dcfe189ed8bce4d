import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { EgressProxy } from '../../platform/network/egress-proxy.ts';
import { findProgram } from '../../platform/system/find-program.ts';
import type { TemporaryFolders } from '../chrome/temporary-folders.ts';
import { systemFolders } from './bubblewrap.ts';
import { openSandbox, type Sandbox, type SandboxFolders } from './sandbox.ts';

export { exitInside, filesOf, type Isolate, type Sandbox } from './sandbox.ts';

/** How the programs of sessions are kept apart from the service and from each other. */
export type IsolationMode = 'bubblewrap' | 'none';

/** Starts the programs of each session in a sandbox of their own. */
export type Isolation = Awaited<ReturnType<typeof openIsolation>>;

export interface IsolationOptions {
  dataDir: string;
  /** Folder of profiles and downloads. */
  sharedDir: string;
  temporary: TemporaryFolders;
  log: Log;
  /** What sandboxes reach the web through. */
  egress: () => Promise<EgressProxy>;
  /** Overrides the system and PATH, for tests. */
  platform?: NodeJS.Platform;
  path?: string;
}

const advice =
  'Or set --isolation none: then snippets run with the permissions of the service, and every team can read its files.';
const trialMs = 30_000;

/**
 * Returns the isolation to use: the given one, else `bubblewrap` for a service that other machines use and `none` for one
 * that only this machine uses. Throws an Error with a message to show.
 */
export function isolationMode(given: string | undefined, isForOthers: boolean): IsolationMode {
  if (!given) return isForOthers ? 'bubblewrap' : 'none';
  if (given === 'bubblewrap' || given === 'none') return given;
  throw new Error(`--isolation must be bubblewrap or none, got "${shorten(given, 40)}".`);
}

/** Prepares sandboxes with bubblewrap and tries one. Throws an Error with a one-line message to show if it can't be had here. */
export async function openIsolation(options: IsolationOptions) {
  const { platform = process.platform } = options;
  if (platform !== 'linux') throw unavailable('bubblewrap needs Linux.');
  for (const folder of [options.dataDir, options.sharedDir]) assertHidden(folder);
  const bwrap = findProgram(['bwrap'], options.path);
  if (bwrap === undefined) {
    throw unavailable(
      'bwrap is not on PATH. Install bubblewrap 0.8 or later (Debian and Ubuntu: apt install bubblewrap).',
    );
  }
  const { dataDir, temporary, egress } = options;
  const attempt = (userNamespaces: boolean) =>
    tryOne((folders) => openSandbox(folders, { dataDir, temporary, bwrap, userNamespaces }));
  const userNamespaces = await attempt(true).then(
    () => true,
    async ({ message: reason }: Error) => {
      await attempt(false);
      options.log.warn(
        { reason },
        'code in sandboxes may create user namespaces, in which it has all capabilities, unless the system lets no user but root create them: to prevent that, a service that runs as root needs unshare of util-linux and a writable /proc/sys. Provide them, or run the service as another user than root',
      );
      return false;
    },
  );
  return {
    /** Creates a sandbox for existing folders, which it makes its own. */
    open: (folders: SandboxFolders): Promise<Sandbox> =>
      openSandbox(folders, { dataDir, temporary, egress, bwrap, userNamespaces }),
  };
}

/** Every sandbox reads the folders of the system, so that data in them would be everybody's. */
function assertHidden(folder: string): void {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  const seenIn = systemFolders.find((system) => `${real}/`.startsWith(`${system}/`));
  if (seenIn !== undefined)
    throw unavailable(
      `every session sees what is in ${seenIn}, and ${shorten(folder)} is there. Keep data in another folder.`,
    );
}

/** Runs a program that does nothing in a sandbox, as a snippet's would be run. */
async function tryOne(open: Isolation['open']): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'webdata-'));
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await open({ profile: folder, work: folder, downloads: folder, service: 'ws://127.0.0.1:3129' });
    const { command, args, env } = sandbox.runner({
      command: 'true',
      args: [],
      env: { PATH: process.env.PATH },
      cwd: folder,
    });
    await promisify(execFile)(command, args, { env, timeout: trialMs });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
    throw unavailable(
      `bubblewrap doesn't work here: ${shorten(said || messageOf(error), 300)}. It needs version 0.8 or later, prlimit and setpriv of util-linux, and the right to create namespaces, which containers often lack (see docs/security.md).`,
    );
  } finally {
    await sandbox?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function unavailable(reason: string): Error {
  return new Error(`Sessions can't be isolated: ${reason} ${advice}`);
}
