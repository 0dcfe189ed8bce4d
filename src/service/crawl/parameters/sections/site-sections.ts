import { parseLink, sectionOf, withoutWww } from '../../scope/urls.ts';
import { descriptive } from './section-names.ts';

/** Names that sites use for the same thing. */
const synonyms: readonly (readonly string[])[] = [
  ['doc', 'documentation', 'manual', 'handbook'],
  ['faq', 'frequentlyaskedquestion'],
  ['help', 'support', 'helpcenter', 'helpcentre', 'knowledgebase'],
  ['about', 'aboutu', 'company'],
  ['contact', 'contactu'],
  ['career', 'job'],
  ['shop', 'store', 'product', 'catalog', 'catalogue'],
  ['changelog', 'releasenote', 'release', 'whatnew'],
  ['login', 'signin'],
  ['press', 'pressrelease', 'newsroom', 'media'],
  ['cart', 'basket', 'shoppingcart', 'shoppingbasket'],
  ['signup', 'register'],
  ['blog', 'post', 'article'],
  ['guide', 'tutorial', 'howto'],
  ['pricing', 'price', 'plan'],
  ['api', 'apireference', 'apidoc', 'reference'],
];

/** The sections of a site, derived from its URLs. */
export interface SiteSections {
  /** Whether nothing is known about the site. */
  readonly isUnknown: boolean;
  /**
   * Returns the patterns of the sections with this name, of those below `within` if any is; undefined if there are none.
   * Every word counts: `migration guides` isn't `/guides`.
   */
  named(words: readonly string[], within?: readonly string[]): string[] | undefined;
  /** Returns the patterns of the sections with this name below other paths; undefined if there are none. */
  namedBelow(words: readonly string[], paths: readonly string[]): string[] | undefined;
  /** Returns the pattern of a section below the start that the site doesn't show. */
  assumed(words: readonly string[]): string;
}

const deepest = 3;
const maxPatterns = 5;

export function createSiteSections(start: URL, siteUrls: readonly string[]): SiteSections {
  /** Path of a section -> its segments, in a comparable form. */
  const sections = new Map<string, string[]>();
  const host = withoutWww(start.hostname);
  for (const link of siteUrls) {
    const url = parseLink(link);
    if (!url || withoutWww(url.hostname) !== host) continue;
    const segments = url.pathname.split('/').filter((segment) => segment !== '');
    for (let depth = 1; depth <= Math.min(deepest, segments.length); depth++) {
      const path = segments.slice(0, depth);
      sections.set(`/${path.join('/')}`, path.map(comparable));
    }
  }
  const home = sectionOf(start.pathname);

  /** Returns the paths below the start, or all if none are, and of those the shallowest. */
  function nearest(all: readonly string[]): string[] {
    const below = all.filter((path) => path.startsWith(home));
    const candidates = below.length > 0 ? below : all;
    const levels = candidates.map((path) => path.split('/').length);
    return candidates.filter((_, index) => levels[index] === Math.min(...levels)).slice(0, maxPatterns);
  }

  function search(words: readonly string[], within: readonly string[] | undefined): string[] {
    const known = [...sections].filter(([path]) => within?.some((other) => path.startsWith(`${other}/`)) ?? true);
    const paths = (matches: (segments: readonly string[]) => boolean) =>
      nearest(known.filter(([, segments]) => matches(segments)).map(([path]) => path));
    const plain = words.map(comparable).filter((word) => word.length > 1);
    const whole = comparable(words.join(''));
    const named = paths((segments) => segments.at(-1) === whole);
    // `/product` and `/products` can be two sections.
    const spellings = [words.join('-'), words.join('_'), words.join('')];
    const exact = named.filter((path) => spellings.includes(path.slice(path.lastIndexOf('/') + 1).toLowerCase()));
    /** `API section of the docs` is `/docs/api`. */
    const withAll = (segments: readonly string[]) =>
      plain.length > 1 && plain.includes(segments.at(-1) ?? '') && plain.every((word) => segments.includes(word));
    const others = synonymsOf(whole);
    return (
      first(
        exact,
        named,
        paths(withAll),
        paths((segments) => others.includes(segments.at(-1) ?? '')),
      ) ?? []
    );
  }

  function find(words: readonly string[], within: readonly string[] | undefined): string[] {
    const found = search(words, within);
    if (found.length > 0 || words.length < 2) return found;
    const specific = words.filter((word) => !descriptive.has(word));
    const isName = specific.some((word) => /\p{L}/u.test(word));
    if (isName && specific.length < words.length) return find(specific, within);
    // `product catalogue`: two names for the same.
    const [name = '', ...more] = words.map(comparable);
    return more.every((word) => synonymsOf(name).includes(word)) ? search(words.slice(0, 1), within) : [];
  }

  return {
    isUnknown: siteUrls.length === 0,
    named: (words, within = []) =>
      first(within.length > 0 ? find(partsOf(words), within) : [], find(partsOf(words), undefined))?.map(patternOf),
    namedBelow: (words, paths) => first(find(partsOf(words), paths))?.map(patternOf),
    assumed: (words) => patternOf(home + words.join('-')),
  };
}

function partsOf(words: readonly string[]): string[] {
  return words.flatMap((word) => word.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function first(...lists: string[][]): string[] | undefined {
  return lists.find((list) => list.length > 0);
}

function synonymsOf(word: string): string[] {
  return synonyms.filter((group) => group.includes(word)).flat();
}

/** Returns a text in lower case, without separators and plural endings. */
function comparable(text: string): string {
  let plain = text.toLowerCase();
  try {
    plain = decodeURIComponent(plain);
  } catch {
    // Keep it as written.
  }
  plain = plain.replace(/\.(?:html?|php|aspx?)$/, '').replace(/[^\p{L}\p{N}]/gu, '');
  return plain.length > 3 ? plain.replace(/ies$/, 'y').replace(/(?<!s)s$/, '') : plain;
}

function patternOf(path: string): string {
  return `^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(/|$)`;
}
