import { leftOutLimits } from '../../../../contract/crawl/left-out.ts';
import { shorten } from '../../../../contract/shorten.ts';
import { createTurn, inTurns, type Turn } from '../../../platform/async.ts';
import type { LinkFilter } from '../scope/link-filter.ts';
import type { NewPage } from '../store/frontier.ts';

/** Pages on which new ones of a kind are found, from which it isn't a menu that leads to them. */
const several = 2;
const maxUrls = 20_000;
/** The share of what pages list from which a part of it is their kind. */
const mostOf = 0.8;

/** Parts of a path that are compared. */
const maxParts = 20;

interface FoundPage {
  /** The page on which it was found first. */
  on: number;
  isOutsidePath: boolean;
}

interface OutsidePage extends FoundPage {
  url: string;
  origin: string;
  path: string;
  /** The parts of its path, whatever their numbers are. */
  parts: string[];
}

/** Which pages of a crawl its patterns admit. */
export type Patterns = Pick<LinkFilter, 'matches'> & { includePaths?: readonly string[] | undefined };

/** Counts the pages that a crawl or map leaves out although its pages lead to them, by their kind: they may be what its lists list. */
export function createOutsidePages() {
  const found = new Map<string, FoundPage>();
  let pages = 0;
  return {
    /** Pages that were found. */
    get count() {
      return found.size;
    },
    /** Notes what was found on a page. */
    async found(links: readonly Pick<NewPage, 'url' | 'role'>[]): Promise<void> {
      const on = pages++;
      await inTurns(links, ({ url, role }) => {
        if (found.size >= maxUrls || (role !== 'links' && role !== 'include' && role !== 'section')) return;
        if (!found.has(url)) found.set(url, { on, isOutsidePath: role === 'section' });
      });
    },
    /** Drops the pages that aren't wanted. */
    async keep(isWanted: (url: URL) => boolean): Promise<void> {
      await inTurns(found.keys(), (url) => {
        if (!isWanted(new URL(url))) found.delete(url);
      });
    },
    /**
     * Returns a warning if there are more pages of a kind than those that were listed or crawled.
     * @param patterns those of the crawl; a map has none
     * @param isPart whether an earlier run of the crawl has found others
     */
    async warning(known: number, patterns?: Patterns, isPart = false): Promise<string | undefined> {
      const turn = createTurn();
      const all: OutsidePage[] = [];
      await inTurns(
        found,
        ([url, page]) => {
          const { origin, pathname: path } = new URL(url);
          all.push({ ...page, url, origin, path, parts: path.replace(/\d+/g, '#').split('/', maxParts) });
        },
        turn,
      );
      const alike = await bySize(
        all,
        ({ isOutsidePath, origin, parts: { length } }) => [isOutsidePath, origin, length].join(' '),
        turn,
      );
      const kinds: NonNullable<Awaited<ReturnType<typeof kindOf>>>[] = [];
      for (const some of alike) {
        const kind = await kindOf(some, known, turn);
        if (kind) kinds.push(kind);
      }
      const [most] = kinds.sort((one, other) => other.count - one.count);
      if (!most) return undefined;
      const { example, count, isOutsidePath } = most;
      const admits = patterns === undefined || (await patterns.matches(new URL(example))).admitted;
      const canInclude = Boolean(patterns?.includePaths?.length);
      // What excludePaths matches isn't wanted.
      if (!admits && !canInclude) return undefined;
      const ways = [
        ...(isOutsidePath ? [`start higher up${patterns ? ' or set crawlEntireDomain' : ''}`] : []),
        ...(admits ? [] : ['add a pattern that matches them to includePaths']),
      ];
      const why = isOutsidePath ? 'are outside the path of the start URL' : "includePaths doesn't match";
      const number = isPart || count >= leftOutLimits.counted ? `at least ${count}` : count;
      return `The pages of the ${patterns ? 'crawl' : 'map'} may be lists of others, which ${why}: ${number} pages such as ${shorten(example)}. To get those, ${ways.join(', and ')}.`;
    },
  };
}

/** Returns the kind of most of what pages list, among pages that are equally deep; undefined if they list no more than is known. */
async function kindOf(pages: OutsidePage[], known: number, turn: Turn) {
  const depth = pages[0]?.parts.length ?? 0;
  let kind = pages;
  for (let level = 0; level < depth; level++) {
    const listed = await listedOf(kind, turn);
    const [largest] = await bySize(listed, ({ parts }) => parts[level], turn);
    if (!largest || largest.length < listed.length * mostOf) break;
    kind = kind.filter(({ parts }) => parts[level] === largest[0]?.parts[level]);
  }
  const [example] = await listedOf(kind, turn);
  const isListed = new Set(kind.map(({ on }) => on)).size >= several;
  // In a list, the same page can have a query for its place in it.
  const paths = new Set(kind.map(({ path }) => path)).size;
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
  const add = (page: OutsidePage) => {
    const of = key(page);
    const group = groups.get(of);
    if (group) group.push(page);
    else groups.set(of, [page]);
  };
  await inTurns(pages, add, turn);
  return [...groups.values()].sort((one, other) => other.length - one.length);
}
