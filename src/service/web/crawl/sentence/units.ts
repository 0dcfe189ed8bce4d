import { readAmounts } from './amounts.ts';
import { type Meaning, phraseAt } from './phrases.ts';
import { numberOf, type Token } from './tokens.ts';

/** A phrase of a sentence, or `N` a name, `L` a path, file or quotation, `1` a number, `M` an amount, `,` or `-`. */
export interface Unit extends Meaning {
  tokens: readonly Token[];
  value?: number;
  /** Whether an amount's own words make it a limit: “at most 5 pages”; “more than 5 pages” needs a denial to be one. */
  bound?: 'most' | 'least' | undefined;
}

/** What stands between two stops or lines, without words that say nothing. */
export interface Sentence {
  units: Unit[];
  isQuestion: boolean;
  /** What it starts with and what follows it. */
  start: 'bullet' | 'line' | 'stop';
  isLast: boolean;
  isAfterBlank: boolean;
}

export const isDenial = ({ is }: Unit): boolean => 'nade'.includes(is);
export const isHead = ({ is }: Unit): boolean => 'nadewo'.includes(is);
/** Whether a unit is a thing or an unknown word, rather than one that joins others. */
export const isContent = ({ is, of, flag }: Unit): boolean =>
  'NLOAU1M'.includes(is) || flag === 'posts' || (is === 'u' && of !== 'limit');
export const lettersOf = (units: readonly Unit[]): string => units.map(({ is }) => is).join('');
/** The first word of a unit, as written. */
export const textOf = (unit: Unit | undefined): string => unit?.tokens[0]?.text ?? '';
export const isLabel = (unit: Unit | undefined): boolean => unit?.tokens.at(-1)?.isLabel === true;

export function sentencesOf(tokens: readonly Token[]): Sentence[] {
  const sentences: Sentence[] = [];
  let own: Unit[] = [];
  let [start, isAfterBlank]: [Sentence['start'], boolean] = ['line', true];
  const end = (isLast: boolean, isQuestion = false) => {
    const units = readAmounts(own.filter(({ is }) => is !== 'f'));
    own = [];
    if (units.length > 0) sentences.push({ units, isQuestion, start, isLast, isAfterBlank });
    else if (isLast && sentences.length > 0) (sentences.at(-1) as Sentence).isLast = true;
    if (units.length > 0) [start, isAfterBlank] = ['stop', false];
  };
  for (const unit of unitsOf(tokens)) {
    const text = textOf(unit);
    if (unit.is === 'stop') end(false, text.includes('?'));
    else if (unit.is !== 'line') own.push(unit);
    else {
      end(true);
      [start, isAfterBlank] = [/\S/.test(text) ? 'bullet' : 'line', /\n\s*\n/.test(text) || sentences.length === 0];
    }
  }
  end(true);
  return sentences;
}

/** Returns the phrases, numbers and names of a text. */
export function unitsOf(tokens: readonly Token[]): Unit[] {
  const units: Unit[] = [];
  for (let index = 0; index < tokens.length; index += units.at(-1)?.tokens.length ?? 1) {
    const unit = unitAt(tokens.slice(index, index + 40), tokens[index - 1]?.text ?? '');
    // `skip the docs, dedupe` wants to dedupe.
    if (unit.flag === 'verb') units.push({ is: 'w', values: [], tokens: [] });
    units.push(unit);
  }
  return units;
}

/** Returns the unit that starts with these tokens. */
function unitAt(tokens: readonly Token[], before: string): Unit {
  const [{ kind, text }] = tokens as [Token];
  const plain = (is: string, length = 1, value = 0) => ({ is, value, values: [], tokens: tokens.slice(0, length) });
  if (!/^(?:word|number|path|quoted|file)$/.test(kind)) return plain(kind);
  const { meaning, length = 0 } = phraseAt(tokens) ?? {};
  const number = numberOf(tokens);
  if (number && number.length >= length) return plain('1', number.length, number.value);
  if (kind !== 'word') return plain('L');
  if (!meaning || (length === 1 && isNoun(meaning, before, text))) return plain('N');
  if (meaning.is !== 'U') return { ...meaning, tokens: tokens.slice(0, length) };
  const joint = /^(?:is|of|to|as|be|the|an?|for|named|called|string)$/;
  const name = tokens.findIndex((token, at) => at >= length && !joint.test(token.text));
  const isAgent = name >= 0 && (meaning.flag !== 'robot' || /bot|crawl|spider|\//.test(tokens[name]?.text ?? ''));
  return isAgent ? { ...meaning, tokens: tokens.slice(0, name + 1) } : plain('N', length);
}

/** Whether a verb or preposition names something here: “the index”, “downloads”, “the about page”. */
function isNoun({ is }: Meaning, before: string, word: string): boolean {
  const isPlural = is !== 'P' && /[^s]s$/.test(word) && !/^(?:yes|.*ions|as)$/.test(word);
  return 'wdP~'.includes(is) && (isPlural || /^(?:the|an?|its|their|our|your|this|these|that|my)$/.test(before));
}
