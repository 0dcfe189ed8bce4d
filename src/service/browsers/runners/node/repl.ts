import { type Runtime, Session } from 'node:inspector';
import { types } from 'node:util';
import { runInThisContext } from 'node:vm';
import { shorten } from '../../../../contract/shorten.ts';
import { describeThrown, type Failure, isSyntaxError } from './errors.ts';
import { importErrorText, type Modules } from './modules.ts';
import type { Declarations } from './rewrite/declarations.ts';
import { captureName, type Import, localNames, parseSnippet, type Rewritten, rewrite } from './rewrite/rewrite.ts';
import { nameScript, rememberedPosition } from './stack.ts';

/** The outcome of a snippet: the value of its last expression, or its failure. */
export type Evaluation = { value: unknown } | { failure: Failure };

export interface Repl {
  evaluate(code: string): Promise<Evaluation>;
}

/** The inspector's handles of one evaluation, which are released together. */
const objectGroup = 'snippet';
/** V8's errors for module syntax in a script. Here they mean that the code doesn't parse for another reason. */
const moduleSyntax = /import statement outside a module|import\.meta|Unexpected token 'export'/;

/** Creates a REPL based on V8's REPL mode: top-level declarations of a snippet are visible to later snippets. */
export function createRepl(modules: Modules): Repl {
  const session = new Session();
  session.connect();
  const known: Declarations = { lexical: new Set(), variable: new Set() };
  let runs = 0;
  let received: unknown;
  const receiveId = functionId((value: unknown) => {
    received = value;
  });
  let captured: { value: unknown } | undefined;
  Object.defineProperty(globalThis, captureName, {
    value: {
      [Symbol.hasInstance]: (value: unknown) => {
        captured = { value };
      },
    },
  });

  /** Returns the inspector's handle of a function. The global name that this needs exists only briefly. */
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

  /** Returns the actual value of a remote object of the inspector. */
  function liveValue(remote: Runtime.RemoteObject): unknown {
    const { objectId, type, unserializableValue, value } = remote;
    if (objectId !== undefined) {
      session.post('Runtime.callFunctionOn', {
        functionDeclaration: 'function (receive) { "use strict"; receive(this); }',
        objectId,
        arguments: [{ objectId: receiveId }],
      });
      const live = received;
      received = undefined;
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

  /** Loads and binds the snippet's imports. Checks them all first, so that a forbidden one fails before anything runs. */
  async function bindImports(imports: readonly Import[], script: string): Promise<Failure | undefined> {
    const forbidden = imports.find(({ specifier }) => !modules.allows(specifier));
    if (forbidden) return importFailure(new Error(importErrorText(forbidden.specifier)), forbidden);
    for (const declaration of imports) {
      let module: Record<string, unknown>;
      try {
        module = await modules.load(declaration.specifier, declaration.attributes);
      } catch (error) {
        return importFailure(error, declaration, modules.errorPosition(error));
      }
      const missing = declaration.bindings.find(({ imported }) => imported !== '*' && !(imported in module));
      if (missing) {
        const text = `The requested module '${shorten(declaration.specifier)}' does not provide an export named '${missing.imported}'`;
        return importFailure(new SyntaxError(text), declaration);
      }
      const values = declaration.bindings.map(({ imported }) => (imported === '*' ? module : module[imported]));
      await bind(localNames(declaration), values, script);
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

  /** Evaluates one script. `declared` is true if it compiled, and so declared its names. */
  async function run(script: string, expression: string, code: string): Promise<Evaluation & { declared: boolean }> {
    captured = undefined;
    const { exceptionDetails: details, result } = await post(expression, script);
    if (!details) return { value: lastValue(result), declared: true };
    const thrown = details.exception ? liveValue(details.exception) : new Error(details.text);
    const compiled = !isCompileError(details, thrown);
    const inModule = rememberedPosition(thrown) === undefined ? undefined : modules.errorPosition(thrown);
    return {
      failure: compiled ? describeThrown(thrown, undefined, inModule) : syntaxFailure(thrown, details, code),
      declared: compiled,
    };
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
        // Unlike a console, the REPL returns the value of a promise.
        return { value: types.isPromise(evaluation.value) ? await evaluation.value : evaluation.value };
      } catch (thrown) {
        return { failure: describeThrown(thrown) };
      } finally {
        session.post('Runtime.releaseObjectGroup', { objectGroup });
      }
    },
  };
}

/** Whether a script failed to compile: the error has a script but no stack, because nothing ran. */
function isCompileError({ scriptId, stackTrace }: Runtime.ExceptionDetails, thrown: unknown): boolean {
  return scriptId !== undefined && stackTrace === undefined && isSyntaxError(thrown);
}

function importFailure(error: unknown, { line, column }: Import, modulePosition?: string): Failure {
  return describeThrown(error, position(line, column), modulePosition);
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
  // V8 was given more lines than the snippet has.
  if (details.lineNumber >= lines.length)
    return describeThrown(thrown, position(lines.length, (lines.at(-1)?.length ?? 0) + 1));
  return describeThrown(thrown, position(details.lineNumber + 1, details.columnNumber + 1));
}

function position(line: number, column: number): string {
  return `snippet.js:${line}:${column}`;
}
