import { nearWords } from './spelling.ts';
import { formsOf, pathsOf, wordsOf } from './terms.ts';
import { buildThesaurus, isStopWord, isWeakWord, type Thesaurus } from './thesaurus.ts';

/** One thing that a question is about: any of its terms found in a passage counts, the best one. */
export interface Concept {
  /** The words of the question. */
  words: string;
  /** Terms of the index, each with how well it stands for the words: 1 is the word itself. */
  terms: Map<string, number>;
  /** The words of a phrase: all of them together are as good as the phrase itself. */
  together: string[];
  /** How much it tells: rare words tell more. */
  weight: number;
  /** In no text, whatever was tried. */
  unknown: boolean;
}

/** What kind of fact is asked for. */
export interface Wants {
  number: boolean;
  default: boolean;
  unit: boolean;
  status: boolean;
  code: boolean;
  list: boolean;
  /** The word that the question begins with, such as `how long` or `where`. */
  asks: string;
}

export interface Query {
  concepts: Concept[];
  wants: Wants;
}

/** How many passages hold a term, over all texts that are searched; 0 where none does. */
export interface Vocabulary {
  readonly size: number;
  count(term: string): number;
  terms(): Iterable<string>;
}

const spelledWeight = 0.8;
/** Words in no text count like those that stand in so many passages: they may be the point, or mere talk. */
const rareAsUnknown = 8;
const longestPhrase = 5;
const mostConcepts = 40;

let thesaurus: Thesaurus | undefined;
let thesaurusWords: Set<string> | undefined;

/** Reads a question: its concepts with all the words that texts may use for them, and what kind of fact it is after. */
export function readQuestion(question: string, vocabulary: Vocabulary): Query {
  thesaurus ??= buildThesaurus();
  const words = wordsOf(question.slice(0, 4000));
  const leads = words.map((word) => formsOf(word)[0] ?? word);
  const concepts: Concept[] = [];
  for (let index = 0; index < words.length && concepts.length < mostConcepts; ) {
    const length = phraseLength(leads, index, thesaurus);
    if (length > 1) {
      const own = leads.slice(index, index + length);
      const telling = own.filter((_, at) => !isStopWord(words[index + at] ?? ''));
      const phrase = words.slice(index, index + length).join(' ');
      concepts.push(
        concept(phrase, new Map(thesaurus.get(own.join(' '))), vocabulary, telling.length > 1 ? telling : []),
      );
      index += length;
      continue;
    }
    const word = words[index] ?? '';
    index++;
    if (isStopWord(word)) continue;
    concepts.push(...conceptsOf(word, vocabulary, thesaurus));
  }
  for (const path of pathsOf(question))
    if (vocabulary.count(path) > 0) concepts.push(concept(path, new Map([[path, 1]]), vocabulary));
  concepts.push(...joined(words, leads, vocabulary));
  return { concepts: merge(concepts), wants: wantsOf(question) };
}

/** The number of words at `index` that the thesaurus knows as one phrase; 0 where it knows none. */
function phraseLength(leads: string[], index: number, table: Thesaurus): number {
  for (let length = Math.min(longestPhrase, leads.length - index); length > 1; length--) {
    if (table.has(leads.slice(index, index + length).join(' '))) return length;
  }
  return 0;
}

function conceptsOf(word: string, vocabulary: Vocabulary, table: Thesaurus): Concept[] {
  const [lead = word, ...parts] = formsOf(word);
  const synonyms = table.get(lead);
  if (vocabulary.count(lead) === 0 && !synonyms && parts.length > 0) {
    return parts.filter((part) => !isStopWord(part)).flatMap((part) => conceptsOf(part, vocabulary, table));
  }
  const terms = new Map(synonyms);
  terms.set(lead, 1);
  const known = [...terms.keys()].some((term) => vocabulary.count(term) > 0);
  if (!known) {
    thesaurusWords ??= new Set([...table.keys()].filter((phrase) => !phrase.includes(' ')));
    for (const near of nearWords(lead, both(vocabulary.terms(), thesaurusWords))) {
      terms.set(near, spelledWeight);
      for (const [synonym, weight] of table.get(near) ?? [])
        if (!terms.has(synonym)) terms.set(synonym, weight * spelledWeight);
    }
  }
  return [concept(word, terms, vocabulary)];
}

