import type { AccessibilityNode } from '../../page/driver/driver.ts';

/** Roles of elements that people interact with. */
const actionable = new Set([
  'button',
  'link',
  'textbox',
  'searchbox',
  'combobox',
  'checkbox',
  'radio',
  'switch',
  'slider',
  'spinbutton',
  'listbox',
  'option',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'tab',
  'treeitem',
  'Date',
  'DateTime',
  'InputTime',
  'ColorWell',
  'DisclosureTriangle',
]);
/** Roles that carry no information: only their children are shown. */
const transparent = new Set([
  'none',
  'generic',
  'RootWebArea',
  'InlineTextBox',
  'LineBreak',
  'LayoutTable',
  'LayoutTableRow',
  'LayoutTableCell',
  'paragraph',
  'Section',
]);
const states = ['checked', 'disabled', 'expanded', 'selected', 'required', 'invalid', 'focused', 'level'];

/** Most characters of a snapshot; longer ones are truncated, with a note. */
export const snapshotLimit = 40_000;
const nameLimit = 300;

/** Describes the tree in indented lines, with the DOM node behind each ref. */
export function describeTree(nodes: readonly AccessibilityNode[]): { text: string; refs: Map<string, number> } {
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const refs = new Map<string, number>();
  const lines: string[] = [];
  let length = 0;
  let cut = false;

  // An explicit stack: pages may nest deeper than the call stack.
  const stack: { node: AccessibilityNode; depth: number; parentName: string }[] = nodes
    .filter(({ parentId }) => parentId === undefined)
    .map((node) => ({ node, depth: 0, parentName: '' }))
    .reverse();
  for (let next = stack.pop(); next && !cut; next = stack.pop()) {
    const { node, depth, parentName } = next;
    const line = node.ignored ? undefined : describe(node, parentName, refs);
    if (line !== undefined) {
      const text = `${'  '.repeat(Math.min(depth, 20))}${line}`;
      length += text.length + 1;
      if (length > snapshotLimit) cut = true;
      else lines.push(text);
    }
    const name = line === undefined ? parentName : textOf(node.name?.value);
    const children = (node.childIds ?? []).map((id) => byId.get(id)).filter((child) => child !== undefined);
    for (const child of children.reverse())
      stack.push({ node: child, depth: line === undefined ? depth : depth + 1, parentName: name });
  }
  if (cut) lines.push('… (truncated; scroll, or read the text of an element)');
  return { text: lines.join('\n'), refs };
}

function describe(node: AccessibilityNode, parentName: string, refs: Map<string, number>): string | undefined {
  const role = String(node.role?.value ?? '');
  const name = textOf(node.name?.value);
  if (transparent.has(role)) return undefined;
  if (role === 'StaticText') return name === '' || name === parentName ? undefined : `text "${name}"`;
  const parts = [role];
  if (name) parts.push(`"${name}"`);
  const value = textOf(node.value?.value);
  if (value && value !== name) parts.push(`value "${value}"`);
  for (const { name: state, value: stateValue } of node.properties ?? []) {
    if (states.includes(state) && stateValue.value !== false && stateValue.value !== 'false')
      parts.push(stateValue.value === true || stateValue.value === 'true' ? state : `${state}=${stateValue.value}`);
  }
  if (actionable.has(role) && node.backendDOMNodeId !== undefined) {
    const ref = `e${refs.size + 1}`;
    refs.set(ref, node.backendDOMNodeId);
    parts.push(`[${ref}]`);
  }
  return parts.length === 1 && !name
    ? ['table', 'list', 'row', 'form', 'main', 'navigation', 'dialog', 'listitem'].includes(role)
      ? role
      : undefined
    : parts.join(' ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).replaceAll(/\s+/g, ' ').trim().slice(0, nameLimit)
    : '';
}
