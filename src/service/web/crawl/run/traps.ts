import type { NewPage } from '../store/frontier.ts';

/** After how many such pages in a row their kind is a trap: pages of one form, of one path, of a section, of a site. */
const inVain = [15, 40, 80, 160] as const;
/** How many pages in a row, each found on the one before, may say just what others do, and how many at all of those found so. */
const [maxSteps, maxEchoes] = [3, 40];
/** Pages that are remembered as found on a page that says nothing new, and kinds of pages. */
const maxRemembered = 100_000;
const maxKinds = 20_000;

interface Streak {
  length: number;
  /** The last page that counted: each counts once. */
  last: string;
}

/** The kinds that a page is of. */
interface Kinds {
  /** From the narrowest to the widest. */
  all: readonly [form: string, path: string, section: string, site: string];
  /** Whether its pages are told apart by a query, or by a number at the end. */
  isSeries: boolean;
}

export type Traps = ReturnType<typeof createTraps>;

/**
 * Recognizes URLs without end, such as the months of a calendar, combinations of filters, or ids of visits: pages that say
 * nothing new and lead to more of their kind. A page that says something new is never in a trap.
 */
export function createTraps() {
  const streaks = new Map<string, Streak>();
  /** Pages that were found on pages that say nothing new, and on no other, and how many of those are in a row. */
  const vain = new Map<string, { steps: number; from: string }>();
  /** How many pages found so have said just what others do since the last one that didn't. */
  let echoes = 0;

  const isTrap = (kind: string, level: number) => (streaks.get(kind)?.length ?? 0) >= (inVain[level] ?? 0);

  /** @param isVain whether the page was found only on pages that say nothing new */
  function holds(url: string, isVain: boolean): boolean {
    const { all, isSeries } = kindsOf(url);
    // What says something new may well link to all combinations of a query, or to all days.
    return isVain ? echoes >= maxEchoes || all.some(isTrap) : isSeries && isTrap(all[0], 0);
  }

  return {
    /** Notes that a page was read, and whether it says nothing new. Returns the pages that it led to, as far as they aren't in a trap. */
    read(page: NewPage, isVain: boolean, led: readonly NewPage[]): NewPage[] {
      if (!isVain) {
        const found = vain.get(page.identity);
        if (found) echoes = 0;
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
    repeated(page: NewPage, led: readonly NewPage[], isKnown: (url: string) => boolean): NewPage[] {
      const steps = vain.get(page.identity)?.steps;
      if (steps !== undefined) echoes++;
      const isOver = (steps ?? 0) >= maxSteps || echoes >= maxEchoes;
      return led.map((each) => {
        const isOpen = each.role === undefined || each.role === 'links';
        return isOpen && (isOver || isKnown(each.url)) ? { ...each, role: 'trap' } : each;
      });
    },
    /** Notes that a page was found for the first time, on one that says nothing new. */
    grown(page: NewPage, from: NewPage): void {
      const steps = vain.get(from.identity)?.steps;
      const isFromVain = steps !== undefined;
      if (vain.size < maxRemembered) vain.set(page.identity, { steps: (steps ?? 0) + 1, from: from.url });
      const { all: kinds } = kindsOf(page.url);
      const { all: own, isSeries } = kindsOf(from.url);
      if (!isFromVain && !isSeries) return;
      for (const [level, kind] of own.entries()) {
        const isAlike = kinds[level] === kind || (level === 0 && kinds[1] === own[1]);
        const { length, last } = streaks.get(kind) ?? { length: 0, last: '' };
        if (isAlike && last !== from.identity && streaks.size < maxKinds)
          streaks.set(kind, { length: length + 1, last: from.identity });
      }
    },
    /** Whether a page that waits is in a trap. */
    caught: ({ url, identity }: Pick<NewPage, 'url' | 'identity'>): boolean => holds(url, vain.has(identity)),
  };
}

/** Words with digits: their values tell pages of one form apart. */
const counted = /(?<![a-z])[a-z]*\d[a-z\d]*/gi;

function kindsOf(url: string): Kinds {
  const { origin, pathname, searchParams, hash } = new URL(url);
  const path = pathname.replace(/(?<!\/)\/+$/, '').replace(counted, '#');
  const names = [...new Set([...searchParams.keys(), ...(hash === '' ? [] : ['#'])])].sort().join('&');
  const isNamed = names === '' && !path.endsWith('#');
  const form = isNamed ? `${path.slice(0, path.lastIndexOf('/') + 1)}*` : `${path}?${names}`;
  const section = path.slice(1).split('/', 1)[0];
  return { all: [origin + form, `${origin}${path} ?`, `${origin}/${section} /`, origin], isSeries: !isNamed };
}
