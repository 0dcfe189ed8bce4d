import { elementsIn, type PageElement } from '../page-tree/page-tree.ts';
import { isHeading } from './measure.ts';

/** Elements that a table without headings has only if it is there for its layout. */
const notInCells = new Set(['pre', 'blockquote', 'form']);
/** Characters of text in the cells of a table without headings that has one row, and in a table in a cell. */
const fewWords = 200;

/** Whether a table has data, unlike one with one column or one row of more than a few words, or with blocks in its cells. */
export function isDataTable(table: PageElement): boolean {
  if (table.attributes.role === 'presentation' || table.attributes.role === 'none') return false;
  const rows = rowsOf(table).filter(({ name, children }) => name === 'tr' && children.length > 0);
  const hasHeaders = rows.some((row) => elementsIn(row).some(({ name }) => name === 'th'));
  if (hasHeaders) return !rows.some((row) => elementsIn(row).some((cell) => isBox(cell, true)));
  if (rows.every((row) => elementsIn(row).length < 2)) return false;
  if (rows.length < 2 && !isShort(table)) return false;
  return !rows.some((row) => elementsIn(row).some((cell) => cell.has.paragraphs > 1 || isBox(cell, false)));
}

const places: Readonly<Record<string, number>> = { thead: 0, tfoot: 2 };

/** A table's rows as they are shown, and its caption. */
export function rowsOf(table: PageElement): PageElement[] {
  const place = ({ name }: PageElement) => places[name] ?? 1;
  const parts = elementsIn(table).sort((one, other) => place(one) - place(other));
  return parts.flatMap((part) => (part.name === 'tr' || part.name === 'caption' ? [part] : elementsIn(part)));
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
