import { crawlOptionsShape } from '../../../../contract/crawl/crawl-jobs.ts';
import { isLabel, lettersOf, textOf, type Unit } from './phrases.ts';

// An amount has one number, or two around `per`, among units and bounds; `%` is “of”.
const after = '(?:%?(?:[lpu]|[mi](?!1)))*';
const shape = new RegExp(`[mliup]*(?:1${after}(?:(?<=p[^1]*)1${after})?)?`, 'y');

/** Replaces the units of each amount by one, `M`, without a parameter if none expresses it. */
export function readAmounts(units: readonly Unit[]): Unit[] {
  const text = units.map((unit) => (textOf(unit) === 'of' ? '%' : unit.is)).join('');
  const result: Unit[] = [];
  for (let index = 0; index < units.length; ) {
    shape.lastIndex = index;
    const its = units.slice(index, index + (shape.exec(text)?.[0].length ?? 0));
    const said = its.length > 0 && amountOf(its, units.slice(index + its.length));
    if (said) {
      const value = said.of === 'delay' ? Math.round(said.value * 1000) / 1000 : Math.floor(said.value);
      const isAccepted =
        said.of &&
        crawlOptionsShape[said.of as 'limit' | 'delay' | 'maxDepth' | 'maxDiscoveryDepth'].safeParse(value).success;
      const isLeast = lettersOf(its).includes('l');
      const tokens = its.flatMap((unit) => unit.tokens);
      result.push({ is: 'M', ...(isAccepted && { of: said.of }), values: [], value, isLeast, tokens });
    } else result.push(units[index] as Unit);
    index += said ? its.length : 1;
  }
  return result;
}

/** Returns the parameter and the value of an amount; undefined if the units are none. */
function amountOf(
  its: readonly Unit[],
  following: readonly Unit[],
): (Pick<Unit, 'of'> & { value: number }) | undefined {
  const letters = lettersOf(its);
  const [count, times = 1] = its.flatMap(({ is, value = 0 }) => (is === '1' ? [value] : []));
  const measures = its.filter(({ is }) => is === 'u');
  const of = its.find((unit) => unit.is === 'm' && unit.of)?.of;
  const first = measures[0]?.of;
  const time = measures.find((unit) => unit.of === 'delay');
  if (time) {
    // Only `wait 2 seconds`, `every 2 seconds` and `2 pages a second` say what the time is for.
    const isWait = /[ip]/.test(letters) || of === 'delay' || measures.length > 1;
    if (count === undefined && !(isWait && first === 'delay')) return undefined;
    const value = Number(time.values[0]) * (first === 'delay' ? (count ?? 1) : times / (count ?? 1));
    return { of: isWait ? 'delay' : undefined, value };
  }
  const isMixed = first !== measures.at(-1)?.of || (its[0]?.is === 'u' && !isLabel(its[0]));
  if (count === undefined || isMixed) return undefined;
  const isMeasured = !of || of === 'limit' || !first || first === of || (of === 'maxDepth' && first !== 'limit');
  if (/p/.test(letters) || !isMeasured) return { of: undefined, value: count };
  if (first || (of && of !== 'limit')) return { of: first ?? of, value: count };
  // `20 recent blog posts`, but `2024 articles` are more likely those of a year.
  const isNoun =
    /^[NT]{0,3}[Su]/.test(lettersOf(following)) && following.find(({ is }) => !/[NT]/.test(is))?.flag !== 'section';
  const isYear = letters === '1' && count >= 1900 && count < 2100;
  const isAlone = /m/.test(letters) && !/[li]/.test(letters);
  return isAlone || (isNoun && !isYear) ? { of: 'limit', value: count } : undefined;
}
