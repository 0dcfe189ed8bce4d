import { escaped, tableOf } from '../markup.ts';
import type { Cell, Line } from './lines.ts';

/** A line that is this much larger than the body's text is a heading, unless it's long. */
const headingRatio = 1.15;
const maxHeadingLength = 200;
/** Lines further apart than this many font sizes belong to different paragraphs. */
const paragraphGap = 1.7;
/** Cells that are prose in columns are longer than those of tables. */
const maxMeanCellLength = 60;
/** Lines of a table that are read at a time. */
const maxTableLines = 1000;
const bullet = /^[\u2022\u25e6\u25aa\u00b7\u2023\u25cf\u25cb\u2043\uf0b7]\s*/;

/** Writes the lines of each of a PDF's pages as HTML: headings by their size, tables by their columns, lists by their bullets. */
export function layOut(pages: readonly (readonly Line[])[]): string[] {
  const levelOf = headingLevels(pages);
  return pages.map((lines) => layOutPage(lines, levelOf));
}

/** Returns a function from a line to the level of its heading; 0: none. */
function headingLevels(pages: readonly (readonly Line[])[]): (line: Line) => number {
  const lengths = new Map<number, number>();
  for (const line of pages.flat()) {
    const size = rounded(line.size);
    lengths.set(size, (lengths.get(size) ?? 0) + lengthOf(line));
  }
  let [body, most] = [0, 0];
  for (const [size, length] of lengths) if (length > most) [body, most] = [size, length];
  const sizes = [...lengths.keys()].filter((size) => size >= body * headingRatio).sort((one, other) => other - one);
  return (line) => {
    if (line.cells.length > 1 || lengthOf(line) > maxHeadingLength) return 0;
    return Math.min(6, sizes.indexOf(rounded(line.size)) + 1);
  };
}

function layOutPage(lines: readonly Line[], levelOf: (line: Line) => number): string {
  const parts: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = lines[index];
    if (!line) break;
    const table = tableAt(lines, index);
    if (table) {
      parts.push(table.html);
      index += table.count;
      continue;
    }
    const level = levelOf(line);
    const isItem = bullet.test(textOf(line));
    let text = textOf(line).replace(bullet, '');
    let last = line;
    for (index++; index < lines.length; index++) {
      const next = lines[index];
      if (!next || !continues(last, next) || levelOf(next) !== level || tableAt(lines, index)) break;
      text = joined(text, textOf(next));
      last = next;
    }
    if (isItem) parts.push(`<ul><li>${escaped(text)}</li></ul>`);
    else parts.push(level > 0 ? `<h${level}>${escaped(text)}</h${level}>` : `<p>${escaped(text)}</p>`);
  }
  return parts.join('').replaceAll('</ul><ul>', '');
}

/** Returns whether a line is the next one of a paragraph. */
function continues(last: Line, next: Line): boolean {
  const gap = last.y - next.y;
  const sameSize = Math.abs(last.size - next.size) < 0.1 * last.size;
  return sameSize && gap > 0 && gap <= paragraphGap * last.size && !bullet.test(textOf(next));
}

/** Joins a word that is hyphenated at the end of a line. */
function joined(text: string, next: string): string {
  return /\p{L}-$/u.test(text) && /^\p{Ll}/u.test(next) ? text.slice(0, -1) + next : `${text} ${next}`;
}

interface Column {
  left: number;
  right: number;
}

/** Returns the table that starts at a line: two or more lines whose cells share columns. */
function tableAt(lines: readonly Line[], start: number): { html: string; count: number } | undefined {
  const run: Line[] = [];
  for (let index = start; index < lines.length; index++) {
    const line = lines[index];
    if (!line || line.cells.length < 2) break;
    run.push(line);
    if (run.length === maxTableLines) break;
  }
  if (run.length < 2) return undefined;
  const columns = columnsOf(run);
  const rows = run.map((line) => rowOf(line, columns));
  if (columns.length < 2 || rows.includes(undefined)) return undefined;
  const cells = run.flatMap((line) => line.cells);
  const mean = cells.reduce((sum, { text }) => sum + text.length, 0) / cells.length;
  if (mean > maxMeanCellLength) {
    const prose = columns.map((_, column) => rows.map((row) => row?.[column] ?? '').reduce(joined));
    return { html: prose.map((text) => `<p>${escaped(text)}</p>`).join(''), count: run.length };
  }
  return { html: tableOf(rows.filter((row) => row !== undefined)).html, count: run.length };
}

/** Returns the columns of a run of lines: cells that overlap horizontally are in the same one. */
function columnsOf(run: readonly Line[]): Column[] {
  const cells = run.flatMap((line) => line.cells).sort((one, other) => one.left - other.left);
  const columns: Column[] = [];
  for (const { left, right } of cells) {
    const last = columns.at(-1);
    if (last && left < last.right) last.right = Math.max(last.right, right);
    else columns.push({ left, right });
  }
  return columns;
}

/** Returns a line's texts by column; undefined if two of its cells are in the same one. */
function rowOf({ cells }: Line, columns: readonly Column[]): string[] | undefined {
  const row: string[] = columns.map(() => '');
  for (const cell of cells) {
    const column = columnAt(cell, columns);
    if (row[column] !== '') return undefined;
    row[column] = cell.text;
  }
  return row;
}

function columnAt(cell: Cell, columns: readonly Column[]): number {
  return columns.findIndex(({ left, right }) => cell.left >= left && cell.left <= right);
}

function textOf({ cells }: Line): string {
  return cells.map(({ text }) => text).join(' ');
}

function lengthOf({ cells }: Line): number {
  return cells.reduce((sum, { text }) => sum + text.length, 0);
}

/** Sizes of the same font differ slightly within a file. */
function rounded(size: number): number {
  return Math.round(size * 2) / 2;
}
