import { blockStartAt, codeSpan, escapeText, isPlain, repeatedIn } from './escapes.ts';
import { isDelimited, type Mark, type Piece } from './inline-run.ts';

/** A character beside a delimiter, as CommonMark distinguishes them. */
type Beside = 'space' | 'punctuation' | 'letter';

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

/** What stands for a delimiter beside a text, which is none of its own signs. */
const beside = ',';

const lineBreaks = { paragraph: '  \n', heading: ' ', cell: '<br>' };

/** Writes the pieces of a paragraph, heading or cell. */
export function writeInline(pieces: readonly Piece[], kind: 'paragraph' | 'heading' | 'cell'): string {
  const inCell = kind === 'cell';
  const arePlain = pieces.every((piece) => piece.kind !== 'text' || isPlain(piece.text));
  if (arePlain && inCell && pieces.length === 1 && pieces[0]?.kind === 'text') return pieces[0].text;
  const delimiters = pieces.some(({ mark }) => isDelimited(mark)) ? delimitersOf(pieces) : [];
  const signs = (arePlain ? '' : signsIn(pieces, delimiters)) + (inCell ? '|' : '');
  let out = '';
  let links = 0;
  let isFirstLine = true;
  pieces.forEach((piece, at) => {
    if (piece.kind === 'text') out += textAt(piece.text, at);
    else if (piece.kind === 'code') out += codeSpan(piece.text, inCell);
    else if (piece.kind === 'break') out += lineBreaks[kind];
    else out += delimiters[at] ?? piece.text;
    if (piece.kind === 'break') isFirstLine = false;
    if (piece.mark?.kind === 'link') links += piece.kind === 'open' ? 1 : -1;
  });
  // A heading's own number signs at its end.
  return kind === 'heading' ? out.replace(/(^|[ \t])(#+)$/, '$1\\$2') : out;

  function textAt(text: string, at: number): string {
    const before = isLineEnd(pieces[at - 1]) ? '\n' : beside;
    const after = isLineEnd(pieces[at + 1]) ? '\n' : firstOf(pieces[at + 1]);
    let line = after === '\n' ? text : text + after;
    // The name in the definition of a link goes on over marks and lines.
    if (at === 0 && text.startsWith('['))
      line = pieces.map((piece) => (piece.kind === 'break' ? '\n' : piece.text)).join('');
    const start = kind === 'paragraph' && before === '\n' ? blockStartAt(line, isFirstLine) : -1;
    if (start === -1 && (arePlain || isPlain(text))) return text;
    const place = { signs: links > 0 ? `${signs}[` : signs, before: start === -1 ? before : beside, after };
    const rest = escapeText(start === -1 ? text : text.slice(start + 1), place);
    return start === -1 ? rest : `${text.slice(0, start)}\\${text[start]}${rest}`;
  }

  function isLineEnd(piece: Piece | undefined): boolean {
    return piece === undefined || (piece.kind === 'break' && !inCell);
  }
}

/** What could be delimiters in a paragraph. */
function signsIn(pieces: readonly Piece[], markup: readonly (string | undefined)[]): string {
  return repeatedIn(
    pieces.map(({ kind, text }, at) => (kind === 'text' ? text : kind === 'code' ? '`' : (markup[at] ?? ''))),
  );
}

/** What a piece begins with, as far as it tells how the text before it is read. */
function firstOf(piece: Piece | undefined): string {
  if (piece?.kind === 'raw') return piece.text[0] ?? beside;
  return piece?.kind === 'open' && piece.mark?.kind === 'link' ? '[' : beside;
}

/**
 * Chooses how each `strong`, `em` and `del` is written, by the rules of CommonMark for delimiter runs (6.2) and those of
 * GFM: what could not be read as that is written as HTML. Returns the markup of each piece that opens or closes one.
 */
function delimitersOf(pieces: readonly Piece[]): (string | undefined)[] {
  const written: (string | undefined)[] = [];
  const open: Pair[] = [];
  const pairs: Pair[] = [];
  pieces.forEach(({ kind, mark }, at) => {
    if (!isDelimited(mark)) return;
    if (kind === 'open') {
      for (const pair of open) pair.holdsMarks = true;
      const pair: Pair = { mark, from: at, to: at, outer: [...open], holdsMarks: false, delimiter: '' };
      open.push(pair);
      pairs.push(pair);
    } else {
      const pair = open.pop();
      if (pair) pair.to = at;
    }
  });
  for (const pair of pairs) {
    const { mark, from, to } = pair;
    pair.delimiter = candidates(pair).find((delimiter) => canBe(delimiter, pair, pieces, written)) ?? '';
    written[from] = pair.delimiter || `<${mark.kind}>`;
    written[to] = pair.delimiter || `</${mark.kind}>`;
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
  written: readonly (string | undefined)[],
): boolean {
  // Delimiters of one character beside each other would be read as one run.
  if ([from - 1, from + 1, to - 1, to + 1].some((at) => written[at]?.[0] === delimiter[0])) return false;
  const begin = flanking(before(pieces[from - 1]), after(pieces[from + 1]));
  const end = flanking(before(pieces[to - 1]), after(pieces[to + 1]));
  if (!begin.left || !end.right) return false;
  const isInside = outer.some((each) => each.delimiter[0] === delimiter[0]);
  // Inside a pair of the same character, it must not close the outer one, nor open another.
  if (isInside && (begin.right || end.left)) return false;
  if (!delimiter.startsWith('_')) return true;
  return (
    (!begin.right || before(pieces[from - 1]) === 'punctuation') &&
    (!end.left || after(pieces[to + 1]) === 'punctuation')
  );
}

function flanking(previous: Beside, next: Beside): { left: boolean; right: boolean } {
  return {
    left: next === 'letter' || (next === 'punctuation' && previous !== 'letter'),
    right: previous === 'letter' || (previous === 'punctuation' && next !== 'letter'),
  };
}

function before(piece: Piece | undefined): Beside {
  return besideOf(piece, [...(piece?.text.slice(-2) ?? '')].at(-1));
}

function after(piece: Piece | undefined): Beside {
  return besideOf(piece, [...(piece?.text.slice(0, 2) ?? '')][0]);
}

function besideOf(piece: Piece | undefined, character = ''): Beside {
  if (piece === undefined || piece.kind === 'break') return 'space';
  if (piece.kind !== 'text' || /^[\p{P}\p{S}]/u.test(character)) return 'punctuation';
  return /^[\p{Zs}\t\n\f\r]/u.test(character) ? 'space' : 'letter';
}
