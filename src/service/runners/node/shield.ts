import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Globals with a getter that are worth keeping, too; reading others would load what nobody asked for. */
const readable = ['Buffer', 'crypto', 'performance', 'process'];

/**
 * Makes the modules below a folder keep the globals of now. A snippet that says `const URL = …`, or imports a `setTimeout`
 * of another kind, hides the global from every script of the process: what Playwright does must not depend on that.
 */
export function shieldModules(folder: string): void {
  const names = Object.entries(Object.getOwnPropertyDescriptors(globalThis))
    .filter(([name, descriptor]) => /^[\w$]+$/.test(name) && ('value' in descriptor || readable.includes(name)))
    .map(([name]) => name)
    .filter((name) => !['undefined', 'NaN', 'Infinity', 'globalThis', 'global'].includes(name));
  const below = `${pathToFileURL(folder)}/`;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith(below) || !/\.c?js$/.test(url) || !loaded.source) return loaded;
      // The block lets the module declare the same names; all stays on the first line.
      const source =
        typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
      return { ...loaded, source: `var { ${names.join(', ')} } = globalThis; {${source}\n}` };
    },
  });
}
