import type { Program, Statement } from 'acorn';

type Node = Program['body'][number] | Statement;

/** Returns the statements of which one has the value of the code: the last expression that is evaluated. */
export function lastStatements(list: readonly Node[]): Node[] {
  for (const node of list.toReversed()) {
    const found = valuesOf(node);
    if (found) return found;
  }
  return [];
}

/** Returns the statements that may have the value of a statement; undefined if it never has one, like a declaration. */
function valuesOf(node: Node): Node[] | undefined {
  switch (node.type) {
    case 'ExpressionStatement':
      return [node];
    case 'ExportDefaultDeclaration':
      return /^(Function|Class)Declaration$/.test(node.declaration.type) &&
        'id' in node.declaration &&
        node.declaration.id
        ? undefined
        : [node];
    case 'BlockStatement': {
      const found = lastStatements(node.body);
      return found.length > 0 ? found : undefined;
    }
    case 'LabeledStatement':
      return valuesOf(node.body);
    case 'IfStatement':
      return [...(valuesOf(node.consequent) ?? []), ...((node.alternate && valuesOf(node.alternate)) ?? [])];
    case 'TryStatement':
      return [...lastStatements(node.block.body), ...lastStatements(node.handler?.body.body ?? [])];
    case 'SwitchStatement':
      return node.cases.flatMap(({ consequent }) => lastStatements(consequent));
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'WithStatement':
      return valuesOf(node.body) ?? [];
    case 'ThrowStatement':
      return [];
    default:
      return undefined;
  }
}
