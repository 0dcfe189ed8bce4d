import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { shorten } from '../../contract/shorten.ts';
import { messageOf } from './errors.ts';

/** Returns the default data directory: the operating system's standard location for application data. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const home = homedir();
  const { platform } = process;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'web-data');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'web-data');
  return join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'web-data');
}

/** Creates the data directory, readable only by its owner. Throws an Error with a one-line message if it can't be used. */
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
      `The data directory ${shorten(path)} can't be used: ${messageOf(error)}. Set --data-dir to a folder you can write to.`,
    );
  }
}
