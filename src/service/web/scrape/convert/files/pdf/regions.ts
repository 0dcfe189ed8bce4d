import { type Row, toLine, toRows } from './lines.ts';
import { areMarks, isBullet, isSection } from './marks.ts';
import { type Box, isRightToLeft, type Piece } from './pieces.ts';
import { areInGrid, asideAfter } from './tables.ts';

/** A part of a page: text in one column, or columns beside each other. */
export type Region = { kind: 'flow'; rows: Row[] } | Columns;

export interface Columns {
  kind: 'columns';
  /** In the order in which they are read. */
  columns: Piece[][];
  /** Width of the gutter after each column but the last. */
  gutters: number[];
}

interface Interval {
  left: number;
  right: number;
}

/** A gutter is at least this many font sizes wide; one that only two rows have, so many. */
const gutterWidth = { many: 0.55, few: 1 };
/** Less white space than this many font sizes stands between a bullet and its text. */
const bulletGap = 2;
/** Rows that are looked at to find where a gutter ends, and those of a page with columns: pages have far fewer. */
const maxRows = { run: 500, page: 3000 };
/** Rows further apart than this many font sizes may be of two tables. */
const apart = 2.2;
/** Share of the texts beside a gutter that start, or end, at the same place. */
const alignedShare = 0.6;
/** Rows further apart than this many font sizes aren't beside each other. */
const besideSizes = 1;
/** A text that is further below columns than this many font sizes isn't part of one, nor is a row of a table. */
const farBelow = { text: 4, row: 1.9 };

/** Divides a page, or a column of it, where white space runs down beside text; what goes over the whole width ends it. */
export function regionsOf(rows: readonly Row[], rules: readonly Box[] = []): Region[] {
  const regions: Region[] = [];
  let flow: Row[] = [];
  const endFlow = () => {
    if (flow.length > 0) regions.push({ kind: 'flow', rows: flow });
    flow = [];
  };
  const page: Page = { rows, rules, free: rows.map(freeIn), known: new Map() };
  for (let index = 0; index < rows.length; ) {
    const row = rows[index] as Row;
    const found = rows.length <= maxRows.page ? guttersFrom(page, index) : undefined;
    if (!found) {
      flow.push(row);
      index++;
      continue;
    }
    endFlow();
    regions.push(divided(rows.slice(index, found.end), found.gutters));
    index = found.end;
  }
  endFlow();
  return regions;
}

function divided(rows: readonly Row[], gutters: readonly Interval[]): Columns {
  const columns: Piece[][] = Array.from({ length: gutters.length + 1 }, () => []);
  const all = rows.flatMap(({ pieces }) => pieces);
  for (const piece of all) {
    const index = gutters.findIndex(({ left, right }) => (piece.left + piece.right) / 2 < (left + right) / 2);
    columns[index < 0 ? gutters.length : index]?.push(piece);
  }
  const widths = gutters.map(({ left, right }) => right - left);
  if (!isRightToLeft(all.map(({ text }) => text).join(''))) return { kind: 'columns', columns, gutters: widths };
  return { kind: 'columns', columns: columns.reverse(), gutters: widths.reverse() };
}

interface Found {
  gutters: Interval[];
  /** The row after their last one. */
  end: number;
}

interface Page {
  rows: readonly Row[];
  rules: readonly Box[];
  /** White space of each row. */
  free: readonly Interval[][];
  /** What starts at rows that were looked at. */
  known: Map<number, Found | undefined>;
}

/** Returns the gutters that start at a row. */
function guttersFrom(page: Page, start: number): Found | undefined {
  if (!page.known.has(start)) page.known.set(start, findGutters(page, start));
  return page.known.get(start);
}

