import { goesOnIn } from './blocks.ts';
import { type Row, toLine, toRows } from './lines.ts';
import { romanValue } from './marks.ts';
import type { Piece } from './pieces.ts';

/** Rows at the top and at the bottom of a page that may be running heads, feet and page numbers. */
const edgeRows = 3;
/** They stand apart from the text by more than this many times the usual distance of its lines, which is at most so many font sizes. */
const apart = 1.3;
const maxLeading = 1.6;
/** Heights on two pages are the same within this many points. */
const sameHeight = 4;
/** They repeat on this many pages, each the next or, where left and right ones differ, the one after it; or on two that are this share of all. */
const repeated = { pages: 3, share: 0.4, step: 2 };

/** A row at the top or the bottom of a page. */
interface EdgeRow {
  row: Row;
  page: number;
  /** The page that it parts from the one before. */
  parts: number;
  /** Whether it is larger than the text, or stands with such a row: it may be a title, or belong to one. */
  large: boolean;
}

/**
 * Returns the pages without running heads, feet and page numbers: what stands at the same place on pages that follow each other, apart from the
 * text, and is the same but for a number that counts the pages. In larger type, sentences go on past it, but not past the title of each slide;
 * the first one stays, since it may be the title of the document.
 */
export function withoutRunning(pages: readonly (readonly Piece[])[]): Piece[][] {
  const rows = pages.map((pieces) => toRows(pieces));
  const edges = rows.flatMap(edgesOf).flatMap((edge) => keysOf(edge).map((key) => ({ ...edge, ...key })));
  const byKey = Map.groupBy(edges, ({ key }) => key);
  const least = Math.max(2, Math.min(repeated.pages, repeated.share * pages.length));
  const pagesOf = (edge: (typeof edges)[number]) => sequenceOf(byKey.get(edge.key) ?? [], edge);
  const repeats = edges.filter((edge) => pagesOf(edge).length >= least);
  const repeatedRows = new Set(repeats.map(({ row }) => row));
  const lines = rows.map((all) => all.filter((row) => !repeatedRows.has(row)).map(toLine));
  const isSplit = lines.map((after, page) => goesOnIn(lines[page - 1] ?? [], after));
  const isRunning = (edge: (typeof edges)[number]) => {
    const { row, page, parts, large, counts } = edge;
    // Cards have few rows, and may have large numbers that count them.
    if (!large || (counts && row === rows[page]?.slice(2 * edgeRows).at(-1))) return true;
    const on = pagesOf(edge);
    return on.some((other) => isSplit[other + parts - page]) && (counts || isSplit[parts] || page !== on[0]);
  };
  const running = new Set(repeats.filter(isRunning).flatMap(({ row }) => row.pieces));
  return pages.map((pieces) => {
    const kept = pieces.filter((piece) => !running.has(piece));
    return kept.length > 0 ? kept : [...pieces];
  });
}

/** Returns the pages around one on which the same stands at the same height. */
function sequenceOf(same: readonly EdgeRow[], { page: at, row: { y } }: EdgeRow): number[] {
  const pages = [...new Set(same.filter(({ row }) => Math.abs(row.y - y) <= sameHeight).map(({ page }) => page))];
  const index = pages.indexOf(at);
  let [from, to] = [index, index];
  while ((pages[from] ?? 0) - (pages[from - 1] ?? Number.NEGATIVE_INFINITY) <= repeated.step) from--;
  while ((pages[to + 1] ?? Number.POSITIVE_INFINITY) - (pages[to] ?? 0) <= repeated.step) to++;
  return pages.slice(from, to + 1);
}

/** A row's text, and its text with each of its numbers as its distance from the page. */
function keysOf({ row, page }: EdgeRow): { key: string; counts: boolean }[] {
  const text = row.pieces.map((piece) => piece.text).join(' ');
  if (/^[ivxlc]+$/i.test(text)) return [{ key: `#${romanValue(text) - page}`, counts: true }];
  const numbers = [...text.matchAll(/\d{1,5}/g)].map(({ 0: number, index }) => ({
    key: `${text.slice(0, index)}#${Number(number) - page}${text.slice(index + number.length)}`,
    counts: true,
  }));
  return [{ key: text, counts: false }, ...numbers];
}

/** Returns the rows at the edges of a page that stand apart from its text. */
function edgesOf(rows: readonly Row[], page: number): EdgeRow[] {
  const middle = (values: readonly number[]) =>
    values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 0;
  const size = middle(rows.map((row) => row.size));
  const gaps = rows.slice(1).map(({ y }, index) => (rows[index]?.y ?? y) - y);
  const least = apart * Math.min(gaps.length > 3 ? middle(gaps) : maxLeading * size, maxLeading * size);
  const edge = (inwards: readonly Row[], distances: readonly number[], parts: number) => {
    const found = inwards.slice(0, 1 + distances.findIndex((distance) => distance > least));
    const large = found.some((row) => row.size > 1.15 * size);
    return found.length > edgeRows ? [] : found.map((row) => ({ row, page, parts, large }));
  };
  return [...edge(rows, gaps, page), ...edge(rows.toReversed(), gaps.toReversed(), page + 1)];
}
