import { lazy } from '../../../platform/lazy.ts';
import { parseLink, sectionOf, withoutWww } from '../scope/urls.ts';

const listed = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Words that can describe the content of a section as well as name one: `developer docs`, `migration guides`. */
const descriptive = listed('doc docs documentation material reference guide guides tutorial tutorials');
/** Sections that many sites have; they are assumed even if the site doesn't show them. */
export const wellKnown = listed(
  'help-center help-centre blog blogs doc docs documentation guide guides tutorial tutorials news pricing price prices faq faqs help support api apis reference references ' +
    'product products shop store catalog catalogue changelog changelogs releases about career careers jobs forum forums community admin ' +
    'login logout signin signup register account accounts cart checkout basket example examples articles posts press media events event terms ' +
    'legal privacy recipe recipes gallery portfolio projects project team contact services service solutions resources resource learn academy courses course ' +
    'customers case-studies whitepapers webinars podcast podcasts download downloads archive archives tags tag authors author ' +
    'search users user profile profiles wiki knowledge-base handbook manual manuals integrations plugins themes templates status security partners',
);

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
  named(words: readonly string[], within: readonly string[]): string[] | undefined;
  /** Whether the site shows the section of a pattern; anything goes if nothing is known about it. */
  shows(pattern: string): boolean;
  /** Returns the pattern of a section below the start that the site doesn't show. */
  assumed(words: readonly string[]): string;
}

const deepest = 3;
const maxPatterns = 5;
const languages = lazy(() => new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }));

export function createSiteSections(start: URL, siteUrls: readonly string[]): SiteSections {
  /** Path of a section -> its segments, in a comparable form. */
  const sections = new Map<string, string[]>();
  for (const link of siteUrls) {
    const url = parseLink(link);
    if (!url || withoutWww(url.hostname) !== withoutWww(start.hostname)) continue;
    const segments = url.pathname.split('/').filter((segment) => segment !== '');
    for (let depth = 1; depth <= Math.min(deepest, segments.length); depth++)
      sections.set(`/${segments.slice(0, depth).join('/')}`, segments.slice(0, depth).map(comparable));
  }
  const home = sectionOf(start.pathname);

  /** Returns the paths with the best rank: of those below the start, if there are any, the shallowest. */
  function find(words: readonly string[], within: readonly string[]): string[] {
    let best = 5;
    let found: string[] = [];
    for (const [path, segments] of sections) {
      if (within.length > 0 && !within.some((other) => path.startsWith(`${other}/`))) continue;
      const rank = rankOf(words, path, segments);
      if (rank < best) found = [];
      best = Math.min(best, rank);
      if (rank === best && rank < 5) found.push(path);
    }
    const below = found.filter((path) => path.startsWith(home));
    const candidates = below.length > 0 ? below : found;
    const levels = candidates.map((path) => path.split('/').length);
    return candidates.filter((_, index) => levels[index] === Math.min(...levels)).slice(0, maxPatterns);
  }

  return {
    isUnknown: siteUrls.length === 0,
    shows: (pattern) => siteUrls.length === 0 || [...sections.keys()].some((path) => patternOf(path) === pattern),
    named(words, within) {
      const parts = words.flatMap((word) => word.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
      const found = find(parts, within);
      const all = found.length > 0 || within.length === 0 ? found : find(parts, []);
      return all.length > 0 ? all.map(patternOf) : undefined;
    },
    assumed: (words) => patternOf(home + words.join('-')),
  };
}

/** Returns how well a path has this name: 0 as written, 1 in another form, 2 by all its segments, 3 by another name; 5 if it doesn't. */
function rankOf(words: readonly string[], path: string, segments: readonly string[]): number {
  const last = segments.at(-1) ?? '';
  const plain = words.map(comparable);
  const whole = comparable(words.join(''));
  // `/product` and `/products` can be two sections.
  const written = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (['-', '_', ''].some((joint) => words.join(joint) === written)) return 0;
  if (last === whole) return 1;
  // `API section of the docs` is `/docs/api`.
  if (words.length > 1 && plain.includes(last) && plain.every((word) => segments.includes(word))) return 2;
  const means = (word: string) =>
    word === last || synonyms.some((group) => group.includes(word) && group.includes(last));
  const isLanguage = /^[a-z]{2}$/.test(last) && languages().of(last)?.toLowerCase() === words.join(' ');
  if (means(whole) || (words.length > 1 && plain.every(means)) || isLanguage) return 3;
  const specific = words.filter((word) => !descriptive.has(word));
  const isName = specific.length < words.length && specific.some((word) => /\p{L}/u.test(word));
  return isName && rankOf(specific, path, segments) < 5 ? 4 : 5;
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

/** Returns the pattern of a path and everything below it. */
export function patternOf(path: string): string {
  return `^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(/|$)`;
}
