import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { shorten } from '../../../../contract/shorten.ts';
import { createProjectModules, type ProjectModules } from './project/project.ts';
import { isPlaywright } from './project/resolution.ts';
import { replacedNames } from './rewrite/replaced-names.ts';
import { callerPosition, rememberPosition } from './stack.ts';

export interface Modules {
  /** Sets the file that snippets run as if they were in. Without one, they have no project. */
  enter(file: string | undefined): void;
  /** Whether a snippet can import a module. */
  allows(specifier: string): boolean;
  /** Loads a module as `import()` does. */
  load(specifier: unknown, attributes?: Record<string, string>): Promise<Record<string, unknown>>;
  /** Returns the position `FILE:LINE:COLUMN` of an error in a module of the project, if Node.js's error lacks it. */
  errorPosition(error: unknown): string | undefined;
}

/**
 * Creates the modules that snippets can import: those of Node.js, Playwright from a folder, and those of the project. Defines
 * `require` and the replacements of `import()`, `import.meta`, `__dirname` and `__filename`.
 */
export function createModules(playwright: string, directory: string): Modules {
  const ownRequire = createRequire(join(playwright, 'package.json'));
  let project: ProjectModules | undefined;
  let current: string | undefined;

  const path = (specifier: unknown): string => {
    const name = String(specifier);
    if (isPlaywright(name)) return playwright;
    if (isBuiltin(name)) return name;
    throw Object.defineProperty(new Error(importErrorText(name)), 'code', { value: 'ERR_MODULE_NOT_FOUND' });
  };

  const modules: Modules = {
    enter(file) {
      if (file !== undefined) {
        project ??= createProjectModules(playwright);
        project.enter(file);
      }
      if (file === current) return;
      current = file;
      nameFile(file ?? join(directory, 'snippet.js'));
      process.argv = [process.execPath, file ?? 'snippet.js'];
      define(
        'require',
        project && file !== undefined ? withPosition(project.require) : (name: unknown) => ownRequire(path(name)),
      );
    },
    allows: (specifier) => current !== undefined || isPlaywright(specifier) || isBuiltin(specifier),
    async load(specifier, attributes) {
      if (current !== undefined && project) return await project.load(String(specifier), attributes);
      const found = path(specifier);
      if (found !== playwright) return (await import(found)) as Record<string, unknown>;
      return (await import(pathToFileURL(join(playwright, 'index.mjs')).href)) as Record<string, unknown>;
    },
    errorPosition: (error) => project?.errorPosition(error),
  };
  define(replacedNames.import, (specifier: unknown, options?: { with?: Record<string, string> }) => {
    const position = callerPosition();
    return modules.load(specifier, options?.with).catch((error: unknown) => {
      rememberPosition(error, position);
      throw error;
    });
  });
  nameFile(join(directory, 'snippet.js'));
  define('require', (name: unknown) => ownRequire(path(name)));
  showReplacedNames();
  return modules;
}

export function importErrorText(specifier: unknown): string {
  return `Cannot import '${shorten(String(specifier))}': a snippet can import Node's built-in modules and playwright only`;
}

/** Returns a `require` that remembers which line of the snippet an error is from: Node.js's own stack is too long to show. */
function withPosition(require: NodeJS.Require): NodeJS.Require {
  const positioned = (name: string): unknown => {
    try {
      return require(name);
    } catch (error) {
      rememberPosition(error, callerPosition());
      throw error;
    }
  };
  return Object.assign(positioned, require);
}

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

/** Defines what depends on the file: `import.meta`, `__dirname` and `__filename`. */
function nameFile(filename: string): void {
  const directory = dirname(filename);
  const meta = { dirname: directory, filename, url: pathToFileURL(filename).href };
  Reflect.set(Reflect.get(globalThis, replacedNames.import) as object, 'meta', meta);
  define(replacedNames.__dirname, directory);
  define(replacedNames.__filename, filename);
}

/** The source of a function may be sent to a page, where the replaced names have their usual spelling. */
function showReplacedNames(): void {
  const names = Object.entries(replacedNames);
  const toSource = Function.prototype.toString;
  Function.prototype.toString = function () {
    const source: string = toSource.call(this);
    if (!source.includes('\u0131')) return source;
    return names.reduce((text, [name, replacement]) => text.replaceAll(replacement, name), source);
  };
}
