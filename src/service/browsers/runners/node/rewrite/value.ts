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
function valuesOf(node: Node | null | undefined): Node[] | undefined {
  switch (node?.type) {
    case 'ExpressionStatement':
      return [node];
    case 'ExportDefaultDeclaration':
      return 'id' in node.declaration && /Declaration$/.test(node.declaration.type) && node.declaration.id
        ? undefined
        : [node];
    case 'BlockStatement': {
      const found = lastStatements(node.body);
      return found.length > 0 ? found : undefined;
    }
    case 'LabeledStatement':
      return valuesOf(node.body);
    case 'IfStatement':
      return [node.consequent, node.alternate].flatMap((branch) => valuesOf(branch) ?? []);
    case 'TryStatement':
      return [node.block, node.handler?.body].flatMap((block) => valuesOf(block) ?? []);
    case 'SwitchStatement':
      return node.cases.flatMap(({ consequent }) => lastStatements(consequent));
    case 'ThrowStatement':
      return [];
    default:
      // Loops and `with`.
      return node && 'body' in node && /Statement$/.test(node.type)
        ? (valuesOf(node.body as Statement) ?? [])
        : undefined;
  }
}
