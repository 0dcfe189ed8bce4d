import { hash } from 'node:crypto';
import { withoutParameters } from '../../../../../contract/tracking.ts';
import { isFirstPart } from '../../../scrape/list-parts.ts';
import { isOfVisit } from '../../scope/urls.ts';

/** How often a part has to make no difference, for each time that it does make one. */
const enough = { same: 10, perDifference: 20 };
/** Of the URLs that seem to be known, one of so many is read anyway: a part may begin to make a difference. */
const checkEvery = 10;
const maxKinds = 50;
const maxRead = 20_000;
/** Pages whose keys are made at a time: a site may have differences of many kinds at once. */
const atATime = 500;
/** Parts of a path and of a query that are told apart: those after them count as one. */
const [maxSegments, maxQuery] = [20, 50];
/**
 * Kinds of differences: the values of a parameter (`?name`; a route is one named `#`), whether it is there (`-name`), a folder
 * (`/path/before/it`), all folders before the end of a path, and the path before a route. That the first part of a list, such as
 * `?page=1`, is what the list shows anyway says nothing of the others.
 */
const [folders, beforeRoute] = ['^', '#'];

interface Kind {
  same: number;
  different: number;
  index: Index;
}

/** Keys of the pages that were read. */
interface Index {
  /** What they are without. */
  without: ReadonlySet<string>;
  keys: Set<string>;
  /** How many of the pages are in it. */
  read: number;
}

/** The parts of a URL, without what identifies the visit: that differs however little else does. */
interface Parts {
  origin: string;
  segments: string[];
  /** Names and values. */
  query: [name: string, value: string][];
}

/**
 * Learns which parts of a site's URLs make no difference, such as the id of a visit, the order of a list, or the folders before
 * a page that answers in any folder: only what pages say tells that.
 */
export function createEqualUrls() {
  const kinds = new Map<string, Kind>();
  const read: Parts[] = [];
  /** The pages that were read, without the kinds that make no difference. */
  let known = indexWithout([]);
  let asked = 0;

  /** Completes the indexes by as much as may be done at a time. */
  function complete(): void {
    let left = atATime;
    const used = known.without.size === 0 ? [] : [known];
    for (const index of [...used, ...[...kinds.values()].map((kind) => kind.index)])
      for (; left > 0 && index.read < read.length; left--)
        index.keys.add(keyOf(read[index.read++] as Parts, index.without));
  }

  function remember(parts: Parts): void {
    if (read.length < maxRead) read.push(parts);
    const found = [...kinds].filter(
      ([, { same, different }]) => same >= enough.same && same >= different * enough.perDifference,
    );
    const isAsBefore = found.length === known.without.size && found.every(([kind]) => known.without.has(kind));
    if (!isAsBefore) known = indexWithout(found.map(([kind]) => kind));
    complete();
  }

  return {
    /** Notes that two URLs lead to pages that say the same. Returns how often their difference has made none by now. */
    same(url: string, other: string): number {
      const [one, two] = [partsOf(url), partsOf(other)];
      let most = 0;
      for (const kind of differences(one, two)) {
        const count = kinds.get(kind) ?? { same: 0, different: 0, index: indexWithout([kind]) };
        if (kinds.size < maxKinds || kinds.has(kind)) kinds.set(kind, { ...count, same: count.same + 1 });
        most = Math.max(most, count.same + 1);
      }
      remember(one);
      return most;
    },
    /** Notes that a page was read which says something else than all others. */
    own(url: string): void {
      const parts = partsOf(url);
      complete();
      for (const count of kinds.values())
        if (count.index.read === read.length && isIn(count.index, parts)) count.different++;
      remember(parts);
    },
    /** Whether a URL differs from that of a page that was read only in parts that make no difference. */
    isKnown(url: string): boolean {
      return known.without.size > 0 && isIn(known, partsOf(url)) && ++asked % checkEvery > 0;
    },
  };
}

/** Returns the kinds of differences between two URLs; none if they have little in common. */
function differences(one: Parts, two: Parts): string[] {
  if (one.origin !== two.origin) return [];
  const [own, other] = [one.segments, two.segments];
  if (own.join('/') === other.join('/')) {
    const names = new Set([...one.query, ...two.query].map(([name]) => name));
    return [...names].flatMap((name) => {
      const [values, others] = [one, two].map(({ query }) => query.filter(([each]) => each === name));
      if (JSON.stringify(values) === JSON.stringify(others)) return [];
      if (values?.length !== 0 && others?.length !== 0) return `?${name}`;
      const [, value = ''] = values?.[0] ?? others?.[0] ?? [];
      return isFirstPart(name, value) ? [] : `-${name}`;
    });
  }
  const [route, otherRoute] = [one, two].map(({ query }) => query.find(([name]) => name === '#')?.[1]);
  if (route !== undefined && route === otherRoute) return [beforeRoute];
  const shorter = Math.min(own.length, other.length);
  if (shorter > 0 && own.slice(-shorter).join('/') === other.slice(-shorter).join('/')) return [folders];
  const unequal = own.flatMap((segment, index) => (segment === other[index] ? [] : [index]));
  if (own.length !== other.length || unequal.length !== 1) return [];
  return [`/${own.slice(0, unequal[0]).join('/')}`];
}

function indexWithout(kinds: Iterable<string>): Index {
  return { without: new Set(kinds), keys: new Set(), read: 0 };
}

/** Whether an index has a URL, if folders make no difference also without its first ones. */
function isIn({ without, keys }: Index, parts: Parts): boolean {
  const { segments } = parts;
  const starts = without.has(folders) ? segments.map((_, index) => index) : [0];
  return starts.some((start) => keys.has(keyOf({ ...parts, segments: segments.slice(start) }, without)));
}

/** Returns a key of what is left of a URL without the parts that make no difference: the URLs themselves can be long. */
function keyOf({ origin, segments, query }: Parts, without: ReadonlySet<string>): string {
  let before = '/';
  const isRouted = without.has(beforeRoute) && query.at(-1)?.[0] === '#';
  const path = (isRouted ? [] : segments).map((segment, index) => {
    const isLeftOut = without.has(before);
    before += index === 0 ? segment : `/${segment}`;
    return isLeftOut ? '*' : segment;
  });
  const kept = query
    .filter(([name]) => !without.has(`-${name}`))
    .map(([name, value]) => (without.has(`?${name}`) ? name : `${name}=${value}`));
  const left = `${origin}/${path.join('/')}?${[...new Set(kept)].sort().join('&')}`;
  return hash('sha256', left, 'base64').slice(0, 12);
}

function partsOf(url: string): Parts {
  const { origin, pathname, search, hash: route } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const rest = segments.splice(maxSegments).join('/');
  const pairs = [...new URLSearchParams(withoutParameters(search, isOfVisit))];
  const named: Parts['query'] = pairs.length > maxQuery ? [['', search]] : pairs;
  return {
    origin,
    segments: rest === '' ? segments : [...segments, rest],
    query: route === '' ? named : [...named, ['#', route]],
  };
}
