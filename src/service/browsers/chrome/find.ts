import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isExecutable } from '../../platform/system/find-program.ts';

/** Executable names of Chrome-like browsers on PATH. */
const executableNames = [
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
  'brave',
];

const macApplications = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'];
const windowsPaths = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
  ['BraveSoftware', 'Brave-Browser', 'Application', 'brave.exe'],
];

export interface ChromeSearch {
  /** Path of the executable, if one was found. */
  path?: string;
  /** Every location that was searched, for display. */
  searched: string[];
}

export interface Machine {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  home: string;
  isExecutable(path: string): boolean;
}

const thisMachine: Machine = { platform: process.platform, env: process.env, home: homedir(), isExecutable };

/**
 * Finds an installed Chrome, Chromium, Edge or Brave. If a path is configured, no other browser is tried:
 * a configured browser is never replaced silently.
 */
export function findChrome(configured?: string, machine: Machine = thisMachine): ChromeSearch {
  const explicitPath = configured || machine.env.CHROME_PATH;
  if (explicitPath)
    return machine.isExecutable(explicitPath)
      ? { path: explicitPath, searched: [explicitPath] }
      : { searched: [explicitPath] };
  const path = candidates(machine).find((candidate) => machine.isExecutable(candidate));
  return { ...(path && { path }), searched: searchedLocations(machine) };
}

/** Names of Chrome's headless shell: the browser without its window, profiles and extensions. */
const shellNames = ['chrome-headless-shell', 'chromium-headless-shell', 'headless_shell'];

/** Finds an installed headless shell of Chrome. If a path of a browser is configured, it isn't replaced. */
export function findHeadlessShell(configured?: string, machine: Machine = thisMachine): string | undefined {
  const { platform, env } = machine;
  if (configured || env.CHROME_PATH) return undefined;
  if (platform === 'win32') {
    const folders = (env.PATH ?? '').split(';').filter((folder) => /^[a-z]:[\\/]/i.test(folder));
    return folders.map((folder) => `${folder}\\chrome-headless-shell.exe`).find((path) => machine.isExecutable(path));
  }
  return onPath(shellNames, env).find((path) => machine.isExecutable(path));
}

/** Returns the message to show when no browser was found. */
export function noChromeMessage(search: ChromeSearch): string {
  return (
    `No Chrome, Chromium, Edge or Brave was found (looked at: ${search.searched.join(', ')}). ` +
    'Install one, or set its path with the setting "webdata.embedded.chromePath", --chrome PATH or CHROME_PATH.'
  );
}

function candidates({ platform, env, home }: Machine): string[] {
  if (platform === 'darwin') {
    return ['/Applications', join(home, 'Applications')].flatMap((folder) =>
      macApplications.map((name) => join(folder, `${name}.app`, 'Contents', 'MacOS', name)),
    );
  }
  if (platform === 'win32') {
    const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter((root) => root !== undefined);
    return roots.flatMap((root) => windowsPaths.map((parts) => join(root, ...parts)));
  }
  return onPath(executableNames, env);
}

function onPath(names: readonly string[], env: NodeJS.ProcessEnv): string[] {
  // A relative PATH entry would let the current folder supply the browser.
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return names.flatMap((name) => [...folders, '/usr/bin', '/snap/bin'].map((folder) => join(folder, name)));
}

function searchedLocations(machine: Machine): string[] {
  return machine.platform === 'linux'
    ? [`${executableNames.join(', ')} on PATH, in /usr/bin and /snap/bin`]
    : candidates(machine);
}
