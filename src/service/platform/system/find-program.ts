import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Returns the first of the names that is an executable on PATH. Ignores relative PATH entries. */
export function findProgram(names: readonly string[], path = process.env.PATH ?? ''): string | undefined {
  return findPrograms(names, path)[0];
}

/** Returns all executables with these names on PATH, ordered by name first. */
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
