import { decodeHTML } from 'entities';
import { decoded } from '../../../../contract/lenient-texts.ts';

/** What tells whether a page says something that others don't. */
export interface Wording {
  /** Hashes of pairs of neighboring words. The numbers of the page's URL count as one word, as do the names of months and weekdays if it has some. */
  pairs: Uint32Array;
  /** Equal for equal texts with equal images. */
  digest: string;
  /** Characters in words. */
  length: number;
  /** Its words and images in order, with `wordFlags`, to compare single ones; undefined if it has many. */
  words: Int32Array | undefined;
  /**
   * Hashes of pairs of neighboring words with the numbers as they are, sorted, without duplicates, and without blocks that only
   * link to the page itself or above it, such as "Back". A cell follows the one before it. Empty if there are too many.
   */
  said: Uint32Array;
  /** The same without its notices, if it has some that aren't much of it. */
  saidBeside?: Uint32Array;
  /** Whether it is of a text file, such as the Markdown of a page. */
  isFile?: boolean;
}

/** What a word is, besides its hash: a number or an id, and one that the page's URL says. */
export const wordFlags = { number: 1, own: 2 } as const;
const allFlags = wordFlags.number | wordFlags.own;

const maxPairs = 20_000;
const maxWords = 600;
const start = 0x811c9dc5 | 0;
const none = 0;
const digit = 1;
const letter = 2;
const kinds = Uint8Array.from({ length: 256 }, (_, code) =>
  /\d/.test(String.fromCharCode(code)) ? digit : /[a-z\u00c0-\u00ff]/i.test(String.fromCharCode(code)) ? letter : none,
);
const openTag = 60;
const slash = 47;
const zero = 48;
const colon = 58;
const space = 32;
/** Elements that don't divide words. */
const inline = new Set(
  'a abbr b bdi cite code em font i kbd mark q s small span strong sub sup time u var'.split(' ').map(hashOf),
);
const image = hashOf('img');
const link = hashOf('a');
const cells = new Set(['td', 'th', 'dt', 'dd'].map(hashOf));
const term = hashOf('dt');
const rows = new Set(['tr', 'dl'].map(hashOf));
/** How the HTML for comparing marks links to the page itself and above it. */
export const ownLink = '<a own>';
/** How it marks what a page may tell a visitor of the visit, as that something was added to the cart. */
export const noticeMarks = { start: '<!notice>', end: '<!/notice>' };
/** Share of a page that notices are at most. */
const maxNotices = 1 / 3;
/** What a page may write as it is, too. */
const reference = /&(?:amp|lt|gt|quot|apos|nbsp|#(?:0*(?:3[489]|60|62|160)|x0*(?:2[267]|3c|3e|a0)));/iy;
const ampersand = 38;
/** What a browser writes as the character that it stands for. */
const otherReference = /&(?!(?:amp|lt|gt|quot|apos|nbsp);)(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

/** Languages whose names of months and weekdays are known. */
const languages = 'en de es fr it nl pl pt'.split(' ');
let dateNames: ReadonlySet<number> | undefined;

/** The hashes of words in dates. */
function namesInDates(): ReadonlySet<number> {
  const names = new Set<number>();
  const days = Array.from({ length: 19 }, (_, index) =>
    index < 12 ? Date.UTC(2026, index) : Date.UTC(2026, 0, index),
  );
  for (const language of languages) {
    const format = new Intl.DateTimeFormat(language, {
      weekday: 'long',
      month: 'long',
      day: 'numeric',
      timeZone: 'UTC',
    });
    for (const day of days)
      for (const [name] of format.format(day).matchAll(/\p{L}{3,}/gu))
        for (const written of [name, name.slice(0, 3)])
          for (const each of [written, (written[0] ?? '').toUpperCase() + written.slice(1)]) names.add(hashOf(each));
  }
  return names;
}

/** Returns a page's content without its notices, unless they are much of it. */
function withoutNotices(content: string): string {
  const [before = '', ...notices] = content.split(noticeMarks.start);
  const without = notices.reduce((text, each) => text + each.slice(each.indexOf(noticeMarks.end)), before);
  return without.length < content.length * (1 - maxNotices) ? content : without;
}

/** Returns HTML with the characters that a browser would write, so that a page says the same whether it was rendered or not. */
function asShown(html: string): string {
  if (!html.includes('&')) return html;
  return html.replace(otherReference, (written) => {
    const shown = decodeHTML(written);
    return /[<>&]/.test(shown) ? written : shown;
  });
}

/** Reads the words of a page's content. Words of different blocks are no neighbors. */
export function wordingOf(written: string, url: string): Wording {
  const content = asShown(written);
  const rest = withoutNotices(content);
  const wording = wordsOf(content, url);
  return rest === content ? wording : { ...wording, saidBeside: wordsOf(rest, url).said };
}

function wordsOf(html: string, url: string): Wording {
  const own = new Set((pathOf(url).match(/\d+/g) ?? []).map((number) => hashOf(number.replace(/^0+(?=\d)/, ''))));
  const pairs = new Uint32Array(Math.min(maxPairs, html.length));
  const words = new Int32Array(maxWords);
  let count = 0;
  let wordCount = 0;
  /** Where the last word ended. */
  let end = -1;
  let digest = start;
  let other = 0;
  let length = 0;
  let previous = start;
  const said = new Uint32Array(pairs.length);
  let saidCount = 0;
  let previousSaid = start;
  /** What a block follows: the last word of the cell before its own. */
  let before = start;
  let lastSaid = start;
  /** Where the pairs of the block begin, and whether all of its words are in such links. */
  let blockAt = 0;
  let isAside = true;
  let inOwnLink = false;

  function endBlock(): void {
    if (isAside) saidCount = blockAt;
    blockAt = saidCount;
    isAside = true;
    previous = start;
    previousSaid = before;
  }

  function isInDate(hash: number): boolean {
    dateNames ??= namesInDates();
    return dateNames.has(hash);
  }

  /** Adds a word to those in order. The parts of an id or a number, such as 1,000, are one word. */
  function addInOrder(hash: number, isNumber: boolean, isOwn: boolean, from: number): void {
    const last = words[wordCount - 1] ?? 0;
    const goesOn = isNumber && (last & wordFlags.number) !== 0 && html.charCodeAt(end) > space;
    const isPart = from === end || (from === end + 1 && goesOn);
    if (!isPart && wordCount++ >= maxWords) return;
    const ownToo = isOwn && (!isPart || (last & wordFlags.own) !== 0);
    const flags = (isNumber || isPart ? wordFlags.number : 0) | (ownToo ? wordFlags.own : 0);
    words[wordCount - 1] = ((isPart ? mix(last, hash) : hash) & ~allFlags) | flags;
  }

  function add(hash: number, isOwn: boolean): void {
    digest = mix(digest, hash);
    other = (Math.imul(other, 31) + hash) | 0;
    const shown = isOwn ? 1 : hash;
    if (count < pairs.length) pairs[count++] = mix(previous, shown);
    previous = shown;
    if (saidCount < said.length) said[saidCount++] = mix(previousSaid, hash);
    previousSaid = hash;
    if (inOwnLink) return;
    isAside = false;
    lastSaid = hash;
  }

  for (let at = 0; at < html.length; ) {
    const code = html.charCodeAt(at);
    const kind = kindOf(code);
    if (kind !== none) {
      const from = at;
      let hash = start;
      // Numbers are equal with and without leading zeros.
      while (kind === digit && html.charCodeAt(at) === zero && kindOf(html.charCodeAt(at + 1)) === digit) at++;
      // A time is one word.
      for (
        let next = html.charCodeAt(at);
        kindOf(next) === kind || (next === colon && kind === digit && kindOf(html.charCodeAt(at + 1)) === digit);
        next = html.charCodeAt(++at)
      )
        hash = step(hash, next);
      length += at - from;
      const isOwn = kind === digit ? own.has(hash) : own.size > 0 && isInDate(hash);
      add(hash, isOwn);
      addInOrder(hash, kind === digit, isOwn, from);
      end = at;
    } else if (code === ampersand) {
      reference.lastIndex = at;
      at = reference.test(html) ? reference.lastIndex : at + 1;
    } else if (code !== openTag) at++;
    else {
      const from = at++;
      if (html.charCodeAt(at) === slash) at++;
      let name = start;
      for (let next = html.charCodeAt(at); kindOf(next) !== none; next = html.charCodeAt(++at)) name = step(name, next);
      at = html.indexOf('>', at) + 1 || html.length;
      if (name === image) {
        const shown = hashOf(html.slice(from, at));
        add(shown, false);
        addInOrder(shown, false, false, from);
      }
      if (name === link) inOwnLink = html.startsWith(ownLink, from);
      if (rows.has(name) || (name === term && html.charCodeAt(from + 1) !== slash)) before = lastSaid = start;
      else if (cells.has(name)) before = lastSaid;
      if (!inline.has(name)) endBlock();
    }
  }
  endBlock();
  return {
    said: saidCount < maxPairs ? unique(said.subarray(0, saidCount).sort()) : said.slice(0, 0),
    pairs: pairs.slice(0, count),
    digest: `${digest} ${other} ${length}`,
    length,
    words: wordCount > maxWords ? undefined : words.slice(0, wordCount),
  };
}

/** Returns the hashes of the words and numbers in a URL, without the bits of `wordFlags`: a page may repeat them. */
export function wordsIn(url: string): ReadonlySet<number> {
  return new Set(
    (decoded(pathOf(url)).match(/\d+|\p{L}+/gu) ?? []).map((word) => hashOf(word.replace(/^0+(?=\d)/, '')) >> 2),
  );
}

function unique(sorted: Uint32Array): Uint32Array {
  return sorted.filter((each, index) => index === 0 || each !== sorted[index - 1]);
}

/** Beyond Latin, almost everything but typographic quotes and dashes is part of a word. */
function kindOf(code: number): number {
  if (code >= 0x2010 && code <= 0x206f) return none;
  return code < 256 ? (kinds[code] ?? none) : code >= 256 ? letter : none;
}

function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? parsed.pathname + parsed.search : '';
}

function step(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** Returns a hash of a text, 32 bits. */
export function hashOf(text: string): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = step(hash, text.charCodeAt(at));
  return hash;
}

function mix(one: number, other: number): number {
  const hash = Math.imul(one ^ (one >>> 15), 0x2c1b3c6d) ^ other;
  return Math.imul(hash ^ (hash >>> 13), 0x297a2d39) ^ (hash >>> 16);
}
