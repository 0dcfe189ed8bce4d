import { type Row, toRows } from './lines.ts';
import type { Piece } from './pieces.ts';

/** Rows at the top and at the bottom of a page that may be running heads, feet and page numbers. */
const edgeRows = 3;
/** They stand apart from the text by more than this many times the usual distance of its lines. */
const apart = 1.3;
/** Heights on two pages are the same within this many points. */
const sameHeight = 4;
/** They repeat on this many pages, or on two and this share of all. */
const repeated = { pages: 3, share: 0.4 };

/** Returns the pages without running heads, feet and page numbers: what stands at the same place of several pages, apart from the text. */
export function withoutRunning(pages: readonly (readonly Piece[])[]): Piece[][] {
  const candidates = pages.map((pieces) => candidatesOf(toRows(pieces)));
  const heights = new Map<string, number[]>();
  for (const rows of candidates) {
    for (const row of rows) {
      const key = keyOf(row);
      const known = heights.get(key);
      if (known) known.push(row.y);
      else heights.set(key, [row.y]);
    }
  }
  return pages.map((pieces, page) => {
    const running = new Set<Piece>();
    for (const row of candidates[page] ?? []) {
      const same = (heights.get(keyOf(row)) ?? []).filter((y) => Math.abs(y - row.y) <= sameHeight).length;
      if (same >= repeated.pages || (same >= 2 && same >= repeated.share * pages.length))
        for (const piece of row.pieces) running.add(piece);
    }
    const kept = pieces.filter((piece) => !running.has(piece));
    return kept.length > 0 ? kept : [...pieces];
  });
}

/** What is the same on each page: its text, but for numbers. */
function keyOf({ pieces }: Row): string {
  return pieces
    .map(({ text }) => text)
    .join(' ')
    .replaceAll(/\d+/g, '#')
    .replace(/^[ivxlc]+$/i, '#');
}

function candidatesOf(rows: readonly Row[]): Row[] {
  if (rows.length < 2) return [...rows];
  const gaps = rows.slice(1).map(({ y }, index) => (rows[index]?.y ?? y) - y);
  const usual = [...gaps].sort((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
  const size = [...rows].sort((one, other) => one.size - other.size)[Math.floor(rows.length / 2)]?.size ?? 0;
  const least = apart * (rows.length > 4 ? Math.min(usual, 1.6 * size) : 1.6 * size);
  const found: Row[] = [];
  for (const [from, step] of [
    [0, 1],
    [rows.length - 1, -1],
  ] as const) {
    const outer: Row[] = [];
    for (let index = from; outer.length < edgeRows; index += step) {
      const [row, next] = [rows[index], rows[index + step]];
      if (!row || !next || row.size > 1.15 * size) break;
      outer.push(row);
      if (Math.abs(row.y - next.y) <= least) continue;
      found.push(...outer.splice(0));
      // A second line of a head stands close to it, the text apart from both.
      if (found.length > 0) break;
    }
  }
  return found;
}
