/** How the URL of a page that stands in for another one differs from that of the other: by a run of parts of its path. */
interface Rule {
  /** The origin of the other one. */
  origin: string;
  /** How many parts come before the run, and how many are in it. */
  before: number;
  run: number;
  /** The part after the run, unless that is the last one, which names the page. */
  next: string | undefined;
  keepsQuery: boolean;
  right: number;
  wrong: number;
  /** The last page named by it: parts of a list that name the list as their own don't stand in for pages. */
  last: string;
}

/** How often a rule has to be right to be relied on, and for each time that it is wrong. */
const enough = { right: 3, perWrong: 10 };
const maxRules = 2_000;
const maxFound = 100_000;

const partsOf = (pathname: string) => pathname.split('/').filter((part) => part !== '');

/** Returns a URL whether its path ends with a slash or not. */
const plain = ({ origin, pathname, search }: URL) => `${origin}/${partsOf(pathname).join('/')}${search}`;

/** Returns which run of parts the path of a URL has besides those of another one; undefined if they differ in more, or the other has none. */
export function runBesides(url: URL, other: URL): Pick<Rule, 'before' | 'run'> | undefined {
  const [parts, others] = [partsOf(url.pathname), partsOf(other.pathname)];
  const run = parts.length - others.length;
  if (run < 0 || others.length === 0) return undefined;
  const unequal = others.findIndex((part, at) => part !== parts[at]);
  const before = unequal === -1 ? others.length : unequal;
  return others.slice(before).every((part, at) => part === parts[before + run + at]) ? { before, run } : undefined;
}

/**
 * Learns by which URLs a site names pages that it links under others, as a shop names `/products/hat` what it links as
 * `/collections/red/products/hat`, and knows which of those the crawl has found.
 */
export function createStandIns() {
  const rules = new Map<string, Rule[]>();
  const found = new Set<string>();
  let size = 0;

  /** Returns the rules for URLs such as one, whatever their numbers are. */
  function rulesFor({ origin, pathname }: URL): { key: string; all: readonly Rule[] } {
    const parts = partsOf(pathname);
    const key = `${origin}/${parts[0]?.replace(/\d+/g, '#')} ${parts.length}`;
    const all = rules.get(key) ?? [];
    return { key, all: all.filter(({ before, run, next }) => next === undefined || parts[before + run] === next) };
  }

  function originalBy({ origin, before, run, keepsQuery }: Rule, { pathname, search }: URL): URL {
    const path = partsOf(pathname).toSpliced(before, run).join('/');
    return new URL(`${origin}/${path}${pathname.endsWith('/') ? '/' : ''}${keepsQuery ? search : ''}`);
  }

  const isReliable = ({ right, wrong }: Rule) => right >= enough.right && right >= wrong * enough.perWrong;

  return {
    /** Notes that the crawl has found a page. */
    found: (identity: string): void => void (found.size < maxFound && found.add(identity)),
    isFound: (identity: string): boolean => found.has(identity),
    /** Returns the URL of the page for which one is expected to stand in, if any. */
    originalOf(url: URL): URL | undefined {
      const rule = rulesFor(url).all.find(isReliable);
      return rule && originalBy(rule, url);
    },
    /** Notes for which page another one stands in, if for any. Returns whether a rule is relied on from now on. */
    learn(url: URL, original: URL | undefined): boolean {
      const { key, all } = rulesFor(url);
      const last = original ? plain(original) : '';
      const known = all.find((rule) => plain(originalBy(rule, url)) === last);
      const wasReliable = known && isReliable(known);
      for (const rule of all) if (rule.last !== last) rule === known ? rule.right++ : rule.wrong++;
      if (known) known.last = last;
      if (known) return !wasReliable && isReliable(known);
      const run = original && runBesides(url, original);
      if (!run || run.run === 0 || size++ >= maxRules) return false;
      const after = run.before + run.run;
      const parts = partsOf(url.pathname);
      const next = after < parts.length - 1 ? parts[after] : undefined;
      const keepsQuery = url.search !== '' && original.search === url.search;
      rules.set(key, [
        ...(rules.get(key) ?? []),
        { ...run, origin: original.origin, next, keepsQuery, right: 1, wrong: 0, last },
      ]);
      return false;
    },
  };
}
