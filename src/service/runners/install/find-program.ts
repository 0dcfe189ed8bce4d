import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The first of the names that is an executable on PATH; entries that depend on the working directory do not count. */
export function findProgram(names: readonly string[], path = process.env.PATH ?? ''): string | undefined {
  return findPrograms(names, path)[0];
}

/** Every executable of the names on PATH, by name first. */
export function findPrograms(names: readonly string[], path = process.env.PATH ?? ''): string[] {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return names.flatMap((name) => folders.map((folder) => join(folder, name)).filter(isExecutable));
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
