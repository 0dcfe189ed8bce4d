import { types } from 'node:util';
import type { Program } from 'acorn';
import { shorten } from '../../../../contract/shorten.ts';
import { describeThrown, type Failure } from './errors.ts';
import { importErrorText, type Modules } from './modules.ts';
import type { Columns } from './rewrite/edits.ts';
import { type Import, importsOf, parseSnippet, positionOf } from './rewrite/parse.ts';
import { asFunction, rewrite } from './rewrite/rewrite.ts';
import type { Scope } from './scope.ts';
import { nameScript, rememberedPosition, withPosition } from './stack.ts';

/** The outcome of a snippet: the value of its last expression, or its failure. */
export type Evaluation = { value: unknown } | { failure: Failure };

export type Repl = ReturnType<typeof createRepl>;

type ParserError = SyntaxError & { pos: number; loc?: { line: number; column: number } };

/** V8's errors for syntax of a module or a CommonJS file in a script. Here they mean that the code doesn't parse for another reason. */
const fileSyntax = /import statement outside a module|import\.meta|Unexpected token 'export'|Illegal return/;

/** Creates a REPL: the declarations and imports of a snippet are visible to later snippets. */
export function createRepl(modules: Modules, scope: Scope) {
  let runs = 0;

  /** Loads and binds the snippet's imports. Checks them all first, so that a forbidden one fails before anything runs. */
  async function bindImports(imports: readonly Import[]): Promise<void> {
    const forbidden = imports.find(({ specifier }) => !modules.allows(specifier));
    if (forbidden) throw withPosition(new Error(importErrorText(forbidden.specifier)), forbidden.position);
    for (const { specifier, attributes, bindings, position } of imports) {
      const module = await modules.load(specifier, attributes, position);
      const missing = bindings.find(({ imported }) => imported !== '*' && !(imported in module));
      if (missing) {
        const text = `The requested module '${shorten(specifier)}' does not provide an export named '${missing.imported}'`;
        throw withPosition(new SyntaxError(text), position);
      }
      for (const { local, imported } of bindings)
        scope.bind(local, () => (imported === '*' ? module : module[imported]));
    }
  }

  async function run(code: string): Promise<Evaluation> {
    let program: Program | undefined;
    let found: ParserError | undefined;
    try {
      program = parseSnippet(code);
    } catch (error) {
      found = error as ParserError;
    }
    if (program) await bindImports(importsOf(program));
    // V8 says what is wrong, unless the code is only nested too deep for the parser.
    const rewritten = program ? rewrite(code, program, scope) : asFunction(code);
    let start: ReturnType<Scope['compile']>;
    try {
      start = scope.compile(rewritten, nameScript(runs, rewritten.columns));
    } catch (error) {
      throw syntaxError(error as SyntaxError, code, rewritten.columns, found);
    }
    const [value] = (await start()) ?? [];
    // Unlike a console, the REPL returns the value of a promise.
    return { value: types.isPromise(value) ? await value : value };
  }

  return {
    async evaluate(code: string): Promise<Evaluation> {
      runs++;
      nameScript(runs);
      try {
        return await run(code);
      } catch (thrown) {
        const inModule = rememberedPosition(thrown) === undefined ? undefined : await modules.errorPosition(thrown);
        return { failure: describeThrown(thrown, inModule) };
      }
    },
  };
}

/** Returns V8's error where the parser found it, or else where its stack says. */
function syntaxError(
  { message, stack = '' }: SyntaxError,
  code: string,
  columns: Columns,
  found?: ParserError,
): SyntaxError {
  if (!found?.loc) {
    const [, line = 1, before = ''] = /^\S*:(\d+)\n.*\n(\s*)/.exec(stack) ?? [];
    const column = (columns(Number(line), before.length + 1) ?? 1) - 1;
    return withPosition(new SyntaxError(message), positionOf({ line: Number(line), column }));
  }
  const ofV8 = found.pos === code.length ? 'Unexpected end of input' : message;
  const text = fileSyntax.test(message) ? found.message.replace(/ \(\d+:\d+\)$/, '') : ofV8;
  return withPosition(new SyntaxError(text), positionOf(found.loc));
}
