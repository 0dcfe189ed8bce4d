import type {
  AnyNode,
  Expression,
  ExpressionStatement,
  Identifier,
  Pattern,
  Program,
  VariableDeclaration,
  VariableDeclarator,
} from 'acorn';
import { ancestor, base, type SimpleVisitors, simple } from 'acorn-walk';

export type NameUses = ReturnType<typeof usesOf>;
export type VariableStatement = NameUses['variables'][number];

/** Returns how a snippet uses names. They are compared as texts, whichever scope they are in. */
export function usesOf(program: Program) {
  const uses = {
    /** The `var` statements outside functions, and the other declarations at the top level. */
    variables: [] as { node: VariableDeclaration; parent: AnyNode; names: string[] }[],
    /** The expressions outside functions of which the last that is evaluated is the value of the code. */
    valued: [] as ExpressionStatement[],
    /** The statements, with their labels, that have no value until an expression in them has one. */
    emptied: [] as AnyNode[],
    /** What `return` outside functions returns. */
    returned: [] as Expression[],
    /** The functions in blocks, which sloppy code makes variables of the whole code too. */
    inBlocks: [] as string[],
    /** Those of functions and classes: their code may run later. */
    captured: new Set<string>(),
    /** Those that an assignment changes. */
    assigned: new Set<string>(),
    /** Those that declarations and parameters bind, in any scope, and how many do. */
    bound: new Map<string, number>(),
    /** All that code refers to. */
    used: new Set<string>(),
    /** Whether a name may be one that the code doesn't show: `with` and `eval` have their own. */
    isDynamic: false,
  };
  const bind = (pattern: Pattern | null | undefined) => {
    for (const name of patternNames(pattern)) uses.bound.set(name, (uses.bound.get(name) ?? 0) + 1);
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
    Function({ id, params }) {
      bind(id);
      for (const parameter of params) bind(parameter);
    },
    FunctionDeclaration({ id, async, generator }, _state, ancestors) {
      const isPlain = id && !async && !generator;
      if (isPlain && ancestors.at(-2) !== program && !isInFunction(ancestors)) uses.inBlocks.push(id.name);
    },
    WithStatement: () => {
      uses.isDynamic = true;
    },
    Class: ({ id }) => bind(id),
    CatchClause: ({ param }) => bind(param),
    VariableDeclaration(node, _state, ancestors) {
      const parent = ancestors.at(-2) ?? program;
      const isTop = parent === program || (parent.type.startsWith('Export') && ancestors.at(-3) === program);
      const names = node.declarations.flatMap(({ id }) => patternNames(id));
      if (isTop || (node.kind === 'var' && !isInFunction(ancestors))) uses.variables.push({ node, parent, names });
    },
    VariableDeclarator: ({ id }) => bind(id),
    Statement(node: AnyNode, _state: unknown, ancestors: AnyNode[]) {
      if (
        isInFunction(ancestors) ||
        ancestors.some((each, at) => 'finalizer' in each && each.finalizer === ancestors[at + 1])
      )
        return;
      if (node.type === 'ExpressionStatement') uses.valued.push(node);
      else if (/^(If|For|While|Do|Switch|Try|With)/.test(node.type)) {
        const labeled = ancestors.slice(0, -1).findLastIndex(({ type }) => type !== 'LabeledStatement');
        uses.emptied.push(ancestors[labeled + 1] ?? node);
      }
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

/** Whether a node has statements one after the other. */
export function isList(node: AnyNode | undefined): boolean {
  return /^(Program|BlockStatement|SwitchCase|StaticBlock)$/.test(node?.type ?? '');
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
