import * as l10n from '@vscode/l10n';
import { element, linkButton } from '../../common/dom.ts';
import { count, receivedText } from '../format.ts';
import type { SavedContent } from '../messages.ts';
import { csvRows, type Table } from './table-model.ts';
import { createTableView } from './table-view.ts';
import { jsonTree, largeTree } from './trees.ts';
import type { ValueModel } from './value-model.ts';

export interface ValueOptions {
  /** Such as "Only the first 1.0 MB of 2.3 MB was received." */
  missing?: string;
  /** Members of the whole list, if the value is the beginning of one. */
  rows?: number;
  /** Gets what is missing, and then saves all of it if asked. */
  showAll?: (save?: SavedContent['format']) => void;
  save(content: SavedContent, partial?: string): void;
}

/** Creates the view of an image, a JSON value or HTML, or undefined for plain text. */
export function valueView(model: ValueModel, text: string, options: ValueOptions): HTMLElement | undefined {
  switch (model.kind) {
    case 'text':
      return undefined;
    case 'image':
      return element('img', { src: model.source, alt: l10n.t('Result of the run'), class: 'content picture' });
    case 'html':
      return htmlView(text);
    case 'json':
      return model.table ? tableOrTree(model, model.table, options) : treeView(model, options);
  }
}

type JsonModel = ValueModel & { kind: 'json' };

function treeView(model: JsonModel, options: ValueOptions): HTMLElement {
  const tree = model.isLarge ? largeTree(model.value) : jsonTree(model.value);
  if (!model.isLarge) return tree;
  const bar = element(
    'div',
    { class: 'table-bar row' },
    element('span', { class: 'count quiet' }, sizeText(model, options.rows)),
  );
  const save = () => options.save({ format: 'json', text: JSON.stringify(model.value, undefined, 2) }, options.missing);
  bar.append(...showAllButtons(model, options), saveButton('json', model, options, save));
  return element('div', { class: 'content' }, bar, tree);
}

function sizeText({ value, cut }: JsonModel, all: number | undefined): string {
  return Array.isArray(value)
    ? receivedText(value.length, 'item', cut, all)
    : receivedText(Object.keys(value).length, 'field', cut);
}

/** The button that replaces the beginning of a result with all of it. */
function showAllButtons({ cut }: JsonModel, { rows, showAll }: ValueOptions): HTMLElement[] {
  if (!cut || !showAll) return [];
  return [
    linkButton(rows === undefined ? l10n.t('Show All') : l10n.t('Show All {0}', count(rows, 'row')), () => showAll()),
  ];
}

function tableOrTree(model: JsonModel, table: Table, options: ValueOptions): HTMLElement {
  const { value, cut } = model;
  const view = createTableView(table, cut, options.rows);
  const bar = view.element.querySelector('.table-bar') as HTMLElement;
  const grid = view.element.querySelector('.grid') as HTMLElement;
  let tree: HTMLElement | undefined;
  const toggle = linkButton(l10n.t('Show as Tree'), () => {
    tree ??= model.isLarge ? largeTree(value) : jsonTree(value);
    const showTree = !grid.hidden;
    grid.hidden = showTree;
    tree.hidden = !showTree;
    toggle.textContent = showTree ? l10n.t('Show as Table') : l10n.t('Show as Tree');
    if (!tree.isConnected) view.element.append(tree);
    // Virtual rows draw when they come into view.
    window.dispatchEvent(new Event('scroll'));
  });
  const partial = () => {
    const left = table.rows.length - view.shown.length;
    const filtered = left > 0 ? l10n.t('The filter leaves out {0}.', count(left, 'row')) : undefined;
    return [options.missing, filtered].filter(Boolean).join(' ') || undefined;
  };
  bar.append(
    ...showAllButtons(model, options),
    saveButton('csv', model, options, () =>
      options.save({ format: 'csv', rows: csvRows(table, view.shown) }, partial()),
    ),
    saveButton('json', model, options, () => {
      const isWhole = view.shown.every((row, position) => row === position) && view.shown.length === table.rows.length;
      const json = isWhole ? value : view.shown.map((row) => table.rows[row]);
      options.save({ format: 'json', text: JSON.stringify(json, undefined, 2) }, partial());
    }),
    toggle,
  );
  return view.element;
}

/** A button that saves a result, all of it first if the view has only its beginning. */
function saveButton(
  format: SavedContent['format'],
  { cut }: JsonModel,
  { showAll }: ValueOptions,
  save: () => void,
): HTMLButtonElement {
  const name = format === 'csv' ? l10n.t('Save as CSV…') : l10n.t('Save as JSON…');
  const button = linkButton(name, () => (cut && showAll ? showAll(format) : save()));
  button.dataset.save = format;
  return button;
}

/** Shows HTML as its source, with a preview in a frame that runs no scripts and loads nothing. */
function htmlView(text: string): HTMLElement {
  const source = element('pre', { class: 'html-source' }, text);
  const created = element('div', { class: 'content html' });
  let frame: HTMLIFrameElement | undefined;
  const toggle = linkButton(l10n.t('Preview'), () => {
    frame ??= element('iframe', { class: 'preview', sandbox: '', srcdoc: text, title: l10n.t('Preview of the HTML') });
    const showFrame = !frame.isConnected;
    (showFrame ? source : frame).replaceWith(showFrame ? frame : source);
    toggle.textContent = showFrame ? l10n.t('Show Source') : l10n.t('Preview');
  });
  created.append(element('div', { class: 'table-bar row' }, toggle), source);
  return created;
}
