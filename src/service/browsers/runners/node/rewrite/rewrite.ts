import {
  type ExportDefaultDeclaration,
  type FunctionDeclaration,
  type Identifier,
  type ImportDeclaration,
  type Options,
  type Program,
  parse,
  type VariableDeclaration,
} from 'acorn';
import { simple } from 'acorn-walk';
import { type Declarations, declaredNames, findVariables } from './declarations.ts';
import { blank, createEdits, type Edits } from './edits.ts';
import { replacedNames } from './replaced-names.ts';

/** Global object that captures the value of the last expression. */
export const captureName = '\u0131result';

/** A snippet rewritten for V8's REPL mode. Lines and, in almost all cases, columns are those of the original. */
export interface Rewritten {
  code: string;
  /** Static imports, in order. */
  imports: Import[];
  /** A script that declares the snippet's functions first. `shift` is how many columns its first line moved right. */
  functions?: { code: string; shift: number };
  /** The names that the snippet declares. */
  declares: Declarations;
}

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
      return parse(code, { ...options, sourceType: 'module' });
    } catch {
      throw error;
    }
  }
}

/** Parses a module. Throws acorn's SyntaxError, with `loc`. */
export function parseModule(code: string): Program {
  return parse(code, { ...options, sourceType: 'module' });
}

/**
 * Rewrites what V8's REPL mode doesn't support: import and export, and redeclaring a name as another kind. Top-level
 * constants become variables, so that they can be redeclared. Code that doesn't parse is returned unchanged, for V8 to report.
 */
export function rewrite(code: string, known: Declarations): Rewritten {
  const declares: Declarations = { lexical: new Set(), variable: new Set() };
  let program: Program;
  try {
    program = parseSnippet(code);
  } catch {
    return { code, imports: [], declares };
  }
  const source = rewriteModuleNames(program, code, known);
  const edits = createEdits(source);
  const functions: FunctionDeclaration[] = [];
  const imports: Import[] = [];
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      imports.push(describeImport(statement));
      edits.replace(statement.start, statement.end, ';');
      continue;
    }
    const node = statement.type.startsWith('Export') ? unwrapExport(statement, edits, imports) : statement;
    if (node?.type === 'FunctionDeclaration') {
      functions.push(node as FunctionDeclaration);
      edits.replace(node.start, node.end, ';');
    } else if (node?.type === 'ClassDeclaration' && node.id) {
      const { name } = node.id;
      declares[known.variable.has(name) ? 'variable' : 'lexical'].add(name);
      if (known.variable.has(name)) edits.replace(node.start, node.start, `var ${name}=`);
    } else if (node?.type === 'VariableDeclaration') {
      rewriteLexical(node, edits, known, declares);
    }
  }
  for (const name of [...imports.flatMap(localNames), ...functions.map(({ id }) => id.name)]) {
    declares[known.variable.has(name) ? 'variable' : 'lexical'].add(name);
  }
  rewriteVariables(program, edits, known, declares);
  captureLast(program, edits);
  const rewritten: Rewritten = { code: edits.apply(), imports, declares };
  if (functions.length > 0) rewritten.functions = hoist(source, functions, known);
  return rewritten;
}

export function localNames({ bindings }: Import): string[] {
  return bindings.map(({ local }) => local);
}

function describeImport(node: ImportDeclaration): Import {
  const bindings = node.specifiers.map((specifier) => {
    const local = specifier.local.name;
    if (specifier.type === 'ImportDefaultSpecifier') return { imported: 'default', local };
    if (specifier.type === 'ImportNamespaceSpecifier') return { imported: '*', local };
    const { imported } = specifier;
    return { imported: imported.type === 'Identifier' ? imported.name : String(imported.value), local };
  });
  const attributes = Object.fromEntries(
    node.attributes.map(({ key, value }) => [
      key.type === 'Identifier' ? key.name : String(key.value),
      String(value.value),
    ]),
  );
  return { ...specifierOf(node), bindings, ...(node.attributes.length > 0 && { attributes }) };
}

function specifierOf({ source }: Pick<ImportDeclaration, 'source'>): Omit<Import, 'bindings'> {
  const { line = 1, column = 0 } = source.loc?.start ?? {};
  return { specifier: String(source.value), line, column: column + 1 };
}

/** Removes `export`, because nothing imports a snippet. The value of a default export becomes the value of a statement. */
function unwrapExport(statement: Program['body'][number], edits: Edits, imports: Import[]) {
  if (statement.type === 'ExportNamedDeclaration' && statement.declaration) {
    edits.replace(statement.start, statement.declaration.start, ';');
    return statement.declaration;
  }
  if (statement.type === 'ExportDefaultDeclaration') return unwrapDefault(statement, edits);
  if ('source' in statement && statement.source)
    imports.push({ ...specifierOf({ source: statement.source }), bindings: [] });
  edits.replace(statement.start, statement.end, ';');
  return undefined;
}