function* both(one: Iterable<string>, other: Iterable<string>): Iterable<string> {
  yield* one;
  yield* other;
}

/** Identifiers that were written as words of their own: `activity ttl` is `activityTtl`. */
function joined(words: string[], leads: string[], vocabulary: Vocabulary): Concept[] {
  const found: Concept[] = [];
  for (let index = 0; index + 1 < leads.length; index++) {
    for (const length of [3, 2]) {
      const parts = leads.slice(index, index + length);
      if (parts.length < length || words.slice(index, index + length).some(isStopWord)) continue;
      for (const separator of ['', '_', '-', '.']) {
        const term = parts.join(separator);
        if (vocabulary.count(term) > 0) found.push(concept(parts.join(' '), new Map([[term, 1]]), vocabulary));
      }
    }
  }
  return found;
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
    // A synonym that stands everywhere says less than one that stands in few places.
    const own = fit === 1 ? 1 : fit * Math.sqrt(rarity(count) / rarest);
    terms.set(term, own);
    found += count * own * own;
  }
  const unknown = found === 0 && (together.length === 0 || together.some((term) => vocabulary.count(term) === 0));
  const weak = isWeakWord(words);
  const telling = /^\d+$/.test(words) ? numberWeight(words, unknown) : weak ? (unknown ? 0.1 : 0.5) : 1;
  return { words, terms, together, weight: rarity(found || rareAsUnknown) * telling, unknown };
}

/** A status code tells much; other numbers are what somebody tries or compares with. */
function numberWeight(digits: string, unknown: boolean): number {
  return /^[45]\d\d$/.test(digits) && !unknown ? 1.5 : 0.15;
}

/** A concept that was said twice counts once. */
function merge(concepts: Concept[]): Concept[] {
  const byWords = new Map<string, Concept>();
  for (const one of concepts) {
    const key = one.words.toLowerCase();
    if (!byWords.has(key)) byWords.set(key, one);
  }
  return [...byWords.values()];
}

const patterns: Record<Exclude<keyof Wants, 'asks'>, RegExp> = {
  number:
    /\b(how (long|many|much|big|large|old|often|far|deep)|max\w*|min\w*|limits?|longest|shortest|largest|biggest|smallest|highest|lowest|upper|lower|cap|bounds?|range|at (most|least)|number of|worth)\b/i,
  default:
    /\bdefaults?\b|\bomit|leave (it |the field )?(out|away)|\bif I (don'?t|do not|say nothing)|\bassumed\b|\bunspecified|\bnot (set|given)\b/i,
  unit: /\bunits?\b|\bmeasured in\b|in (seconds|milliseconds|minutes)\b/i,
  status: /\bstatus( code)?\b|\bhttp (code|status)\b|\berror code\b|\b[45]\d\d\b/i,
  code: /\b(example|snippet|sample|show me|curl|code (for|to)|how (do|can|to|would) i? ?(verify|connect|call|check|compute))\b/i,
  list: /\b(which|what|list|all|available)\b.*\b(\w+[^s]s|languages|fields|kinds|are there|exist)\b/i,
};

function wantsOf(question: string): Wants {
  const text = question.slice(0, 4000);
  const { number, default: byDefault, unit, status, code, list } = patterns;
  return {
    number: number.test(text),
    default: byDefault.test(text),
    unit: unit.test(text),
    status: status.test(text),
    code: code.test(text),
    list: list.test(text),
    asks: askedWith(text),
  };
}

/** Question words that ask for the same. */
const alike: Readonly<Record<string, string>> = {
  what: 'which',
  may: 'can',
  does: 'can',
  do: 'can',
  is: 'can',
  are: 'can',
  'how large': 'how big',
};

/** The first question word of a text, such as `how long`, `where` or `can`; empty where there is none. */
export function askedWith(text: string): string {
  const word =
    /\b(how (?:long|many|much|big|old|often|far|deep)|how|where|when|why|who|which|what|can|may|does|do|is|are)\b/i.exec(
      text,
    );
  const first = word?.[0].toLowerCase() ?? '';
  return alike[first] ?? first;
}
