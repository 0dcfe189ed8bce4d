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
  const creating = createProjectModules(playwright);
  let filename = '';
  let hasFile = false;

  function check(specifier: unknown): string {
    const name = String(specifier);
    if (hasFile || isPlaywright(name) || isBuiltin(name)) return name;
    const text = `Cannot import '${shorten(name)}': a snippet can import Node's built-in modules and playwright only`;
    throw Object.defineProperty(new Error(text), 'code', { value: 'ERR_MODULE_NOT_FOUND' });
  }

  const modules = {
    /** Sets the file that snippets run as if they were in. Without one, they have no project. */
    async enter(file: string | undefined): Promise<void> {
      const project = await creating;
      const entered = file ?? join(directory, 'snippet.js');
      project.enter(entered);
      if (entered === filename) return;
      filename = entered;
      hasFile = file !== undefined;
      provide(project);
      process.argv = [process.execPath, file ?? 'snippet.js'];
    },
    /** Loads a module as `import()` at a position does, by default that of the caller. */
    async load(
      specifier: unknown,
      attributes?: Record<string, string>,
      position = callerPosition(),
    ): Promise<Record<string, unknown>> {
      try {
        const name = check(specifier);
        return await (await creating).load(name, attributes);
      } catch (error) {
        throw withPosition(error, position);
      }
    },
  };

  function provide(project: ProjectModules): void {
    const main = Object.assign(new Module(filename), {
      parent: null,
      filename,
      paths: createRequire(filename).resolve.paths('') ?? [],
    });
    main.id = '.';
    // It remembers which line of the snippet an error is from: Node.js's own stack is too long to show.
    const load = (name: string): unknown => {
      try {
        return project.require(typeof name === 'string' ? check(name) : name);
      } catch (error) {
        throw withPosition(error, callerPosition());
      }
    };
    const require = Object.assign(load, project.require, { main });
    Object.assign(main, { require });
    // What the modules of the project find as `require.main`.
    process.mainModule = main;
    const url = pathToFileURL(filename).href;
    const resolve = (specifier: unknown): string => {
      const name = String(specifier);
      if (isBuiltin(name)) return name.startsWith('node:') ? name : `node:${name}`;
      return isPathSpecifier(name) || URL.canParse(name) ? new URL(name, url).href : project.resolve(check(name));
    };
    const meta = { dirname: dirname(filename), filename, main: true, resolve, url };
    const importIn = (specifier: unknown, options?: { with?: Record<string, string> }) =>
      modules.load(specifier, options?.with);
    const values = { require, module: main, exports: main.exports, __filename: filename, __dirname: meta.dirname };
    for (const [name, value] of Object.entries(values)) scope.provide(name, value);
    scope.provide(own.import, Object.assign(importIn, { meta }));
    // Code without a file is like that of a console, and an ES module has none.
    scope.provide(own.this, hasFile && !/\.m[jt]s$/.test(filename) ? main.exports : undefined);
  }

  return modules;
}
