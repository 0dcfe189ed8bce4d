import { joined } from './joined.ts';
import { type Line, type Row, type Run, toLine, toRows } from './lines.ts';
import { marksOf } from './marks.ts';
import type { Box, Piece } from './pieces.ts';

/** Rows of cells. */
export type Cells = Run[][][];

/** A column is prose if it has this many lines, of which this share is nearly as wide as it, with this many words on average. */
const prose = { lines: 3, full: 0.6, width: 0.7, words: 2.8 };
/** Cells of columns that look like text have at most this many lines. */
const maxCellLines = 8;
/** Share of lines on one baseline with another column's, below which columns aren't those of a table. */
const sharedBaselines = 0.35;
/** White space between rows is this much larger than that between the lines of a cell, which is at most so many font sizes. */
const rowGap = { ratio: 1.6, inCell: 0.6 };

/** What columns beside each other are: a table, or texts to be read one after the other, divided after a column. */
export type Columns = { rows: Cells } | { after: number };

/** Tells a table from columns of text. @param gutters widths of the white space after each column but the last */
export function tableOrTexts(
  columns: readonly (readonly Piece[])[],
  gutters: readonly number[],
  rules: readonly Box[],
): Columns {
  const lines = columns.map((pieces) => toRows(pieces).map(toLine));
  const bands = bandsOf(lines);
  const ruled = ruledRows(bands, rules);
  if (lines.every(isList)) return { after: 0 };
  const aside = asideAfter(lines);
  const rows =
    ruled ??
    (aside >= 0 ? undefined : (spacedRows(bands, lines) ?? (isText(lines) ? undefined : continuedRows(bands, lines))));
  if (!rows || rows.length < 2) return { after: aside >= 0 ? aside : gutters.indexOf(Math.max(...gutters)) };
  const cells = rows.map((band) =>
    band.map((cell) => cell.map(({ runs }) => runs).reduce<Run[]>((all, next) => joined(all, next), [])),
  );
  return { rows: withoutHeadColumns(cells) };
}

/** Returns the index of the column after which a text and others don't stand line by line; -1: none. */
export function asideAfter(columns: readonly (readonly Line[])[]): number {
  return columns.findIndex((_, index) => {
    const sides = [columns.slice(0, index + 1), columns.slice(index + 1)];
    return (
      sides[1]?.length && sharedAt(columns, index + 1) < sharedBaselines && sides.some((side) => side.some(isProse))
    );
  });
}

/** Moves heads that stand over two columns, and so in one of their own between them, to the first of the two. */
function withoutHeadColumns(rows: Cells): Cells {
  const has = (row: readonly Run[][], column: number) => (row[column] ?? []).length > 0;
  for (let column = (rows[0]?.length ?? 0) - 2; column > 0; column--) {
    const heads = rows.findIndex((row) => !has(row, column));
    const isHead = rows.every((row, at) => has(row, column) === at < heads);
    const isAlone = rows.slice(0, heads).every((row) => !has(row, column - 1) && !has(row, column + 1));
    if (heads < 1 || !isHead || !isAlone) continue;
    for (const [at, row] of rows.entries()) row.splice(column - 1, 2, row[at < heads ? column : column - 1] ?? []);
  }
  return rows;
}

/** Whether drawn lines may tell more about the rows of a table than its texts do: cells are empty, or have several lines. */
export function mayNeedRules(columns: readonly (readonly Piece[])[], gutters: readonly number[]): boolean {
  const bands = bandsOf(columns.map((pieces) => toRows(pieces).map(toLine)));
  return bands.some((band) => band.some((cell) => cell.length !== 1)) && 'rows' in tableOrTexts(columns, gutters, []);
}

/** For each column, the lines that stand beside each other. */
type Band = Line[][];

