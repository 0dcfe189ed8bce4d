import { endSlashes } from '../../../../../contract/addresses.ts';
import type { NewPage } from '../../store/frontier.ts';

/** After how many such pages in a row their kind is a trap: pages of one form, of one path, of a section, of a site. */
const inVain = [15, 40, 80, 160] as const;
/** How many pages in a row, each found on the one before, may say just what others do, and how many at all of those found so. */
const [maxSteps, maxEchoes] = [3, 40];
/** Pages that are remembered as found on a page that says nothing new, and kinds of pages. */
const maxRemembered = 100_000;
const maxKinds = 20_000;
/** Names in a query that are told apart. */
const maxNames = 10;

/** Pages by the number of names in their queries: what combinations of a query say tells nothing of pages with fewer. */
type Counts = number[];

interface Streak {
  counts: Counts;
  /** The last page that counted: each counts once. */
  last: string;
}

/** The kinds that a page is of. */
interface Kinds {
  /** From the narrowest to the widest. */
  all: readonly [form: string, path: string, section: string, site: string];
  /** How many names are in its query, at most `maxNames`. */
  names: number;
  /** Whether its pages are told apart by a query, or by a number at the end. */
  isSeries: boolean;
}

/**
 * Recognizes URLs without end, such as the months of a calendar, combinations of filters, or ids of visits: pages that say
 * nothing new and lead to more of their kind. A page that says something new is never in a trap.
 */
export function createTraps() {
  const streaks = new Map<string, Streak>();
  /** Pages that were found on pages that say nothing new, and on no other, and how many of those are in a row. */
  const vain = new Map<string, { steps: number; from: string }>();
  /** How many pages found so have said just what others do since the last one that didn't, by the names in their queries. */
  let echoes: Counts = [];

  const isEchoed = (names: number) => countOf(echoes, names) >= maxEchoes;

  /** @param isVain whether the page was found only on pages that say nothing new */
  function holds(url: string, isVain: boolean): boolean {
    const { all, names, isSeries } = kindsOf(url);
    const isTrap = (kind: string, level: number) =>
      countOf(streaks.get(kind)?.counts ?? [], names) >= (inVain[level] ?? 0);
    // What says something new may well link to all combinations of a query, or to all days.
    return isVain ? isEchoed(names) || all.some(isTrap) : isSeries && isTrap(all[0], 0);
  }

  return {
    /** Notes that a page was read, and whether it says nothing new. Returns the pages that it led to, as far as they aren't in a trap. */
    read(page: NewPage, isVain: boolean, led: readonly NewPage[]): NewPage[] {
      if (!isVain) {
        const found = vain.get(page.identity);
        if (found) echoes = [];
        // What leads to something new isn't vain, whatever it says.
        for (const url of [page.url, ...(found ? [found.from] : [])])
          for (const kind of kindsOf(url).all) streaks.delete(kind);
      }
      return led.map((each) => {
        if (each.role !== undefined && each.role !== 'links') return each;
        if (!isVain) vain.delete(each.identity);
        if (holds(each.url, isVain)) return { ...each, role: 'trap' };
        return isVain ? { ...each, vain: page } : each;
      });
    },
    /** Notes that a page says just what another one does. Returns the pages that it led to in the same way. `isKnown` are URLs of no other pages. */
    repeated(page: NewPage, twin: string, led: readonly NewPage[], isKnown: (url: string) => boolean): NewPage[] {
      const { names } = kindsOf(page.url);
      const found = vain.get(page.identity);
      // A list leads on, though its combinations were read before it.
      const isFirst = names < kindsOf(twin).names;
      if (found && !isFirst) addTo(echoes, names);
      const isOver = !isFirst && (found?.steps ?? 0) >= maxSteps;
      return led.map((each) => {
        if (each.role !== undefined && each.role !== 'links') return each;
        const isTrap = isOver || isEchoed(kindsOf(each.url).names) || isKnown(each.url);
        return isTrap ? { ...each, role: 'trap' } : each;
      });
    },
    /** Notes that a page was found for the first time, on one that says nothing new. */
    grown(page: NewPage, from: NewPage): void {
      const steps = vain.get(from.identity)?.steps;
      const isFromVain = steps !== undefined;
      if (vain.size < maxRemembered) vain.set(page.identity, { steps: (steps ?? 0) + 1, from: from.url });
      const { all: kinds } = kindsOf(page.url);
      const { all: own, names, isSeries } = kindsOf(from.url);
      if (!isFromVain && !isSeries) return;
      for (const [level, kind] of own.entries()) {
        // Combinations of a query lead on to others; what has none isn't led on by copies of itself with one.
        const isAlike = kinds[level] === kind || (level === 0 && names > 0 && kinds[1] === own[1]);
        const { counts, last } = streaks.get(kind) ?? { counts: [], last: '' };
        if (isAlike && last !== from.identity && streaks.size < maxKinds) {
          addTo(counts, names);
          streaks.set(kind, { counts, last: from.identity });
        }
      }
    },
    /** Whether a page that waits is in a trap. */
    caught: ({ url, identity }: Pick<NewPage, 'url' | 'identity'>): boolean => holds(url, vain.has(identity)),
  };
}

/** Words with digits: their values tell pages of one form apart. */
const counted = /(?<![a-z])[a-z]*\d[a-z\d]*/gi;

function addTo(counts: Counts, names: number): void {
  counts[names] = (counts[names] ?? 0) + 1;
}

/** Returns how many pages had at most so many names. */
function countOf(counts: Counts, names: number): number {
  return counts.slice(0, names + 1).reduce((sum, count) => sum + (count ?? 0), 0);
}

function kindsOf(url: string): Kinds {
  const { origin, pathname, searchParams, hash } = new URL(url);
  const path = pathname.replace(endSlashes, '').replace(counted, '#');
  const names = [...new Set([...searchParams.keys(), ...(hash === '' ? [] : ['#'])])].sort();
  const isNamed = names.length === 0 && !path.endsWith('#');
  const form = isNamed ? `${path.slice(0, path.lastIndexOf('/') + 1)}*` : `${path}?${names.join('&')}`;
  const section = path.slice(1).split('/', 1)[0];
  const all: Kinds['all'] = [origin + form, `${origin}${path} ?`, `${origin}/${section} /`, origin];
  return { all, names: Math.min(names.length, maxNames), isSeries: !isNamed };
}
