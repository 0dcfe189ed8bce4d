import type { AnyNode, Pattern, Program, VariableDeclaration } from 'acorn';
import { ancestor, base } from 'acorn-walk';

/**
 * The names that runs have declared so far, by their kind in V8. Its REPL mode allows a name to be redeclared only as the same
 * kind, so other redeclarations are rewritten.
 */
export interface Declarations {
  /** Declared by let, const, class, function or import. */
  readonly lexical: Set<string>;
  /** Declared by var. */
  readonly variable: Set<string>;
}

/** A `var` statement anywhere in the snippet outside functions. */
export interface VariableStatement {
  node: VariableDeclaration;
  parent: AnyNode;
  names: string[];
}

const withoutFunctions = { ...base, Function: () => undefined, StaticBlock: () => undefined };

export function findVariables(program: Program): VariableStatement[] {
  const found: VariableStatement[] = [];
  ancestor(
    program,
    {
      VariableDeclaration(node, _state, ancestors) {
        if (node.kind === 'var') found.push({ node, parent: ancestors.at(-2) ?? program, names: declaredNames(node) });
      },
    },
    withoutFunctions,
  );
  return found;
}

/** Returns the names that a declaration binds. */
export function declaredNames(node: VariableDeclaration): string[] {
  return node.declarations.flatMap(({ id }) => patternNames(id));
}

function patternNames(pattern: Pattern | null): string[] {
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
