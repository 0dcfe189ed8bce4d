import { isHeading } from './measure.ts';
import { elementOf, elementsIn, isBlank, type PageElement } from './page-tree.ts';

/** Elements that a table without headings has only if it is there for its layout. */
const notInCells = new Set(['pre', 'blockquote', 'form']);
/** Characters of text in the cells of a table without headings that has one row, and in a table in a cell. */
const fewWords = 200;

/** Whether a table has data, unlike one with one column or one row of more than a few words, or with blocks in its cells. */
export function isDataTable(table: PageElement): boolean {
  if (table.attributes.role === 'presentation' || table.attributes.role === 'none') return false;
  const rows = rowsOf(table).filter(({ name, children }) => name === 'tr' && children.length > 0);
  const cells = rows.map(cellsOf);
  const hasHeaders = cells.some((row) => row.some(({ name }) => name === 'th'));
  if (hasHeaders) return !cells.some((row) => row.some((cell) => isBox(cell, true)));
  if (cells.every((row) => row.length < 2)) return false;
  if (rows.length < 2 && !isShort(table)) return false;
  return !cells.some((row) => row.some((cell) => cell.has.paragraphs > 1 || isBox(cell, false)));
}

const places: Readonly<Record<string, number>> = { thead: 0, tfoot: 2 };

/** A table's rows as they are shown, and what it has besides: its caption, and what browsers show above it. */
export function rowsOf(table: PageElement, rows: PageElement[] = []): PageElement[] {
  const place = (part: PageElement | string) => (typeof part === 'string' ? 1 : (places[part.name] ?? 1));
  let row: PageElement | undefined;
  for (const part of table.children.toSorted((one, other) => place(one) - place(other))) {
    if (isBlank(part) || (typeof part === 'object' && part.leftOut !== '')) continue;
    if (typeof part === 'string' || isCell(part)) {
      // Cells in no row make one.
      const name = typeof part === 'string' ? 'span' : 'tr';
      if (row?.name !== name) {
        row = elementOf(name, {}, table);
        rows.push(row);
      }
      row.children.push(part);
      continue;
    }
    row = undefined;
    // Browsers show the text beside the cells of a row above the table.
    const texts =
      part.name === 'tr' ? part.children.filter((child) => typeof child === 'string' && !isBlank(child)) : [];
    if (texts.length > 0) rows.push({ ...elementOf('div', {}, table), children: [texts.join(' ')] });
    const before = rows.length;
    if (!/^(tr|caption|table)$/.test(part.name)) rowsOf(part, rows);
    if (!hasRow(rows, before)) {
      rows.length = before;
      rows.push(part);
    }
  }
  return rows;
}

function hasRow(rows: readonly PageElement[], from: number): boolean {
  for (let at = from; at < rows.length; at++) if (rows[at]?.name === 'tr') return true;
  return false;
}

/** The cells of a row, also those in a form, which HTML doesn't have there. */
export function cellsOf(row: PageElement): PageElement[] {
  return elementsIn(row).flatMap((part) => {
    const inner = part.name === 'form' ? part.children.filter((child) => !isBlank(child)) : [];
    const cells = inner.filter((child) => typeof child === 'object' && isCell(child)) as PageElement[];
    // A field that nobody sees belongs to no cell.
    const isAll = inner.every((child) => typeof child === 'object' && (isCell(child) || child.name === 'input'));
    if (cells.length > 0 && isAll) return cells;
    // A link around cells is one in a cell.
    return part.name === 'a' ? [{ ...elementOf('td', {}, row), children: [part], has: part.has }] : [part];
  });
}

function isCell({ name }: PageElement): boolean {
  return name === 'td' || name === 'th';
}

/** A cell with a block in it, or with a heading and the text below it. Below the heading of a column, only a table is too much. */
function isBox(cell: PageElement, hasHeaders: boolean): boolean {
  return elementsIn(cell).some((child) => {
    if (child.name === 'table') return !isShort(child);
    const isBlock = notInCells.has(child.name) || (isHeading(child.name) && child.has.text < cell.has.text);
    return (isBlock && !hasHeaders) || isBox(child, hasHeaders);
  });
}

/** A table with a few words, which leads nowhere. */
function isShort({ has }: PageElement): boolean {
  return has.text > 0 && has.text <= fewWords && has.links === 0 && has.images === 0 && has.headings === 0;
}
