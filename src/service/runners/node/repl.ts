import { type Runtime, Session } from 'node:inspector';
import { types } from 'node:util';
import { runInThisContext } from 'node:vm';
import { describeThrown, type Failure, isSyntaxError } from './errors.ts';
import { isAllowed, type Modules, refusalText } from './modules.ts';
import type { Declarations } from './rewrite/declarations.ts';
import { captureName, type Import, localNames, parseSnippet, type Rewritten, rewrite } from './rewrite/rewrite.ts';
import { nameScript } from './stack.ts';

/** What a snippet came to: the value of its last expression, or what is to be told of its failure. */
export type Evaluation = { value: unknown } | { failure: Failure };

export interface Repl {
  evaluate(code: string): Promise<Evaluation>;
}

/** Objects of one evaluation, let go together when it is over. */
const objectGroup = 'snippet';
/** What V8 says of code that only a module may hold: here a sign that the code does not parse for another reason. */
const moduleSyntax = /import statement outside a module|import\.meta|Unexpected token 'export'/;

/** A console's way of evaluating, by V8's own REPL mode: what a snippet declares at its top is there for the next. */
export function createRepl(modules: Modules): Repl {
  const session = new Session();
  session.connect();
  const known: Declarations = { lexical: new Set(), variable: new Set() };
  let runs = 0;
  let taken: unknown;
  const takeId = functionId((value: unknown) => {
    taken = value;
  });
  let captured: { value: unknown } | undefined;
  Object.defineProperty(globalThis, captureName, {
    value: {
      [Symbol.hasInstance]: (value: unknown) => {
        captured = { value };
      },
    },
  });

  /** A handle by which the inspector knows a function of ours; no name in the snippets' world is used for it for long. */
  function functionId(callback: (value: unknown) => void): string {
    const name = 'runnerCallback';
    Object.defineProperty(globalThis, name, { value: callback, configurable: true });
    let id = '';
    session.post('Runtime.evaluate', { expression: `globalThis.${name}` }, (_, answer) => {
      id = answer.result.objectId ?? '';
    });
    Reflect.deleteProperty(globalThis, name);
    return id;
  }

  function post(expression: string, script: string): Promise<Runtime.EvaluateReturnType> {
    return new Promise((resolve, reject) => {
      const parameters = {
        expression: `${expression}\n//# sourceURL=${script}`,
        replMode: true,
        awaitPromise: true,
        objectGroup,
      };
      session.post('Runtime.evaluate', parameters, (error, answer: Runtime.EvaluateReturnType) => {
        if (error) reject(error);
        else resolve(answer);
      });
    });
  }

  /** The value itself, out of what the inspector says of it. */
  function liveValue(remote: Runtime.RemoteObject): unknown {
    const { objectId, type, unserializableValue, value } = remote;
    if (objectId !== undefined) {
      session.post('Runtime.callFunctionOn', {
        functionDeclaration: 'function (take) { "use strict"; take(this); }',
        objectId,
        arguments: [{ objectId: takeId }],
      });
      const live = taken;
      taken = undefined;
      return live;
    }
    if (unserializableValue === undefined) return value;
    return type === 'bigint' ? BigInt(unserializableValue.slice(0, -1)) : Number(unserializableValue);
  }

  function lastValue(remote: Runtime.RemoteObject): unknown {
    const { value } = captured ?? { value: liveValue(remote) };
    captured = undefined;
    return value;
  }

  /** Loads what the snippet imports and binds it, after a look at all of it: a refusal comes before anything runs. */
  async function bindImports(imports: readonly Import[], script: string): Promise<Failure | undefined> {
    const refused = imports.find(({ specifier }) => !isAllowed(specifier));
    if (refused) return importFailure(new Error(refusalText(refused.specifier)), refused);
    for (const wanted of imports) {
      const module = await modules.load(wanted.specifier);
      const missing = wanted.bindings.find(({ imported }) => imported !== '*' && !(imported in module));
      if (missing) {
        const text = `The requested module '${wanted.specifier}' does not provide an export named '${missing.imported}'`;
        return importFailure(new SyntaxError(text), wanted);
      }
      const values = wanted.bindings.map(({ imported }) => (imported === '*' ? module : module[imported]));
      await bind(localNames(wanted), values, script);
    }
    return undefined;
  }

  async function bind(names: readonly string[], values: readonly unknown[], script: string): Promise<void> {
    const fresh = names.filter((name) => !known.variable.has(name));
    if (fresh.length > 0) await post(`let ${fresh.join(', ')}`, script);
    names.forEach((name, index) => {
      const argument = name === 'value' ? 'other' : 'value';
      (runInThisContext(`(${argument}) => { ${name} = ${argument}; }`) as (value: unknown) => void)(values[index]);
    });
  }

  /** Evaluates one script; a failure, if it was one. */
  async function run(script: string, expression: string, code: string): Promise<Evaluation & { declared: boolean }> {
    captured = undefined;
    const { exceptionDetails: details, result } = await post(expression, script);
    if (!details) return { value: lastValue(result), declared: true };
    const thrown = details.exception ? liveValue(details.exception) : new Error(details.text);
    const compiled = !isCompileError(details, thrown);
    return { failure: compiled ? describeThrown(thrown) : syntaxFailure(thrown, details, code), declared: compiled };
  }

  async function evaluateRewritten(
    { imports, functions, declares, code: body }: Rewritten,
    code: string,
  ): Promise<Evaluation> {
    const failure = await bindImports(imports, nameScript(runs));
    if (failure) return { failure };
    if (functions) {
      const defined = await run(nameScript(runs, functions.shift), functions.code, code);
      if ('failure' in defined) return defined;
    }
    const evaluation = await run(nameScript(runs), body, code);
    if (evaluation.declared) {
      for (const name of declares.lexical) known.lexical.add(name);
      for (const name of declares.variable) known.variable.add(name);
    }
    return evaluation;
  }

  return {
    async evaluate(code) {
      runs++;
      nameScript(runs);
      try {
        const evaluation = await evaluateRewritten(rewrite(code, known), code);
        if ('failure' in evaluation) return evaluation;
        // A console shows a promise as such; here what comes of it counts.
        return { value: types.isPromise(evaluation.value) ? await evaluation.value : evaluation.value };
      } catch (thrown) {
        return { failure: describeThrown(thrown) };
      } finally {
        session.post('Runtime.releaseObjectGroup', { objectGroup });
      }
    },
  };
}

