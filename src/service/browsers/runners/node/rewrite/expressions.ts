import type { AnyNode, Identifier, Program } from 'acorn';
import { ancestor } from 'acorn-walk';
import type { Edits } from './edits.ts';
import { bare, ofSession, own } from './names.ts';

/**
 * Replaces the `import` of every `import()` and `import.meta`. The session's variables are read and assigned as properties. Calls
 * of them get no `this`.
 * @param members variables that are properties. A variable of the function has the value of the one of its name that was read
 *   last, so that V8's messages have the name that the code has
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
  const rewriteRead = (node: Identifier, _state: unknown, ancestors: readonly AnyNode[]) => {
    const parent = ancestors.at(-2);
    const isMember = members.has(node.name);
    const isCalled =
      (parent?.type === 'CallExpression' && parent.callee === node) ||
      (parent?.type === 'TaggedTemplateExpression' && parent.tag === node);
    if (!isMember && !(isCalled && isVariable(node.name))) return;
    const isTarget =
      parent?.type === 'UpdateExpression' ||
      (parent?.type === 'UnaryExpression' && parent.operator === 'delete') ||
      (parent && 'left' in parent && parent.type.startsWith('For') && parent.left === node);
    if (isTarget) return edits.insert(node.start, ofSession.property);
    const at = ancestors.findIndex(({ type, start }) => type === 'ExpressionStatement' && start === node.start);
    const statement = ancestors[at];
    const startsLine =
      statement &&
      !valued.includes(statement) &&
      /^(Program|BlockStatement|SwitchCase|StaticBlock)$/.test(ancestors[at - 1]?.type ?? '');
    if (parent?.type === 'Property' && parent.shorthand) edits.insert(node.start, ofSession.shorthand(node.name));
    edits.insert(
      node.start,
      (startsLine ? bare.line : '') + bare.start + (isMember ? ofSession.read(node.name) : '0,'),
    );
    edits.close(node.end, bare.end, isCalled ? node.start : node.end);
  };
  const rewriteTarget = (node: Identifier, _state: unknown, ancestors: readonly AnyNode[]) => {
    const [outer, parent] = ancestors.slice(-3);
    if (!members.has(node.name) || (parent && 'id' in parent && parent.type.startsWith('Function'))) return;
    const pattern = parent?.type === 'AssignmentPattern' ? outer : parent;
    const value = pattern === outer ? parent : node;
    if (
      pattern?.type === 'ObjectPattern' &&
      pattern.properties.some((each) => 'shorthand' in each && each.shorthand && each.value === value)
    )
      edits.insert(node.start, ofSession.shorthand(node.name));
    // A function without a name gets that of what it is assigned to.
    const isNaming =
      (parent?.type === 'AssignmentExpression' && parent.operator === '=' && parent.start === node.start) ||
      (parent?.type === 'VariableDeclarator' && parent.init);
    edits.insert(node.start, isNaming ? ofSession.assigned(node.name) : ofSession.property);
  };
  ancestor(program, {
    Identifier: rewriteRead,
    VariablePattern: rewriteTarget,
    ImportExpression: replaceImport,
    MetaProperty: (node) => node.meta.name === 'import' && replaceImport(node),
  } as Parameters<typeof ancestor>[1]);
}
