import type { AnyNode, Identifier, Pattern, Program, VariableDeclaration } from 'acorn';
import { ancestor, base } from 'acorn-walk';

/** A `var` statement, or another declaration at the top level. */
export interface VariableStatement {
  node: VariableDeclaration;
  parent: AnyNode;
  names: string[];
}

/** How a snippet uses names. They are compared as texts, whichever scope they are in. */
export interface NameUses {
  /** Those of functions and classes: their code may run later. */
  captured: Set<string>;
  /** Those that an assignment changes. */
  assigned: Set<string>;
  /** Those that declarations and parameters bind, in any scope, and how many do. */
  bound: Map<string, number>;
  /** All that code refers to. */
  used: Set<string>;
  /** Whether a name may be one that the code doesn't show: `with` and `eval` have their own. */
  isDynamic: boolean;
}

/** Returns the `var` statements outside functions, and the other declarations at the top level. */
export function findVariables(program: Program): VariableStatement[] {
  const found: VariableStatement[] = [];
  const withoutFunctions = { ...base, Function: () => undefined, StaticBlock: () => undefined };
  ancestor(
    program,
    {
      VariableDeclaration(node, _state, ancestors) {
        const parent = ancestors.at(-2) ?? program;
        const isTop = parent === program || (parent.type.startsWith('Export') && ancestors.at(-3) === program);
        if (node.kind === 'var' || isTop) found.push({ node, parent, names: declaredNames(node) });
      },
    },
    withoutFunctions,
  );
  return found;
}

/** Returns the names of functions in blocks, which sloppy code makes variables of the whole code too. */
export function blockFunctions(program: Program): string[] {
  const names: string[] = [];
  ancestor(
    program,
    {
      FunctionDeclaration: ({ id, async, generator }, _state, ancestors) => {
        if (id && !async && !generator && ancestors.at(-2) !== program) names.push(id.name);
      },
    },
    { ...base, Function: () => undefined, StaticBlock: () => undefined },
  );
  return names;
}

export function usesOf(program: Program): NameUses {
  const uses: NameUses = {
    captured: new Set(),
    assigned: new Set(),
    bound: new Map(),
    used: new Set(),
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
    WithStatement: () => {
      uses.isDynamic = true;
    },
    Class: ({ id }) => bind(id),
    CatchClause: ({ param }) => bind(param),
    VariableDeclarator: ({ id }) => bind(id),
    AssignmentExpression: ({ left }) => assign(left),
    UpdateExpression: ({ argument }) => argument.type === 'Identifier' && assign(argument),
    ForInStatement: ({ left }) => left.type !== 'VariableDeclaration' && assign(left),
    ForOfStatement: ({ left }) => left.type !== 'VariableDeclaration' && assign(left),
  } as Parameters<typeof ancestor>[1]);
  uses.isDynamic ||= uses.used.has('eval');
  return uses;
}

/** Returns the names that a declaration binds. */
export function declaredNames(node: VariableDeclaration): string[] {
  return node.declarations.flatMap(({ id }) => patternNames(id));
}

function patternNames(pattern: Pattern | null | undefined): string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        patternNames(property.type === 'Property' ? property.value : property.argument),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap(patternNames);
    case 'AssignmentPattern':
      return patternNames(pattern.left);
    case 'RestElement':
      return patternNames(pattern.argument);
    default:
      return [];
  }
}
