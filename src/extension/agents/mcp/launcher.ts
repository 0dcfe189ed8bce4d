import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The program that configurations name: extensions move with each version, and this file doesn't. */
export const launcherName = 'mcp.cjs';

/** Returns the text of the launcher. */
export function launcherText(program: string): string {
  return `// Written by Web Data for VS Code: starts the version that is installed.\nrequire(${JSON.stringify(program)});\n`;
}

/** Writes the launcher, unless it is as it should be. */
export async function writeLauncher(path: string, program: string, { onlyIfPresent = false } = {}): Promise<void> {
  const text = launcherText(program);
  const known = await readFile(path, 'utf8').catch(() => undefined);
  if (known === text || (onlyIfPresent && known === undefined)) return;
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
