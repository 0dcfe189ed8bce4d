/** How often a part has to make no difference, for each time that it does make one. */
const enough = { same: 10, perDifference: 20 };
/** Of the URLs that seem to be known, one of so many is read anyway: a part may begin to make a difference. */
const checkEvery = 10;
const maxKinds = 200;
const maxRead = 20_000;
/**
 * Kinds of differences: the values of a parameter (`?name`; a route is one named `#`), whether it is there (`-name`), a folder
 * (`/path/before/it`), and all folders before the end of a path.
 */
const folders = '^';

interface Kind {
  same: number;
  different: number;
  /** Keys of the pages that were read, without the part; made once it is needed. */
  keys: Set<string> | undefined;
}

/** The parts of a URL. */
interface Parts {
  origin: string;
  segments: string[];
  /** Names and values. */
  query: [name: string, value: string][];
}

export type EqualUrls = ReturnType<typeof createEqualUrls>;

/**
 * Learns which parts of a site's URLs make no difference, such as the id of a visit, the order of a list, or the folders before
 * a page that answers in any folder: only what pages say tells that.
 */
export function createEqualUrls() {
  const kinds = new Map<string, Kind>();
  const read: Parts[] = [];
  /** The kinds that make no difference, and the keys of the pages that were read without them. */
  let without = new Set<string>();
  let known = new Set<string>();
  let asked = 0;

  function remember(parts: Parts): void {
    if (read.length >= maxRead) return;
    read.push(parts);
    for (const [kind, { keys }] of kinds) keys?.add(keyOf(parts, new Set([kind])));
    if (without.size > 0) known.add(keyOf(parts, without));
  }

  function learn(): void {
    const found = [...kinds].filter(
      ([, { same, different }]) => same >= enough.same && same >= different * enough.perDifference,
    );
    if (found.length === without.size && found.every(([kind]) => without.has(kind))) return;
    without = new Set(found.map(([kind]) => kind));
    known = new Set(without.size === 0 ? [] : read.map((parts) => keyOf(parts, without)));
  }

  return {
    /** Notes that two URLs lead to pages that say the same. Returns how often their difference has made none by now. */
    same(url: string, other: string): number {
      const [one, two] = [partsOf(url), partsOf(other)];
      let most = 0;
      for (const kind of differences(one, two)) {
        const count = kinds.get(kind) ?? { same: 0, different: 0, keys: undefined };
        if (kinds.size < maxKinds || kinds.has(kind)) kinds.set(kind, { ...count, same: count.same + 1 });
        most = Math.max(most, count.same + 1);
      }
      remember(one);
      learn();
      return most;
    },
    /** Notes that a page was read which says something else than all others. */
    own(url: string): void {
      const parts = partsOf(url);
      for (const [kind, count] of kinds) {
        const one = new Set([kind]);
        count.keys ??= new Set(read.map((each) => keyOf(each, one)));
        if (keysOf(parts, one).some((key) => count.keys?.has(key))) count.different++;
      }
      remember(parts);
      learn();
    },
    /** Whether a URL differs from that of a page that was read only in parts that make no difference. */
    isKnown(url: string): boolean {
      if (without.size === 0) return false;
      return keysOf(partsOf(url), without).some((key) => known.has(key)) && ++asked % checkEvery > 0;
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
      return values?.length === 0 || others?.length === 0 ? `-${name}` : `?${name}`;
    });
  }
  const shorter = Math.min(own.length, other.length);
  if (shorter > 0 && own.slice(-shorter).join('/') === other.slice(-shorter).join('/')) return [folders];
  const unequal = own.flatMap((segment, index) => (segment === other[index] ? [] : [index]));
  if (own.length !== other.length || unequal.length !== 1) return [];
  return [`/${own.slice(0, unequal[0]).join('/')}`];
}

/** Returns what is left of a URL without the parts that make no difference. */
function keyOf({ origin, segments, query }: Parts, without: ReadonlySet<string>): string {
  const path = segments.map((segment, index) =>
    without.has(`/${segments.slice(0, index).join('/')}`) ? '*' : segment,
  );
  const kept = query
    .filter(([name]) => !without.has(`-${name}`))
    .map(([name, value]) => (without.has(`?${name}`) ? name : `${name}=${value}`));
  return `${origin}/${path.join('/')}?${[...new Set(kept)].sort().join('&')}`;
}

/** The same for a URL and, if folders make no difference, for the URL without its first ones. */
function keysOf(parts: Parts, without: ReadonlySet<string>): string[] {
  const { segments } = parts;
  const starts = without.has(folders) ? segments.map((_, index) => index) : [0];
  return starts.map((start) => keyOf({ ...parts, segments: segments.slice(start) }, without));
}

function partsOf(url: string): Parts {
  const { origin, pathname, searchParams, hash } = new URL(url);
  const query: Parts['query'] = hash === '' ? [...searchParams] : [...searchParams, ['#', hash]];
  return { origin, segments: pathname.split('/').filter((segment) => segment !== ''), query };
}