function findGutters(page: Page, start: number): Found | undefined {
  const { rows } = page;
  let free = page.free[start] ?? [];
  let end = start + 1;
  for (; end < Math.min(rows.length, start + maxRows.run); end++) {
    const row = rows[end] as Row;
    const next = common(free, page.free[end] ?? [], gutterWidth.many * row.size);
    const ended = free.filter(
      (each) => isInner(each) && !next.some(({ left, right }) => left < each.right && right > each.left),
    );
    if (ended.length > 0) {
      const run = rows.slice(start, end);
      const left = next.filter(isInner);
      if (left.length === 0) break;
      if (ended.some((each) => isGutter(each, run, 2)) && !left.some((each) => isTextAside(run, each))) break;
    }
    if (isOtherTable(page, start, end, free)) break;
    free = next;
  }
  const inner = free.filter(isInner);
  if (inner.length === 0) return undefined;
  const range = trimmedRange(rows, start, end, inner);
  if (range.start > start || range.end - range.start < 2) return undefined;
  const run = rows.slice(start, range.end);
  const gutters = page.free
    .slice(start, range.end)
    .reduce((one, other) => common(one, other, 0))
    .map((each) => ({ ...each, isGrid: isInner(each) && areInGrid(run, each.left, each.right, page.rules) }))
    .filter((each) => each.isGrid || (isInner(each) && isGutter(each, run)))
    .filter((each, index, all) => each.isGrid || !holdsMarks(run, all[index - 1]?.right, each, all.length === 1));
  // What seemed to stand beside a text may be the mark of an item.
  if (gutters.length === 0 || trimmedRange(rows, start, range.end, gutters).start > start) return undefined;
  return { gutters, end: range.end };
}

/** Whether text on one side of a gutter goes on from line to line, whatever stands on the other. */
function isTextAside(rows: readonly Row[], gutter: Interval): boolean {
  return asideAfter(divided(rows, [gutter]).columns.map((pieces) => toRows(pieces).map(toLine))) === 0;
}

/** Whether cells with other columns start at a row that is apart from those above. */
function isOtherTable(page: Page, start: number, at: number, free: readonly Interval[]): boolean {
  const { rows } = page;
  const [above, row] = [rows[at - 1] as Row, rows[at] as Row];
  if (above.y - row.y < apart * row.size || !free.some(isInner)) return false;
  const run = rows.slice(start, at);
  if (hasTexts(run)) return false;
  const gutters = free.filter((each) => isInner(each) && isGutter(each, run)).length;
  const below = gutters > 0 ? guttersFrom(page, at) : undefined;
  return below !== undefined && below.gutters.length !== gutters;
}

/** Whether most pieces are parts of sentences rather than cells. */
function hasTexts(rows: readonly Row[]): boolean {
  const pieces = rows.flatMap((row) => row.pieces);
  return pieces.filter(({ text }) => text.split(' ', 4).length === 4).length > 0.6 * pieces.length;
}

/** Whether text stands on both sides of white space: that at the margins is no gutter. */
function isInner({ left, right }: Interval): boolean {
  return Number.isFinite(left) && Number.isFinite(right);
}

/** White space of a row, with the margins. */
function freeIn({ pieces, size }: Row): Interval[] {
  const free: Interval[] = [];
  let left = Number.NEGATIVE_INFINITY;
  for (const [index, piece] of pieces.entries()) {
    const gap = (piece.left - left) / Math.min(size, piece.size);
    const isItem = index === 1 && gap < bulletGap && pieces[0]?.text.length === 1 && isBullet(pieces[0].text);
    if (gap >= gutterWidth.many && !isItem) free.push({ left, right: piece.left });
    left = Math.max(left, piece.right);
  }
  free.push({ left, right: Number.POSITIVE_INFINITY });
  return free;
}

function common(some: readonly Interval[], others: readonly Interval[], least: number): Interval[] {
  const found: Interval[] = [];
  for (const one of some) {
    for (const other of others) {
      const left = Math.max(one.left, other.left);
      const right = Math.min(one.right, other.right);
      if (right - left >= least) found.push({ left, right });
    }
  }
  return found;
}

/** Leaves out rows at both ends that aren't beside anything: titles above columns, and text after them. */
function trimmedRange(rows: readonly Row[], start: number, end: number, inner: readonly Interval[]) {
  const run = rows.slice(start, end);
  const size = commonSize(run);
  const isBeside = (index: number) => {
    const row = rows[index] as Row;
    const near = rows
      .slice(Math.max(start, index - 3), Math.min(end, index + 4))
      .filter((other) => Math.abs(other.y - row.y) <= besideSizes * size);
    return inner.some(({ left, right }) => {
      const sides = near
        .flatMap(({ pieces }) => pieces)
        .map((piece) => (piece.right <= left + 0.01 ? 1 : piece.left >= right - 0.01 ? 2 : 0));
      return sides.includes(1) && sides.includes(2);
    });
  };
  let first = start;
  while (first < end && !isBeside(first)) first++;
  let last = end;
  while (last > first && !isBeside(last - 1)) last--;
  const belongs = belonging(rows.slice(first, last), inner, size);
  while (first > start && belongs(rows[first - 1] as Row, rows[first])) first--;
  while (last < end && belongs(rows[last] as Row, rows[last - 1])) last++;
  return { start: first, end: last };
}

