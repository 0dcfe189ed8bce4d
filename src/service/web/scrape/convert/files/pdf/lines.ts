import { isRightToLeft, type Piece } from './pieces.ts';

/** Text with one target of its link, if it has one. */
export interface Run extends Pick<Piece, 'href' | 'raised'> {
  text: string;
}

/** A line of text in one column. */
export interface Line extends Pick<Piece, 'text' | 'left' | 'right' | 'y' | 'rightToLeft'> {
  runs: Run[];
  /** Size of most of its text. */
  size: number;
  /** Its first word, if white space stands after it: it may be the mark of a list's item. */
  head: string | undefined;
  /** Where its text after the head starts; undefined without one. */
  textLeft: number | undefined;
  /** How far raised and lowered text makes it higher and deeper, in points. */
  rise: number;
  fall: number;
  /** Whether a mark is drawn before it. */
  marked: boolean;
  /** Whether it begins or ends with the value of a form's field. */
  filledIn: boolean;
  /** Whether it is in a font whose letters are of one width. */
  fixed: boolean;
}

/** A row: pieces on one baseline, from left to right. */
export interface Row {
  pieces: Piece[];
  y: number;
  size: number;
}

/** Pieces belong to one line if their baselines differ by at most this many font sizes. */
const baselineGap = 0.25;
/** Text that is raised or lowered is smaller than its neighbour, touches it, and is off its baseline by at most this many font sizes. */
const raised = { size: 0.9, gap: 0.35, offset: 0.65 };
/** A gap of more than this many font sizes separates two words. */
const wordGap = 0.15;
/** White space of more than this many font sizes stands between the mark of an item and its text. */
const headGap = 0.4;
/** An initial that hangs over several lines is this much larger than they are. */
const initialSize = 1.8;

