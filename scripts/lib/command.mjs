// @ts-check
// Runs the programs that setup needs. No dependencies: setup uses it before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Options of every npm command: packages run no scripts, and npm prints only errors. */
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];

const BIN = join('node_modules', '.bin');

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv }} CommandOptions */

/**
 * Runs a program; its output is part of the error.
 * @param {string} program
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<void>}
 */
export function command(program, args, options = {}) {
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

/**
 * Runs npm on the system's Node, not on the one in node_modules, which npm may be replacing.
 * @param {string[]} args
 * @param {string} cwd
 */
export async function npm(args, cwd) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.endsWith(BIN));
  try {
    await command('npm', [...args, ...QUIET], { cwd, env: { ...process.env, PATH: folders.join(delimiter) } });
  } catch (error) {
    throw new Error(
      `${firstLines(error)}\nIs the npm registry (npm config get registry) reachable? If so, try again: npm run setup`,
    );
  }
}

export const canUseApt = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** Debian's installer allows one program at a time. @type {Promise<unknown>} */
let lastApt = Promise.resolve();
/** @type {Promise<void> | undefined} */
let updated;

/**
 * Installs Debian packages, one call after another, without what is only recommended.
 * @param {string[]} packages
 */
export function installWithApt(packages) {
  // With this runlevel, Debian starts no services.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = async () => {
    updated ??= command('apt-get', ['update', '-qq'], { env });
    await updated;
    await command('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
  };
  const done = lastApt.then(install);
  lastApt = done.catch(() => {});
  return done;
}

/**
 * Programs print the error first and their usage after it.
 * @param {unknown} error
 */
export function firstLines(error) {
  const lines = String(error instanceof Error ? error.message : error).split('\n');
  return lines
    .filter((line) => !/^npm (warn|error)\s*$|^npm warn/i.test(line))
    .slice(0, 8)
    .join('\n');
}

/** @param {unknown} error */
export function lastLine(error) {
  const lines = String(error instanceof Error ? error.message : error).trim();
  return lines.split('\n').at(-1) ?? '';
}
