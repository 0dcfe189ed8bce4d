// @ts-check
// Tells whether a step was done for these very inputs: the stamp is written last, so a broken-off step never counts as done.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * One hash over the names and contents of files and folders, and over the given words.
 * @param {string[]} paths absolute; folders are read with everything below them
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
