import { isStopWord, isWeakWord } from './common-words.ts';
import { nearWords } from './spelling.ts';
import { formsOf, wordsOf } from './terms.ts';
import { buildThesaurus, type Thesaurus } from './thesaurus.ts';
import { type Wants, wantsOf } from './wants.ts';

/** One thing that a question is about. A passage has it when it has any of its terms; the best one counts. */
export interface Concept {
  /** The words of the question. */
  words: string;
  /** Terms of the index, each with how well it matches the words: 1 is the word itself. */
  terms: Map<string, number>;
  /** The words of a phrase; all of them together count as the phrase. */
  together: string[];
  /** How specific it is: rare words weigh more. */
  weight: number;
  /** Found in no text, not even with synonyms and corrected spelling. */
  unknown: boolean;
}

export interface Query {
  concepts: Concept[];
  wants: Wants;
}

/** How many passages contain a term, over all searched texts. */
export interface Vocabulary {
  readonly size: number;
  count(term: string): number;
  terms(): Iterable<string>;
}

const spelledWeight = 0.8;
/** Unknown words weigh as much as words in this many passages: they may be essential or filler. */
const rareAsUnknown = 8;
/** The maximum weight of a word: one that occurs only once may be there by chance. */
const maxWeight = 5;
/** The maximum weight of a number that is not a status. */
const maxAmountWeight = 0.7;
const maxPhraseWords = 5;
const maxConcepts = 40;
/** Maximum number of unknown words that are looked up as misspelled. */
const maxSpelled = 6;

let thesaurus: Thesaurus | undefined;
let thesaurusWords: Set<string> | undefined;

/** Parses a question into its concepts, with all words that texts may use for them, and the kinds of fact it asks for. */
export function readQuestion(question: string, vocabulary: Vocabulary): Query {
  thesaurus ??= buildThesaurus();
  const words = wordsOf(question.slice(0, 4000));
  const leads = words.map((word) => formsOf(word)[0] ?? word);
  const concepts: Concept[] = [];
  const spelled = { left: maxSpelled };
  for (let index = 0; index < words.length && concepts.length < maxConcepts; ) {
    const length = phraseLength(leads, index, thesaurus);
    if (length > 1) {
      const own = leads.slice(index, index + length);
      const contentWords = own.filter((_, at) => !isStopWord(words[index + at] ?? ''));
      const phrase = words.slice(index, index + length).join(' ');
      concepts.push(
        concept(phrase, new Map(thesaurus.get(own.join(' '))), vocabulary, contentWords.length > 1 ? contentWords : []),
      );
      index += length;
      continue;
    }
    const word = words[index] ?? '';
    index++;
    if (isStopWord(word)) continue;
    concepts.push(...conceptsOf(word, vocabulary, thesaurus, isProperName(word, index) ? { left: 0 } : spelled));
  }
  const wants = wantsOf(question);
  return { concepts: merge(concepts).map((one) => (wants.status ? one : asAmount(one))), wants };
}

/** Whether a word is a name within a sentence, such as Discord, rather than misspelled. `place` counts words from 1. */
function isProperName(word: string, place: number): boolean {
  return place > 1 && /^\p{Lu}\p{Ll}+$/u.test(word);
}

/** The number of words at `index` that are a phrase of the thesaurus; 0 when there is none. */
function phraseLength(leads: string[], index: number, table: Thesaurus): number {
  for (let length = Math.min(maxPhraseWords, leads.length - index); length > 1; length--) {
    if (table.has(leads.slice(index, index + length).join(' '))) return length;
  }
  return 0;
}

function conceptsOf(word: string, vocabulary: Vocabulary, table: Thesaurus, spelled: { left: number }): Concept[] {
  const amount = /^(\d+)(s|sec|secs|ms|min|mins|h|hrs|kb|mb|gb|mib|k)$/i.exec(word);
  if (amount) return conceptsOf(amount[1] ?? '', vocabulary, table, spelled);
  const [lead = word, ...parts] = formsOf(word);
  const synonyms = table.get(lead);
  if (vocabulary.count(lead) === 0 && !synonyms && parts.length > 0) {
    return parts.filter((part) => !isStopWord(part)).flatMap((part) => conceptsOf(part, vocabulary, table, spelled));
  }
  const terms = new Map(synonyms);
  terms.set(lead, 1);
  const isKnown = [...terms.keys()].some((term) => vocabulary.count(term) > 0);
  if (!isKnown && spelled.left-- > 0) {
    thesaurusWords ??= new Set([...table.keys()].filter((phrase) => !phrase.includes(' ')));
    const known = [...vocabulary.terms(), ...thesaurusWords];
    for (const other of nearWords(lead, known)) {
      terms.set(other, spelledWeight);
      for (const [synonym, weight] of table.get(other) ?? []) {
        if (!terms.has(synonym)) terms.set(synonym, weight * spelledWeight);
      }
    }
  }
  return [concept(word, terms, vocabulary)];
}

function concept(
  words: string,
  said: ReadonlyMap<string, number>,
  vocabulary: Vocabulary,
  together: string[] = [],
): Concept {
  const rarity = (count: number) => Math.log(1 + vocabulary.size / count);
  const counts = [...said]
    .map(([term, fit]) => ({ term, fit, count: vocabulary.count(term) }))
    .filter(({ count }) => count > 0);
  const rarest = Math.max(0, ...counts.filter(({ fit }) => fit < 1).map(({ count }) => rarity(count)));
  const terms = new Map<string, number>();
  let found = 0;
  for (const { term, fit, count } of counts) {
    // A common synonym says less than a rare one.
    const own = fit === 1 ? 1 : fit * Math.sqrt(rarity(count) / rarest);
    terms.set(term, own);
    found += count * own * own;
  }
  const unknown = found === 0 && (together.length === 0 || together.some((term) => vocabulary.count(term) === 0));
  const weak = isWeakWord(words);
  const specificity = isNumber(words) ? numberWeight(words, unknown) : weak ? (unknown ? 0.1 : 0.5) : 1;
  return { words, terms, together, weight: Math.min(maxWeight, rarity(found || rareAsUnknown)) * specificity, unknown };
}

const numerals = /^(?:\d+|two|three|four|five|six|seven|eight|nine|ten|dozen|twenty|thirty|sixty|hundred|thousand)$/i;

export function isNumber(word: string): boolean {
  return numerals.test(word);
}

/** A status code says much; other numbers are often just examples. */
function numberWeight(digits: string, unknown: boolean): number {
  return /^[45]\d\d$/.test(digits) && !unknown ? 1.5 : 0.15;
}

function asAmount(concept: Concept): Concept {
  return isNumber(concept.words) ? { ...concept, weight: Math.min(concept.weight, maxAmountWeight) } : concept;
}

/** Removes concepts that occur twice. */
function merge(concepts: Concept[]): Concept[] {
  const byWords = new Map<string, Concept>();
  for (const one of concepts) {
    const key = one.words.toLowerCase();
    if (!byWords.has(key)) byWords.set(key, one);
  }
  return [...byWords.values()];
}
