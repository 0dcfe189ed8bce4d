// @ts-check
// The steps of setup. It runs on the system's Node, 20 or later, before anything is installed, so it uses only node: modules.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser, NO_BROWSER, requireBrowser } from './browser.mjs';
import { canUseApt, command, firstLines, installWithApt, lastLine, npm } from './command.mjs';
import { fingerprint, isStamped, stamp } from './fingerprint.mjs';
import { hasVsCode, installVsCode } from './install-vscode.mjs';
import { CODE_SERVER_VERSION, ROOT } from './repository.mjs';
import {
  findProgram,
  GRID_DIR,
  GRID_PROGRAMS,
  GRID_PROJECT,
  GRID_STAMP,
  gridVersion,
  hasGridJars,
} from './selenium-grid.mjs';

const BIN = join(ROOT, 'node_modules', '.bin');

/**
 * A step calls `begin` before work that takes time, and returns what it did, or undefined when there was nothing to do.
 * @typedef {(begin: (what: string) => void) => Promise<string | undefined>} Step
 */

/** @type {Record<string, { run: Step, after?: string }>} */
const STEPS = {
  dependencies: { run: installDependencies },
  build: { run: build, after: 'dependencies' },
  browser: { run: findOrInstallBrowser },
  vscode: { run: findOrInstallVsCode },
  shell: { run: installHeadlessShell },
  bubblewrap: { run: installBubblewrap },
  grid: { run: installSeleniumGrid },
  proxy: { run: (begin) => installForTests({ nginx: 'nginx-light' }, 'the test of the TLS proxy', begin) },
};

/** What `npm start` needs. */
export const START_STEPS = ['dependencies', 'build', 'browser', 'vscode'];

/**
 * Does steps at the same time, except for those that need another one first. Steps that are already done take no time.
 * @param {string[]} names
 * @param {(line: string) => void} print
 * @returns {Promise<Map<string, string>>} why steps failed, by their names
 */
