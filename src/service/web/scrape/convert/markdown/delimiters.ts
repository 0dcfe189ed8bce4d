import { isDelimited, type Mark, type Piece } from './inline-run.ts';

interface Pair {
  mark: Mark;
  from: number;
  to: number;
  /** The marks that it is in. */
  outer: Pair[];
  holdsMarks: boolean;
  /** Empty: it is written as HTML. */
  delimiter: string;
}

/** A character beside a delimiter, as CommonMark distinguishes them. */
type Beside = 'space' | 'punctuation' | 'letter';

/**
 * Chooses how each `strong`, `em` and `del` is written, by the rules of CommonMark for delimiter runs (6.2) and those of
 * GFM: what could not be read as that is written as HTML. Returns the markup of each piece that opens or closes a mark.
 */
export function delimitersOf(pieces: readonly Piece[]): ReadonlyMap<number, string> {
  const written = new Map<number, string>();
  const open: Pair[] = [];
  const pairs: Pair[] = [];
  pieces.forEach(({ kind, mark }, at) => {
    if (mark === undefined || !isDelimited(mark)) return;
    if (kind === 'open') {
      for (const pair of open) pair.holdsMarks = true;
      const pair: Pair = { mark, from: at, to: at, outer: [...open], holdsMarks: false, delimiter: '' };
      open.push(pair);
      pairs.push(pair);
    } else if (kind === 'close') {
      const pair = open.pop();
      if (pair) pair.to = at;
    }
  });
  for (const pair of pairs) {
    const { mark, from, to } = pair;
    pair.delimiter = candidates(pair).find((delimiter) => canBe(delimiter, pair, pieces, written)) ?? '';
    written.set(from, pair.delimiter || `<${mark.kind}>`);
    written.set(to, pair.delimiter || `</${mark.kind}>`);
  }
  return written;
}

function candidates({ mark, holdsMarks, outer }: Pair): string[] {
  if (mark.kind === 'del') return ['~~'];
  if (mark.kind === 'strong') return ['**', '__'];
  return holdsMarks || outer.length > 0 ? ['_', '*'] : ['*', '_'];
}

function canBe(
  delimiter: string,
  { from, to, outer }: Pair,
  pieces: readonly Piece[],
  written: ReadonlyMap<number, string>,
): boolean {
  // Delimiters of one character beside each other would be read as one run.
  if ([from - 1, from + 1, to - 1, to + 1].some((at) => written.get(at)?.[0] === delimiter[0])) return false;
  const begin = flanking(before(pieces, from), after(pieces, from));
  const end = flanking(before(pieces, to), after(pieces, to));
  if (!begin.left || !end.right) return false;
  const isInside = outer.some((each) => each.delimiter[0] === delimiter[0]);
  // Inside a pair of the same character, it must not close the outer one, nor open another.
  if (isInside && (begin.right || end.left)) return false;
  if (!delimiter.startsWith('_')) return true;
  return (!begin.right || before(pieces, from) === 'punctuation') && (!end.left || after(pieces, to) === 'punctuation');
}

function flanking(previous: Beside, next: Beside): { left: boolean; right: boolean } {
  return {
    left: next === 'letter' || (next === 'punctuation' && previous !== 'letter'),
    right: previous === 'letter' || (previous === 'punctuation' && next !== 'letter'),
  };
}

function before(pieces: readonly Piece[], at: number): Beside {
  const piece = pieces[at - 1];
  if (piece === undefined || piece.kind === 'break') return 'space';
  return piece.kind === 'text' ? kindOf(lastCharacter(piece.text)) : 'punctuation';
}

function after(pieces: readonly Piece[], at: number): Beside {
  const piece = pieces[at + 1];
  if (piece === undefined || piece.kind === 'break') return 'space';
  return piece.kind === 'text' ? kindOf(String.fromCodePoint(piece.text.codePointAt(0) ?? 32)) : 'punctuation';
}

function lastCharacter(text: string): string {
  const pair = text.codePointAt(text.length - 2);
  return pair !== undefined && pair > 0xffff ? String.fromCodePoint(pair) : text.slice(-1);
}

function kindOf(character: string): Beside {
  if (/^[\p{Zs}\t\n\f\r]/u.test(character)) return 'space';
  return /^[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'letter';
}
