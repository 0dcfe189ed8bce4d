import { readdir, readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Maximum number of passes over /proc: processes may fork in the meantime, or take a while to exit. */
const rounds = 50;
const pauseMs = 20;

/**
 * Kills (SIGKILL) every process that was started with the environment variable `name` set to `value` or to a path
 * below `value`, whatever its process group and session. Linux only: on other systems it finds nothing.
 */
export async function killStrays(name: string, value: string): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const strays = await findStrays(name, value);
    if (strays.length === 0) return;
    for (const pid of strays) kill(pid);
    await wait(pauseMs);
  }
}

/** Returns the ids of the processes that `killStrays` would kill; never this process. */
export async function findStrays(name: string, value: string): Promise<number[]> {
  const exact = `${name}=${value}`;
  const below = exact + sep;
  const pids = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const matches = await Promise.all(
    pids.map(async (pid) => {
      if (pid === process.pid) return false;
      // Unreadable: it has exited or belongs to another user.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (!environment.includes(exact)) return false;
      return environment.split('\0').some((entry) => entry === exact || entry.startsWith(below));
    }),
  );
  return pids.filter((_, index) => matches[index]);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}
