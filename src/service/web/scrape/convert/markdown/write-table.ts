import type { PageElement } from '../page-tree/page-tree.ts';
import { cellsOf, rowsOf } from '../page-tree/tables.ts';

const maxSpan = 100;
/** Cells of one table that spans may fill. */
const maxFilled = 100_000;
const delimiters: Readonly<Record<string, string>> = { left: ':---', center: ':---:', right: '---:' };

/**
 * Writes a table of data, whose first row with text is its header. Cells that a span covers are empty, so that all others
 * stay in their columns.
 * @param write returns the text of a cell
 */
export function tableLines(table: PageElement, write: (cell: PageElement) => string): string[] {
  const rows: string[][] = [];
  const aligned: string[] = [];
  /** For each column, how many of the rows below are taken. */
  const taken: number[] = [];
  let filled = 0;
  let group: PageElement | undefined;
  for (const row of rowsOf(table)) {
    if (row.name !== 'tr') continue;
    // A cell goes over rows of its group only.
    if (row.parent !== group) taken.length = 0;
    group = row.parent;
    const cells: string[] = [];
    for (const cell of cellsOf(row)) {
      while ((taken[cells.length] ?? 0) > 0) fill(cells);
      const columns = filled < maxFilled ? spanOf(cell.attributes.colspan) : 1;
      const below = filled < maxFilled ? spanOf(cell.attributes.rowspan) - 1 : 0;
      if (rows.length === 0) aligned[cells.length] = alignmentOf(cell);
      if (below > 0) taken[cells.length] = below;
      cells.push(write(cell));
      for (let each = 1; each < columns; each++) {
        if (below > 0) taken[cells.length] = below;
        cells.push('');
        filled++;
      }
    }
    for (let at = cells.length; at < taken.length; at++) taken[at] = Math.max(0, (taken[at] ?? 0) - 1);
    while (taken.at(-1) === 0) taken.pop();
    if (cells.some((cell) => cell !== '')) rows.push(cells);
    else if (rows.length === 0) aligned.length = 0;
  }
  const [header, ...others] = rows;
  if (header === undefined) return [];
  // What only spans reach is no column.
  const width = rows.reduce((most, cells) => Math.max(most, cells.findLastIndex((cell) => cell !== '') + 1), 0);
  for (const row of rows) if (row.length > width) row.length = width;
  while (header.length < width) header.push('');
  for (const row of others) for (; row.length < width && filled < maxFilled; filled++) row.push('');
  const line = header.map((_, at) => delimiters[aligned[at] ?? ''] ?? '---');
  return [header, line, ...others].map(
    (cells) => `|${cells.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`,
  );

  function fill(cells: string[]): void {
    taken[cells.length] = (taken[cells.length] ?? 0) - 1;
    cells.push('');
    filled++;
  }
}

function spanOf(written = '1'): number {
  const span = Number.parseInt(written, 10);
  // 0 reaches to the end.
  return span === 0 ? maxSpan : Math.min(maxSpan, Math.max(1, span || 1));
}

function alignmentOf({ attributes: { align, style } }: PageElement): string {
  return (align ?? /text-align\s*:\s*(left|center|right)/i.exec(style ?? '')?.[1] ?? '').toLowerCase();
}