/** The end of a sentence, or the number of a note after it. */
const ending =
  /(?:[.!?:;\u2026\u3002\uff01\uff1f\u061f\u06d4]["'\u201d\u2019\u00bb)\]]*|\p{L}[.!?]["'\u201d\u2019\u00bb)]*\d{1,3})$/u;

/** Whether a text ends as a sentence does. */
export function isEnded(text: string): boolean {
  return ending.test(text);
}

/** Returns the rows of a region, from the top. */
export function toRows(pieces: readonly Piece[]): Row[] {
  const rows: Row[] = [];
  for (const piece of [...pieces].sort((one, other) => other.y - one.y)) {
    const last = rows.at(-1);
    if (last && last.y - piece.y <= baselineGap * Math.min(last.size, piece.size)) {
      last.pieces.push(piece);
      last.size = Math.max(last.size, piece.size);
    } else rows.push({ pieces: [piece], y: piece.y, size: piece.size });
  }
  for (const row of rows) row.pieces.sort((one, other) => one.left - other.left);
  hangInitials(rows);
  attachRaised(rows);
  return rows.filter((row) => row.pieces.length > 0);
}

/** Moves superscripts and subscripts to the row of the text that they touch. */
function attachRaised(rows: Row[]): void {
  for (const [index, row] of rows.entries()) {
    for (const near of [...neighbours(rows, index, -1), ...neighbours(rows, index, 1)]) {
      const moved = row.pieces.filter((piece) => touches(piece, near));
      if (moved.length === 0) continue;
      row.pieces = row.pieces.filter((piece) => !moved.includes(piece));
      const raisedPieces = moved.map((piece) => ({ ...piece, raised: piece.y > near.y }));
      near.pieces = [...near.pieces, ...raisedPieces].sort((one, other) => one.left - other.left);
    }
  }
}

function neighbours(rows: readonly Row[], index: number, step: number): Row[] {
  const row = rows[index] as Row;
  const found: Row[] = [];
  for (let at = index + step; at >= 0 && at < rows.length; at += step) {
    const other = rows[at] as Row;
    if (Math.abs(other.y - row.y) > (raised.offset + baselineGap) * Math.max(other.size, row.size)) break;
    if (other.pieces.length > 0) found.push(other);
  }
  return found;
}

function touches(piece: Piece, { pieces, y, size }: Row): boolean {
  if (Math.abs(piece.y - y) > raised.offset * size || piece.size > raised.size * size) return false;
  return pieces.some(
    (other) =>
      Math.abs(other.y - y) <= baselineGap * other.size &&
      piece.size <= raised.size * other.size &&
      (Math.abs(piece.left - other.right) <= raised.gap * other.size ||
        Math.abs(other.left - piece.right) <= raised.gap * other.size),
  );
}

/** Moves an initial that is as high as several lines to the first of them. */
function hangInitials(rows: Row[]): void {
  rows.forEach((row, index) => {
    const initial = row.pieces.find(({ text, size }) => text.length === 1 && /\p{Lu}/u.test(text) && size === row.size);
    if (!initial) return;
    for (let at = 0; at <= index; at++) {
      const first = rows[at] as Row;
      if (first.y > initial.y + initial.size) continue;
      const beside = first.pieces.find(({ left }) => left >= initial.right - initial.size * 0.1);
      if (!beside || beside.size * initialSize > initial.size || beside.left - initial.right > initial.size) continue;
      first.pieces = first.pieces.map((each) => (each === beside ? { ...each, text: initial.text + each.text } : each));
      row.pieces = row.pieces.filter((each) => each !== initial);
      row.size = Math.max(0, ...row.pieces.map(({ size }) => size));
      return;
    }
  });
}

/** Joins the pieces of a row. */
export function toLine({ pieces, y, size: largest }: Row): Line {
  const rightToLeft = isRightToLeft(pieces.map(({ text }) => text).join(''));
  const runs: Run[] = [];
  let last: Piece | undefined;
  for (const piece of rightToLeft ? inLogicalOrder(pieces) : pieces) {
    const apart = last !== undefined && gapBetween(last, piece) > wordGap * Math.min(last.size, piece.size);
    // A number would be another one with its exponent or its note as digits.
    const isRaised = piece.raised && !apart && /\d[.,]?$/.test(runs.at(-1)?.text ?? '');
    add(runs, { text: apart ? ` ${piece.text}` : piece.text, href: piece.href, ...(isRaised && { raised: true }) });
    last = piece;
  }
  const [first, second] = pieces;
  const text = textOf(runs);
  const size = mainSize(pieces) || largest;
  const hasHead = first && second && gapBetween(first, second) > headGap * second.size && !/\s/.test(first.text);
  return {
    runs,
    text,
    left: first?.left ?? 0,
    right: Math.max(...pieces.map(({ right }) => right)),
    y,
    size,
    rightToLeft,
    head: hasHead ? first.text : undefined,
    textLeft: hasHead ? second.left : undefined,
    rise: Math.max(0, ...pieces.map((piece) => piece.y + piece.size - y - size)),
    fall: Math.max(0, ...pieces.map((piece) => y - piece.y)),
    marked: first?.marked === true,
    filledIn: first?.filledIn === true || pieces.at(-1)?.filledIn === true,
    fixed: pieces.some(({ fixed }) => fixed) && pieces.every(({ fixed }) => fixed !== false),
  };
}

/** Within a line from right to left, numbers and words of other scripts run from left to right. */
function inLogicalOrder(pieces: readonly Piece[]): Piece[] {
  const ordered: Piece[] = [];
  let run: Piece[] = [];
  for (const piece of [...pieces].reverse()) {
    if (piece.rightToLeft || isRightToLeft(piece.text) || !/[\p{L}\p{N}]/u.test(piece.text)) {
      ordered.push(...run, piece);
      run = [];
    } else run.unshift(piece);
  }
  return [...ordered, ...run];
}

function gapBetween(one: Piece, other: Piece): number {
  return Math.max(other.left - one.right, one.left - other.right);
}

function mainSize(pieces: readonly Piece[]): number {
  let main: Piece | undefined;
  for (const piece of pieces) if (!main || piece.text.length > main.text.length) main = piece;
  return main?.size ?? 0;
}

/** Adds text to runs, as a part of the last one if it has the same link and is as high. A space before a link isn't part of it. */
export function add(runs: Run[], { text, href, raised }: Run): void {
  const last = runs.at(-1);
  if (last && last.href === href && last.raised === raised) last.text += text;
  else if (last && last.href !== href && href !== undefined && text.startsWith(' ')) {
    add(runs, { text: ' ' });
    runs.push({ text: text.slice(1), href, raised });
  } else runs.push({ text, href, raised });
}

export function textOf(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join('');
}
