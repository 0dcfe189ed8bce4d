import { type Amount, readAmounts } from './amounts.ts';
import { type Meaning, phraseAt } from './phrases.ts';
import { numberOf, type Token } from './tokens.ts';

/** A phrase of a sentence, a name that isn't one, or an amount. */
export type Unit = (
  | Meaning
  | Amount
  | { is: 'number'; value: number }
  | { is: 'name' | 'literal' | 'comma' | 'line' | 'stop' }
) & { tokens: readonly Token[] };

export interface Sentence {
  units: Unit[];
  isQuestion: boolean;
}

const setOf = (kinds: string): ReadonlySet<string> => new Set(kinds.split(' '));
const denials = setOf('not without deny except');
const joints = setOf('generic section place about and or comma line per');

export const isDenial = ({ is }: Unit): boolean => denials.has(is);
export const isHead = (unit: Unit): boolean => isDenial(unit) || unit.is === 'want' || unit.is === 'only';
/** Whether a unit is a thing or an unknown word, rather than one that joins others. */
export const isContent = (unit: Unit): boolean => !joints.has(unit.is) && !(unit.is === 'unit' && unit.of === 'limit');
/** The first word of a unit, as written. */
export const textOf = (unit: Unit | undefined): string => unit?.tokens[0]?.text ?? '';

/**
 * Returns the sentences of a text, without words that say nothing. A line is one, unless it is below a line that ends in a
 * colon, or has a bullet and is below one without.
 */
export function sentencesOf(tokens: readonly Token[]): Sentence[] {
  const sentences: Sentence[] = [];
  let own: Unit[] = [];
  /** Where the last line of the sentence starts; whether lines below the first belong to it, and whether that has a bullet. */
  let [line, hasLines, hasBullet] = [0, false, false];
  const end = (at: number, isQuestion = false) => {
    const units = own.slice(0, at).filter(({ is }) => is !== 'filler' && is !== 'too');
    if (units.length > 0) sentences.push({ units: readAmounts(units), isQuestion });
    own = own.slice(at);
    [line, hasLines] = [0, false];
  };
  for (const unit of unitsOf(tokens)) {
    const text = textOf(unit);
    if (unit.is === 'stop') end(own.length, text.includes('?'));
    if (unit.is !== 'line') {
      if (unit.is !== 'stop') own.push(unit);
      continue;
    }
    const isBullet = /\S\s*$/.test(text.replace(/^[\s:]*\n/, ''));
    const isLabel = text.includes(':');
    if (isLabel) end(line);
    hasLines = own.length > 0 && (isLabel || (isBullet && !hasBullet) || (hasLines && !/\n\s*\n/.test(text)));
    if (hasLines) own.push(unit);
    else end(own.length);
    if (!hasLines) hasBullet = isBullet;
    line = own.length;
  }
  end(own.length);
  return sentences;
}

/** Returns the phrases, numbers and names of a text. */
export function unitsOf(tokens: readonly Token[]): Unit[] {
  const units: Unit[] = [];
  for (let index = 0; index < tokens.length; index += units.at(-1)?.tokens.length ?? 1) {
    const unit = unitAt(tokens.slice(index), tokens[index - 1]?.text ?? '');
    // `skip the docs, dedupe` wants to dedupe.
    if ('flag' in unit && unit.flag === 'verb') units.push({ is: 'want', values: {}, tokens: [] });
    units.push(unit);
  }
  return units;
}

/** Returns the unit that starts with these tokens. */
function unitAt(tokens: readonly Token[], before: string): Unit {
  const [token] = tokens as [Token];
  const { kind } = token;
  if (kind === 'comma' || kind === 'line' || kind === 'stop') return { is: kind, tokens: [token] };
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
