/** What an inline element becomes: a delimiter, or the markup itself. */
export interface Mark {
  readonly kind: 'strong' | 'em' | 'del' | 'link' | 'tag';
  /** The name of the element that it comes from. */
  readonly name: string;
  readonly open: string;
  readonly close: string;
  /** Whether something has been written in it. */
  isWritten?: boolean;
}

/** A part of a line of text. `raw` and `code` are not text that could be escaped. */
export interface Piece {
  readonly kind: 'text' | 'raw' | 'code' | 'break' | 'open' | 'close';
  text: string;
  readonly mark: Mark | undefined;
}

/** Text whose elements are nested more deeply in marks than this has the outer ones only. */
const maxMarks = 12;
const whiteSpace = /[ \t\n\f\r]+/g;
const moreThanSpaces = /[\t\n\f\r]| {2}/;
/** White space, with that which doesn't collapse: a delimiter beside it would be text. */
const fixedSpaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;

/**
 * The text of a paragraph, heading or cell while it is read. White space collapses over the borders of elements as with
 * `white-space: normal` in CSS; marks hold what has text, and begin and end beside it.
 */
export class InlineRun {
  #pieces: Piece[] = [];
  readonly #marks: Mark[];
  /** How many of the marks have been written. */
  #written = 0;
  /** White space that is written before the next piece. */
  #space = '';
  #break = false;
  /** Written before the next piece: the sign of an item. */
  #sign = '';

  /** @param marks those that it is in */
  constructor(marks: readonly Mark[] = []) {
    this.#marks = [...marks];
  }

  get marks(): readonly Mark[] {
    return this.#marks;
  }

  /** Whether the next text begins a new line. */
  get isBroken(): boolean {
    return this.#break;
  }

  /** Whether white space would show nothing. */
  get isAtStart(): boolean {
    return this.#pieces.length === 0;
  }

  text(source: string): void {
    const text = moreThanSpaces.test(source) ? source.replace(whiteSpace, ' ') : source;
    let from = 0;
    let to = text.length;
    while (from < to && isSpace(text, from)) from++;
    while (to > from && isSpace(text, to - 1)) to--;
    if (from > 0) this.space(text.slice(0, from));
    if (from === to) return;
    this.#begin();
    this.#append(text.slice(from, to));
    this.#space = text.slice(to);
  }

  /** Adds code, whose white space at its ends shows. */
  code(source: string): void {
    const text = source.length > 1 && source.startsWith(' ') && this.#space.endsWith(' ') ? source.slice(1) : source;
    if (text === '') return;
    this.#begin();
    const last = this.#pieces.at(-1);
    if (last?.kind === 'code') last.text += text;
    else this.#add('code', text);
  }

  /** Adds Markdown as it is. */
  raw(markdown: string): void {
    this.#begin();
    this.#add('raw', markdown);
  }

  /** Puts a sign before the next text, also on another line if none has text yet. */
  addSign(text: string): void {
    this.#sign += text;
  }

  dropSign(): void {
    this.#sign = '';
  }

  space(text = ' '): void {
    const last = this.#pieces.at(-1);
    const collapses = text.startsWith(' ');
    if (collapses && last?.kind === 'code' && last.text.length > 1) last.text = last.text.replace(/ $/, '');
    this.#space += collapses && this.#space.endsWith(' ') ? text.slice(1) : text;
  }

  break(): void {
    if (!this.#break && this.#pieces.length > 0) this.#sign = '';
    this.#break = true;
    this.#space = '';
  }

  open(mark: Mark): void {
    this.#marks.push(mark);
  }

  close(): void {
    const mark = this.#marks.pop();
    if (this.#written <= this.#marks.length) return;
    this.#written--;
    this.#add('close', mark?.close, mark);
  }

  /** Whether a mark would add something: the same is not written twice, but as CSS and HTML have it, `em` in `em` is more. */
  takes({ kind, name }: Mark): boolean {
    if (this.#marks.length >= maxMarks) return false;
    const same = this.#marks.findLast((mark) => mark.kind === kind && (kind !== 'tag' || mark.name === name));
    return same === undefined || (same.name === name && (name === 'em' || name === 'strong'));
  }

  /** Returns the pieces, none without a text, and begins a new line or paragraph with the same marks. */
  take(): readonly Piece[] {
    while (this.#written > 0) {
      const mark = this.#marks[--this.#written];
      this.#add('close', mark?.close, mark);
    }
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#space = '';
    this.#break = false;
    return pieces;
  }

  #add(kind: Piece['kind'], text = '', mark?: Mark): void {
    this.#pieces.push({ kind, text, mark });
  }

  #append(text: string): void {
    const last = this.#pieces.at(-1);
    if (last?.kind === 'text') last.text += text;
    else this.#add('text', text);
  }

  /** Writes what stands before the next piece: white space, a sign, and the marks that it is in. */
  #begin(): void {
    const isFirst = this.#pieces.length === 0;
    if (this.#break && !isFirst) this.#add('break');
    const space = this.#break || isFirst ? this.#space.replace(/^ /, '') : this.#space;
    if (space !== '') this.#append(space);
    this.#space = '';
    this.#break = false;
    if (this.#sign !== '') this.#add('raw', this.#sign);
    this.#sign = '';
    while (this.#written < this.#marks.length) {
      const mark = this.#marks[this.#written++];
      if (mark) mark.isWritten = true;
      const last = this.#pieces.at(-1);
      // What ends and begins again at once goes on.
      if (last?.kind === 'close' && last.mark?.kind === mark?.kind && isDelimited(mark)) this.#pieces.pop();
      else this.#add('open', mark?.open, mark);
    }
  }
}

function isSpace(text: string, at: number): boolean {
  const character = text[at] ?? '';
  return character === ' ' || (character > '~' && fixedSpaces.test(character));
}

/** Whether a mark is written with delimiters, which CommonMark reads only in some places. */
export function isDelimited(mark: Mark | undefined): mark is Mark {
  return mark !== undefined && mark.kind !== 'link' && mark.kind !== 'tag';
}
