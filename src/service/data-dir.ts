import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the service keeps its data when nobody says otherwise: the place that the system has for it. */
export function defaultDataDir(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = homedir();
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'web-data');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'web-data');
  return join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'web-data');
}

/** Makes the data dir, private to its owner. Throws with one sentence where it cannot be used. */
export function prepareDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(path);
    const self = process.getuid?.();
    if (self !== undefined && uid !== self) throw new Error('it belongs to another user');
    if (self !== undefined && (mode & 0o077) !== 0) chmodSync(path, 0o700);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(
      `The data dir ${path} cannot be used: ${(error as Error).message}. Give --data-dir a folder that you can write to.`,
    );
  }
}
