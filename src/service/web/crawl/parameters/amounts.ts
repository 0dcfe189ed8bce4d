import { crawlOptionsShape } from '../../../../contract/crawl/crawl-jobs.ts';
import { isContent, lettersOf, type Unit } from './phrases.ts';
import { areMany, isYear, wordsOf } from './sections.ts';

type Amount = { of: 'limit' | 'delay' | 'maxDepth' | 'maxDiscoveryDepth' | undefined; value: number };

// An amount has one number, or two around `per`, among units and bounds, or none, as in `wait a second`.
const after = '(?:[lpu]|[mi](?!:?1))*';
const shape = new RegExp(`(?:[milp][milpu:]*?|u:)?1${after}(?:(?<=p[^1]*)1${after})?|[milp]+u[ilpu]*|.`, 'g');

/** Replaces the units of each amount by one, `M`, without a parameter if none expresses it. */
export function readAmounts(units: readonly Unit[]): Unit[] {
  const read = [...lettersOf(units).matchAll(shape)].flatMap(({ 0: all, index }) => {
    const its = units.slice(index, index + all.length);
    const amount = amountOf(all, its, units.slice(0, index), units.slice(index + all.length));
    if (!amount) return its;
    const value = amount.of === 'delay' ? Math.round(amount.value * 1000) / 1000 : Math.floor(amount.value);
    const of = amount.of && crawlOptionsShape[amount.of].safeParse(value).success ? amount.of : undefined;
    return [
      { is: 'M', of, values: [], value, isLeast: all.includes('l'), tokens: its.flatMap(({ tokens }) => tokens) },
    ];
  });
  // Of `results limit 20`, the results are no section, but they are one of `only results, limit 20` and `results max 20 pages`.
  const isCount = ({ is, of }: Unit, at: number) =>
    is === 'u' && of === 'limit' && read[at + 1]?.of === 'limit' && /^\D.*\d$/.test(wordsOf(read[at + 1], ' '));
  return read.filter((unit, at) => !isCount(unit, at) || (read[at - 1] && read[at - 1]?.is !== ','));
}

/** Returns the parameter and the value of an amount; undefined if the units are none. */
function amountOf(
  letters: string,
  its: readonly Unit[],
  before: readonly Unit[],
  following: readonly Unit[],
): Amount | undefined {
  const [count, times = 1] = its.flatMap(({ is, value = 0 }) => (is === '1' ? [value] : []));
  const measures = its.filter(({ is }) => is === 'u');
  const bound = its.find(({ is, of }) => is === 'm' && of)?.of;
  const time = measures.find(({ of }) => of === 'delay');
  if (time) {
    // Only `wait 2 seconds`, `every 2 seconds` and `2 pages a second` say what the time is for.
    const isWait = /[ip]/.test(letters) || bound === 'delay' || measures.length > 1;
    if (count === undefined && !(isWait && time === measures[0])) return undefined;
    // `10 per minute` and `pages per minute: 10` aren't ten minutes.
    if (measures.length === 1 && /p[^1]*u[^1]*1|1[^pu]*pu/.test(letters)) return undefined;
    const many = time === measures[0] ? (count ?? 1) : times / (count ?? 1);
    return { of: isWait ? 'delay' : undefined, value: Number(time.values[0]) * many };
  }
  if (count === undefined) return undefined;
  const known = new Set([...measures.map(({ of }) => of), ...(bound && bound !== 'limit' ? [bound] : [])]);
  if (letters.includes('p') || known.size > 1) return { of: undefined, value: count };
  if (known.size === 1) return { of: [...known][0] as Amount['of'], value: count };
  // `20 recent blog posts`, `150 recipes`, but not `docs about 3 products`; `2024 articles` are more likely those of a year.
  const noun = following.find(({ is }) => !'NT'.includes(is));
  const [next] = following;
  const isNoun =
    noun?.is === 'u' || noun?.flag === 'posts' || ((next?.is === 'T' || next?.flag === 'shown') && areMany(next));
  const isAlone = letters.includes('m') && !/[li]/.test(letters);
  // `up to 2024` is no limit, but `at most 2000` and `up to 2000 articles` are.
  const isCounted = isNoun || (next !== undefined && isContent(next));
  const mayBeDate = letters === '1' || (its.some(({ flag }) => flag === 'date') && !isCounted);
  const isDate = mayBeDate && isYear(its.find(({ is }) => is === '1'));
  const [thing, relation] = before.slice(-2);
  const isOfThing = thing && relation && isContent(thing) && 'P~'.includes(relation.is);
  const isPlain = letters === '1' && (isDate || isOfThing);
  if (!(isAlone || isNoun) || isPlain) return undefined;
  return { of: isDate ? undefined : 'limit', value: count };
}
