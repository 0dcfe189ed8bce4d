import { type Options, type Program, parse } from 'acorn';

const options: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowHashBang: true,
  allowImportExportEverywhere: true,
  locations: true,
};

/** Parses a snippet. Throws acorn's SyntaxError, with `loc`. */
export function parseSnippet(code: string): Program {
  try {
    return parse(code, options);
  } catch (error) {
    // Some syntax is valid only in a module, such as a top-level `using`.
    try {
      return parseModule(code);
    } catch {
      throw error;
    }
  }
}

/** Parses a module. Throws acorn's SyntaxError, with `loc`. */
export function parseModule(code: string): Program {
  return parse(code, { ...options, sourceType: 'module' });
}
