import * as l10n from '@vscode/l10n';
import { codicon, element, pressable } from '../../common/dom.ts';
import { createVirtualRows } from '../../common/virtual-rows.ts';
import { count, receivedText } from '../format.ts';
import { arrange, cellText, cellValue, type Sort, type Table } from './table-model.ts';

const rowHeight = 22;
/** Rows that are measured for the widths of the columns. */
const measuredRows = 200;
const columnWidth = { min: 5, max: 44 };
const maxCellLength = 300;
const filterDelayMs = 120;

/** A result as a table: sorted by a click on a column, filtered by a text. */
export interface TableView {
  readonly element: HTMLElement;
  /** Indexes of the rows that are shown, in order. */
  readonly shown: readonly number[];
}

/** @param total rows of the whole table, if its end was cut and the server says how many there are */
export function createTableView(table: Table, cut: boolean, total?: number): TableView {
  let sort: Sort | undefined;
  let filter = '';
  let shown = arrange(table, '', undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const counter = element('span', { class: 'count quiet', 'aria-live': 'polite' });
  const input = element('input', {
    class: 'field filter',
    type: 'text',
    placeholder: l10n.t('Filter'),
    'aria-label': l10n.t('Filter rows'),
  });
  const head = element('div', { class: 'table-head', role: 'row' });
  const rows = createVirtualRows(rowHeight, drawRow);
  const grid = element(
    'div',
    { class: 'grid', role: 'table', 'aria-label': l10n.t('Result as a table') },
    head,
    rows.element,
  );
  grid.style.setProperty('--columns', columnWidths(table));
  grid.setAttribute('aria-rowcount', String(table.rows.length + 1));
  const bar = element('div', { class: 'table-bar row' }, counter, input);
  const created = element('div', { class: 'content table' }, bar, grid);

  function drawRow(position: number): HTMLElement {
    const row = shown[position] ?? 0;
    const cells = table.columns.map((_, column) => {
      const value = cellValue(table, row, column);
      const text = cellText(value);
      const kind = typeof value === 'number' ? 'cell clipped number' : 'cell clipped';
      return element('span', { class: kind, role: 'cell', title: text.slice(0, 1000) }, text.slice(0, maxCellLength));
    });
    const number = element('span', { class: 'row-number quiet' }, String(row + 1));
    return element('div', { class: 'table-row', role: 'row', 'aria-rowindex': String(position + 2) }, number, ...cells);
  }

  function drawHead(): void {
    const cells = table.columns.map((name, column) => {
      const own = sort?.column === column ? sort : undefined;
      const onPress = () => {
        // A third click returns to the order of the value.
        sort = own?.descending ? undefined : { column, descending: own !== undefined };
        apply();
        drawHead();
        head.querySelectorAll<HTMLElement>('.column')[column]?.focus();
      };
      const icon = own && codicon(own.descending ? 'arrow-down' : 'arrow-up');
      const button = pressable(
        { class: 'column row clipped', title: l10n.t('Sort by {0}', name) },
        onPress,
        name,
        icon,
      );
      const order = own ? (own.descending ? 'descending' : 'ascending') : 'none';
      return element('span', { role: 'columnheader', 'aria-sort': order }, button);
    });
    head.replaceChildren(element('span', { class: 'row-number quiet' }), ...cells);
  }

  function apply(): void {
    shown = arrange(table, filter, sort);
    const all = receivedText(table.rows.length, 'row', cut, total);
    counter.textContent =
      shown.length === table.rows.length ? all : l10n.t('{0} of {1}', count(shown.length, 'row'), all);
    rows.refresh(shown.length);
  }

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      filter = input.value;
      apply();
    }, filterDelayMs);
  });
  drawHead();
  apply();
  return {
    element: created,
    get shown() {
      return shown;
    },
  };
}

function columnWidths(table: Table): string {
  const step = Math.max(1, Math.floor(table.rows.length / measuredRows));
  const widths = table.columns.map((name, column) => {
    let width = name.length + 2;
    for (let row = 0; row < table.rows.length && width < columnWidth.max; row += step)
      width = Math.max(width, cellText(cellValue(table, row, column)).length);
    return `${Math.min(Math.max(width, columnWidth.min), columnWidth.max) + 2}ch`;
  });
  return [`${String(table.rows.length).length + 2}ch`, ...widths].join(' ');
}
