import { type Amount, readAmounts } from './amounts.ts';
import { type Meaning, phraseAt } from './phrases.ts';
import { numberOf, type Token } from './tokens.ts';

/** A phrase of a sentence, a name that isn't one, or an amount. */
export type Unit = (
  | Meaning
  | Amount
  | { is: 'number'; value: number }
  | { is: 'name' | 'literal' | 'comma' | 'stop' }
) & { tokens: readonly Token[] };

export interface Sentence {
  units: Unit[];
  isQuestion: boolean;
}

const heads: ReadonlySet<string> = new Set(['not', 'without', 'deny', 'want', 'only', 'except']);
const joints: ReadonlySet<string> = new Set(['generic', 'section', 'place', 'about', 'and', 'or', 'comma', 'per']);

export const isHead = ({ is }: Unit): boolean => heads.has(is);
export const isDenial = ({ is }: Unit): boolean => is !== 'want' && is !== 'only' && heads.has(is);
/** Whether a unit is a verb and its own thing: “dedupe”. */
export const isVerb = (unit: Unit): boolean => unit.is === 'same' && unit.of !== undefined;
/** Whether a unit is a thing or an unknown word, rather than one that joins others. */
export const isContent = (unit: Unit): boolean => !joints.has(unit.is) && !(unit.is === 'unit' && unit.of === 'limit');
/** The first word of a unit, as written. */
export const textOf = (unit: Unit | undefined): string => unit?.tokens[0]?.text ?? '';

/**
 * Returns the sentences of a text, without words that say nothing. One that starts with `and` or `but`, or is “The blog too.”,
 * goes on with the one before.
 */
export function sentencesOf(tokens: readonly Token[]): Sentence[] {
  const sentences: Sentence[] = [];
  let own: Unit[] = [];
  for (const unit of [...unitsOf(tokens), undefined]) {
    if (unit && unit.is !== 'stop') own.push(unit);
    else if (own.length > 0) {
      const before = sentences.at(-1);
      const first = own.find(({ is }) => is !== 'filler')?.is;
      const isMore = own.some(({ is }) => is === 'too') && !own.some(isHead);
      if (before && (first === 'and' || first === 'but' || isMore))
        before.units.push({ is: 'comma', tokens: [] }, ...own);
      else sentences.push({ units: own, isQuestion: textOf(unit).includes('?') });
      own = [];
    }
  }
  return sentences.map(({ units, isQuestion }) => {
    const said = units.filter(({ is }) => is !== 'filler' && is !== 'too');
    return { units: readAmounts(said), isQuestion };
  });
}

/** Returns the phrases, numbers and names of a text. */
export function unitsOf(tokens: readonly Token[]): Unit[] {
  const units: Unit[] = [];
  for (let index = 0; index < tokens.length; index += units.at(-1)?.tokens.length ?? 1)
    units.push(unitAt(tokens.slice(index), tokens[index - 1]?.text ?? ''));
  return units;
}

/** Returns the unit that starts with these tokens. */
function unitAt(tokens: readonly Token[], before: string): Unit {
  const [token] = tokens as [Token];
  const { kind } = token;
  if (kind === 'comma' || kind === 'stop') return { is: kind, tokens: [token] };
  const { meaning, length = 0 } = phraseAt(tokens) ?? {};
  const number = numberOf(tokens);
  if (number && number.length >= length)
    return { is: 'number', value: number.value, tokens: tokens.slice(0, number.length) };
  if (kind !== 'word') return { is: 'literal', tokens: [token] };
  const isName = length === 1 && meaning && isNoun(meaning, before, token.text);
  if (!meaning || isName) return { is: 'name', tokens: [token] };
  if (meaning.is !== 'agent') return { ...meaning, tokens: tokens.slice(0, length) };
  const joint = /^(?:is|of|to|as|be|the|an?|for|named|called|string)$/;
  const name = tokens.findIndex(({ text }, at) => at >= length && !joint.test(text));
  const isAgent = name >= 0 && (meaning.flag !== 'robot' || /bot|crawl|spider|\//.test(tokens[name]?.text ?? ''));
  return isAgent ? { ...meaning, tokens: tokens.slice(0, name + 1) } : { is: 'name', tokens: tokens.slice(0, length) };
}

/** Whether a verb or preposition names something here: “the index”, “downloads”, “the about page”. */
function isNoun({ is }: Meaning, before: string, word: string): boolean {
  if (!['want', 'deny', 'place', 'about'].includes(is)) return false;
  const isPlural = is !== 'place' && /[^s]s$/.test(word) && !/^(?:yes|.*ions|as)$/.test(word);
  return isPlural || /^(?:the|an?|its|their|our|your|this|these|that|my)$/.test(before);
}