/** What does not compile belongs to a script, and has not run: no stack leads to it. */
function isCompileError({ scriptId, stackTrace }: Runtime.ExceptionDetails, thrown: unknown): boolean {
  return scriptId !== undefined && stackTrace === undefined && isSyntaxError(thrown);
}

function importFailure(error: Error, { line, column }: Import): Failure {
  return describeThrown(error, position(line, column));
}

function syntaxFailure(thrown: unknown, details: Runtime.ExceptionDetails, code: string): Failure {
  if (moduleSyntax.test(details.exception?.description ?? '')) {
    try {
      parseSnippet(code);
    } catch (error) {
      const { message, loc } = error as SyntaxError & { loc?: { line: number; column: number } };
      const plain = new SyntaxError(message.replace(/ \(\d+:\d+\)$/, ''));
      if (loc) return describeThrown(plain, position(loc.line, loc.column + 1));
    }
  }
  const lines = code.split('\n');
  // The end of what V8 was given is not that of the snippet.
  if (details.lineNumber >= lines.length)
    return describeThrown(thrown, position(lines.length, (lines.at(-1)?.length ?? 0) + 1));
  return describeThrown(thrown, position(details.lineNumber + 1, details.columnNumber + 1));
}

function position(line: number, column: number): string {
  return `snippet.js:${line}:${column}`;
}
