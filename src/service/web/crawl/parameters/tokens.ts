import { domainToUnicode } from 'node:url';
import { escaped, withoutWww } from '../scope/urls.ts';

/** A word, number, name or mark of a sentence, with its place in it. */
export interface Token {
  kind: 'word' | 'number' | 'path' | 'quoted' | 'file' | ',' | '&' | '-' | ':' | 'stop';
  /** The base form of a word, and what all others stand for: digits, a path, a file type. */
  value: string;
  /** As written, in lower case. */
  text: string;
  at: number;
  end: number;
}

/** The kinds of tokens, in the order in which they are tried. What none of them matches says nothing. */
const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['word', /https?:\/\/[^\s,;"')]*[^\s,;"').?!:]/],
  ['quoted', /"([^"\n]{1,200})"|(?<!\w)'([^'\n]{1,200})'(?!\w)|`([^`\n]{1,200})`/],
  ['file', /(?<![\w*.])\*?\.([a-z]\w{1,4})\b|\b(pdf|docx|xlsx?|pptx?|csv|zip)s?\b/],
  ['path', /(?<![\w*.])\/[\w\-.~%*@+/]*[\w*~%/]/],
  // `blog/news`, but not `and/or` or `2 pages/minute`. A longer name would be read anew from each of its dashes.
  ['path', /(?<![\w*.]|\d )(?!and\/or\b|w\/o\b)[\p{L}\p{N}_-]{1,100}(?:\/[\p{L}\p{N}_*.-]*[\p{L}\p{N}_*-])+\/?/u],
  // `version 1.x`, `2.0.1`, but not the date `12.05.2024`
  ['word', /(?<![\w.])(?!\d\d?\.\d\d?\.\d{4}(?!\d))\d+(?:(?:\.\d+)*(?:\.x)+|(?:\.\d+){2,})(?![\w.]?\w)/],
  ['number', /\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?/],
  ['word', /w\/o\b|[\p{L}\p{N}_]+(?:[.'][\p{L}\p{N}_]+)*/u],
  ['-', /(?<!\s)\s+[-\u2013\u2014]\s+|[()[\]]/],
  [',', /,/],
  [':', /:/],
  ['&', /[&+]|(?<=\s)[/|\u00B7\u2022](?=\s)/],
  // `-blog`, `!blog` and signs such as a cross can deny what follows: they are words that aren't known.
  ['word', /(?<![\p{L}\p{N}])[-!](?=[\p{L}/])|[^\P{S}=|`]/u],
  ['stop', /(?:(?<!\b(?:max|min|excl|incl))\.|[;!?\u2026])+/],
];
const anyToken = patterns.map(([, { source }], index) => `(?<_${index}>${source})`).join('|');
/** Short forms, and the words they stand for. Other endings, such as `'s` and `'ll`, say nothing here. */
const longForms = new Map(
  "can't=can not,cannot=can not,won't=will not,w/o=without,excl=excluding,incl=including,what's=whats,nor=and not,max=maximum"
    .split(',')
    .map((row) => row.split('=') as [string, string]),
);

/**
 * Returns the tokens of a line that starts `from` a place. `host`, with its port, and its `www` form are read as “this site”, or as
 * the path that follows. A URL of another site, or with a query, is a word that isn't known.
 */
export function tokensOf(line: string, host: string, from = 0): Token[] {
  const text = line.replace(/[\u2018\u2019]/g, "'").replace(/[\u201C\u201D]/g, '"');
  return [...text.matchAll(new RegExp(`${ownAddress(host)}|${anyToken}`, 'giu'))].flatMap((match): Token[] => {
    const written = match[0].toLowerCase();
    const end = match.index + match[0].length;
    const place = { at: from + match.index, end: from + end };
    const word = (form: string): Token => ({ kind: 'word', value: lemmaOf(form), text: form, ...place });
    const { own, path, ...others } = match.groups ?? {};
    if (own && !path) return ['this', 'site'].map(word);
    if (own && path)
      return [/[?#&]/.test(path) ? word(written) : { kind: 'path', value: path, text: written, ...place }];
    const [kind] = patterns[Object.values(others).findIndex((group) => group !== undefined)] ?? ['word'];
    if (kind === 'word') {
      if (written.replace(/'s$/, '') === host.replace(/:\d+$/, '')) return ['this', 'site'].map(word);
      const negated = /^(do|does|did|is|are|was|should|must|need|would|could|have|has)n'?t$/.exec(written);
      const long = longForms.get(written) ?? negated?.[1]?.concat(' not');
      return (long ?? written.replace(/'\w{1,2}$/, '')).split(' ').map(word);
    }
    const value = match.slice(3).findLast((group) => group !== undefined) ?? '';
    // A path can be quoted, too.
    const [quoted, ...more] = kind === 'quoted' ? tokensOf(value, host) : [];
    if (quoted?.kind === 'path' && more.length === 0) return [{ ...quoted, text: written, ...place }];
    const plain = kind === 'number' ? value.replaceAll(',', '') : kind === 'file' ? value.toLowerCase() : value;
    return [{ kind, value: plain, text: written, ...place }];
  });
}

/** Returns the pattern of an address of the site. A host without dots is a word as well, unless a scheme or port tells. */
function ownAddress(host: string): string {
  const [name = '', port] = withoutWww(host).split(/:(?=\d+$)/);
  const names = [name, domainToUnicode(name)].filter(Boolean).map(escaped).join('|');
  const ports = port ? `:${port}` : '(?::(?:80|443))?';
  const isWord = !name.includes('.');
  const address = `(?:https?://)${isWord && !port ? '' : '?'}(?:www\\.)?(?:${names})${ports}(?!\\.?[\\w-]|:\\d)`;
  return `(?<own>(?<![\\w.@/-])${address}(?:'s\\b)?)(?<path>/[^\\s,;"')]*[^\\s,;"').?!:\\u2026/])?/?`;
}

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety';
const numbers = new Map([
  ...small.split(' ').map((word, index) => [word, index] as const),
  ...tens.split(' ').map((word, index) => [word, (index + 2) * 10] as const),
  ...Object.entries({ couple: 2, half: 0.5 }),
]);
const scales = new Map(Object.entries({ dozen: 12, k: 1000, hundred: 100, thousand: 1000, million: 1_000_000 }));

/** Returns the number that starts with these tokens, such as `two hundred and fifty`, and how many of them it takes. */
export function numberOf(tokens: readonly Token[]): { value: number; length: number } | undefined {
  let [total, current, length] = [0, 0, 0];
  for (const [index, { kind, text, value }] of tokens.entries()) {
    const number = kind === 'number' ? (index === 0 ? Number(value) : undefined) : numbers.get(text);
    const scale = kind === 'word' ? scales.get(text.replace(/s$/, '')) : undefined;
    const isNext = length === 0 || (number ?? 1) < 1 || (current % 10 === 0 && (number ?? 0) < 100);
    const scaled = (length === 0 ? 1 : current) * (scale ?? 1);
    if (scale !== undefined) [total, current] = scale >= 1000 ? [total + scaled, 0] : [total, scaled];
    else if (number !== undefined && isNext) current += number;
    // `two hundred and fifty`, `one and a half`, `half a dozen`
    else if (length > 0 && (text === 'and' || text === 'a')) continue;
    else break;
    length = index + 1;
  }
  return length > 0 ? { value: total + current, length } : undefined;
}

/** Returns the form under which a word's plural, `-ing` and `-ed` forms are the same word. */
export function lemmaOf(word: string): string {
  // No word is that long, and the forms of one would take a moment to find.
  if (word.length < 4 || word.length > 60) return word;
  const single = word.replace(/ies$/, 'y').replace(/(?<=(?:ss|sh|ch|x))es$|(?<=[^su])s$/, '');
  const base = /^(.*[aeiouy].*)(?:ing|(?<=...)ed)$/.exec(single)?.[1];
  const plain = base
    ?.replace(/([bdfgklmnprt])\1$/, '$1')
    .replace(/(?<=...)e$/, '')
    .replace(/^us$/, 'use');
  const stem = plain ?? (single.length < 4 ? single : single.replace(/e$/, ''));
  // “notes” isn't “not”.
  return /^(?:not|non|but|for|per|off|out)$/.test(stem) ? word : stem;
}
