// @ts-check
// The steps of setup. It runs on the system's Node, 20 or later, before anything is installed, so it uses only node: modules.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findBrowser, NO_BROWSER, requireBrowser } from './browser.mjs';
import { fingerprint, isStamped, stamp } from './fingerprint.mjs';
import { CODE_SERVER_VERSION, ROOT, VSCODE_DIR, VSCODE_TEST_DIR } from './repository.mjs';
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
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

/**
 * A step calls `begin` before work that takes time, and returns what it did, or undefined when there was nothing to do.
 * @typedef {(begin: (what: string) => void) => Promise<string | undefined>} Step
 */

/** @type {Record<string, Step>} In run order. */
export const STEPS = {
  dependencies: installDependencies,
  build,
  browser: findOrInstallBrowser,
  vscode: installVsCode,
  bubblewrap: installBubblewrap,
  grid: installSeleniumGrid,
  proxy: installProxy,
};

/** @type {Step} The exact packages of the lock file; Node 24 is one of them. */
async function installDependencies(begin) {
  const wanted = readJson(join(ROOT, 'package-lock.json'));
  const installed = readJson(join(ROOT, 'node_modules', '.package-lock.json'));
  if (isInstalled(wanted, installed)) return undefined;
  begin('installing the packages of package-lock.json');
  // The system's Node, not the one in node_modules: npm is about to replace that one.
  const PATH = pathFolders().filter((folder) => folder !== BIN);
  await npm(['ci', '--include=dev', '--include=optional', ...QUIET], { cwd: ROOT, env: environment(PATH) });
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
    await installWithApt(['chromium']);
  } catch (error) {
    throw new Error(`${NO_BROWSER} (${lastLine(error)})`);
  }
  const path = requireBrowser();
  await checkRuns(path);
  return `installed ${path}`;
}

/**
 * Installs bubblewrap for the tests of isolation. Where it can't be had, they are skipped.
 * @type {Step}
 */
async function installBubblewrap(begin) {
  if (!canUseApt() || findProgram('bwrap')) return undefined;
  begin('installing bubblewrap with apt-get, for tests');
  try {
    await installWithApt(['--no-install-recommends', 'bubblewrap']);
    return 'installed bubblewrap';
  } catch (error) {
    return `no bubblewrap here, so the tests of isolation are skipped: ${lastLine(error)}`;
  }
}

/**
 * Installs what the tests of remote browsers need. Where it can't be had, they are skipped.
 * @type {Step}
 */
