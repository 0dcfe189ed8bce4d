import { hashOf, type Wording } from '../../scrape/convert/content/wording.ts';
import type { ScrapedPage } from '../../scrape/scrape.ts';

/** What the pages of a crawl say, as far as it is needed to tell whether another one says something new. */
export interface PageTexts {
  /** Whether a page says nothing that others didn't. From then on, what it says is known. */
  isVain(scraped: Pick<ScrapedPage, 'wording'>): boolean;
  /**
   * Returns as what a page is stored already: the one with the same text, or the one that it names as the original and that says
   * all it does. Otherwise the page is known itself from then on.
   * @param original the page that it names, if that is another one
   */
  twinOf(
    page: { identity: string; url: string },
    scraped: Pick<ScrapedPage, 'wording' | 'document' | 'links' | 'isLogin'>,
    original: Original | undefined,
  ): Twin | undefined;
}

/** A page that says what another one says. */
export interface Twin {
  url: string;
  /** Whether that is certain; otherwise they are two short pages with similar URLs. */
  isCertain: boolean;
  /** Whether both are the same login, which the site shows in place of its pages. */
  isLogin: boolean;
}

/** The page that another one names as the original. */
export interface Original {
  identity: string;
  /** Whether they differ in their query only. */
  alike: boolean;
}

/** Pairs of words that may be new on a page that says nothing new, such as the seconds that it took, and their share. */
const maxFresh = 2;
const maxFreshShare = 0.1;
/** Pairs of words are remembered as bits: 512 KB. */
const bits = 2 ** 22;
/** Characters from which equal texts are the same page, whatever their URLs and links are, rather than two short ones. */
const minLength = 200;
/** Pairs of words that are kept of a page, those with the lowest hashes, and how many may be missing in another. */
const sampled = 64;
const maxMissing = 3;
const minSampled = 20;
const maxPages = 20_000;
/** Pages with equal short texts that are remembered, and links that are compared of each. */
const maxAlike = 10;
const maxLinks = 2_000;

interface KnownText {
  identity: string;
  url: string;
  digest: string;
  /** The lowest of its pairs of words. */
  sample: Uint32Array;
  /** Hashes of its links, if its text is short. */
  links: ReadonlySet<number> | undefined;
}

export function createPageTexts(): PageTexts {
  let known: Uint32Array | undefined;
  /** Pages with the same text. */
  const byText = new Map<string, KnownText[]>();
  const pages = new Map<string, KnownText>();
  /** The first page with each login, by its text. */
  const logins = new Map<string, string>();

  function isFresh(pair: number): boolean {
    known ??= new Uint32Array(bits / 32);
    const bit = pair & (bits - 1);
    const word = known[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    known[bit >>> 5] = word | mask;
    return (word & mask) === 0;
  }

  function hasAllOf(wording: Wording, { sample: other }: KnownText): boolean {
    if (other.length < minSampled) return false;
    const own = sampleOf(wording);
    const last = other.at(-1) ?? 0;
    // Beyond its sample, what the other one says isn't known.
    const comparable = other.length < sampled ? own : own.filter((pair) => pair <= last);
    const missing = comparable.filter((pair) => !other.includes(pair));
    return comparable.length >= minSampled / 2 && missing.length <= maxMissing;
  }

  return {
    isVain({ wording }) {
      if (!wording) return false;
      let fresh = 0;
      for (const pair of wording.pairs) if (isFresh(pair)) fresh++;
      return fresh <= maxFresh && fresh <= wording.pairs.length * maxFreshShare;
    },
    twinOf({ identity, url }, { wording, document, links: linked, isLogin = false }, original) {
      if (!wording || wording.length === 0) return undefined;
      if (isLogin) {
        const first = logins.get(wording.digest);
        // In place of another page, rather than the same one with another query.
        if (first !== undefined && withoutQuery(first) !== withoutQuery(url))
          return { url: first, isCertain: true, isLogin };
        if (logins.size < maxPages) logins.set(wording.digest, first ?? url);
      }
      const key = `${wording.digest} ${document.metadata.title}`;
      const alike = byText.get(key) ?? [];
      const links = wording.length >= minLength ? undefined : new Set(linked.slice(0, maxLinks).map(hashOf));
      const page: KnownText = { identity, url, digest: wording.digest, sample: sampleOf(wording), links };
      const others = alike.filter((each) => each.identity !== identity);
      const equal = others.find((each) => links === undefined || isEqual(page, each));
      const twin = equal ?? others.find((each) => isRelated(each.url, url));
      if (twin) return { url: twin.url, isCertain: equal !== undefined, isLogin: false };
      const named = original === undefined ? undefined : pages.get(original.identity);
      if (named && (named.digest === wording.digest || (original?.alike && hasAllOf(wording, named))))
        return { url: named.url, isCertain: true, isLogin: false };
      if (pages.size < maxPages) {
        if (alike.length < maxAlike) byText.set(key, [...alike, page]);
        pages.set(identity, page);
      }
      return undefined;
    },
  };
}

/** Whether two pages with equal texts differ in the queries of their URLs only, and in links to themselves and each other. */
function isEqual(one: KnownText, other: KnownText): boolean {
  if (withoutQuery(one.url) !== withoutQuery(other.url)) return false;
  const own = [one, other].map(({ url }) => hashOf(url));
  const isIn =
    (links: ReadonlySet<number> = new Set()) =>
    (link: number) =>
      links.has(link) || own.includes(link);
  return [...(one.links ?? [])].every(isIn(other.links)) && [...(other.links ?? [])].every(isIn(one.links));
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Whether two URLs differ in their queries only, or in the folders before the last part of their paths. */
function isRelated(one: string, other: string): boolean {
  const [own, others] = [new URL(one).pathname, new URL(other).pathname].map((path) => path.replace(/(?<!\/)\/+$/, ''));
  const last = own?.slice(own.lastIndexOf('/') + 1);
  return own === others || (last !== '' && others?.slice(others.lastIndexOf('/') + 1) === last);
}

function sampleOf({ pairs }: Wording): Uint32Array {
  const sorted = pairs.toSorted();
  return sorted.filter((pair, index) => index === 0 || pair !== sorted[index - 1]).slice(0, sampled);
}
