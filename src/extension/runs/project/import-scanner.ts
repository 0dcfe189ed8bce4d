// Bundled by itself: the parser is loaded only for code that is sent to another server.
import { type Options, type Program, parse } from 'acorn';
import { simple } from 'acorn-walk';

/** An import by a constant name. The position is that of the name, 0-based. */
export interface ScannedImport {
  specifier: string;
  line: number;
  character: number;
}

const options: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowAwaitOutsideFunction: true,
  allowHashBang: true,
  allowImportExportEverywhere: true,
  locations: true,
};

/** Returns the imports and calls of `require` in JavaScript, in order. Code that doesn't parse has none. */
export function scanImports(code: string): ScannedImport[] {
  let program: Program;
  try {
    program = parse(code, options);
  } catch {
    return [];
  }
  const found: ScannedImport[] = [];
  const add = (source: { type: string; value?: unknown; loc?: { start: { line: number; column: number } } | null }) => {
    if (source.type !== 'Literal' || typeof source.value !== 'string' || !source.loc) return;
    const { line, column } = source.loc.start;
    found.push({ specifier: source.value, line: line - 1, character: column });
  };
  simple(program, {
    ImportDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => source && add(source),
    ImportExpression: ({ source }) => add(source),
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === 'Identifier' && callee.name === 'require' && first) add(first);
    },
  });
  return found.sort((one, other) => one.line - other.line || one.character - other.character);
}
