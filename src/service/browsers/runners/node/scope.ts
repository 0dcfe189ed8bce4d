import assert from 'node:assert';
import { compileFunction, runInNewContext } from 'node:vm';
import type { NameUses } from './rewrite/declarations.ts';
import { own } from './rewrite/names.ts';

/**
 * The variables of the snippets of a session. Only snippets see them: a snippet is compiled with this scope around it, in which
 * the names of earlier ones are accessors of their variables.
 */
export type Scope = ReturnType<typeof createScope>;

/**
 * The language's own names are variables of the snippet's function, because V8 finds names in the scope slowly. Not those that
 * are what they are at the time of the call: test tools replace `Date`, and a later run may have an `escape` of its own.
 */
const standard = new Set(runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[]);
for (const name of ['eval', 'globalThis', 'Date', 'escape', 'unescape']) standard.delete(name);

export function createScope() {
  const variables = Object.create(null) as Record<string, unknown>;
  /** Names that functions of earlier code use. */
  const captured = new Set<string>();
  const constant = new Set<string>();
  const provided = new Set<string>();
  /** How many have been compiled. */
  let snippets = 0;

  /** Defines the names of a snippet. Returns what they were before. */
  function declare(accessors: object, constants: ReadonlySet<string>): PropertyDescriptorMap {
    const before: PropertyDescriptorMap = {};
    for (const [name, accessor] of Object.entries(Object.getOwnPropertyDescriptors(accessors))) {
      before[name] = Object.getOwnPropertyDescriptor(variables, name) ?? {};
      constant.delete(name);
      provided.delete(name);
      if (constants.has(name)) constant.add(name);
      Object.defineProperty(variables, name, accessor);
    }
    return before;
  }

  /** Gives back the names that a snippet that failed hasn't initialized. */
  function restore(before: PropertyDescriptorMap): void {
    for (const [name, descriptor] of Object.entries(before)) {
      if (isReadable(name)) continue;
      delete variables[name];
      if (Object.keys(descriptor).length > 0) define(name, descriptor);
    }
  }

  function isReadable(name: string): boolean {
    try {
      void variables[name];
      return true;
    } catch {
      return false;
    }
  }

  function define(name: string, descriptor: PropertyDescriptor): void {
    Object.defineProperty(variables, name, { ...descriptor, configurable: true, enumerable: true });
  }

  /** Whether a name is a variable that can be read: its declaration has run. */
  const hasValue = (name: string): boolean => name in variables && isReadable(name);
  /** Whether it is one that functions of earlier code use, and that can be assigned. */
  const isShared = (name: string): boolean => captured.has(name) && !constant.has(name) && hasValue(name);

  return {
    isVariable: (name: string): boolean => name in variables,
    hasValue,
    isShared,
    /** Whether a call of a name stays as it is: it isn't a variable, or isn't a function. */
    isCalledAsIs(name: string): boolean {
      if (provided.has(name)) return true;
      if (!(name in variables)) return name in globalThis;
      const value = isReadable(name) ? variables[name] : undefined;
      // This function shows the source of its call.
      return typeof value !== 'function' || ([assert, assert.strict, assert.ok] as unknown[]).includes(value);
    },
    /** Returns the value of a variable, or of a global. Undefined if it isn't initialized. */
    read(name: string): unknown {
      if (!(name in variables)) return (globalThis as Record<string, unknown>)[name];
      return isReadable(name) ? variables[name] : undefined;
    },
    /** Assigns a variable, unless it's constant or isn't initialized. Returns false if there is none of this name. */
    write(name: string, value: unknown): boolean {
      try {
        if (name in variables) variables[name] = value;
      } catch {
        // The next run reports that itself.
      }
      return name in variables;
    },
    /** Defines a variable that the file has without a declaration, such as `require`. */
    provide(name: string, value: unknown): void {
      constant.delete(name);
      provided.add(name);
      define(name, { value, writable: true });
    },
    /** Defines a name whose value is read anew each time: that of an import. */
    bind(name: string, read: () => unknown): void {
      // Functions that have the variable of an earlier declaration get what the import is now.
      if (isShared(name)) variables[name] = read();
      constant.add(name);
      provided.delete(name);
      const importing = snippets + 1;
      // As a constant, it's one for the snippet that has it.
      const set = (value: unknown) => {
        if (snippets === importing) throw new TypeError('Assignment to constant variable.');
        constant.delete(name);
        define(name, { value, writable: true });
      };
      define(name, { get: read, set });
    },
    /** Compiles a rewritten snippet. Throws V8's SyntaxError. */
    compile(rewritten: { code: string; uses: NameUses; constant: ReadonlySet<string> }, script: string) {
      const { code, uses, constant: constants } = rewritten;
      let before: PropertyDescriptorMap = {};
      const given: Record<string, unknown> = {
        [own.declare]: (accessors: object) => {
          before = declare(accessors, constants);
        },
        [own.named]: (value: object, name: string) => Object.defineProperty(value, 'name', { value: name }),
        [own.import]: variables[own.import],
        [own.session]: variables,
      };
      for (const name of standard) {
        if (uses.used.has(name) && !uses.bound.has(name) && !uses.assigned.has(name) && !(name in variables))
          given[name] = (globalThis as Record<string, unknown>)[name];
      }
      // The name that the code gives itself doesn't count.
      const named = `${code}\n//# sourceURL=${script}`;
      const start = compileFunction(named, Object.keys(given), {
        filename: script,
        contextExtensions: [variables],
      }) as (...values: unknown[]) => () => Promise<[unknown] | undefined>;
      snippets++;
      for (const name of uses.captured) captured.add(name);
      const run = start.call(variables[own.this], ...Object.values(given));
      return () =>
        run().catch((error: unknown) => {
          restore(before);
          throw error;
        });
    },
  };
}
