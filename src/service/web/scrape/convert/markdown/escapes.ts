import { decodeHTMLStrict } from 'entities';

/** What else is in the paragraph, heading or cell of a text: a delimiter alone means nothing. */
export interface Meanings {
  stars: boolean;
  underscores: boolean;
  backticks: boolean;
  tildes: boolean;
  inCell: boolean;
}

/** The characters beside a text; empty at the ends of a line. */
export interface Neighbors {
  before: string;
  after: string;
  inLink: boolean;
}

export const everyMeaning: Omit<Meanings, 'inCell'> = {
  ...{ stars: true, underscores: true, backticks: true, tildes: true },
};

const special = /[\\`*_~[\]<&|!]/;
const nextSpecial = /[\\`*_~[\]<&|!]/g;
const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/y;

/** Counts what could be delimiters in the texts of one paragraph. */
export function meaningsOf(texts: readonly string[], markup: string, inCell: boolean): Meanings {
  const has = (character: string) => {
    let runs = markup.includes(character) ? 1 : 0;
    for (const text of texts) {
      for (let at = text.indexOf(character); at !== -1 && runs < 2; at = text.indexOf(character, at))
        for (runs++; text[at] === character; ) at++;
    }
    return runs > 1;
  };
  return { stars: has('*'), underscores: has('_'), backticks: has('`'), tildes: has('~'), inCell };
}

/** Escapes each character of a text that would mean something at its place, and no other. */
export function escapeText(text: string, meanings: Meanings, { before, after, inLink }: Neighbors): string {
  if (!special.test(text)) return text;
  let out = '';
  let written = 0;
  let at = 0;
  for (;;) {
    nextSpecial.lastIndex = at;
    const found = nextSpecial.exec(text);
    if (found === null) return out + text.slice(written);
    const character = found[0];
    const from = found.index;
    at = from + 1;
    // Several of these are read together.
    if (character === '*' || character === '_' || character === '`' || character === '~')
      while (text[at] === character) at++;
    const previous = from > 0 ? (text[from - 1] ?? '') : before;
    const next = at < text.length ? (text[at] ?? '') : after;
    if (!means(character, previous, next, from)) continue;
    out += text.slice(written, from) + `\\${character}`.repeat(at - from);
    written = at;
  }

  function means(character: string, previous: string, next: string, from: number): boolean {
    switch (character) {
      case '*':
        return meanings.stars && !(isSpace(previous) && isSpace(next));
      case '_':
        return meanings.underscores && !(isSpace(previous) && isSpace(next)) && !(isLetter(previous) && isLetter(next));
      case '`':
        return meanings.backticks;
      case '~':
        return meanings.tildes && !(isSpace(previous) && isSpace(next));
      case '\\':
        return isPunctuation(next);
      case '[':
        return inLink || next === '^' || next === '!';
      case ']':
        return inLink || next === '(' || next === '[';
      case '<':
        return next === '/' || next === '!' || next === '?' || isAsciiLetter(next);
      case '!':
        return next === '[' && from === text.length - 1;
      case '|':
        return meanings.inCell;
      default:
        return (next === '#' || isAsciiLetter(next)) && isEntity(text, from);
    }
  }
}

function isEntity(text: string, at: number): boolean {
  entity.lastIndex = at;
  const [reference] = entity.exec(text) ?? [];
  return reference !== undefined && (reference[1] === '#' || decodeHTMLStrict(reference) !== reference);
}

/** What begins a block, at the beginning of a line (CommonMark 4 and 5, and the task lists of GFM). */
const blockStart =
  /^(?:#{1,6}(?=[ \t]|$)|>|[-+*](?=[ \t]|$)|([-*_])(?:[ \t]*\1)+[ \t]*$|`{3}|~{3}|\[[ xX]\](?=[ \t]|$)|\[[^\]]+\]:|\d{1,9}[.)](?=[ \t]|$))/;
/** What makes a heading or a table of the line above. */
const underline = /^(?:=+|[|: ]*-[-|: ]*)[ \t]*$/;

/** Characters of a line that are looked at. */
const longestStart = 500;

/** Returns how many characters of a line come before the one that has to be escaped there; -1: none. */
export function blockStartAt(line: string, isFirst: boolean): number {
  const start = line.slice(0, longestStart);
  const [found] = blockStart.exec(start) ?? (isFirst ? [] : (underline.exec(start) ?? []));
  if (found === undefined) return -1;
  return /^\d/.test(found) ? found.length - 1 : 0;
}

/** Writes a URL as the destination of a link. */
export function destination(url: string, inCell: boolean): string {
  const safe = url
    .replace(/[\s<>\\\p{Cc}]/gu, encodeURIComponent)
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/\|/g, inCell ? '%7C' : '|');
  return isBalanced(safe) ? safe : safe.replace(/[()]/g, '\\$&');
}

function isBalanced(url: string): boolean {
  let depth = 0;
  for (const character of url) {
    if (character === '(') depth++;
    else if (character === ')' && --depth < 0) return false;
    // Parsers need not read more than three levels.
    if (depth > 3) return false;
  }
  return depth === 0;
}

/** Writes the title of a link or image, with the space before it. */
export function titlePart(title: string | undefined, inCell: boolean): string {
  if (!title?.trim()) return '';
  const escaped = title
    .replace(/\\(?=[!-/:-@[-`{-~])|"|&(?=#?\w+;)/g, '\\$&')
    .replace(/[ \t\f]+/g, ' ')
    .replace(/\r?\n|\r/g, '&#10;');
  return ` "${inCell ? escaped.replaceAll('|', '\\|') : escaped}"`;
}

/** Writes a code span. */
export function codeSpan(text: string, inCell: boolean): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${fence}${pad}${inCell ? text.replaceAll('|', '\\|') : text}${pad}${fence}`;
}

function isSpace(character: string): boolean {
  return character === '' || character === ' ' || /^\s/.test(character);
}

function isLetter(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 128) return isAsciiLetter(character) || (code >= 48 && code < 58);
  return character !== '' && !/[\s\p{P}\p{S}]/u.test(character);
}

function isAsciiLetter(character: string): boolean {
  const code = character.charCodeAt(0) | 32;
  return code >= 97 && code < 123;
}

function isPunctuation(character: string): boolean {
  return /^[!-/:-@[-`{-~]/.test(character);
}
