import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

/** Where the bundle of Playwright assigns the script that it injects into pages. */
const assignment = /injectedScriptSource\.ts"\(\)\s*\{\s*(?:(["'])use strict\1;)?\s*[\w$]+\s*=\s*(["'`])/;

/** Reads the script that Playwright injects into pages, which has its generator of locators. @param folder of playwright-core */
export async function readInjectedScript(folder: string): Promise<string> {
  return injectedScriptIn(await readFile(join(folder, 'lib', 'coreBundle.js'), 'utf8'));
}

/** Returns the injected script of a bundle of Playwright, as it is released or shortened. */
export function injectedScriptIn(bundle: string): string {
  const found = assignment.exec(bundle);
  if (!found) throw new Error('This version of Playwright has no script for locators where it is expected.');
  const quote = found[2] ?? '';
  const start = found.index + found[0].length - 1;
  let end = start + 1;
  while (end < bundle.length && bundle[end] !== quote) end += bundle[end] === '\\' ? 2 : 1;
  // A literal of our own copy of Playwright: nothing in it is evaluated.
  return String(runInNewContext(bundle.slice(start, end + 1)));
}
