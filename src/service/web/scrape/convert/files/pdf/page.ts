import { type Line, toLine, toRows } from './lines.ts';
import type { Box, Direction, Piece } from './pieces.ts';
import { regionsOf } from './regions.ts';
import { type Cells, tableOrTexts } from './tables.ts';

/** A part of a page, in the order in which it is read. */
export type Part = LinesPart | TablePart;

/** Lines below each other, in a column between two edges. */
export interface LinesPart {
  kind: 'lines';
  lines: Line[];
  left: number;
  right: number;
  /** Whether they start a column: text may go on from the one before. */
  startsColumn: boolean;
}

export interface TablePart {
  kind: 'table';
  rows: Cells;
  /** Size of its text. */
  size: number;
}

/** How deep columns are looked for within columns. */
const maxDepth = 12;

/** Divides a page into columns and tables before its lines are joined. */
export function partsOf(directions: readonly Direction[], rulesOf: (angle: number) => readonly Box[]): Part[] {
  const parts: Part[] = [];
  for (const { angle, pieces } of directions) divide(pieces, rulesOf(angle), parts, 0);
  return parts;
}

function divide(pieces: readonly Piece[], rules: readonly Box[], parts: Part[], depth: number): void {
  const left = pieces.reduce((least, piece) => Math.min(least, piece.left), Number.POSITIVE_INFINITY);
  const right = pieces.reduce((most, piece) => Math.max(most, piece.right), Number.NEGATIVE_INFINITY);
  let startsColumn = true;
  for (const region of regionsOf(toRows(pieces), rules)) {
    if (region.kind === 'flow') {
      parts.push({ kind: 'lines', lines: region.rows.map(toLine), left, right, startsColumn });
      startsColumn = false;
      continue;
    }
    const found = tableOrTexts(region.columns, region.gutters, rules);
    if ('rows' in found) parts.push({ kind: 'table', rows: found.rows, size: region.columns[0]?.at(-1)?.size ?? 0 });
    else if (depth < maxDepth) {
      divide(region.columns.slice(0, found.after + 1).flat(), rules, parts, depth + 1);
      divide(region.columns.slice(found.after + 1).flat(), rules, parts, depth + 1);
    }
    startsColumn = false;
  }
}
