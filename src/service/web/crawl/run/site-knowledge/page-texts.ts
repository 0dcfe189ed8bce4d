import { endSlashes } from '../../../../../contract/addresses.ts';
import { withoutParameters } from '../../../../../contract/tracking.ts';
import { hashOf, type Wording } from '../../../scrape/convert/wording.ts';
import { withoutQuery } from '../../scope/urls.ts';
import { createChangingWords, isRelated, type TextPage, titleOf } from './changing-words.ts';
import { addsNothing, createCopies } from './copies.ts';

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
  /** Whether their URLs are those of a page and its copy. */
  alike: boolean;
}

/** Pairs of words that may be new on a page that says nothing new, such as the seconds that it took, and their share. */
const maxFresh = 2;
const maxFreshShare = 0.1;
/** Pairs of words are remembered as bits: 512 KB. */
const bits = 2 ** 22;
/** Characters from which equal texts are the same page, whatever their URLs and links are, rather than two short ones. */
export const minLength = 200;
/** Pairs of words that are kept of a page, those with the lowest hashes, and how many may be missing in another, for as many and in all. */
const sampled = 64;
const maxMissing = 3;
const maxMissingInAll = 30;
const minSampled = 20;
export const maxPages = 20_000;
/** Pages with equal texts and titles, or in the same place, that are remembered; places of each; and links that are compared of each short one. */
const maxAlike = 10;
const maxPlaces = 20;
const maxLinks = 2_000;
const maxLinkCharacters = 16_000_000;

interface KnownText {
  identity: string;
  url: string;
  title: string;
  digest: string;
  /** The lowest of its pairs of words. */
  sample: Uint32Array;
  /** Its links, if its text is short. */
  links: readonly string[] | undefined;
}

/** Knows what the pages of a crawl say, as far as it is needed to tell whether another one says something new. */
export function createPageTexts() {
  let known: Uint32Array | undefined;
  /** Pages with the same text and title. */
  const byText = new Map<string, KnownText[]>();
  /** Pages whose text isn't short, by that and their place, and by that and the places above. */
  const byPlace = new Map<number, KnownText[]>();
  const byPlaceAbove = new Map<number, KnownText[]>();
  const pages = new Map<string, KnownText>();
  /** The first URL with each login, by its text, and whether there are others. */
  const logins = new Map<string, { url: string; isElsewhere: boolean }>();
  const changing = createChangingWords();
  const copies = createCopies();
  let linkCharacters = 0;

  function isFresh(pair: number): boolean {
    known ??= new Uint32Array(bits / 32);
    const bit = pair & (bits - 1);
    const word = known[bit >>> 5] ?? 0;
    const mask = 1 << (bit & 31);
    known[bit >>> 5] = word | mask;
    return (word & mask) === 0;
  }

  function hasAllOf(wording: Wording, original: KnownText): boolean {
    const { sample: other } = original;
    if (other.length < minSampled) return false;
    const own = sampleOf(wording);
    const last = other.at(-1) ?? 0;
    // Beyond its sample, what the other one says isn't known.
    const comparable = other.length < sampled ? own : own.filter((pair) => pair <= last);
    const missing = comparable.filter((pair) => !other.includes(pair));
    if (comparable.length < minSampled / 2 || missing.length > maxMissing) return false;
    // Of a long original, only a few pairs of a shorter page were compared.
    const all = new Set(copies.saidBy(original));
    if (all.size === 0 || wording.said.length === 0) return missing.length === 0;
    const share = Math.max(maxMissing, wording.said.length * (maxMissing / sampled));
    const most = Math.min(maxMissingInAll, share);
    return wording.said.filter((pair) => !all.has(pair)).length <= most;
  }

  /** Returns the pages with the same text that are above or below one, if one of the two is a part of the other. */
  function partsAround(page: KnownText, [place = '', ...above]: readonly string[]): KnownText[] {
    const wholes = above.flatMap((each) => byPlace.get(keyOf(page, each)) ?? []);
    const parts = byPlaceAbove.get(keyOf(page, place)) ?? [];
    return [
      ...wholes.filter((each) => each.digest === page.digest && isPartOf(page, each)),
      ...parts.filter((each) => each.digest === page.digest && isPartOf(each, page)),
    ];
  }

  function remember(page: KnownText, [place = '', ...above]: readonly string[]): void {
    linkCharacters += page.links?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    if (page.links && linkCharacters > maxLinkCharacters) {
      pages.set(page.identity, { ...page, links: [] });
      return;
    }
    keepAlike(byText, textKey(page), page);
    pages.set(page.identity, page);
    if (page.links !== undefined) return;
    keepAlike(byPlace, keyOf(page, place), page);
    for (const each of above) keepAlike(byPlaceAbove, keyOf(page, each), page);
  }

  return {
    /** Learns from which pages one differs only in words that change. To be called before the others. */
    compare: changing.compare,
    /** Whether a page says nothing that others didn't. From then on, what it says is known. */
    isVain(page: TextPage): boolean {
      const { wording } = page.scraped;
      if (!wording) return false;
      let fresh = 0;
      for (const pair of wording.pairs) if (isFresh(pair)) fresh++;
      return (fresh <= maxFresh && fresh <= wording.pairs.length * maxFreshShare) || changing.isLikeOthers(page);
    },
    /** Takes up what an earlier run stored: enough to tell pages that say just the same. */
    restore(stored: Pick<KnownText, 'identity' | 'url' | 'digest'> & { title: string | null }): void {
      const page = { ...stored, title: stored.title ?? '', sample: new Uint32Array(), links: undefined };
      if (!pages.has(page.identity) && pages.size < maxPages) remember(page, placesOf(page.url));
    },
    /** Notes that a URL shows a login. Returns whether another one has shown the same. */
    isLoginElsewhere({ url, scraped: { wording } }: TextPage): boolean {
      if (!wording || wording.length === 0) return false;
      const login = logins.get(wording.digest) ?? { url, isElsewhere: false };
      // With another query, it is the login page itself.
      login.isElsewhere ||= withoutQuery(login.url) !== withoutQuery(url);
      if (logins.size < maxPages) logins.set(wording.digest, login);
      return login.isElsewhere;
    },
    /**
     * Returns as what a page is stored already: the one with the same text, or the one that it names as the original and that
     * says all it does. Otherwise the page is known itself from then on.
     * @param original the page that it names, if that is another one
     */
    twinOf(read: TextPage, original: Original | undefined): Twin | undefined {
      const { identity, url, scraped } = read;
      const { wording, links: linked, isLogin } = scraped;
      if (!wording || wording.length === 0) return undefined;
      const login = isLogin ? logins.get(wording.digest) : undefined;
      if (login?.isElsewhere) return { url: login.url, isCertain: true, isLogin: true };
      const title = titleOf(read);
      const links = wording.length >= minLength ? undefined : linked.slice(0, maxLinks);
      const page: KnownText = { identity, url, title, digest: wording.digest, sample: sampleOf(wording), links };
      const places = placesOf(url);
      const alike = [...(byText.get(textKey(page)) ?? []), ...(links ? [] : partsAround(page, places))];
      const others = alike.filter((each) => each.identity !== identity);
      const equal = others.find((each) => links === undefined || isEqual(page, each));
      const twin = equal ?? others.find((each) => isRelated(each.url, url)) ?? changing.sameAs(read);
      if (twin) return { url: twin.url, isCertain: equal !== undefined || links === undefined, isLogin: false };
      const named = original === undefined ? undefined : pages.get(original.identity);
      if (named && (named.digest === wording.digest || (original?.alike && hasAllOf(wording, named))))
        return { url: named.url, isCertain: true, isLogin: false };
      const copied = copies.originalOf({ identity, url, title, wording });
      if (copied) return { url: copied.url, isCertain: true, isLogin: false };
      if (pages.size < maxPages) remember(page, places);
      changing.keep(read);
      return undefined;
    },
  };
}

