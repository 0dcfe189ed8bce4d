import { type AnyNode, type Expression, type FunctionDeclaration, type Program, tokenizer } from 'acorn';
import type { Scope } from '../scope.ts';
import { isList, type NameUses, usesOf, type VariableStatement } from './declarations.ts';
import { createEdits, type Edits } from './edits.ts';
import { rewriteExpressions } from './expressions.ts';
import { memberOf, own } from './names.ts';

/** What the session says about a name. */
export type KnownNames = Pick<Scope, 'isVariable' | 'hasValue' | 'isShared' | 'isCalledAsIs'>;

type Statement = Program['body'][number];

/**
 * Rewrites a snippet as the body of a function that returns an asynchronous function, which returns its value in a list: so
 * its names are its own. `declare` gets accessors of them, for later code. Declaring a name that functions of earlier code use
 * assigns their variable. All other declarations stay as they are, except that a constant can be declared again. The imports
 * are bound already. Of the result, `constant` are the names that can't be declared again as the same variable.
 */
export function rewrite(code: string, program: Program, known: KnownNames) {
  const uses = usesOf(program);
  const statements = program.body.map((node) => declarationOf(node) ?? node);
  const functions = statements.filter((node) => node.type === 'FunctionDeclaration') as FunctionDeclaration[];
  const classes = statements.flatMap((node) => (node.type === 'ClassDeclaration' && node.id ? [node] : []));
  const { variables } = uses;
  const isStrict = program.body.some((node) => 'directive' in node && node.directive === 'use strict');
  const constant = new Set(variables.filter((statement) => isConstant(statement, uses)).flatMap(({ names }) => names));
  const inBlocks = isStrict ? [] : uses.inBlocks;
  const assignable = [...functions.map(({ id }) => id.name), ...variables.flatMap(({ names }) => names)];
  const declared = new Set([...assignable, ...classes.map(({ id }) => id.name), ...inBlocks]);
  const shared = sharedNames(declared, variables, new Set([...constant, ...inBlocks]), known);
  const added = [...shared].filter((name) => !known.isShared(name));
  // Unlike other declarations, `var` without a value leaves the one that is there.
  const kept = new Set(variables.flatMap(({ node, names }) => (node.kind === 'var' ? names : [])));
  for (const name of [...shared, ...functions.map(({ id }) => id.name)]) kept.delete(name);
  const aliased = functions.filter(({ id }) => shared.has(id.name));

  const edits = createEdits(code);
  const accessors = [...declared]
    .filter((name) => !shared.has(name))
    .concat(added)
    .map(accessor);
  const start = [
    `return async()=>{${isStrict ? '"use strict";' : ''}let ${[own.result, ...added]}`,
    ...[...kept].filter(known.hasValue).map((name) => `${name}=${memberOf(name)}`),
    ...(accessors.length > 0 ? [`${own.declare}({${accessors}})`] : []),
    ...new Set(aliased.map(({ id: { name } }) => `${name}=${own.named}(\u0237${name},${JSON.stringify(name)})`)),
  ];
  edits.insert(0, `${start.join(';')};`);
  if (code.startsWith('#!')) edits.replace(0, 2, '//');
  for (const node of program.body) removeModuleSyntax(node, code, edits);
  const list = ({ start: at, end }: Expression, before = '') => {
    edits.insert(at, `${before}[(`);
    edits.insert(end, ')]');
  };
  for (const node of uses.returned) list(node);
  // What stands before the last statement that sets the value doesn't count.
  const setting = new Set<AnyNode>([...uses.valued, ...uses.emptied]);
  const from = program.body.findLast((node) => setting.has(node))?.start ?? 0;
  const valued = uses.valued.filter(({ start: at }) => at >= from);
  for (const { expression } of valued) list(expression, `${own.result}=`);
  // One statement, because it may be all that a loop has.
  for (const { start: at } of uses.emptied) if (at >= from) edits.insert(at, `if(${own.result}=void 0);else `);
  // Their own names are the session's variables.
  for (const { id } of aliased) {
    edits.insert(id.start, `\u0237${id.name}/*`);
    edits.insert(id.end, '*/');
  }
  for (const { id, start: at, end } of classes) {
    if (!shared.has(id.name)) continue;
    edits.insert(at, `;${id.name}=`);
    edits.insert(end, ';');
  }
  for (const statement of variables) {
    if (statement.names.some((name) => shared.has(name))) assign(statement, edits);
    else if (statement.node.kind === 'const' && !isConstant(statement, uses))
      edits.replace(statement.node.start, statement.node.start + 'const'.length, 'let');
  }
  const isVariable = (name: string) =>
    (!uses.bound.has(name) || shared.has(name)) && (uses.assigned.has(name) || !known.isCalledAsIs(name));
  /** Names that nothing in the code binds but the declarations that have become assignments. */
  const members = new Set(
    [...(uses.isDynamic ? [] : uses.used)].filter((name) => {
      const assigning =
        shared.has(name) && !added.includes(name) ? assignable.filter((each) => each === name).length : 0;
      return known.isVariable(name) && (uses.bound.get(name) ?? 0) === assigning;
    }),
  );
  rewriteExpressions(program, edits, new Set(valued), members, isVariable);
  edits.insert(code.length, `\n;return ${own.result}}`);
  return { ...edits.apply(), uses, constant };
}