async function installSeleniumGrid(begin) {
  const missing = Object.entries(GRID_PROGRAMS).filter(([name]) => !findProgram(name));
  // Maven only fetches the jars.
  const needed = missing.filter(([name]) => name !== 'mvn' || !hasGridJars());
  if (needed.length === 0 && hasGridJars()) return undefined;
  try {
    if (needed.length > 0) {
      const packages = needed.map(([, name]) => name);
      if (!canUseApt()) throw new Error(`install ${packages.join(', ')}`);
      begin(`installing ${packages.join(', ')} with apt-get, for tests`);
      await installWithApt(['--no-install-recommends', ...packages]);
    }
    if (!hasGridJars()) {
      begin('copying Selenium Grid with Maven (43 MB, once), for tests');
      rmSync(GRID_DIR, { recursive: true, force: true });
      const copy = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${GRID_DIR}`];
      await command('mvn', copy, { cwd: GRID_PROJECT });
      stamp(GRID_STAMP, gridVersion());
    }
    return 'installed Selenium Grid into .selenium-grid/';
  } catch (error) {
    return `no Selenium Grid here, so its tests are skipped: ${firstLines(error).slice(0, 500)}`;
  }
}

function canUseApt() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/** @param {string[]} packages and options */
async function installWithApt(packages) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await command('apt-get', ['update', '-qq'], { env });
  await command('apt-get', ['install', '-y', '-qq', ...packages], { env });
}

/**
 * Installs nginx, which a test runs with the configuration in deploy/. Where it can't be had, the test is skipped.
 * @type {Step}
 */
async function installProxy(begin) {
  if (findProgram('nginx') || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  begin('installing nginx with apt-get, for tests');
  // With this runlevel, Debian doesn't start it.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  try {
    await command('apt-get', ['update', '-qq'], { env });
    await command('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'nginx-light'], { env });
    return 'installed nginx';
  } catch (error) {
    return `no nginx here, so its test is skipped: ${firstLines(error).slice(0, 500)}`;
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
    await command(path, ['--version'], {});
  } catch (error) {
    throw new Error(
      `${path} does not run (${lastLine(error)}). Install Chrome, Chromium, Edge or Brave, or set CHROME_PATH.`,
    );
  }
}

/** @param {unknown} error */
function lastLine(error) {
  return String(error instanceof Error ? error.message : error)
    .trim()
    .split('\n')
    .at(-1);
}

/**
 * Installs VS Code's server and workbench from the code-server package, without code-server's own entry point and native
 * builds. It is assembled in a temporary folder and moved into place when complete.
 * @type {Step}
 */
async function installVsCode(begin) {
  removeLeftovers();
  if (existsSync(join(VSCODE_DIR, 'out', 'server-main.js'))) return undefined;
  begin(`installing code-server ${CODE_SERVER_VERSION} (590 MB on disk, once)`);
  const target = join(VSCODE_TEST_DIR, `code-server-${CODE_SERVER_VERSION}`);
  const work = join(VSCODE_TEST_DIR, `${WORK_PREFIX}${process.pid}`);
  const env = environment([BIN, ...pathFolders()]);
  try {
    mkdirSync(work, { recursive: true });
    writeFileSync(join(work, 'package.json'), '{ "private": true }\n');
    cpSync(join(ROOT, '.npmrc'), join(work, '.npmrc'));
    await npm(['install', ...QUIET, `code-server@${CODE_SERVER_VERSION}`], { cwd: work, env });
    const vscode = join(work, 'node_modules', 'code-server', 'lib', 'vscode');
    for (const cwd of [vscode, join(vscode, 'extensions')])
      await npm(['install', '--omit=dev', ...QUIET], { cwd, env });
    rmSync(target, { recursive: true, force: true });
    renameSync(work, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return `installed code-server ${CODE_SERVER_VERSION} into .vscode-test/`;
}

const WORK_PREFIX = '.installing-';

/** Removes partial installs of interrupted setups. */
function removeLeftovers() {
  if (!existsSync(VSCODE_TEST_DIR)) return;
  for (const name of readdirSync(VSCODE_TEST_DIR)) {
    if (!name.startsWith(WORK_PREFIX) || isAlive(Number(name.slice(WORK_PREFIX.length)))) continue;
    rmSync(join(VSCODE_TEST_DIR, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Node 24 from the dependencies, or the running Node on platforms without that package. */
function ownNode() {
  const node = join(BIN, process.platform === 'win32' ? 'node.cmd' : 'node');
  return existsSync(node) ? node : process.execPath;
}

function pathFolders() {
  return (process.env.PATH ?? '').split(delimiter);
}

/**
 * @param {string[]} folders of PATH
 * @returns {NodeJS.ProcessEnv}
 */
function environment(folders) {
  return { ...process.env, PATH: folders.join(delimiter) };
}

/**
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 */
async function npm(args, options) {
  try {
    await command('npm', args, options);
  } catch (error) {
    throw new Error(
      `${firstLines(error)}\nIs the npm registry (npm config get registry) reachable? If so, try again: npm run setup`,
    );
  }
}

/**
 * npm prints the error first and its usage after it.
 * @param {unknown} error
 */
function firstLines(error) {
  const lines = String(error instanceof Error ? error.message : error).split('\n');
  return lines
    .filter((line) => !/^npm (warn|error)\s*$|^npm warn/i.test(line))
    .slice(0, 8)
    .join('\n');
}

/**
 * Runs a program; its output is part of the error.
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<void>}
 */
function command(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk).slice(0, 20_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => reject(new Error(`Could not start ${program}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`"${program} ${args[0]}" failed with ${signal ?? `exit code ${code}`}:\n${output.trim()}`));
    });
  });
}
