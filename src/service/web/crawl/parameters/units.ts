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

const heads: ReadonlySet<string> = new Set(['not', 'deny', 'want', 'only', 'except']);
const joints: ReadonlySet<string> = new Set('filler generic section place about and comma per too'.split(' '));

export const isHead = (unit: Unit | undefined): boolean => unit !== undefined && heads.has(unit.is);
/** Whether a head says nothing of the clause before it: “without”, “except”. */
export const isAside = (unit: Unit): boolean => 'flag' in unit && unit.flag === 'aside';
export const isFiller = ({ is }: Unit): boolean => is === 'filler';
/** Whether a unit is a thing or an unknown word, rather than one that joins others. */
export const isContent = (unit: Unit): boolean => !joints.has(unit.is) && !(unit.is === 'unit' && unit.of === 'limit');
/** The first word of a unit, as written. */
export const textOf = (unit: Unit | undefined): string => unit?.tokens[0]?.text ?? '';

/** Returns the sentences of a text. One that starts with `and` or `but`, or is “The blog too.”, goes on with the one before. */
export function sentencesOf(tokens: readonly Token[]): Sentence[] {
  const sentences: Sentence[] = [];
  let own: Unit[] = [];
  for (const unit of [...unitsOf(tokens), undefined]) {
    if (unit && unit.is !== 'stop') own.push(unit);
    else if (own.length > 0) {
      const before = sentences.at(-1);
      const first = own.find((one) => !isFiller(one))?.is;
      const isMore = own.some(({ is }) => is === 'too') && !own.some(isHead);
      if (before && (first === 'and' || first === 'but' || isMore))
        before.units.push({ is: 'comma', tokens: [] }, ...own);
      else sentences.push({ units: own, isQuestion: textOf(unit).includes('?') });
      own = [];
    }
  }
  return sentences.map(({ units, isQuestion }) => ({ units: readAmounts(units), isQuestion }));
}

/** Returns the phrases, numbers and names of a text. */
export function unitsOf(tokens: readonly Token[]): Unit[] {
  const units: Unit[] = [];
  for (let index = 0; index < tokens.length; ) index += addUnit(units, tokens, index);
  return units;
}

/** Adds the unit that starts at a token; returns how many tokens it takes. */
function addUnit(units: Unit[], tokens: readonly Token[], index: number): number {
  const token = tokens[index] as Token;
  const rest = tokens.slice(index);
  const add = (unit: Unit | Omit<Unit, 'tokens'>, length = 1): number => {
    units.push({ ...unit, tokens: rest.slice(0, length) } as Unit);
    return length;
  };
  if (token.kind === 'comma' || token.kind === 'stop') return add({ is: token.kind });
  const { meaning, length = 0 } = phraseAt(rest) ?? {};
  const number = numberOf(rest);
  if (number && number.length >= length) return add({ is: 'number', value: number.value } as Unit, number.length);
  if (token.kind !== 'word') return add({ is: 'literal' });
  if (!meaning || (length === 1 && isNoun(meaning, tokens[index - 1]?.text ?? '', token.text)))
    return add({ is: 'name' });
  if (meaning.is !== 'agent') return add(meaning, length);
  const name = rest.findIndex(
    ({ text }, at) => at >= length && !/^(?:is|of|to|as|be|the|an?|for|named|called|string)$/.test(text),
  );
  const isName = name >= 0 && (meaning.flag !== 'robot' || /bot|crawl|spider|\//.test(rest[name]?.text ?? ''));
  return add(isName ? meaning : { is: 'name' }, isName ? name + 1 : length);
}

/** Whether a verb or preposition names something here: “the index”, “downloads”, “the about page”. */
function isNoun({ is }: Meaning, before: string, word: string): boolean {
  if (!['want', 'deny', 'place', 'about'].includes(is)) return false;
  const isPlural = is !== 'place' && /[^s]s$/.test(word) && !/^(?:yes|.*ions|as)$/.test(word);
  return isPlural || /^(?:the|an?|its|their|our|your|this|these|that|my)$/.test(before);
}
