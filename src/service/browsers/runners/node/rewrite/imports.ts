import type { ImportDeclaration, Program } from 'acorn';

export interface Import {
  specifier: string;
  /** Position of the specifier, 1-based. */
  line: number;
  column: number;
  /** Imported and local names. `*` is the whole module. */
  bindings: { imported: string; local: string }[];
  /** Import attributes, such as `type: 'json'`. */
  attributes?: Record<string, string>;
}

/** Returns the static imports of a snippet, in order, with those of `export … from`. */
export function importsOf(program: Program): Import[] {
  return program.body.flatMap((node) => importOf(node) ?? []);
}

function importOf(node: Program['body'][number]): Import | undefined {
  if (!('source' in node) || !node.source) return undefined;
  const { line = 1, column = 0 } = node.source.loc?.start ?? {};
  const attributes = Object.fromEntries(
    node.attributes.map(({ key, value }) => [
      key.type === 'Identifier' ? key.name : String(key.value),
      String(value.value),
    ]),
  );
  return {
    specifier: String(node.source.value),
    line,
    column: column + 1,
    bindings: node.type === 'ImportDeclaration' ? node.specifiers.map(bindingOf) : [],
    ...(node.attributes.length > 0 && { attributes }),
  };
}

function bindingOf(specifier: ImportDeclaration['specifiers'][number]): Import['bindings'][number] {
  const local = specifier.local.name;
  if (specifier.type === 'ImportDefaultSpecifier') return { imported: 'default', local };
  if (specifier.type === 'ImportNamespaceSpecifier') return { imported: '*', local };
  const { imported } = specifier;
  return { imported: imported.type === 'Identifier' ? imported.name : String(imported.value), local };
}
