import { mkdir, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Pyright and Pylance add the names of this file to Python's built-in names. */
const stubName = '__builtins__.pyi';
const stub = `# The names that every snippet of Web Data finds in its session.
from playwright.async_api import Browser, BrowserContext, Page, Playwright

page: Page
"""The open tab of the browser session."""
context: BrowserContext
"""The browser context of the session: its tabs, cookies and permissions."""
browser: Browser
"""The browser of the session."""
playwright: Playwright
"""Playwright, connected to the session."""
`;

/** Writes the stubs into a folder. Returns false if the service hasn't installed Playwright for Python yet. */
export async function writePythonStubs(folder: string, serviceFolder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, stubName), stub);
  return await linkPlaywright(folder, serviceFolder);
}

/** Links the service's Playwright into the folder of the stubs, if both exist. Returns false without a Playwright. */
export async function linkPlaywright(folder: string, serviceFolder: string): Promise<boolean> {
  if (!(await list(folder)).includes(stubName)) return false;
  const installed = await findPlaywright(join(serviceFolder, 'python'));
  if (installed === undefined) return false;
  const link = join(folder, 'playwright');
  if ((await readlink(link).catch(() => undefined)) === installed) return true;
  await rm(link, { recursive: true, force: true });
  // Windows lets everyone create a junction, but not a symbolic link.
  await symlink(installed, link, 'junction');
  return true;
}

/** Finds the package in the virtual environments of the service. */
async function findPlaywright(environments: string): Promise<string | undefined> {
  for (const name of await list(environments)) {
    const unix = (await list(join(environments, name, 'lib'))).map((python) => join('lib', python, 'site-packages'));
    for (const packages of [...unix, join('Lib', 'site-packages')]) {
      const found = join(environments, name, packages, 'playwright');
      if ((await list(found)).includes('async_api')) return found;
    }
  }
  return undefined;
}

async function list(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

/** Sections of the settings of Python extensions that have `extraPaths`, folders to look for modules in. */
const analysisSections = ['python.analysis', 'basedpyright.analysis', 'cursorpyright.analysis'] as const;

export interface Configuration {
  inspect(name: string): { defaultValue?: unknown; globalValue?: unknown; workspaceValue?: unknown } | undefined;
  update(name: string, value: unknown, isGlobal: boolean): PromiseLike<void>;
}

const name = 'extraPaths';

/**
 * Adds a folder to `extraPaths` of the installed Python extensions, in the user's or the workspace's settings. Returns how many
 * extensions have the setting.
 */
export async function addExtraPath(
  folder: string,
  isGlobal: boolean,
  configuration: (section: string) => Configuration,
): Promise<number> {
  let count = 0;
  for (const section of analysisSections) {
    const settings = configuration(section);
    const known = settings.inspect(name);
    // Without the extension, VS Code knows no default.
    if (known?.defaultValue === undefined) continue;
    count++;
    const value = isGlobal ? known.globalValue : (known.workspaceValue ?? known.globalValue);
    const paths = Array.isArray(value) ? value : [];
    if (!paths.includes(folder)) await settings.update(name, [...paths, folder], isGlobal);
  }
  return count;
}

/** Whether an installed Python extension has the setting. */
export function hasExtraPaths(configuration: (section: string) => Configuration): boolean {
  return analysisSections.some((section) => configuration(section).inspect(name)?.defaultValue !== undefined);
}
