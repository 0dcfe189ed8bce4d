import Module, { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { shorten } from '../../../../contract/shorten.ts';
import { createProjectModules, type ProjectModules } from './project/project.ts';
import { isPathSpecifier, isPlaywright } from './project/resolution.ts';
import { own } from './rewrite/names.ts';
import type { Scope } from './scope.ts';
import { callerPosition, withPosition } from './stack.ts';

export type Modules = ReturnType<typeof createModules>;

/**
 * Creates the modules that snippets can import: those of Node.js, Playwright from a folder, and those of the project. Provides
 * what a module has: `require`, `module`, `exports`, `__filename`, `__dirname`, `import()` and `import.meta`.
 */
export function createModules(playwright: string, directory: string, scope: Scope) {
  const ownRequire = createRequire(join(playwright, 'package.json'));
  let project: ProjectModules | undefined;
  let current: string | undefined;

  const path = (specifier: unknown): string => {
    const name = String(specifier);
    if (isPlaywright(name)) return playwright;
    if (isBuiltin(name)) return name;
    throw Object.defineProperty(new Error(importErrorText(name)), 'code', { value: 'ERR_MODULE_NOT_FOUND' });
  };

  const modules = {
    /** Sets the file that snippets run as if they were in. Without one, they have no project. */
    async enter(file: string | undefined): Promise<void> {
      if (file !== undefined) {
        project ??= await createProjectModules(playwright);
        project.enter(file);
      }
      if (file === current) return;
      current = file;
      provide(file ?? join(directory, 'snippet.js'));
      process.argv = [process.execPath, file ?? 'snippet.js'];
    },
    /** Whether a snippet can import a module. */
    allows: (specifier: string): boolean => current !== undefined || isPlaywright(specifier) || isBuiltin(specifier),
    /** Loads a module as `import()` at a position does, by default that of the caller. */
    async load(
      specifier: unknown,
      attributes?: Record<string, string>,
      position = callerPosition(),
    ): Promise<Record<string, unknown>> {
      try {
        if (current !== undefined && project) return await project.load(String(specifier), attributes);
        const found = path(specifier);
        const url = found === playwright ? pathToFileURL(join(playwright, 'index.mjs')).href : found;
        return (await import(url)) as Record<string, unknown>;
      } catch (error) {
        throw withPosition(error, position);
      }
    },
    /** Returns the position `FILE:LINE:COLUMN` of an error in a module of the project, if Node.js's error lacks it. */
    errorPosition: (error: unknown): string | undefined => project?.errorPosition(error),
  };

  /** Returns the URL of a module that `import` would load. */
  function resolve(specifier: unknown): string {
    const name = String(specifier);
    if (isBuiltin(name)) return name.startsWith('node:') ? name : `node:${name}`;
    if (isPathSpecifier(name) || URL.canParse(name))
      return new URL(name, pathToFileURL(String(scope.read('__filename')))).href;
    return current !== undefined && project ? project.resolve(name) : pathToFileURL(path(name)).href;
  }

  /** Provides what depends on the file. */
  function provide(filename: string): void {
    const folder = dirname(filename);
    const main = Object.assign(new Module(filename), {
      parent: null,
      filename,
      paths: createRequire(filename).resolve.paths('') ?? [],
    });
    main.id = '.';
    const require =
      project && current !== undefined ? positioned(project.require) : (name: unknown) => ownRequire(path(name));
    Object.assign(main, { require: Object.assign(require, { main }) });
    // What the modules of the project find as `require.main`.
    process.mainModule = main;
    const meta = { dirname: folder, filename, main: true, resolve, url: pathToFileURL(filename).href };
    const load = (specifier: unknown, options?: { with?: Record<string, string> }) =>
      modules.load(specifier, options?.with);
    const values = { require, module: main, exports: main.exports, __filename: filename, __dirname: folder };
    for (const [name, value] of Object.entries(values)) scope.provide(name, value);
    scope.provide(own.import, Object.assign(load, { meta }));
  }

  provide(join(directory, 'snippet.js'));
  return modules;
}

export function importErrorText(specifier: unknown): string {
  return `Cannot import '${shorten(String(specifier))}': a snippet can import Node's built-in modules and playwright only`;
}

/** Returns a `require` that remembers which line of the snippet an error is from: Node.js's own stack is too long to show. */
function positioned(require: NodeJS.Require): NodeJS.Require {
  const load = (name: string): unknown => {
    try {
      return require(name);
    } catch (error) {
      throw withPosition(error, callerPosition());
    }
  };
  return Object.assign(load, require);
}