function accessor(name: string): string {
  return `get ${name}(){return ${name}},set ${name}(\u0131){${name}=\u0131}`;
}

/** Whether the names of a declaration stay constants. Others may be declared again, which assigns them. */
function isConstant({ node, names }: VariableStatement, { assigned }: NameUses): boolean {
  return /using$/.test(node.kind) || (node.kind === 'const' && names.some((name) => assigned.has(name)));
}

/** Returns the declared names that are assigned instead: those of the session, and the others of the same declarations. */
function sharedNames(
  declared: ReadonlySet<string>,
  variables: readonly VariableStatement[],
  kept: ReadonlySet<string>,
  known: KnownNames,
): Set<string> {
  const shared = new Set([...declared].filter((name) => known.isShared(name) && !kept.has(name)));
  for (let size = -1; size < shared.size; ) {
    size = shared.size;
    for (const { names } of variables)
      if (names.some((name) => shared.has(name))) for (const name of names) shared.add(name);
  }
  return shared;
}

/** Makes a declaration an assignment. */
function assign({ node, parent }: VariableStatement, edits: Edits): void {
  const keywordEnd = node.start + node.kind.length;
  if (/^For/.test(parent.type)) return edits.replace(node.start, keywordEnd, '');
  const isListed = isList(parent) || /^Export/.test(parent.type);
  edits.replace(node.start, keywordEnd, isListed ? ';(' : '(');
  for (const { id, init } of node.declarations) if (!init && node.kind !== 'var') edits.insert(id.end, '=void 0');
  edits.insert(node.declarations.at(-1)?.end ?? node.end, ')');
}

/** Returns the declaration that is exported, if it has a name. */
function declarationOf(statement: Statement) {
  const declaration = 'declaration' in statement ? statement.declaration : undefined;
  if (declaration?.type === 'VariableDeclaration') return declaration;
  return declaration && 'id' in declaration && declaration.id && declaration.type.endsWith('Declaration')
    ? declaration
    : undefined;
}

/** Removes `import` and `export`, because nothing imports a snippet. The value of a default export is that of a statement. */
function removeModuleSyntax(node: Statement, code: string, edits: Edits): void {
  if (!/^(Import|Export).*Declaration$/.test(node.type)) return;
  const declaration = declarationOf(node);
  if (declaration) return edits.replace(node.start, declaration.start, ';');
  if (node.type !== 'ExportDefaultDeclaration') return edits.replace(node.start, node.end, ';');
  // After `export` and any comments.
  const [, { end } = node] = tokenizer(code.slice(node.start), { ecmaVersion: 'latest' });
  const keywordsEnd = node.start + end;
  edits.replace(node.start, keywordsEnd, '');
  edits.insert(keywordsEnd, `;${own.result}=[{default:`);
  edits.insert(code[node.end - 1] === ';' ? node.end - 1 : node.end, '}.default];');
}
