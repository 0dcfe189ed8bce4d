// @ts-check
// Records whether a step was done for the same inputs. The stamp is written last, so an interrupted step never counts as done.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns a hash of the names and contents of files and folders, and of the given words.
 * @param {string[]} paths absolute; folders include everything below them
 * @param {string[]} [words]
 */
export function fingerprint(paths, words = []) {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`${word}\0`);
  for (const file of paths.flatMap(filesBelow)) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/**
 * @param {string} stampFile
 * @param {string} value
 */
export function isStamped(stampFile, value) {
  try {
    return readFileSync(stampFile, 'utf8') === value;
  } catch {
    return false;
  }
}

/**
 * @param {string} stampFile
 * @param {string} value
 */
export function stamp(stampFile, value) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, value);
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}
