import * as l10n from '@vscode/l10n';
import { codicon, element, pressable } from '../../common/dom.ts';
import { createVirtualRows } from '../../common/virtual-rows.ts';

const rowHeight = 20;
/** Members of a list that are shown under one row; longer lists are divided into ranges. */
const rangeSize = 1000;
const maxTextLength = 500;

interface TreeNode {
  key: string | undefined;
  value: unknown;
  depth: number;
  /** Part of a long list: its members from `from` up to `to`. */
  range?: { from: number; to: number };
}

/** Creates a folding tree of a large JSON value, of which only the visible rows are drawn. */
export function largeTree(value: object): HTMLElement {
  const expanded = new Set<TreeNode>();
  const root: TreeNode = { key: undefined, value, depth: 0 };
  let visible: TreeNode[] = [root];
  const rows = createVirtualRows(rowHeight, drawRow);
  const created = element('div', {
    class: 'content tree large',
    role: 'tree',
    'aria-label': l10n.t('Result as a tree'),
  });
  created.append(rows.element);

  function toggle(index: number): void {
    const node = visible[index];
    if (!node) return;
    if (expanded.delete(node)) {
      let end = index + 1;
      while (end < visible.length && (visible[end] as TreeNode).depth > node.depth) {
        expanded.delete(visible[end] as TreeNode);
        end++;
      }
      visible = [...visible.slice(0, index + 1), ...visible.slice(end)];
    } else {
      expanded.add(node);
      visible = [...visible.slice(0, index + 1), ...childrenOf(node), ...visible.slice(index + 1)];
    }
    rows.refresh(visible.length);
  }

  function drawRow(index: number): HTMLElement {
    const node = visible[index] as TreeNode;
    const isOpen = expanded.has(node);
    const name = node.key === undefined ? undefined : element('span', { class: 'key' }, node.key);
    const row = element('div', { class: 'tree-row row', role: 'treeitem', 'aria-level': String(node.depth + 1) });
    row.style.setProperty('padding-left', `${node.depth * 14}px`);
    if (!isContainer(node.value)) {
      row.append(element('span', { class: 'twistie' }), ...(name ? [name, ': '] : []), shortLeaf(node.value));
      return row;
    }
    row.setAttribute('aria-expanded', String(isOpen));
    const icon = codicon(isOpen ? 'chevron-down' : 'chevron-right');
    const size = node.range ? undefined : element('span', { class: 'quiet' }, sizeOf(node.value));
    const onPress = () => {
      toggle(index);
      // The row is drawn anew; focus follows once it is.
      requestAnimationFrame(() => requestAnimationFrame(() => focusRow(index)));
    };
    row.append(pressable({ class: 'tree-toggle row' }, onPress, icon, name, ' ', size));
    row.dataset.index = String(index);
    return row;
  }

  function focusRow(index: number): void {
    created.querySelector<HTMLElement>(`[data-index="${index}"] .tree-toggle`)?.focus({ preventScroll: true });
  }

  toggle(0);
  return created;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function childrenOf({ value, depth, range }: TreeNode): TreeNode[] {
  if (!Array.isArray(value))
    return Object.entries(value as object).map(([key, member]) => ({ key, value: member, depth: depth + 1 }));
  const { from, to } = range ?? { from: 0, to: value.length };
  if (to - from <= rangeSize)
    return value
      .slice(from, to)
      .map((member, index) => ({ key: String(from + index), value: member, depth: depth + 1 }));
  const ranges: TreeNode[] = [];
  for (let start = from; start < to; start += rangeSize) {
    const end = Math.min(start + rangeSize, to);
    ranges.push({ key: `[${start} … ${end - 1}]`, value, depth: depth + 1, range: { from: start, to: end } });
  }
  return ranges;
}

function sizeOf(value: object): string {
  return Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`;
}

function shortLeaf(value: unknown): HTMLElement {
  const text = JSON.stringify(value);
  const shown = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
  return leaf(value, { title: text.slice(0, 5000) }, shown);
}

function leaf(value: unknown, attributes = {}, text = JSON.stringify(value)): HTMLElement {
  return element('span', { class: `value ${value === null ? 'null' : typeof value}`, ...attributes }, text);
}

/** Creates a collapsible tree of a JSON value. The first two levels are expanded. */
export function jsonTree(value: object): HTMLElement {
  return element(
    'div',
    { class: 'content tree', role: 'group', 'aria-label': l10n.t('Result as a tree') },
    entryOf(undefined, value, 0),
  );
}

function entryOf(key: string | undefined, value: unknown, depth: number): HTMLElement {
  const name = key === undefined ? undefined : element('span', { class: 'key' }, key);
  if (typeof value !== 'object' || value === null) {
    return element('div', { class: 'leaf' }, name, name && ': ', leaf(value));
  }
  if (!isContainer(value)) {
    return element('div', { class: 'leaf' }, name, name && ': ', Array.isArray(value) ? '[]' : '{}');
  }
  const summary = element('summary', {}, name, name && ' ', element('span', { class: 'quiet' }, sizeOf(value)));
  const children = Object.entries(value).map(([childKey, child]) => entryOf(childKey, child, depth + 1));
  return element('details', { open: depth < 2 }, summary, element('div', { class: 'children' }, ...children));
}
