import { crawlOptionsShape } from '../../../../contract/crawl/crawl-jobs.ts';
import { isLabel, lettersOf, type Unit } from './phrases.ts';
import { areMany } from './sections.ts';

// An amount has one number, or two around `per`, among units and bounds, or none, as in `wait a second`; `v` is a unit before
// a colon.
const after = '(?:[lpu]|[mi](?!1))*';
const shape = new RegExp(`(?:[milpv][milpuv]*)?1${after}(?:(?<=p[^1]*)1${after})?|[milp]+u[ilpu]*|.`, 'g');

/** Replaces the units of each amount by one, `M`, without a parameter if none expresses it. */
export function readAmounts(units: readonly Unit[]): Unit[] {
  const letterOf = (unit: Unit) => (unit.is === 'u' && isLabel(unit) ? 'v' : unit.is);
  return [...units.map(letterOf).join('').matchAll(shape)].flatMap(({ 0: all, index }) => {
    const its = units.slice(index, index + all.length);
    const amount = amountOf(its, units.slice(index + all.length));
    if (!amount) return its;
    const { of, value: said } = amount;
    const value = of === 'delay' ? Math.round(said * 1000) / 1000 : Math.floor(said);
    const [isLeast, tokens] = [its.some(({ is }) => is === 'l'), its.flatMap((unit) => unit.tokens)];
    const isAccepted = of && crawlOptionsShape[of].safeParse(value).success;
    return [{ is: 'M', of: isAccepted ? of : undefined, values: [], value, isLeast, tokens }];
  });
}

type Amount = { of: 'limit' | 'delay' | 'maxDepth' | 'maxDiscoveryDepth' | undefined; value: number };

/** Returns the parameter and the value of an amount; undefined if the units are none. */
function amountOf(its: readonly Unit[], following: readonly Unit[]): Amount | undefined {
  const letters = lettersOf(its);
  const [count, times = 1] = its.flatMap(({ is, value = 0 }) => (is === '1' ? [value] : []));
  const measures = its.flatMap(({ is, of }) => (is === 'u' ? [of as Amount['of']] : []));
  const of = its.find((unit) => unit.is === 'm' && unit.of)?.of as Amount['of'];
  const [first] = measures;
  if (measures.includes('delay')) {
    // Only `wait 2 seconds`, `every 2 seconds` and `2 pages a second` say what the time is for.
    const isWait = /[ip]/.test(letters) || of === 'delay' || measures.length > 1;
    if (count === undefined && !(isWait && first === 'delay')) return undefined;
    const seconds = Number(its.find((unit) => unit.of === 'delay' && unit.is === 'u')?.values[0]);
    const value = seconds * (first === 'delay' ? (count ?? 1) : times / (count ?? 1));
    return { of: isWait ? 'delay' : undefined, value };
  }
  if (count === undefined) return undefined;
  const known = new Set([...measures, ...(of && of !== 'limit' ? [of] : [])]);
  if (letters.includes('p') || known.size > 1) return { of: undefined, value: count };
  if (known.size === 1) return { of: [...known][0], value: count };
  // `20 recent blog posts`, `150 recipes`, but `2024 articles` are more likely those of a year.
  const noun = following.find(({ is }) => !'NT'.includes(is));
  const [next] = following;
  const isNoun = noun?.is === 'u' || noun?.flag === 'posts' || (next?.is === 'T' && areMany(next));
  const isYear = letters === '1' && count >= 1900 && count < 2100;
  const isAlone = letters.includes('m') && !/[li]/.test(letters);
  return isAlone || (isNoun && !isYear) ? { of: 'limit', value: count } : undefined;
}
