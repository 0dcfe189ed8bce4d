import { limits } from '../../../../contract/limits.ts';
import type { Draft } from './phrases.ts';
import type { Unit } from './units.ts';

// An amount has one number, or two around `per`, among units and bounds; `%` is “of”.
const after = '(?:%?(?:[lpu]|[mi](?!1)))*';
const shape = new RegExp(`[mliup]*(?:1${after}(?:(?<=p[^1]*)1${after})?)?`, 'y');

/** Replaces the units of each amount by one, `M`, whose parameter is undefined if none expresses it. */
export function readAmounts(units: readonly Unit[]): Unit[] {
  const text = units.map(({ is, tokens }) => (tokens[0]?.text === 'of' ? '%' : is)).join('');
  const result: Unit[] = [];
  for (let index = 0; index < units.length; ) {
    shape.lastIndex = index;
    const its = units.slice(index, index + (shape.exec(text)?.[0].length ?? 0));
    const amount = its.length > 0 && amountOf(its, units.slice(index + its.length));
    result.push(amount || (units[index] as Unit));
    index += amount ? its.length : 1;
  }
  return result;
}

/** Returns what the units of an amount say; undefined if they are none. */
function amountOf(its: readonly Unit[], following: readonly Unit[]): Unit | undefined {
  const [count, times = 1] = its.flatMap(({ is, value = 0 }) => (is === '1' ? [value] : []));
  const measures = its.filter(({ is }) => is === 'u');
  const has = (is: string) => its.some((unit) => unit.is === is);
  const of = its.find((unit) => unit.is === 'm' && unit.of)?.of;
  const first = measures[0]?.of;
  const bound = has('l') ? 'least' : has('m') || has('i') ? 'most' : undefined;
  const amount = (name: Unit['of'], value: number): Unit => {
    const [known, nearest] = accepted(name, value);
    return {
      is: 'M',
      ...(known && { of: known }),
      values: [],
      value: nearest,
      bound,
      tokens: its.flatMap((unit) => unit.tokens),
    };
  };
  const time = measures.find((unit) => unit.of === 'delay');
  if (time) {
    // Only `wait 2 seconds`, `every 2 seconds` and `2 pages a second` say what the time is for.
    const isWait = has('i') || of === 'delay' || has('p') || measures.length > 1;
    if (count === undefined && !(isWait && first === 'delay')) return undefined;
    const seconds = Number(time.values[0]);
    const isEach = first === 'delay';
    return {
      ...amount(isWait ? 'delay' : undefined, isEach ? (count ?? 1) * seconds : (times * seconds) / (count ?? 1)),
      bound: 'most',
    };
  }
  if (
    count === undefined ||
    first !== (measures.at(-1)?.of ?? first) ||
    (its[0]?.is === 'u' && !its[0].tokens.at(-1)?.isLabel)
  )
    return undefined;
  if (has('p')) return amount(undefined, count);
  if (of && of !== 'limit')
    return amount(of === 'maxDepth' || !first || first === of ? (first ?? of) : undefined, count);
  if (first) return amount(first, count);
  // `20 recent blog posts`, but `2024 articles` are more likely those of a year.
  const noun = following.findIndex((unit) => unit.flag === 'posts' || (unit.is === 'u' && unit.of === 'limit'));
  const isNoun = noun >= 0 && noun < 4 && following.slice(0, noun).every(({ is }) => is === 'N');
  const isYear = bound === undefined && count >= 1900 && count < 2100;
  const isAlone = bound === 'most' && !has('i') && !/[NLPO]/.test(following[0]?.is ?? '');
  if (isAlone || (isNoun && !isYear)) return amount('limit', count);
  return bound && amount(undefined, count);
}

/** Returns a parameter and its value within what a crawl accepts; no parameter if it accepts none. */
function accepted(name: keyof Draft | undefined, value: number): [keyof Draft | undefined, number] {
  const isAllowed = name === 'limit' ? Math.floor(value) >= limits.crawlPages.min : name !== 'delay' || value > 0;
  const most = name === 'limit' ? limits.crawlPages.max : name === 'delay' ? limits.crawlDelay.max : value;
  return [
    isAllowed ? name : undefined,
    Math.min(name === 'delay' ? Math.round(value * 1000) / 1000 : Math.floor(value), most),
  ];
}