/** Returns whether a row, which isn't beside anything, is one of a column: that of a text goes on, a row of a table is near and aligned. */
function belonging(
  beside: readonly Row[],
  inner: readonly Interval[],
  size: number,
): (row: Row, near: Row | undefined) => boolean {
  const pieces = beside.flatMap((row) => row.pieces);
  const edges = [
    Number.NEGATIVE_INFINITY,
    ...inner.flatMap(({ left, right }) => [left, right]),
    Number.POSITIVE_INFINITY,
  ];
  const columns: (Interval & { own: Piece[] })[] = [];
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at] ?? 0, edges[at + 1] ?? 0];
    const own = pieces.filter(({ left, right }) => left >= from - 0.01 && right <= to + 0.01);
    const right = Math.max(...own.map((piece) => piece.right));
    columns.push({ own, left: Math.min(...own.map(({ left }) => left)), right });
  }
  const isText = hasTexts(beside) && beside.length > 2;
  return (row, near) => {
    if (Math.abs(row.y - (near?.y ?? row.y)) > (isText ? farBelow.text : farBelow.row) * size) return false;
    if (!isText && Math.abs(row.size - size) > 0.1 * size) return false;
    return row.pieces.every((piece) =>
      columns.some(({ own, left, right }, index) => {
        const end = isText
          ? (columns[index + 1]?.left ?? Number.POSITIVE_INFINITY) - gutterWidth.many * size
          : right + size;
        if (piece.left < left - size || piece.right > end) return false;
        return isText || own.some((other) => isAligned(piece, other, 0.3 * size));
      }),
    );
  };
}

function isAligned(one: Piece, other: Piece, near: number): boolean {
  const middle = (one.left + one.right - other.left - other.right) / 2;
  return [one.left - other.left, one.right - other.right, middle].some((distance) => Math.abs(distance) < near);
}

function commonSize(rows: readonly Row[]): number {
  const lengths = new Map<number, number>();
  for (const { pieces } of rows)
    for (const { size, text } of pieces) lengths.set(size, (lengths.get(size) ?? 0) + text.length);
  return [...lengths].sort((one, other) => other[1] - one[1])[0]?.[0] ?? 1;
}

/**
 * Whether white space is between columns rather than between the words of a paragraph: what follows it is aligned.
 * @param texts how many stand on each side at least
 */
function isGutter(gutter: Interval, rows: readonly Row[], texts = 1): boolean {
  const after: Piece[] = [];
  const before: Piece[] = [];
  let width = Number.POSITIVE_INFINITY;
  for (const { pieces } of rows) {
    const left = pieces.findLast(({ right }) => right <= gutter.left + 0.01);
    const right = pieces.find((piece) => piece.left >= gutter.right - 0.01);
    if (left) before.push(left);
    if (right) after.push(right);
    if (left && right) width = Math.min(width, right.left - left.right);
  }
  const least = Math.min(before.length, after.length);
  if (least < texts || before.length + after.length < 3) return false;
  const size = after[0]?.size ?? 1;
  const few = rows.length < 4 || least < 3;
  if (gutter.right - gutter.left < (few ? gutterWidth.few : gutterWidth.many) * size) return false;
  const aligned = [
    after.map(({ left }) => left),
    after.map(({ right }) => right),
    after.map(({ left, right }) => (left + right) / 2),
  ].some((places) => share(places, 0.5 * size) >= alignedShare);
  // White space as wide as this is never between the words of a line.
  return aligned || width > 3 * size;
}

/** Returns the largest share of places that are near each other. */
function share(places: readonly number[], near: number): number {
  const sorted = [...places].sort((one, other) => one - other);
  let most = 0;
  let from = 0;
  sorted.forEach((place, index) => {
    while (place - (sorted[from] ?? 0) > near) from++;
    most = Math.max(most, index - from + 1);
  });
  return most / Math.max(1, places.length);
}

/** Whether the column before a gutter has only the marks of a list. */
function holdsMarks(rows: readonly Row[], from = Number.NEGATIVE_INFINITY, gutter: Interval, isOnly: boolean): boolean {
  const texts = rows.flatMap(({ pieces }) =>
    pieces.filter(({ left, right }) => left >= from - 0.01 && right <= gutter.left + 0.01).map(({ text }) => text),
  );
  if (texts.length === 0 || !areMarks(texts, isOnly)) return false;
  // Decimals are before other numbers, and sections before their titles.
  return !texts.every(isSection) || rows.some((row) => row.pieces.some(({ text }) => /\p{L}/u.test(text)));
}
