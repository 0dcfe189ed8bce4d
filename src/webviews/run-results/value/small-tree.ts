import * as l10n from '@vscode/l10n';
import { element } from '../../common/dom.ts';

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
  const entries = Object.entries(value);
  if (entries.length === 0) {
    return element('div', { class: 'leaf' }, name, name && ': ', Array.isArray(value) ? '[]' : '{}');
  }
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  const summary = element('summary', {}, name, name && ' ', element('span', { class: 'size' }, size));
  const children = entries.map(([childKey, child]) => entryOf(childKey, child, depth + 1));
  return element('details', { open: depth < 2 }, summary, element('div', { class: 'children' }, ...children));
}

function leaf(value: unknown): HTMLElement {
  const kind = value === null ? 'null' : typeof value;
  return element('span', { class: `value ${kind}` }, JSON.stringify(value));
}
