import type {
  AnyNode,
  Expression,
  Identifier,
  Node,
  Pattern,
  Program,
  SwitchStatement,
  VariableDeclaration,
  VariableDeclarator,
} from 'acorn';
import { ancestor, base, type SimpleVisitors, simple } from 'acorn-walk';

/** A `var` statement, or another declaration at the top level. */
export interface VariableStatement {
  node: VariableDeclaration;
  parent: AnyNode;
  names: string[];
}

/** How a snippet uses names. They are compared as texts, whichever scope they are in. */
export interface NameUses {
  /** The `var` statements outside functions, and the other declarations at the top level. */
  variables: VariableStatement[];
  /** What `return` outside functions returns. */
  returned: Expression[];
  isStrict: boolean;
  /** The functions in blocks, which sloppy code makes variables of the whole code too. */
  inBlocks: string[];
  /** Those of functions and classes: their code may run later. */
  captured: Set<string>;
  /** Those that an assignment changes. */
  assigned: Set<string>;
  /** Those that scopes within the code bind. */
  scopes: Map<Node, Set<string>>;
  /** All that code refers to. */
  used: Set<string>;
  /** Whether a name may be one that the code doesn't show: `with` and `eval` have their own. */
  isDynamic: boolean;
}

export function usesOf(program: Program): NameUses {
  const uses: NameUses = {
    variables: [],
    returned: [],
    isStrict: program.body.some((node) => 'directive' in node && node.directive === 'use strict'),
    inBlocks: [],
    captured: new Set(),
    assigned: new Set(),
    scopes: new Map(),
    used: new Set(),
    isDynamic: false,
  };
  const bind = (scope: Node | undefined, pattern: Pattern | null | undefined) => {
    if (!scope || scope === program) return;
    // What `switch` compares isn't in the scope of its cases.
    for (const node of scope.type === 'SwitchStatement' ? (scope as SwitchStatement).cases : [scope])
      uses.scopes.set(node, new Set([...(uses.scopes.get(node) ?? []), ...patternNames(pattern)]));
  };
  const assign = (pattern: Pattern) => {
    for (const name of patternNames(pattern)) uses.assigned.add(name);
  };
  const mention = ({ name }: Identifier, _state: unknown, ancestors: AnyNode[]) => {
    uses.used.add(name);
    const isLater = ({ type }: AnyNode) => type === 'ClassBody' || /Function/.test(type);
    const [parent, node] = ancestors.slice(-2);
    const isName = parent !== undefined && 'id' in parent && parent.id === node;
    if (ancestors.slice(0, isName ? -2 : -1).some(isLater)) uses.captured.add(name);
  };
  ancestor(program, {
    Identifier: mention,
    VariablePattern: mention,
    Function(node, _state, ancestors) {
      for (const parameter of node.params) bind(node, parameter);
      bind(node.type === 'FunctionDeclaration' ? scopeOf(ancestors, blocks) : node, node.id);
    },
    FunctionDeclaration({ id, async, generator }, _state, ancestors) {
      if (uses.isStrict || async || generator || ancestors.at(-2) === program) return;
      bind(scopeOf(ancestors, functions), id);
      if (id && !isInFunction(ancestors)) uses.inBlocks.push(id.name);
    },
    WithStatement: () => {
      uses.isDynamic = true;
    },
    Class(node, _state, ancestors) {
      bind(node, node.id);
      if (node.type === 'ClassDeclaration') bind(scopeOf(ancestors, blocks), node.id);
    },
    CatchClause: (node) => bind(node, node.param),
    VariableDeclaration(node, _state, ancestors) {
      const parent = ancestors.at(-2) ?? program;
      const isTop = parent === program || (parent.type.startsWith('Export') && ancestors.at(-3) === program);
      const names = node.declarations.flatMap(({ id }) => patternNames(id));
      for (const { id } of node.declarations) bind(scopeOf(ancestors, node.kind === 'var' ? functions : blocks), id);
      if (isTop || (node.kind === 'var' && !isInFunction(ancestors))) uses.variables.push({ node, parent, names });
    },
    ReturnStatement({ argument }, _state, ancestors) {
      if (argument && !isInFunction(ancestors)) uses.returned.push(argument);
    },
    AssignmentExpression: ({ left }) => assign(left),
    UpdateExpression: ({ argument }) => argument.type === 'Identifier' && assign(argument),
    ForInStatement: ({ left }) => left.type !== 'VariableDeclaration' && assign(left),
    ForOfStatement: ({ left }) => left.type !== 'VariableDeclaration' && assign(left),
  } as Parameters<typeof ancestor>[1]);
  uses.isDynamic ||= uses.used.has('eval');
  return uses;
}

/** Nodes with a scope: of `var`, and of other declarations. */
const [functions, blocks] = [/^Program|Function|StaticBlock/, /^Program|^For|^SwitchStatement|Block/];

function scopeOf(ancestors: readonly AnyNode[], scopes: RegExp): Node | undefined {
  const scope = ancestors.slice(0, -1).findLast(({ type }) => scopes.test(type));
  // Default values of parameters don't see the variables of the function.
  return scope && 'params' in scope ? scope.body : scope;
}

function isInFunction(ancestors: readonly AnyNode[]): boolean {
  return ancestors.slice(0, -1).some(({ type }) => /Function|StaticBlock/.test(type));
}

/** Returns the names that a pattern binds or assigns; not those in its default values and computed keys. */
function patternNames(pattern: Pattern | null | undefined): string[] {
  const names: string[] = [];
  const visitors = { VariablePattern: ({ name }: Identifier) => names.push(name) } as SimpleVisitors<unknown>;
  if (!pattern) return names;
  // Elsewhere, an identifier counts as an expression.
  const declarator: VariableDeclarator = { type: 'VariableDeclarator', id: pattern, start: 0, end: 0 };
  simple(declarator, visitors, withoutExpressions);
  return names;
}

const withoutExpressions = { ...base, Expression: () => undefined };
