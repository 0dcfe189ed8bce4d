import type { AnyNode, Pattern, Program, VariableDeclaration } from 'acorn';
import { ancestor, base } from 'acorn-walk';

/**
 * The names that runs have declared so far, by what V8 made of them. Its REPL mode lets a name be declared again in the
 * same way and in no other: code that would do so is rewritten.
 */
export interface Declarations {
  /** By let, const, class, function or import. */
  readonly lexical: Set<string>;
  /** By var. */
  readonly variable: Set<string>;
}

/** A `var` statement, anywhere in the snippet outside functions. */
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

/** The names that a declaration binds. */
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
