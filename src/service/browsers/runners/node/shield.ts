import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Globals with a getter that are captured too. Reading other getters would load modules needlessly. */
const capturedGetters = ['Buffer', 'crypto', 'performance', 'process'];

/**
 * Makes the modules in a folder use the current globals. A snippet that declares `const URL = …` or imports another
 * `setTimeout` hides the global from every script of the process, which would break Playwright.
 */
export function shieldModules(folder: string): void {
  const names = Object.entries(Object.getOwnPropertyDescriptors(globalThis))
    .filter(([name, descriptor]) => /^[\w$]+$/.test(name) && ('value' in descriptor || capturedGetters.includes(name)))
    .map(([name]) => name)
    .filter((name) => !['undefined', 'NaN', 'Infinity', 'globalThis', 'global'].includes(name));
  const folderUrl = `${pathToFileURL(folder)}/`;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith(folderUrl) || !/\.c?js$/.test(url) || !loaded.source) return loaded;
      // The block lets the module declare the same names. The first line stays the first line.
      const source =
        typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
      return { ...loaded, source: `var { ${names.join(', ')} } = globalThis; {${source}\n}` };
    },
  });
}
