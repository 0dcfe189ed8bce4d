import type { AnyNode, Program } from 'acorn';
import { ancestor } from 'acorn-walk';
import { isList } from './declarations.ts';
import type { Edits } from './edits.ts';
import { memberOf, own } from './names.ts';

/**
 * Replaces the `import` of every `import()` and `import.meta`. Calls of the session's variables get no `this`.
 * @param members variables that are read as properties
 * @param valued statements with something before them, so that the line above doesn't continue in them
 */
export function rewriteExpressions(
  program: Program,
  edits: Edits,
  valued: ReadonlySet<AnyNode>,
  members: ReadonlySet<string>,
  isVariable: (name: string) => boolean,
): void {
  const replaceImport = ({ start }: AnyNode) => edits.replace(start, start + 'import'.length, own.import);
  /** Whether a statement that begins with a callee needs a semicolon before it. */
  const startsLine = (start: number, ancestors: readonly AnyNode[]) => {
    const at = ancestors.findIndex((node) => node.type === 'ExpressionStatement' && node.start === start);
    const [parent, statement] = ancestors.slice(at - 1);
    return at > 0 && isList(parent) && statement !== undefined && !valued.has(statement);
  };
  ancestor(program, {
    Identifier(node, _state, ancestors) {
      const { name, start, end } = node;
      const parent = ancestors.at(-2) ?? program;
      const isCallee = parent.type === 'CallExpression' && parent.callee === node;
      const isCalled = isCallee || (parent.type === 'TaggedTemplateExpression' && parent.tag === node);
      if (isCalled && !isVariable(name)) return;
      const isDeleted = parent.type === 'UnaryExpression' && parent.operator === 'delete';
      if (isCalled) edits.insert(start, startsLine(start, ancestors) ? ';(0,' : '(0,');
      if (members.has(name) && !isDeleted) {
        const isShorthand = parent.type === 'Property' && parent.shorthand;
        edits.insert(start, isShorthand ? `${name}:${memberOf('')}` : memberOf(''));
      }
      if (isCalled) edits.insert(end, ')');
    },
    ImportExpression: replaceImport,
    MetaProperty: (node) => node.meta.name === 'import' && replaceImport(node),
  });
}
