/** What an inline element becomes: a delimiter, or the markup itself. */
export interface Mark {
  readonly kind: 'strong' | 'em' | 'del' | 'link' | 'tag';
  /** The name of the element that it comes from. */
  readonly name: string;
  readonly open: string;
  readonly close: string;
}

/** A part of a line of text. `raw` and `code` are not text that could be escaped. */
export interface Piece {
  kind: 'text' | 'raw' | 'code' | 'break' | 'open' | 'close';
  text: string;
  readonly mark: Mark | undefined;
}

/** Text whose elements are nested more deeply in marks than this has the outer ones only. */
const maxMarks = 12;
const whiteSpace = /[ \t\n\f\r]+/g;
const moreThanSpaces = /[\t\n\f\r]| {2}/;
/** White space that doesn't collapse. A delimiter beside it would be text. */
const fixedSpaces = '\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000';
const leadingFixed = new RegExp(`^[${fixedSpaces} ]+`);
const onlyFixed = new RegExp(`^[${fixedSpaces} ]$`);

/**
 * The text of a paragraph, heading or cell while it is read. White space collapses over the borders of elements as with
 * `white-space: normal` in CSS; marks hold what has text, and begin and end beside it.
 */
export class InlineRun {
  #pieces: Piece[] = [];
  readonly #marks: Mark[];
  /** How many of the marks have been written. */
  #written = 0;
  #space = false;
  #break = false;
  /** Written before the next piece: the sign of an item. */
  #sign = '';
  /** What was added to the last text. */
  #tail = '';

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
    let text = moreThanSpaces.test(source) ? source.replace(whiteSpace, ' ') : source;
    if (text.startsWith(' ')) {
      this.space();
      text = text.slice(1);
    }
    if (text === '') return;
    const ends = text.endsWith(' ');
    if (ends) text = text.slice(0, -1);
    if (this.#written < this.#marks.length) {
      const [fixed] = leadingFixed.exec(text) ?? [];
      if (fixed !== undefined) {
        this.#separate();
        this.#append(fixed);
        text = text.slice(fixed.length);
      }
    }
    if (text !== '') {
      this.#begin();
      this.#append(text);
    }
    this.#space = ends;
  }

  /** Adds code, whose white space at its ends shows. */
  code(source: string): void {
    let text = source;
    if (text.length > 1 && text.startsWith(' ') && this.#space) text = text.slice(1);
    if (text === '') return;
    this.#begin();
    const last = this.#pieces.at(-1);
    if (last?.kind === 'code') last.text += text;
    else this.#add('code', text);
  }

  /** Adds Markdown as it is. */
  raw(markdown: string): void {
    this.#add('raw', markdown);
  }

  /** Puts a sign before the next text, and nothing if there is none. */
  addSign(text: string): void {
    this.#sign += text;
  }

  dropSign(): void {
    this.#sign = '';
  }

  space(): void {
    const last = this.#pieces.at(-1);
    if (last?.kind === 'code' && last.text.length > 1 && last.text.endsWith(' ')) last.text = last.text.slice(0, -1);
    this.#space = true;
  }

  break(): void {
    this.#break = true;
  }

  open(mark: Mark): void {
    this.#marks.push(mark);
  }

  close(): void {
    if (this.#written < this.#marks.length) {
      this.#marks.pop();
      return;
    }
    this.#written--;
    this.#end(this.#marks.pop());
  }

  /** Whether a mark would add something: the same is not written twice, but as CSS and HTML have it, `em` in `em` is more. */
  takes({ kind, name }: Mark): boolean {
    if (this.#marks.length >= maxMarks) return false;
    const same = this.#marks.findLast((mark) => mark.kind === kind && (kind !== 'tag' || mark.name === name));
    return same === undefined || (same.name === name && (name === 'em' || name === 'strong'));
  }

  /** Returns the pieces and begins a new line or paragraph with the same marks; undefined if there is no text. */
  take(): Piece[] | undefined {
    while (this.#written > 0) this.#end(this.#marks[--this.#written]);
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#space = false;
    this.#break = false;
    this.#sign = '';
    return pieces.some(({ kind, text }) => kind !== 'text' || text.trim() !== '') ? pieces : undefined;
  }

  #add(kind: Piece['kind'], text: string): void {
    this.#begin();
    this.#pieces.push({ kind, text, mark: undefined });
  }

  #append(text: string): void {
    this.#tail = text;
    const last = this.#pieces.at(-1);
    if (last?.kind === 'text') last.text += text;
    else this.#pieces.push({ kind: 'text', text, mark: undefined });
  }

  #separate(): void {
    if (this.#pieces.length > 0) {
      if (this.#break) this.#pieces.push({ kind: 'break', text: '', mark: undefined });
      else if (this.#space) this.#append(' ');
    }
    this.#space = false;
    this.#break = false;
    if (this.#sign === '') return;
    this.#pieces.push({ kind: 'raw', text: this.#sign, mark: undefined });
    this.#sign = '';
  }

  #begin(): void {
    this.#separate();
    while (this.#written < this.#marks.length) {
      const mark = this.#marks[this.#written++];
      const last = this.#pieces.at(-1);
      // What ends and begins again at once goes on.
      if (last?.kind === 'close' && last.mark?.kind === mark?.kind && isDelimited(mark)) this.#pieces.pop();
      else this.#pieces.push({ kind: 'open', text: '', mark });
    }
  }

  #end(mark: Mark | undefined): void {
    const last = this.#pieces.at(-1);
    const fixed = last?.kind === 'text' && onlyFixed.test(this.#tail.at(-1) ?? '') ? fixedAtEnd(last.text) : '';
    if (last && fixed !== '') last.text = last.text.slice(0, -fixed.length);
    this.#pieces.push({ kind: 'close', text: '', mark });
    if (fixed !== '') this.#append(fixed);
  }
}

function fixedAtEnd(text: string): string {
  let length = text.length;
  while (length > 0 && onlyFixed.test(text[length - 1] ?? '')) length--;
  return text.slice(length);
}

/** Whether a mark is written with delimiters, which CommonMark reads only in some places. */
export function isDelimited(mark: Mark | undefined): boolean {
  return mark !== undefined && mark.kind !== 'link' && mark.kind !== 'tag';
}