export async function setUp(names, print) {
  const unknown = names.find((name) => !Object.hasOwn(STEPS, name));
  if (unknown !== undefined)
    throw new Error(`Unknown step "${unknown}". The steps are: ${Object.keys(STEPS).join(', ')}.`);
  /** @type {Map<string, string>} */
  const failed = new Map();
  /** @type {Map<string, Promise<void>>} */
  const started = new Map();
  const start = (/** @type {string} */ name) => {
    const step = started.get(name) ?? attempt(name);
    started.set(name, step);
    return step;
  };
  const attempt = async (/** @type {string} */ name) => {
    const { run, after } = STEPS[name] ?? {};
    if (after) await start(after);
    const began = performance.now();
    try {
      if (after && failed.has(after)) throw new Error(`the step "${after}" failed`);
      const done = await run?.((what) => print(`setup: ${what} …`));
      if (done !== undefined) print(`setup: ${done} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed.set(name, error instanceof Error ? error.message : String(error));
    }
  };
  await Promise.all(names.map(start));
  return failed;
}

/** @type {Step} The exact packages of the lock file; Node 24 is one of them. */
async function installDependencies(begin) {
  const wanted = readJson(join(ROOT, 'package-lock.json'));
  const installed = readJson(join(ROOT, 'node_modules', '.package-lock.json'));
  if (isInstalled(wanted, installed)) return undefined;
  begin('installing the packages of package-lock.json');
  await npm(['ci', '--include=dev', '--include=optional'], ROOT);
  return 'installed the packages of package-lock.json';
}

/**
 * Whether node_modules has the packages of the lock file. npm writes its list of installed packages last, so an
 * interrupted install has none. Packages for other platforms may be missing.
 * @param {LockFile | undefined} wanted
 * @param {LockFile | undefined} installed
 */
export function isInstalled(wanted, installed) {
  if (!wanted || !installed) return false;
  return Object.entries(wanted.packages).every(([path, entry]) => {
    if (path === '') return true;
    const present = installed.packages[path];
    if (!present) return isForeign(entry);
    return present.version === entry.version && (entry.integrity ?? present.integrity) === present.integrity;
  });
}

/**
 * @param {LockEntry} entry
 */
function isForeign({ optional, os, cpu, libc }) {
  if (!optional) return false;
  return libc !== undefined || (os && !os.includes(process.platform)) || (cpu && !cpu.includes(process.arch)) || false;
}

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockEntry
 * @typedef {{ packages: Record<string, LockEntry> }} LockFile
 *
 * @param {string} file
 * @returns {LockFile | undefined}
 */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @type {Step} */
async function build(begin) {
  const stampFile = join(ROOT, 'dist', '.webdata-setup');
  const inputs = [
    'src',
    'docs',
    'media',
    'scripts/lib/crawl-schema.ts',
    'scripts/lib/json-schema.ts',
    'esbuild.mjs',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ];
  const wanted = fingerprint(inputs.map((name) => join(ROOT, name)));
  // An install of the packages removes the plugin from node_modules.
  const plugin = join(ROOT, 'node_modules', 'web-data-typescript-plugin', 'package.json');
  if (isStamped(stampFile, wanted) && existsSync(plugin)) return undefined;
  begin('building dist/');
  await command(ownNode(), [join(ROOT, 'esbuild.mjs')], { cwd: ROOT });
  stamp(stampFile, wanted);
  return 'built dist/';
}

/** @type {Step} */
async function findOrInstallBrowser(begin) {
  const canInstall = canUseApt() && !process.env.CHROME_PATH;
  if (findBrowser() || !canInstall) {
    await checkRuns(requireBrowser());
    return undefined;
  }
  begin('no browser found, installing chromium with apt-get');
  try {
    await installWithApt(['chromium', 'fonts-liberation']);
  } catch (error) {
    throw new Error(`${NO_BROWSER} (${lastLine(error)})`);
  }
  const path = requireBrowser();
  await checkRuns(path);
  return `installed ${path}`;
}

/** @type {Step} */
async function findOrInstallVsCode(begin) {
  if (hasVsCode()) return undefined;
  begin(`installing code-server ${CODE_SERVER_VERSION} (370 MB on disk, once)`);
  await installVsCode();
  return `installed code-server ${CODE_SERVER_VERSION} into .vscode-test/`;
}

/**
 * Installs programs that only tests use. Where they can't be had, it says why and what that means.
 * @param {Record<string, string>} programs with their Debian packages
 * @param {string} tests
 * @param {(what: string) => void} begin
 * @param {string} [without] what happens without the programs
 */
async function installForTests(programs, tests, begin, without = `${tests} will be skipped`) {
  const packages = Object.entries(programs).flatMap(([name, debian]) => (findProgram(name) ? [] : [debian]));
  if (packages.length === 0) return undefined;
  const names = packages.join(', ');
  if (!canUseApt()) return `${without}: install ${names}`;
  begin(`installing ${names} with apt-get, for ${tests}`);
  try {
    await installWithApt(packages);
    return `installed ${names}`;
  } catch (error) {
    return `${without}: ${lastLine(error).slice(0, 500)}`;
  }
}

/** @type {Step} */
async function installHeadlessShell(begin) {
  // A browser of one's own choice loads the pages, too.
  if (process.platform !== 'linux' || process.env.CHROME_PATH) return undefined;
  const shell = 'chromium-headless-shell';
  const without = 'tests load pages in the full browser, which takes longer';
  return await installForTests({ [shell]: shell }, 'tests that load pages', begin, without);
}

/** @type {Step} */
async function installBubblewrap(begin) {
  if (process.platform !== 'linux') return undefined;
  return await installForTests({ bwrap: 'bubblewrap' }, 'the tests of isolation', begin);
}

/** @type {Step} */
async function installSeleniumGrid(begin) {
  // Maven only fetches the jars.
  const { mvn, ...running } = GRID_PROGRAMS;
  const tests = 'the tests of a Selenium Grid';
  const installed = await installForTests(hasGridJars() ? running : { ...running, mvn }, tests, begin);
  if (hasGridJars() || !findProgram('mvn')) return installed;
  begin('copying Selenium Grid with Maven (43 MB, once), for tests');
  try {
    rmSync(GRID_DIR, { recursive: true, force: true });
    const copy = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${GRID_DIR}`];
    await command('mvn', copy, { cwd: GRID_PROJECT });
    stamp(GRID_STAMP, gridVersion());
    return 'installed Selenium Grid into .selenium-grid/';
  } catch (error) {
    return `${tests} will be skipped: ${firstLines(error).slice(0, 500)}`;
  }
}

/**
 * Some distributions have a script instead of the browser that only says where to get it.
 * @param {string} path
 */
async function checkRuns(path) {
  // On other systems the program opens a window instead of printing its version.
  if (process.platform !== 'linux') return;
  try {
    await command(path, ['--version']);
  } catch (error) {
    throw new Error(
      `${path} does not run (${lastLine(error)}). Install Chrome, Chromium, Edge or Brave, or set CHROME_PATH.`,
    );
  }
}

/** Node 24 from the dependencies, or the running Node on platforms without that package. */
function ownNode() {
  const node = join(BIN, process.platform === 'win32' ? 'node.cmd' : 'node');
  return existsSync(node) ? node : process.execPath;
}
