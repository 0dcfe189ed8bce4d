import type { NewPage } from '../store/frontier.ts';

/**
 * Recognizes URLs without end, such as the months of a calendar, combinations of filters, or ids of visits: pages that say
 * nothing new and lead to more of their kind. A page that says something new is never in a trap.
 */
export interface Traps {
  /** Notes that a page was read, and whether it says nothing new. Returns the pages that it led to, as far as they aren't in a trap. */
  read(page: NewPage, isVain: boolean, led: readonly NewPage[]): NewPage[];
  /** Notes that a page was found for the first time, on one that says nothing new. */
  grown(page: NewPage, from: NewPage): void;
  /** Whether a page that waits is in a trap. */
  caught(page: Pick<NewPage, 'url' | 'identity'>): boolean;
}

/** After how many such pages in a row their kind is a trap: pages of one form, of one path, of a section, of a site. */
const inVain = [20, 40, 80, 160] as const;
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
  hasQuery: boolean;
}

export function createTraps(): Traps {
  const streaks = new Map<string, Streak>();
  /** Pages that were found on pages that say nothing new, and on no other. */
  const vain = new Set<string>();

  const isTrap = (kind: string, level: number) => (streaks.get(kind)?.length ?? 0) >= (inVain[level] ?? 0);

  /** @param isVain whether the page was found only on pages that say nothing new */
  function holds(url: string, isVain: boolean): boolean {
    const { all, hasQuery } = kindsOf(url);
    // What says something new may well link to all combinations of a query.
    return isVain ? all.some(isTrap) : hasQuery && isTrap(all[0], 0);
  }

  return {
    read(page, isVain, led) {
      if (!isVain) for (const kind of kindsOf(page.url).all) streaks.delete(kind);
      return led.map((each) => {
        if (each.role !== undefined && each.role !== 'links') return each;
        if (!isVain) vain.delete(each.identity);
        if (holds(each.url, isVain)) return { ...each, role: 'trap' };
        return isVain ? { ...each, vain: page } : each;
      });
    },
    grown(page, from) {
      const isFromVain = vain.has(from.identity);
      if (vain.size < maxRemembered) vain.add(page.identity);
      const { all: kinds } = kindsOf(page.url);
      const { all: own, hasQuery } = kindsOf(from.url);
      if (!isFromVain && !hasQuery) return;
      for (const [level, kind] of own.entries()) {
        const isAlike = kinds[level] === kind || (level === 0 && kinds[1] === own[1]);
        const { length, last } = streaks.get(kind) ?? { length: 0, last: '' };
        if (isAlike && last !== from.identity && streaks.size < maxKinds)
          streaks.set(kind, { length: length + 1, last: from.identity });
      }
    },
    caught: ({ url, identity }) => holds(url, vain.has(identity)),
  };
}

/** Words with digits: their values tell pages of one form apart. */
const counted = /[a-z]*\d[a-z\d]*/gi;

function kindsOf(url: string): Kinds {
  const { origin, pathname, searchParams } = new URL(url);
  const path = pathname.replace(/\/+$/, '').replace(counted, '#');
  const names = [...new Set(searchParams.keys())].sort().join('&');
  const isNamed = names === '' && !path.endsWith('#');
  const form = isNamed ? `${path.slice(0, path.lastIndexOf('/') + 1)}*` : `${path}?${names}`;
  const section = path.slice(1).split('/', 1)[0];
  return { all: [origin + form, `${origin}${path} ?`, `${origin}/${section} /`, origin], hasQuery: names !== '' };
}
