import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Replaces `import` in snippets: a name of the same length, which keeps columns, and that nothing else uses. */
export const importName = '\u0131mport';

export interface Modules {
  /** Loads a module as `import()` does. */
  load(specifier: unknown): Promise<Record<string, unknown>>;
  /** Loads a module as `require` does. */
  require(specifier: unknown): unknown;
}

/** Creates a loader of the modules that a snippet can import: Node.js built-in modules, and Playwright from a folder. */
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
      if (found === undefined) throw importError(specifier);
      if (found !== playwright) return (await import(found)) as Record<string, unknown>;
      return (await import(pathToFileURL(join(playwright, 'index.mjs')).href)) as Record<string, unknown>;
    },
    require(specifier) {
      const found = path(specifier);
      if (found === undefined) throw importError(specifier);
      return load(found);
    },
  };
}

/** Whether a snippet can import a module. */
export function isAllowed(specifier: string): boolean {
  return specifier === 'playwright' || specifier === 'playwright-core' || isBuiltin(specifier);
}

export function importErrorText(specifier: unknown): string {
  return `Cannot import '${specifier}': a snippet can import Node's built-in modules and playwright only`;
}

function importError(specifier: unknown): Error {
  return Object.assign(new Error(importErrorText(specifier)), { code: 'ERR_MODULE_NOT_FOUND' });
}

/** Defines the globals `require` and the replacement of `import()` and `import.meta`. */
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
  // The source of a function may be sent to a page, where `import` has its usual name.
  const toSource = Function.prototype.toString;
  Function.prototype.toString = function () {
    const source: string = toSource.call(this);
    return source.includes(importName) ? source.replaceAll(importName, 'import') : source;
  };
}
