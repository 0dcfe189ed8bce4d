import { decodeHTMLStrict } from 'entities';

/** Where a text stands. */
export interface Place {
  /** Signs that mean something there: of `*_`~`, those that could be delimiters, `|` in a cell, and `[` in a link. */
  signs: string;
  /** What stands beside it; a line feed at the ends of a line. */
  before: string;
  after: string;
}

/** Where a character of a text means something (CommonMark 6, and GFM's footnotes), and where each sign does. */
const always = String.raw`\\(?=[!-/:-@[-\x60{-~])|\[(?=[\^!])|\](?=[([])|<(?=[/!?a-zA-Z])|&(?=#|[a-zA-Z])|!(?=\[$)`;
const unsafe: Readonly<Record<string, string>> = {
  '*': String.raw`(?<![\s*])\*+|\*+(?![\s*])`,
  // Not within a word.
  _: String.raw`(?<!_|[^\p{P}\p{S}])_+|(?<=\s)_+(?![\s_])|(?<=[^\s\p{P}\p{S}])_+(?=\s|(?!_)[\p{P}\p{S}])`,
  '~': String.raw`(?<![\s~])~+|~+(?![\s~])`,
  '`': '`+',
  '|': String.raw`\|`,
  '[': String.raw`[[\]]`,
};
const special = /[\\`*_~[\]<&|!]/;
const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/y;
const patterns = new Map<string, RegExp>();
/** The signs that could be delimiters, of which one alone means nothing. */
export const delimiters = '*_`~';

/** Whether nothing in a text would mean something, but at the beginning of a line. */
export function isPlain(text: string): boolean {
  return !special.test(text);
}

/** Returns those delimiters that texts and markup have more than one of. */
export function repeatedIn(texts: readonly string[]): string {
  const isRepeated = (sign: string) => {
    let runs = 0;
    for (const text of texts) {
      for (let at = text.indexOf(sign); at !== -1 && runs < 2; at = text.indexOf(sign, at))
        for (runs++; text[at] === sign; ) at++;
    }
    return runs > 1;
  };
  return [...delimiters].filter(isRepeated).join('');
}

/** Escapes each character of a text that would mean something at its place, and no other. */
export function escapeText(text: string, { signs, before, after }: Place): string {
  let pattern = patterns.get(signs);
  if (!pattern) {
    const meant = [always, ...[...signs].map((sign) => unsafe[sign])].join('|');
    pattern = new RegExp(`(?=${special.source})(?:${meant})`, 'gu');
    patterns.set(signs, pattern);
  }
  const around = before + text + after;
  const to = before.length + text.length;
  const escaped = around.replace(pattern, (found, at: number) => {
    const isBeside = at < before.length || at >= to;
    return isBeside || (found === '&' && !isEntity(around, at)) ? found : found.replace(/./g, '\\$&');
  });
  return escaped.slice(before.length, escaped.length - after.length);
}

function isEntity(text: string, at: number): boolean {
  entity.lastIndex = at;
  const [reference] = entity.exec(text) ?? [];
  return reference !== undefined && (reference[1] === '#' || decodeHTMLStrict(reference) !== reference);
}

/** What begins a block, at the beginning of a line (CommonMark 4 and 5, and the task lists of GFM). */
const blockStart =
  /^(?:#{1,6}(?=[ \t]|$)|>|[-+*](?=[ \t]|$)|([-*_])(?:[ \t]*\1)+[ \t]*$|`{3}|~{3}|\[[ xX]\](?=\s|$)|\[[^\]]+\]:|\d{1,9}[.)](?=[ \t]|$))/;
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
  return !/[()]/.test(safe) || isBalanced(safe) ? safe : safe.replace(/[()]/g, '\\$&');
}

/** Parsers need not read more than three levels of parentheses. */
function isBalanced(url: string): boolean {
  let depth = 0;
  for (const character of url) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    if (depth < 0 || depth > 3) return false;
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
  const fence = longerThan(text.match(/`+/g), 0);
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${fence}${pad}${inCell ? text.replaceAll('|', '\\|') : text}${pad}${fence}`;
}

/** Writes code as lines between two fences. */
export function fencedLines(text: string, language: string): string[] {
  const fence = longerThan(text.match(/^ {0,3}`{3,}/gm), 2);
  return [fence + language, ...(text === '' ? [] : text.split('\n')), fence];
}

function longerThan(runs: readonly string[] | null, least: number): string {
  return '`'.repeat((runs ?? []).reduce((most, run) => Math.max(most, run.trim().length), least) + 1);
}