/** Divides columns where white space goes across all of them. */
function bandsOf(columns: readonly (readonly Line[])[]): Band[] {
  const all = columns
    .flatMap((lines, column) => lines.map((line) => ({ line, column })))
    .sort((one, other) => topOf(other.line) - topOf(one.line));
  const bands: Band[] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const { line, column } of all) {
    if (bands.length === 0 || topOf(line) <= bottom) {
      bands.push(columns.map(() => []));
      bottom = bottomOf(line);
    }
    bands.at(-1)?.[column]?.push(line);
    bottom = Math.min(bottom, bottomOf(line));
  }
  return bands;
}

const topOf = ({ y, size }: Line) => y + 0.7 * size;
const bottomOf = ({ y, size }: Line) => y - 0.2 * size;
const edgesOf = (band: Band) => {
  const lines = band.flat();
  return { top: Math.max(...lines.map(topOf)), bottom: Math.min(...lines.map(bottomOf)) };
};

/** Whether a line runs across a page rather than down it. */
const isAcross = ({ left, bottom, right, top }: Box) => right - left > top - bottom;

/** Whether the lines of a grid are drawn between two places: down beside each row, and across between two of them. */
export function areInGrid(rows: readonly Row[], left: number, right: number, rules: readonly Box[]): boolean {
  const near = rules.filter((each) => each.left <= right && each.right >= left);
  const [first = 0, last = 0] = [rows[0]?.y, rows.at(-1)?.y];
  const across = near.filter((each) => isAcross(each) && each.bottom < first && each.bottom > last);
  const goesOn = (one: Box, other: Box) => Math.abs(one.bottom - other.bottom) < 1 && other.left <= one.right + 1;
  return (
    rows.every(({ y, size }) => near.some(({ bottom, top }) => bottom <= y && top >= y + 0.7 * size)) &&
    across.some((one) => one.left <= left && across.some((other) => other.right >= right && goesOn(one, other)))
  );
}

/** Joins bands that no drawn line separates; undefined if too few lines are drawn. */
function ruledRows(bands: readonly Band[], rules: readonly Box[]): Band[] | undefined {
  if (rules.length === 0 || bands.every((band) => band.every((cell) => cell.length === 1))) return undefined;
  const edges = bands.map(edgesOf);
  const lines = bands.flat(2);
  const [left, right] = [Math.min(...lines.map((line) => line.left)), Math.max(...lines.map((line) => line.right))];
  const wide = rules.filter((rule) => isAcross(rule) && Math.min(rule.right, right) - Math.max(rule.left, left) > 0);
  const isRuled = (index: number) => {
    const [upper, lower] = [edges[index - 1], edges[index]];
    const across = wide.filter(({ bottom: y }) => upper && lower && y < upper.bottom + 2 && y > lower.top - 2);
    return (
      across.reduce((sum, rule) => sum + Math.min(rule.right, right) - Math.max(rule.left, left), 0) >
      0.6 * (right - left)
    );
  };
  const separators = bands.map((_, index) => index > 0 && isRuled(index));
  const count = separators.filter(Boolean).length;
  // A line below the header alone says nothing about the rows.
  if (count < 2 && bands.length > 2) return undefined;
  return count === 0 ? undefined : merged(bands, (index) => separators[index] === true);
}

/** Joins bands by the white space between them, if it is of two kinds: within cells, and between rows. */
function spacedRows(bands: readonly Band[], columns: readonly (readonly Line[])[]): Band[] | undefined {
  const edges = bands.map(edgesOf);
  const gaps = edges.slice(1).map(({ top }, index) => (edges[index]?.bottom ?? top) - top);
  if (gaps.length < 2) return undefined;
  const size = columns.flat()[0]?.size ?? 1;
  const least = Math.min(...gaps);
  const limit = Math.max(least * rowGap.ratio, least + 0.2 * size);
  const large = gaps.filter((gap) => gap > limit).length;
  if (large === 0 || large === gaps.length || least > rowGap.inCell * size) return undefined;
  const rows = merged(bands, (index) => (gaps[index - 1] ?? 0) > limit);
  // Columns of paragraphs have gaps too, but not at the same heights.
  if (isText(columns) && !areShort(rows)) return undefined;
  return rows.every((row) => isWrapped(row, columns)) ? rows : undefined;
}

