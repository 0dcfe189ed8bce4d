import { type ImportDeclaration, type Options, type Program, parse } from 'acorn';

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
  const asFile: Options = { ...options, allowReturnOutsideFunction: true };
  try {
    return parse(code, asFile);
  } catch (error) {
    // Some syntax is valid only in a module, such as a top-level `using`.
    try {
      return parse(code, { ...asFile, sourceType: 'module' });
    } catch {
      throw error;
    }
  }
}

/** Parses a module. Throws acorn's SyntaxError, with `loc`. */
export function parseModule(code: string): Program {
  return parse(code, { ...options, sourceType: 'module' });
}

export type Import = ReturnType<typeof importsOf>[number];

/** Returns the static imports of a snippet, in order, with those of `export … from`. */
export function importsOf(program: Program) {
  return program.body.flatMap((node) => importOf(node) ?? []);
}

function importOf(node: Program['body'][number]) {
  if (!('source' in node) || !node.source) return undefined;
  // Such as `type: 'json'`.
  const attributes = Object.fromEntries(
    node.attributes.map(({ key, value }) => [
      key.type === 'Identifier' ? key.name : String(key.value),
      String(value.value),
    ]),
  );
  return {
    specifier: String(node.source.value),
    position: positionOf(node.source.loc?.start),
    bindings: node.type === 'ImportDeclaration' ? node.specifiers.map(bindingOf) : [],
    ...(node.attributes.length > 0 && { attributes }),
  };
}

/** Returns a position of the parser as errors state it, with columns from 1. */
export function positionOf({ line, column } = { line: 1, column: 0 }): string {
  return `snippet.js:${line}:${column + 1}`;
}

/** Returns the imported name, or `*` for the whole module, and the local one. */
function bindingOf(specifier: ImportDeclaration['specifiers'][number]) {
  const local = specifier.local.name;
  if (specifier.type === 'ImportDefaultSpecifier') return { imported: 'default', local };
  if (specifier.type === 'ImportNamespaceSpecifier') return { imported: '*', local };
  const { imported } = specifier;
  return { imported: imported.type === 'Identifier' ? imported.name : String(imported.value), local };
}
