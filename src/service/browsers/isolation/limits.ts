import { readFileSync } from 'node:fs';

const gib = 1024 ** 3;

/** Limits of what runs in a sandbox. `processes` counts threads too, and all that the sandbox's user ID has. */
const limitsOf = {
  // Chrome has hundreds of threads.
  browser: { processes: 4096, memory: 4 * gib },
  runner: { processes: 1024, memory: 2 * gib },
} as const;

/** Returns the command that starts a program with limits on its processes, and on the memory that each of them allocates. */
export function limitArguments(kind: keyof typeof limitsOf): string[] {
  const { processes, memory } = limitsOf[kind];
  return [
    'prlimit',
    '--core=0',
    `--nproc=${within('processes', processes)}`,
    `--data=${within('data size', memory)}`,
    '--',
  ];
}

/** Returns a limit, unless the service has a lower one, which its processes can't raise. */
function within(name: string, wanted: number): number {
  let text = '';
  try {
    text = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return wanted;
  }
  const hard = Number(new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(hard, wanted);
}
