import { leftOutLimits } from '../../../../contract/crawl/left-out.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { createTurn, inTurns, type Turn } from '../../../platform/async.ts';
import { getOrAdd } from '../../../platform/maps.ts';
import { isFormOfScript } from '../../scrape/login-words.ts';
import type { NewPage } from '../store/frontier.ts';
import type { LinkFilter } from './link-filter.ts';
import { readLink, withoutVisit } from './urls.ts';

/** Pages on which new ones of a kind are found, from which it isn't a menu that leads to them. */
const several = 2;
const maxUrls = 20_000;
/** The share of what pages list from which a part of it is their kind. */
const mostOf = 0.8;
/** Items of lists of a kind from which the crawl is said to leave them out: so many, and for each so many that it has. */
const missing = { least: 3, perAdmitted: 0.25 };

/** Parts of a path that are compared. */
const maxParts = 20;

interface FoundPage {
  /** The page on which it was found first. */
  on: number;
  isOutsidePath: boolean;
  /** Whether it is linked beside the page's content, as recent posts are. */
  isBeside?: boolean;
}

interface OutsidePage extends FoundPage {
  url: string;
  origin: string;
  path: string;
  /** The parts of its path, whatever their numbers are. */
  parts: string[];
}

/** Why pages are left out of a crawl, and which its patterns admit; a map has none. */
export type Patterns = Pick<LinkFilter, 'against'> &
  Partial<Pick<LinkFilter, 'matches'>> & { includePaths?: readonly string[] | undefined };

/** Counts the pages that a crawl or map leaves out although its pages lead to them, by their kind: they may be what its lists list. */
export function createOutsidePages() {
  const found = new Map<string, FoundPage>();
  /** What its lists list, wherever else it was found. */
  const listed = new Set<string>();
  let pages = 0;
  return {
    /** Pages that were found. */
    get count() {
      return found.size;
    },
    /**
     * Notes what was found on a page, and where its items lead if it is a list.
     * @param content the links of its content, as far as these are known: what others lead to isn't what the page lists
     */
    async found(
      links: readonly Pick<NewPage, 'url' | 'role'>[],
      items: readonly string[] = [],
      content?: readonly string[],
    ): Promise<void> {
      const on = pages++;
      const own = links.length > 0 && content ? new Set(content.map(pageOf)) : undefined;
      for (const item of items) if (listed.size < maxUrls && !isFormOfScript(new URL(item))) listed.add(pageOf(item));
      await inTurns(links, ({ url, role }) => {
        if (found.size >= maxUrls || (role !== 'links' && role !== 'include' && role !== 'section')) return;
        const page = pageOf(url);
        const isBeside = own !== undefined && !own.has(page);
        const known = found.get(page);
        // What one page has beside its content can be what another one lists.
        if (!known || (known.isBeside && !isBeside))
          found.set(page, { on, isOutsidePath: role === 'section', isBeside });
      });
    },
    /** Drops the pages that aren't wanted. */
    async keep(isWanted: (url: URL) => boolean): Promise<void> {
      for (const urls of [found, listed])
        await inTurns(urls.keys(), (url) => {
          if (!isWanted(new URL(url))) urls.delete(url);
        });
    },
    /**
     * Returns a warning if there are more pages of a kind than those that were listed or crawled.
     * @param isPart whether an earlier run of the crawl has found others
     */
    async warning(known: number, patterns: Patterns, isPart = false): Promise<string | undefined> {
      const turn = createTurn();
      const items = await missingItems([...listed], known, patterns, turn);
      const most = items ?? (await kindOfMost(inContent(found), turn, (some) => kindOf(some, known, turn)));
      if (!most) return undefined;
      const { example, count, isOutsidePath } = most;
      const admits = !patterns.matches || (await patterns.matches(new URL(example)));
      const what = patterns.matches ? 'crawl' : 'map';
      const canInclude = Boolean(patterns.includePaths?.length);
      // What excludePaths matches isn't wanted.
      if (!admits && !canInclude) return undefined;
      const ways = [
        ...(isOutsidePath ? [`start higher up${what === 'crawl' ? ' or set crawlEntireDomain' : ''}`] : []),
        ...(admits ? [] : ['add a pattern that matches them to includePaths']),
      ];
      const why = isOutsidePath ? 'are outside the path of the start URL' : "includePaths doesn't match";
      const number = isPart || count >= leftOutLimits.counted ? `at least ${count}` : count;
      const which = items
        ? `Lists of the ${what} have pages that`
        : `The pages of the ${what} may be lists of others, which`;
      return `${which} ${why}: ${number} pages such as ${shorten(example)}. To get those, ${ways.join(', and ')}.`;
    },
  };
}

function* inContent(found: Iterable<[string, FoundPage]>): Iterable<[string, FoundPage]> {
  for (const each of found) if (!each[1].isBeside && !isFormOfScript(new URL(each[0]))) yield each;
}

