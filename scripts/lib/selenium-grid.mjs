// @ts-check
// Where the tests' Selenium Grid is. No dependencies: setup uses it before anything is installed.
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fingerprint, isStamped } from './fingerprint.mjs';
import { ROOT } from './repository.mjs';

/** Folder with the file that names the version. */
export const GRID_PROJECT = join(ROOT, 'test', 'fixtures', 'selenium-grid');

/** Folder of the jars, kept between runs. */
export const GRID_DIR = join(ROOT, '.selenium-grid');

/** What says that the folder is complete, and for which version. */
export const GRID_STAMP = join(GRID_DIR, '.complete');

/** The programs that setup and the tests need, with their Debian packages. */
export const GRID_PROGRAMS = { java: 'default-jre-headless', mvn: 'maven', chromedriver: 'chromium-driver' };

/** Returns the value of the stamp for the version in the project. */
export const gridVersion = () => fingerprint([GRID_PROJECT]);

/**
 * @param {string} name
 * @returns {string | undefined} path of a program
 */
export function findProgram(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Whether the jars of the right version are there. */
export const hasGridJars = () => isStamped(GRID_STAMP, gridVersion()) && readdirSync(GRID_DIR).length > 10;

/** Returns why a Selenium Grid can't be started here, or undefined. */
export function whyNoSeleniumGrid() {
  if (process.platform === 'win32') return 'grids for tests are not started on Windows';
  for (const name of /** @type {const} */ (['java', 'chromedriver']))
    if (!findProgram(name)) return `${name} is not installed (Debian package "${GRID_PROGRAMS[name]}")`;
  if (!hasGridJars()) return 'Selenium Grid is not in .selenium-grid ("node scripts/setup.mjs grid" says why)';
  return undefined;
}