function unwrapDefault({ start, declaration }: ExportDefaultDeclaration, edits: Edits) {
  const anonymous = declaration.type.endsWith('Declaration') && 'id' in declaration && !declaration.id;
  // In an expression, a function or class doesn't need a name.
  edits.replace(start, declaration.start, anonymous ? ';0,' : ';');
  return anonymous ? undefined : declaration;
}

/** Rewrites let and const as let, or as var if the name was declared by var. */
function rewriteLexical(node: VariableDeclaration, edits: Edits, known: Declarations, declares: Declarations): void {
  if (node.kind !== 'let' && node.kind !== 'const') return;
  const names = declaredNames(node);
  const asVariable = names.some((name) => known.variable.has(name)) && !names.some((name) => known.lexical.has(name));
  for (const name of names) declares[asVariable ? 'variable' : 'lexical'].add(name);
  if (asVariable || node.kind === 'const')
    edits.replace(node.start, node.start + node.kind.length, asVariable ? 'var' : 'let');
}

/** Rewrites var as let or as an assignment if the name was declared as another kind. */
function rewriteVariables(program: Program, edits: Edits, known: Declarations, declares: Declarations): void {
  const taken = new Set(declares.lexical);
  for (const { node, parent, names } of findVariables(program)) {
    if (!names.some((name) => known.lexical.has(name) || taken.has(name))) {
      for (const name of names) declares.variable.add(name);
      continue;
    }
    if (parent.type === 'Program' && !names.some((name) => taken.has(name))) {
      edits.replace(node.start, node.start + 'var'.length, 'let');
      for (const name of names) declares.lexical.add(name);
    } else {
      const inList = ['Program', 'BlockStatement', 'SwitchCase'].includes(parent.type);
      edits.replace(node.start, node.start + 'var'.length, inList ? ';' : '');
    }
    for (const name of names) taken.add(name);
  }
}

/** Expressions that bind tighter than `instanceof`. */
const tight = new Set([
  'ArrayExpression',
  'AwaitExpression',
  'CallExpression',
  'ChainExpression',
  'Identifier',
  'ImportExpression',
  'MemberExpression',
  'NewExpression',
  'TaggedTemplateExpression',
  'TemplateLiteral',
]);
const tightOperators = new Set(['+', '-', '*', '/', '%']);

/**
 * Captures the value of the last expression directly, because the inspector would serialize long strings. An `instanceof` after
 * the expression moves no code and calls `Symbol.hasInstance` with any value.
 */
function captureLast(program: Program, edits: Edits): void {
  const last = program.body.at(-1);
  if (last?.type !== 'ExpressionStatement' || last.directive !== undefined) return;
  const { type, end } = last.expression;
  if (tight.has(type) || (type === 'BinaryExpression' && tightOperators.has(last.expression.operator))) {
    edits.replace(end, end, ` instanceof ${captureName}`);
  }
}

/** Replaces the `import` of every `import()` and `import.meta`, and `__dirname` and `__filename` unless they are declared. */
function rewriteModuleNames(program: Program, code: string, known: Declarations): string {
  const edits = createEdits(code);
  const replace = ({ start }: { start: number }) => edits.replace(start, start + 'import'.length, replacedNames.import);
  const kept = new Set([...known.lexical, ...known.variable]);
  const used: Identifier[] = [];
  simple(program, {
    ImportExpression: replace,
    MetaProperty: (node) => node.meta.name === 'import' && replace(node),
    Pattern: (node) => node.type === 'Identifier' && kept.add(node.name),
    // Its name is a key too.
    Property: (node) => node.shorthand && node.value.type === 'Identifier' && kept.add(node.value.name),
    Identifier: (node) => used.push(node),
  });
  for (const { name, start, end } of used) {
    if ((name === '__dirname' || name === '__filename') && !kept.has(name))
      edits.replace(start, end, replacedNames[name]);
  }
  return edits.apply();
}

/** Returns a script that declares only the functions, at their positions. Of functions with the same name, the last wins. */
function hoist(code: string, functions: FunctionDeclaration[], known: Declarations): { code: string; shift: number } {
  const last = new Map(functions.map((node) => [node.id.name, node]));
  let script = '';
  let shift = 0;
  let at = 0;
  for (const node of functions) {
    const { name } = node.id;
    if (last.get(name) !== node) continue;
    const declaration = `;${known.variable.has(name) ? 'var' : 'let'} ${name}=`;
    const gap = blank(code.slice(at, node.start));
    const lineEnd = gap.search(/[\n\r\u2028\u2029] *$/);
    if (lineEnd !== -1) {
      // At the end of an earlier line, the declaration moves nothing.
      script += gap.slice(0, lineEnd) + declaration + gap.slice(lineEnd);
    } else {
      if (at === 0) shift = Math.max(0, declaration.length - gap.length);
      script += gap.slice(0, Math.max(0, gap.length - declaration.length)) + declaration;
    }
    script += code.slice(node.start, node.end);
    at = node.end;
  }
  return { code: script, shift };
}
