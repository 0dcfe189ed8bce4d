import type { AnyNode, Identifier, Program } from 'acorn';
import { ancestor } from 'acorn-walk';
import type { Edits } from './edits.ts';
import { bareCallee, memberOf, own, propertyStart } from './names.ts';

/**
 * Replaces the `import` of every `import()` and `import.meta`. Calls of the session's variables get no `this`.
 * @param members variables that are read as properties
 * @param valued statements with something before them, so that the line above doesn't continue in them
 */
export function rewriteExpressions(
  program: Program,
  edits: Edits,
  valued: readonly AnyNode[],
  members: ReadonlySet<string>,
  isVariable: (name: string) => boolean,
): void {
  const replaceImport = ({ start }: AnyNode) => edits.replace(start, start + 'import'.length, own.import);
  const rewriteCallee = (callee: AnyNode, ancestors: readonly AnyNode[]) => {
    if (callee.type !== 'Identifier' || !isVariable(callee.name)) return;
    const at = ancestors.findIndex(({ type, start }) => type === 'ExpressionStatement' && start === callee.start);
    const statement = ancestors[at];
    const startsLine =
      statement &&
      !valued.includes(statement) &&
      /^(Program|BlockStatement|SwitchCase|StaticBlock)$/.test(ancestors[at - 1]?.type ?? '');
    const { start, lineStart, end } = bareCallee;
    edits.insert(callee.start, (startsLine ? lineStart : start) + (members.has(callee.name) ? memberOf('') : ''));
    edits.insert(callee.end, end, callee.start);
  };
  const rewriteRead = (node: Identifier, ancestors: readonly AnyNode[]) => {
    const parent = ancestors.at(-2);
    if (!members.has(node.name) || !parent) return;
    if (parent.type === 'Property' && parent.shorthand) edits.insert(node.start, propertyStart(node.name));
    const isCallee = 'callee' in parent && parent.type === 'CallExpression' && parent.callee === node;
    const isTag = parent.type === 'TaggedTemplateExpression' && parent.tag === node;
    const isDeleted = parent.type === 'UnaryExpression' && parent.operator === 'delete';
    if (!isCallee && !isTag && !isDeleted) edits.insert(node.start, memberOf(''));
  };
  ancestor(program, {
    Identifier: (node, _state, ancestors) => rewriteRead(node, ancestors),
    ImportExpression: replaceImport,
    MetaProperty: (node) => node.meta.name === 'import' && replaceImport(node),
    CallExpression: ({ callee }, _state, ancestors) => rewriteCallee(callee, ancestors),
    TaggedTemplateExpression: ({ tag }, _state, ancestors) => rewriteCallee(tag, ancestors),
  });
}
