import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostMarker } from '../../src/service/browsers/sessions/host-folders.ts';
import { findStrays } from '../../src/service/platform/system/stray-processes.ts';

/** All processes of browsers and snippets on a data dir. */
export function processesOf(dataDir: string): Promise<number[]> {
  return findStrays(hostMarker, join(dataDir, 'browsers'));
}

/** The main process of the one Chromium that runs on a data dir. */
export async function chromeOf(dataDir: string): Promise<number> {
  for (const pid of await processesOf(dataDir)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('--remote-debugging-pipe') && !command.includes('--type=')) return pid;
  }
  throw new Error('no Chromium of this data dir runs');
}
