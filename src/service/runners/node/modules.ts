import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What takes the place of the `import` of a snippet: as long, so that columns stay, and no name that anybody else uses. */
export const importName = '\u0131mport';

export interface Modules {
  /** Loads a module as `import()` does. */
  load(specifier: unknown): Promise<Record<string, unknown>>;
  /** Loads a module as `require` does. */
  require(specifier: unknown): unknown;
}

/** The modules that a snippet may use: Node's own, and Playwright from a folder. */
export function createModules(playwright: string): Modules {
  const load = createRequire(join(playwright, 'package.json'));
  const path = (specifier: unknown): string | undefined => {
    const name = String(specifier);
    if (name === 'playwright' || name === 'playwright-core') return playwright;
    return isBuiltin(name) ? name : undefined;
  };
  return {
    async load(specifier) {
      const found = path(specifier);
      if (found === undefined) throw refusal(specifier);
      if (found !== playwright) return (await import(found)) as Record<string, unknown>;
      return (await import(pathToFileURL(join(playwright, 'index.mjs')).href)) as Record<string, unknown>;
    },
    require(specifier) {
      const found = path(specifier);
      if (found === undefined) throw refusal(specifier);
      return load(found);
    },
  };
}

/** Whether a snippet may import it. */
export function isAllowed(specifier: string): boolean {
  return specifier === 'playwright' || specifier === 'playwright-core' || isBuiltin(specifier);
}

export function refusalText(specifier: unknown): string {
  return `Cannot import '${specifier}': a snippet can import Node's built-in modules and playwright only`;
}

function refusal(specifier: unknown): Error {
  return Object.assign(new Error(refusalText(specifier)), { code: 'ERR_MODULE_NOT_FOUND' });
}

/** Puts `require` and what stands for `import()` and `import.meta` where snippets find them. */
export function installModules(modules: Modules, directory: string): void {
  const filename = join(directory, 'snippet.js');
  const load = Object.assign((specifier: unknown) => modules.load(specifier), {
    meta: { dirname: directory, filename, url: pathToFileURL(filename).href },
  });
  const hidden = { writable: true, configurable: true, enumerable: false };
  Object.defineProperty(globalThis, 'require', {
    value: (specifier: unknown) => modules.require(specifier),
    ...hidden,
  });
  Object.defineProperty(globalThis, importName, { value: load, ...hidden });
  // The source of a function may travel to a page, and there `import` has its usual name.
  const toSource = Function.prototype.toString;
  Function.prototype.toString = function () {
    const source: string = toSource.call(this);
    return source.includes(importName) ? source.replaceAll(importName, 'import') : source;
  };
}
