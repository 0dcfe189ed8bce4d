import { limits } from '../../../../contract/limits.ts';
import type { Meaning } from './phrases.ts';
import type { Unit } from './units.ts';

/** A number with its unit and the words that make it a limit. */
export interface Amount {
  is: 'amount';
  /** Undefined for one that no parameter expresses. */
  name: Meaning['of'];
  value: number;
  /** Whether its own words make it a limit, as in “at most 5 pages”; “more than 5 pages” needs a denial to be one. */
  bound: 'most' | 'least' | undefined;
}

/** A letter for each kind of unit: an amount has one number, or two around `per`, among units and bounds. */
const letters = new Map(Object.entries({ most: 'm', least: 'l', wait: 'w', per: 'p', unit: 'u', number: '1' }));
const after = '(?:o?(?:[lpu]|[mw](?!1)))*';
const shape = new RegExp(`[mlwpu]*(?:1${after}(?:(?<=p[^1]*)1${after})?)?`, 'y');

/** Replaces the units of each amount by one unit. */
export function readAmounts(units: readonly Unit[]): Unit[] {
  const text = units.map((unit) => (unit.tokens[0]?.text === 'of' ? 'o' : (letters.get(unit.is) ?? '-'))).join('');
  const result: Unit[] = [];
  for (let index = 0; index < units.length; ) {
    shape.lastIndex = index;
    const its = units.slice(index, index + (shape.exec(text)?.[0].length ?? 0));
    const amount = its.length > 0 && amountOf(its, units.slice(index + its.length));
    result.push(amount ? { ...amount, tokens: its.flatMap(({ tokens }) => tokens) } : (units[index] as Unit));
    index += amount ? its.length : 1;
  }
  return result;
}

/** Returns what the units of an amount say; undefined if they are none. */
function amountOf(its: readonly Unit[], following: readonly Unit[]): Amount | undefined {
  const [count, times = 1] = its.flatMap((unit) => (unit.is === 'number' ? [unit.value] : []));
  const measures = its.flatMap((unit) => (unit.is === 'unit' ? [unit] : []));
  const has = (is: Unit['is']) => its.some((unit) => unit.is === is);
  const of = its.flatMap((unit) => (unit.is === 'most' && unit.of ? [unit.of] : []))[0];
  const first = measures[0]?.of;
  const seconds = measures.find((unit) => unit.of === 'delay')?.seconds;
  const bound = has('least') ? 'least' : has('most') || has('wait') ? 'most' : undefined;
  if (seconds !== undefined) {
    // Only `wait 2 seconds`, `every 2 seconds` and `2 pages a second` say what the time is for.
    const isWait = has('wait') || of === 'delay' || has('per') || measures.length > 1;
    if (count === undefined && !(isWait && first === 'delay')) return undefined;
    const delay = first === 'delay' ? (count ?? 1) * seconds : (times * seconds) / (count ?? 1);
    return amount(isWait ? 'delay' : undefined, delay, 'most');
  }
  if (count === undefined || first !== (measures.at(-1)?.of ?? first) || its[0]?.is === 'unit') return undefined;
  if (has('per')) return amount(undefined, count, bound);
  const isMeasured = of === 'maxDepth' || first === undefined || first === of;
  if (of && of !== 'limit') return amount(isMeasured ? (first ?? of) : undefined, count, bound);
  if (first) return amount(first, count, bound);
  const noun = following.findIndex((unit) => unit.is === 'posts' || (unit.is === 'unit' && unit.of === 'limit'));
  const isNoun = noun >= 0 && noun < 4 && following.slice(0, noun).every(({ is }) => is === 'name');
  const isAlone = !['name', 'literal', 'place', 'option'].includes(following[0]?.is ?? '');
  // `20 recent blog posts`, but `2024 articles` are more likely those of a year.
  const isYear = bound === undefined && count >= 1900 && count < 2100;
  if ((bound === 'most' && isAlone && !has('wait')) || (isNoun && !isYear)) return amount('limit', count, bound);
  return bound && amount(undefined, count, bound);
}

/** Returns an amount within what a crawl accepts; without a name if no crawl accepts it. */
function amount(name: Amount['name'], value: number, bound: Amount['bound']): Amount {
  const isAllowed = name === 'limit' ? Math.floor(value) >= limits.crawlPages.min : name !== 'delay' || value > 0;
  const most = name === 'limit' ? limits.crawlPages.max : name === 'delay' ? limits.crawlDelay.max : value;
  const rounded = name === 'delay' ? Math.round(value * 1000) / 1000 : Math.floor(value);
  return { is: 'amount', name: isAllowed ? name : undefined, value: Math.min(rounded, most), bound };
}
