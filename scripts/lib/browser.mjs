// @ts-check
// Finds an installed Chrome, Chromium, Edge or Brave. No dependencies: setup uses it before anything is installed.
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, posix, win32 } from 'node:path';

/**
 * The part of the machine that the lookup uses; tests pass a fake.
 * @typedef {{ platform: string, env: Record<string, string | undefined>, home: string, isExecutable: (path: string) => boolean }} Machine
 */

/** Names of browsers on PATH, in order of preference. */
const COMMANDS = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
  'brave',
];

const MAC_APPS = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'Brave Browser.app/Contents/MacOS/Brave Browser',
];

const WINDOWS_APPS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
  'BraveSoftware\\Brave-Browser\\Application\\brave.exe',
];

const LINUX_PLACES = ['/usr/lib/chromium/chromium', '/opt/google/chrome/chrome', '/snap/bin/chromium'];

/** The message when no browser is found. */
export const NO_BROWSER =
  'No browser found. Install Chrome, Chromium, Edge or Brave (Debian: "apt install chromium"), or set CHROME_PATH to its executable.';

/** @returns {Machine} */
export function thisMachine() {
  return { platform: process.platform, env: process.env, home: homedir(), isExecutable };
}

/**
 * Returns the paths to check, in order. If CHROME_PATH is set, it is the only one: a wrong path is an error.
 * @param {Machine} machine
 * @returns {string[]}
 */
export function browserCandidates({ platform, env, home }) {
  if (env.CHROME_PATH) return [env.CHROME_PATH];
  if (platform === 'win32') {
    const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter((root) => root !== undefined);
    return WINDOWS_APPS.flatMap((app) => roots.map((root) => win32.join(root, app)));
  }
  const folders = (env.PATH ?? '').split(platform === process.platform ? delimiter : ':').filter(Boolean);
  const onPath = COMMANDS.flatMap((command) => folders.map((folder) => posix.join(folder, command)));
  if (platform !== 'darwin') return [...onPath, ...LINUX_PLACES];
  return [
    ...MAC_APPS.flatMap((app) => ['/Applications', join(home, 'Applications')].map((root) => posix.join(root, app))),
    ...onPath,
  ];
}

/**
 * Returns the path of the browser to use, or undefined when there is none.
 * @param {Machine} [machine]
 * @returns {string | undefined}
 */
export function findBrowser(machine = thisMachine()) {
  return browserCandidates(machine).find(machine.isExecutable);
}

/**
 * Returns the path of the browser to use.
 * @param {Machine} [machine]
 * @returns {string}
 * @throws {Error} with one line that says what to install
 */
export function requireBrowser(machine = thisMachine()) {
  const found = findBrowser(machine);
  if (found) return found;
  if (machine.env.CHROME_PATH)
    throw new Error(`CHROME_PATH is ${machine.env.CHROME_PATH}, which is not an executable file.`);
  throw new Error(NO_BROWSER);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