function areShort(rows: readonly Band[]): boolean {
  const beside = rows.filter((row) => row.filter((cell) => cell.length > 0).length > 1);
  return (
    rows.length > 2 && beside.length >= 0.7 * rows.length && rows.flat().every((cell) => cell.length <= maxCellLines)
  );
}

/** Whether a row has cells of several lines only where text is broken: not two rows in one. */
function isWrapped(row: Band, columns: readonly (readonly Line[])[]): boolean {
  const several = row.filter((cell) => cell.length > 1);
  if (several.length === 0) return true;
  if (several.some((cell) => cell.every(({ text }) => !/\p{L}{2}/u.test(text)))) return false;
  const widths = columns.map((lines) => Math.max(...lines.map(({ left, right }) => right - left)));
  return row.some((cell, column) => cell.length > 1 && isFull(cell[0], widths[column] ?? 0));
}

function isFull(line: Line | undefined, width: number): boolean {
  return line !== undefined && line.right - line.left >= 0.6 * width;
}

/** Makes each band a row, except those that go on with the text of the one above. */
function continuedRows(bands: readonly Band[], columns: readonly (readonly Line[])[]): Band[] {
  const widths = columns.map((lines) => Math.max(...lines.map(({ left, right }) => right - left)));
  return merged(bands, (index) => {
    const [above, band] = [bands[index - 1], bands[index]];
    if (!above || !band || (band[0]?.length ?? 0) > 0) return true;
    return !band.every(
      (cell, column) =>
        cell.length === 0 ||
        (/\p{L}{2}/u.test(cell[0]?.text ?? '') && isFull(above[column]?.at(-1), widths[column] ?? 0)),
    );
  });
}

function merged(bands: readonly Band[], isSeparate: (index: number) => boolean): Band[] {
  const rows: Band[] = [];
  bands.forEach((band, index) => {
    const last = rows.at(-1);
    if (!last || isSeparate(index)) rows.push(band.map((cell) => [...cell]));
    else for (const [column, cell] of band.entries()) last[column]?.push(...cell);
  });
  return rows;
}

/** Returns the share of lines before a gutter, or behind it where those are fewer, that stand at the height of one on its other side. */
function sharedAt(columns: readonly (readonly Line[])[], index: number): number {
  const [some, others] = [columns.slice(0, index).flat(), columns.slice(index).flat()];
  const shared = some.filter((line) => others.some(({ y }) => Math.abs(y - line.y) < 0.15 * line.size)).length;
  return shared / Math.max(1, Math.min(some.length, others.length));
}

/** Whether columns are text that goes on from line to line, as in a newspaper. */
function isText(columns: readonly (readonly Line[])[]): boolean {
  const texts = columns.filter(isProse).length;
  return (
    texts > 0 && texts >= columns.length - 1 && columns.every((lines) => isProse(lines) || lines.length < prose.lines)
  );
}

/** Whether a column has the items of a list, which may go on in the next one. */
function isList(lines: readonly Line[]): boolean {
  const marked = lines.filter((line) => marksOf(line).length > 0);
  return marked.length > 1 && lines[0] === marked[0];
}

function isProse(lines: readonly Line[]): boolean {
  const goesOn = lines.slice(1).every(({ text }) => /^\p{Ll}/u.test(text));
  if (lines.length < (goesOn ? 2 : prose.lines)) return false;
  const width = Math.max(...lines.map(({ left, right }) => right - left));
  const full = lines.filter((line) => line.right - line.left >= prose.width * width).length;
  const words = lines.reduce((sum, { text }) => sum + text.split(' ').filter((word) => /\p{L}/u.test(word)).length, 0);
  return full >= prose.full * (lines.length - 1) && words / lines.length >= prose.words;
}
