import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Names that a Chrome-like browser has on PATH. */
const names = [
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
  /** The executable, if there is one. */
  path?: string;
  /** Every place that was tried, in words for a person. */
  tried: string[];
}

export interface SearchPlaces {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  home: string;
  isExecutable(path: string): boolean;
}

const here: SearchPlaces = { platform: process.platform, env: process.env, home: homedir(), isExecutable };

/**
 * Looks for an installed Chrome, Chromium, Edge or Brave. A path that was set is taken or nothing is:
 * a person who chose a browser does not get another one silently.
 */
export function findChrome(configured?: string, places: SearchPlaces = here): ChromeSearch {
  const chosen = configured || places.env.CHROME_PATH;
  if (chosen) return places.isExecutable(chosen) ? { path: chosen, tried: [chosen] } : { tried: [chosen] };
  const path = candidates(places).find((candidate) => places.isExecutable(candidate));
  return { ...(path && { path }), tried: triedPlaces(places) };
}

/** The sentence for a person whose machine has no browser. */
export function noChromeMessage(search: ChromeSearch): string {
  return (
    `No Chrome, Chromium, Edge or Brave was found (looked at: ${search.tried.join(', ')}). ` +
    'Install one, or name its executable with the setting "webdata.embedded.chromePath", --chrome PATH or CHROME_PATH.'
  );
}

function candidates({ platform, env, home }: SearchPlaces): string[] {
  if (platform === 'darwin') {
    return ['/Applications', join(home, 'Applications')].flatMap((folder) =>
      macApplications.map((name) => join(folder, `${name}.app`, 'Contents', 'MacOS', name)),
    );
  }
  if (platform === 'win32') {
    const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter((root) => root !== undefined);
    return roots.flatMap((root) => windowsPaths.map((parts) => join(root, ...parts)));
  }
  // A relative entry of PATH would let a folder that happens to be current name the browser.
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return names.flatMap((name) => [...folders, '/usr/bin', '/snap/bin'].map((folder) => join(folder, name)));
}

function triedPlaces(places: SearchPlaces): string[] {
  return places.platform === 'linux' ? [`${names.join(', ')} on PATH, in /usr/bin and /snap/bin`] : candidates(places);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
