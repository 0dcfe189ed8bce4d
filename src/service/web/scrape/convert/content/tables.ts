import { isHeading } from './measure.ts';
import { elementsIn, type PageElement } from './page-tree.ts';

/** Elements that a cell of a Markdown table can't have: a table with one is there for its layout. */
const notInCells = new Set(['table', 'pre', 'blockquote', 'form']);

/** Whether a table has data, unlike one with one column or one row, or with blocks in its cells. */
export function isDataTable(table: PageElement): boolean {
  const rows = rowsOf(table).filter(({ name }) => name === 'tr');
  const hasHeaders = rows.some((row) => elementsIn(row).some(({ name }) => name === 'th'));
  const isLine = rows.every((row) => elementsIn(row).length < 2) || rows.length < 2;
  return (hasHeaders || !isLine) && !rows.some((row) => elementsIn(row).some(isBox));
}

/** A table's rows, and its caption. */
export function rowsOf(table: PageElement): PageElement[] {
  return elementsIn(table).flatMap((part) =>
    part.name === 'tr' || part.name === 'caption' ? [part] : elementsIn(part),
  );
}

export function cellsOf(row: PageElement): PageElement[] {
  return row.name === 'tr' ? elementsIn(row) : [row];
}

/** A cell with a block in it, or with a heading and the text below it. */
function isBox(cell: PageElement): boolean {
  return elementsIn(cell).some(
    (child) => notInCells.has(child.name) || (isHeading(child.name) && child.has.text < cell.has.text) || isBox(child),
  );
}
