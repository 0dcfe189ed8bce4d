import { delimitersOf } from './delimiters.ts';
import { blockStartAt, codeSpan, escapeText, type Meanings, meaningsOf } from './escapes.ts';
import { isDelimited, type Piece } from './inline-run.ts';

/** Where a text stands. */
export interface Place {
  kind: 'paragraph' | 'heading' | 'cell';
  lineBreak: string;
}

const plain = /^[^\\`*_~[\]<&|!]*$/;

/** Writes the pieces of a paragraph, heading or cell. */
export function writeInline(pieces: readonly Piece[], { kind, lineBreak }: Place): string {
  const inCell = kind === 'cell';
  const [only] = pieces;
  if (pieces.length === 1 && only?.kind === 'text' && plain.test(only.text))
    return finished(atLineStart(only.text, ''));
  const delimiters = pieces.some(({ mark }) => isDelimited(mark)) ? delimitersOf(pieces) : undefined;
  const meanings = meaningsIn();
  let out = '';
  let links = 0;
  let lines = 0;
  pieces.forEach((piece, at) => {
    switch (piece.kind) {
      case 'text':
        out += textAt(piece.text, at);
        break;
      case 'code':
        out += codeSpan(piece.text, inCell);
        break;
      case 'break':
        out += lineBreak;
        lines++;
        break;
      case 'raw':
        out += piece.text;
        break;
      default:
        if (piece.mark?.kind === 'link') links += piece.kind === 'open' ? 1 : -1;
        out += delimiters?.get(at) ?? (piece.kind === 'open' ? piece.mark?.open : piece.mark?.close) ?? '';
    }
  });
  return finished(out);

  function textAt(text: string, at: number): string {
    const previous = pieces[at - 1];
    const next = pieces[at + 1];
    const after = next === undefined ? '' : next.kind === 'break' ? (inCell ? '<' : '') : firstOf(next);
    const before = previous === undefined ? '' : previous.kind === 'break' && !inCell ? '' : '*';
    const isStart = before === '' && kind === 'paragraph';
    const start = isStart ? blockStartAt(text.length < 500 ? text + after : text, lines === 0) : -1;
    const neighbors = { before, after, inLink: links > 0 };
    if (start === -1) return escapeText(text, meanings, neighbors);
    const rest = escapeText(text.slice(start + 1), meanings, { ...neighbors, before: text[start] ?? '' });
    return `${text.slice(0, start)}\\${text[start]}${rest}`;
  }

  function atLineStart(text: string, after: string): string {
    const start = kind === 'paragraph' ? blockStartAt(text + after, true) : -1;
    return start === -1 ? text : `${text.slice(0, start)}\\${text.slice(start)}`;
  }

  /** A heading's own number signs at its end. */
  function finished(text: string): string {
    return kind === 'heading' ? text.replace(/(^|[ \t])(#+)$/, '$1\\$2') : text;
  }

  function meaningsIn(): Meanings {
    const texts: string[] = [];
    let markup = delimiters ? [...delimiters.values()].join('') : '';
    for (const { kind: each, text } of pieces) {
      if (each === 'text') texts.push(text);
      else if (each === 'code') markup += '`';
    }
    return meaningsOf(texts, markup, inCell);
  }
}

/** The first character of what a piece becomes, as far as it tells how the text before it is read. */
function firstOf({ kind, text, mark }: Piece): string {
  if (kind === 'text' || kind === 'raw') return text[0] ?? '';
  if (kind === 'code') return '`';
  return kind === 'open' && mark?.kind === 'link' ? '[' : '*';
}
