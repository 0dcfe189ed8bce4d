import { parseLink, sectionOf, withoutWww } from '../../scope/urls.ts';

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
   * Returns the patterns of the sections with this name, and the words of the name that they stand for. If the site has
   * none, assumes one below the start when the name is `sure` to be a section.
   */
  named(name: string, sure: boolean): { patterns: string[]; used: ReadonlySet<string> };
}

const deepest = 3;
const maxPatterns = 5;

export function createSiteSections(start: URL, siteUrls: readonly string[]): SiteSections {
  /** Path of a section -> its last segment, in a comparable form. */
  const paths = new Map<string, string>();
  const host = withoutWww(start.hostname);
  for (const link of siteUrls) {
    const url = parseLink(link);
    if (!url || withoutWww(url.hostname) !== host) continue;
    const segments = url.pathname.split('/').filter((segment) => segment !== '');
    for (let depth = 1; depth <= Math.min(deepest, segments.length); depth++) {
      paths.set(`/${segments.slice(0, depth).join('/')}`, comparable(segments[depth - 1] ?? ''));
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

  function withSegment(wanted: readonly string[]): string[] {
    return nearest([...paths].filter(([, segment]) => wanted.includes(segment)).map(([path]) => path));
  }

  /** Returns the paths whose last segment is written exactly like this: `/product` and `/products` can be two sections. */
  function written(words: readonly string[]): string[] {
    const wanted = [words.join('-'), words.join('_'), words.join('')];
    return nearest([...paths.keys()].filter((path) => wanted.includes(lastSegment(path))));
  }

  /** Returns the paths of a word, or of another name for the same. */
  function withName(words: readonly string[]): string[] | undefined {
    const whole = comparable(words.join(''));
    return first(written(words), withSegment([whole]), withSegment(synonymsOf([whole])));
  }

  /** Returns the paths with the most of several words, one of them at the end: `API section of the docs` is `/docs/api`. */
  function withMost(words: readonly string[]): string[] {
    if (words.length < 2) return [];
    const counted = [...paths]
      .filter(([, segment]) => words.includes(segment))
      .map(([path]) => ({ path, count: countWords(path, words) }));
    const most = Math.max(0, ...counted.map(({ count }) => count));
    return nearest(counted.filter(({ count }) => count === most).map(({ path }) => path));
  }
  const countWords = (path: string, words: readonly string[]) =>
    new Set(
      path
        .split('/')
        .map(comparable)
        .filter((segment) => words.includes(segment)),
    ).size;

  return {
    isUnknown: siteUrls.length === 0,
    named(name, sure) {
      const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      const none = { patterns: [], used: new Set<string>() };
      if (words.length === 0) return none;
      const all = new Set(name.toLowerCase().split(' '));
      const whole = comparable(words.join(''));
      const parts = words.map(comparable).filter((word) => word.length > 1);
      const found = first(written(words), withSegment([whole]), withMost(parts), withSegment(synonymsOf([whole])));
      if (found) {
        const segments = found.flatMap((path) => path.split('/').map(comparable));
        const covered = segments.includes(whole) || withSegment(synonymsOf([whole])).includes(found[0] ?? '');
        const used = [...all].filter((word) => covered || segments.includes(comparable(word)));
        return { patterns: found.map(patternOf), used: new Set(used) };
      }
      if (sure) return { patterns: [patternOf(home + words.join('-'))], used: all };
      const each = words.map((word) => ({ word, found: words.length > 1 ? (withName([word]) ?? []) : [] }));
      const known = each.filter((one) => one.found.length > 0).map(({ word }) => word);
      const patterns = each.flatMap((one) => one.found);
      return { patterns: [...new Set(patterns)].map(patternOf), used: new Set(known) };
    },
  };
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

function first(...lists: string[][]): string[] | undefined {
  return lists.find((list) => list.length > 0);
}

function synonymsOf(words: readonly string[]): string[] {
  return synonyms.filter((group) => group.some((word) => words.includes(word))).flat();
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
