import type { Runtime } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { types } from 'node:util';
import type { Program } from 'acorn';
import { shorten } from '../../../../contract/shorten.ts';
import type { Modules } from './modules.ts';
import { type Import, importsOf, parseSnippet, positionOf } from './rewrite/parse.ts';
import { rewrite } from './rewrite/rewrite.ts';
import type { Scope } from './scope.ts';
import { nameScript, withPosition } from './stack.ts';

type ParserError = SyntaxError & { loc: { line: number; column: number } };

/** V8's errors for syntax of a module or a CommonJS file in a script. Here they mean that the code doesn't parse for another reason. */
const fileSyntax = /import statement outside a module|import\.meta|Unexpected token 'export'|Illegal return/;

/** Creates a REPL: the declarations and imports of a snippet are visible to later snippets. */
export function createRepl(modules: Modules, scope: Scope) {
  let runs = 0;

  /** Loads and binds the snippet's imports. */
  async function bindImports(imports: readonly Import[]): Promise<void> {
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

  /** Asks V8 what is wrong with code that doesn't parse. Returns undefined if V8 accepts it: then it has run. */
  async function syntaxError(code: string, found?: ParserError): Promise<SyntaxError | undefined> {
    const inspector = new Session();
    inspector.connect();
    const expression = `${code}\n//# sourceURL=${nameScript(runs)}`;
    const asked = { expression, replMode: true, awaitPromise: true };
    const answer: unknown = await inspector.post('Runtime.evaluate', asked).finally(() => inspector.disconnect());
    const { exceptionDetails } = answer as Runtime.EvaluateReturnType;
    return exceptionDetails && errorOfV8(exceptionDetails, code, found);
  }

  /** Evaluates a snippet. Returns the value of its last expression in an object: it may have a method `then`. */
  async function evaluate(code: string): Promise<{ value: unknown }> {
    nameScript(++runs);
    let program: Program;
    try {
      program = parseSnippet(code);
    } catch (error) {
      const found = error as ParserError;
      // Nested too deep for the parser, but not for V8.
      const wrong = /stack space/.test(found.message) ? errorOfParser(found) : await syntaxError(code, found);
      if (wrong) throw wrong;
      return { value: undefined };
    }
    await bindImports(importsOf(program));
    const rewritten = rewrite(code, program, scope);
    const script = nameScript(runs, rewritten.columns);
    let start: ReturnType<Scope['compile']>;
    try {
      start = scope.compile(rewritten, script);
    } catch (error) {
      throw (await syntaxError(code)) ?? error;
    }
    const [value] = (await start()) ?? [];
    // Unlike a console, the REPL returns the value of a promise.
    return { value: types.isPromise(value) ? await value : value };
  }

  return { evaluate };
}

function errorOfParser({ message, loc }: ParserError): SyntaxError {
  return withPosition(new SyntaxError(message.replace(/ \(\d+:\d+\)$/, '')), positionOf(loc));
}

function errorOfV8(
  { exception, lineNumber, columnNumber }: Runtime.ExceptionDetails,
  code: string,
  found?: ParserError,
): SyntaxError {
  const text = exception?.description ?? '';
  if (found && fileSyntax.test(text)) return errorOfParser(found);
  const error = new SyntaxError(/^SyntaxError: (.*)/.exec(text)?.[1] ?? text);
  const lines = code.split('\n');
  // V8 was given more lines than the snippet has.
  if (lineNumber >= lines.length)
    return withPosition(error, positionOf({ line: lines.length, column: lines.at(-1)?.length ?? 0 }));
  return withPosition(error, positionOf({ line: lineNumber + 1, column: columnNumber }));
}
