import { type Row, toRows } from './lines.ts';
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

interface Place {
  page: number;
  y: number;
}

/**
 * Returns the pages without running heads, feet and page numbers: what stands at the same place on pages that follow each other, apart from the
 * text, and is the same but for a number that counts the pages.
 */
export function withoutRunning(pages: readonly (readonly Piece[])[]): Piece[][] {
  const candidates = pages.map((pieces) => candidatesOf(toRows(pieces)));
  const places = new Map<string, Place[]>();
  candidates.forEach((rows, page) => {
    for (const row of rows) {
      for (const key of keysOf(row, page)) {
        const known = places.get(key);
        if (known) known.push({ page, y: row.y });
        else places.set(key, [{ page, y: row.y }]);
      }
    }
  });
  return pages.map((pieces, page) => {
    const isRunning = (row: Row) =>
      keysOf(row, page).some((key) => {
        const count = inSequence(places.get(key) ?? [], { page, y: row.y });
        return count >= repeated.pages || (count >= 2 && count >= repeated.share * pages.length);
      });
    const running = new Set((candidates[page] ?? []).filter(isRunning).flatMap((row) => row.pieces));
    const kept = pieces.filter((piece) => !running.has(piece));
    return kept.length > 0 ? kept : [...pieces];
  });
}

/** Returns on how many pages around one the same stands at the same height. */
function inSequence(places: readonly Place[], at: Place): number {
  const pages = [...new Set(places.filter(({ y }) => Math.abs(y - at.y) <= sameHeight).map(({ page }) => page))];
  const index = pages.indexOf(at.page);
  let [from, to] = [index, index];
  while ((pages[from] ?? 0) - (pages[from - 1] ?? Number.NEGATIVE_INFINITY) <= repeated.step) from--;
  while ((pages[to + 1] ?? Number.POSITIVE_INFINITY) - (pages[to] ?? 0) <= repeated.step) to++;
  return to - from + 1;
}

/** A row's text, and its text with each of its numbers as its distance from the page. */
function keysOf({ pieces }: Row, page: number): string[] {
  const text = pieces.map((piece) => piece.text).join(' ');
  if (/^[ivxlc]+$/i.test(text)) return [`#${romanValue(text) - page}`];
  const keys = [text];
  for (const match of text.matchAll(/\d{1,5}/g)) {
    keys.push(`${text.slice(0, match.index)}#${Number(match[0]) - page}${text.slice(match.index + match[0].length)}`);
  }
  return keys;
}

/** Returns the rows at the edges of a page that stand apart from its text. */
function candidatesOf(rows: readonly Row[]): Row[] {
  const middle = (values: number[]) =>
    values.sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 0;
  const size = middle(rows.map((row) => row.size));
  const gaps = rows.slice(1).map(({ y }, index) => (rows[index]?.y ?? y) - y);
  const least = apart * Math.min(gaps.length > 3 ? middle(gaps) : maxLeading * size, maxLeading * size);
  return [...edgeOf(rows, least, size), ...edgeOf(rows.toReversed(), least, size)];
}

function edgeOf(rows: readonly Row[], least: number, size: number): Row[] {
  const found: Row[] = [];
  for (let index = 0; index < Math.min(edgeRows, rows.length - 1); index++) {
    const [row, next] = [rows[index] as Row, rows[index + 1] as Row];
    if (row.size > 1.15 * size) return [];
    found.push(row);
    if (Math.abs(row.y - next.y) > least) return found;
  }
  return [];
}