const textKey = ({ digest, title }: KnownText) => `${digest} ${title}`;

const keyOf = ({ digest }: KnownText, place: string) => hashOf(`${digest} ${place}`);

function keepAlike<Key>(known: Map<Key, KnownText[]>, key: Key, page: KnownText): void {
  const alike = known.get(key);
  if (!alike) known.set(key, [page]);
  else if (alike.length < maxAlike) alike.push(page);
}

/** Returns the place of a page on its site, and the folders above it, the innermost first. */
function placesOf(url: string): string[] {
  const { origin } = new URL(url);
  let place = withoutQuery(url).replace(endSlashes, '');
  const places = [place];
  while (place.length > origin.length && places.length < maxPlaces) {
    place = place.slice(0, place.lastIndexOf('/'));
    places.push(place);
  }
  return places;
}

/** Whether a page is below another one with the same text, as its print version is, and its title says nothing else. */
function isPartOf(page: KnownText, other: KnownText): boolean {
  const isBelow = withoutQuery(page.url).startsWith(`${withoutQuery(other.url).replace(endSlashes, '')}/`);
  return isBelow && addsNothing(page.title, other.title);
}

/** Words of a path in capitals, alone or in the whole word: ids have digits, or capitals anywhere. */
const capitalized = /(?<![\p{L}\p{N}])\p{Lu}(?:\p{Ll}{2,}|\p{Lu}{2,})(?![\p{L}\p{N}])/gu;

/** Returns where a page is, however the words of its path are written. */
const plainPath = (url: string) => withoutQuery(url).replace(capitalized, (word) => word.toLowerCase());

/**
 * Whether a page with the same text as another one differs in the query of its URL only, or in how the words of its path are
 * written, and in links to themselves and each other. What one of the queries has besides may be in all of its links, or lead
 * to a page without some of them.
 */
function isEqual(page: KnownText, other: KnownText): boolean {
  if (plainPath(page.url) !== plainPath(other.url)) return false;
  const added = addedNames(page.url, other.url);
  const plain = (link: string) => (added ? withoutNames(link, added) : link);
  const both = [page.url, other.url].map(plain);
  const [own, others] = [page, other].map(({ links = [] }) => new Set(links.map(plain)));
  const isIn =
    (links = new Set<string>()) =>
    (link: string) =>
      links.has(link) || both.includes(link);
  return [...(own ?? [])].every(isIn(others)) && (added !== undefined || [...(others ?? [])].every(isIn(own)));
}

/** Returns the names of the parameters that one of two URLs has besides those of the other; undefined if both have their own. */
function addedNames(one: string, other: string): ReadonlySet<string> | undefined {
  const [fewer = [], more = []] = [one, other]
    .map((url) => [...new URL(url).searchParams])
    .sort((first, second) => first.length - second.length);
  const isIn =
    (list: string[][]) =>
    ([name, value]: string[]) =>
      list.some((each) => each[0] === name && each[1] === value);
  if (!fewer.every(isIn(more))) return undefined;
  return new Set(more.filter((each) => !isIn(fewer)(each)).map(([name = '']) => name));
}

function withoutNames(link: string, names: ReadonlySet<string>): string {
  const url = URL.parse(link);
  return url ? url.origin + url.pathname + withoutParameters(url.search, (name) => names.has(name)) + url.hash : link;
}

function sampleOf({ pairs }: Wording): Uint32Array {
  const lowest = new Set<number>();
  for (const pair of pairs.toSorted()) if (lowest.add(pair).size >= sampled) break;
  return Uint32Array.from(lowest);
}