/** Returns the URL of a page for all visits: links can have the id of each. */
function pageOf(url: string): string {
  const link = readLink(url);
  return link ? withoutVisit(link) : url;
}

interface Kind {
  example: string;
  count: number;
  isOutsidePath: boolean;
}

/** Returns the kind of most pages, of those that `kindOf` makes of pages that are equally deep. */
async function kindOfMost(
  pages: Iterable<[string, FoundPage]>,
  turn: Turn,
  kindOf: (pages: OutsidePage[]) => Promise<Kind | undefined>,
): Promise<Kind | undefined> {
  const all: OutsidePage[] = [];
  await inTurns(
    pages,
    ([url, page]) => {
      const { origin, pathname: path } = new URL(url);
      all.push({ ...page, url, origin, path, parts: path.replace(/\d+/g, '#').split('/', maxParts) });
    },
    turn,
  );
  const placeOf = ({ isOutsidePath, origin, parts: { length } }: OutsidePage) =>
    [isOutsidePath, origin, length].join(' ');
  const kinds: Kind[] = [];
  for (const some of await bySize(all, placeOf, turn)) {
    const kind = await kindOf(some);
    if (kind) kinds.push(kind);
  }
  return kinds.sort((one, other) => other.count - one.count)[0];
}

/** Returns the kind of most items of lists that a crawl leaves out; undefined if these are few beside those that it has. */
async function missingItems(
  items: readonly string[],
  known: number,
  patterns: Patterns,
  turn: Turn,
): Promise<Kind | undefined> {
  const reasons = await patterns.against(items.map((url) => new URL(url)));
  const outside = items.flatMap((url, at): [string, FoundPage][] => {
    // Of a crawl with its start page alone, it is said anyway that others are outside its path.
    const isOutsidePath = reasons[at] === 'section' && known > 1;
    return isOutsidePath || reasons[at] === 'include' ? [[url, { on: 0, isOutsidePath }]] : [];
  });
  const admitted = reasons.filter((reason) => reason === undefined).length;
  // A map has pages that no list of it has, and reads few of them.
  const has = patterns.matches ? admitted : Math.max(admitted, known);
  return await kindOfMost(outside, turn, async (pages) => {
    const kind = await narrowed(pages, turn, async (some) => some);
    const paths = new Set(kind.map(({ path }) => path)).size;
    const [example] = kind;
    if (!example || kind.length < Math.max(missing.least, has * missing.perAdmitted)) return undefined;
    return { example: example.url, count: paths > 1 ? paths : kind.length, isOutsidePath: example.isOutsidePath };
  });
}

/** Returns those of pages that are most of what is listed of them, by one part of their paths after the other. */
async function narrowed(
  pages: OutsidePage[],
  turn: Turn,
  listedIn: (pages: OutsidePage[]) => Promise<OutsidePage[]>,
): Promise<OutsidePage[]> {
  const depth = pages[0]?.parts.length ?? 0;
  let kind = pages;
  for (let level = 0; level < depth; level++) {
    const some = await listedIn(kind);
    const [largest] = await bySize(some, ({ parts }) => parts[level], turn);
    if (!largest || largest.length < some.length * mostOf) break;
    kind = kind.filter(({ parts }) => parts[level] === largest[0]?.parts[level]);
  }
  return kind;
}

/** Returns the kind of most of what pages list, among pages that are equally deep; undefined if they list no more than is known. */
async function kindOf(pages: OutsidePage[], known: number, turn: Turn): Promise<Kind | undefined> {
  const all = await narrowed(pages, turn, (some) => listedOf(some, turn));
  // In a list, the same page can have a query for its place in it. Where queries name the pages, their fields tell the kind.
  const paths = new Set(all.map(({ path }) => path)).size;
  const fieldsOf = ({ url }: OutsidePage) => [...new URL(url).searchParams.keys()].join('&');
  const [kind = []] = paths > known ? [all] : await bySize(all, fieldsOf, turn);
  const [example] = await listedOf(kind, turn);
  const isListed = new Set(kind.map(({ on }) => on)).size >= several;
  const count = paths > known ? paths : kind.length;
  return example && isListed && count > known
    ? { example: example.url, count, isOutsidePath: example.isOutsidePath }
    : undefined;
}

/** Returns pages but those found where most of them are: that is where a menu was read first. */
async function listedOf(pages: readonly OutsidePage[], turn: Turn): Promise<OutsidePage[]> {
  const [most] = await bySize(pages, ({ on }) => on, turn);
  return pages.filter(({ on }) => on !== most?.[0]?.on);
}

async function bySize(pages: readonly OutsidePage[], key: (page: OutsidePage) => unknown, turn: Turn) {
  const groups = new Map<unknown, OutsidePage[]>();
  await inTurns(pages, (page) => void getOrAdd(groups, key(page), () => []).push(page), turn);
  return [...groups.values()].sort((one, other) => other.length - one.length);
}
