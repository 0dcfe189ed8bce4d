import { nearWords } from './spelling.ts';
import { formsOf, wordsOf } from './terms.ts';
import { buildThesaurus, isStopWord, type Thesaurus } from './thesaurus.ts';

/** One thing that a question is about: any of its terms found in a passage counts, the best one. */
export interface Concept {
  /** The words of the question. */
  words: string;
  /** Terms of the index, each with how well it stands for the words: 1 is the word itself. */
  terms: Map<string, number>;
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
      const terms = new Map(thesaurus.get(leads.slice(index, index + length).join(' ')));
      concepts.push(concept(words.slice(index, index + length).join(' '), terms, vocabulary));
      index += length;
      continue;
    }
    const word = words[index] ?? '';
    index++;
    if (isStopWord(word)) continue;
    concepts.push(...conceptsOf(word, vocabulary, thesaurus));
  }
  concepts.push(...joined(leads, vocabulary));
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
function joined(leads: string[], vocabulary: Vocabulary): Concept[] {
  const found: Concept[] = [];
  for (let index = 0; index + 1 < leads.length; index++) {
    for (const length of [3, 2]) {
      const parts = leads.slice(index, index + length);
      if (parts.length < length) continue;
      for (const separator of ['', '_', '-', '.']) {
        const term = parts.join(separator);
        if (vocabulary.count(term) > 0) found.push(concept(parts.join(' '), new Map([[term, 1]]), vocabulary));
      }
    }
  }
  return found;
}

function concept(words: string, terms: Map<string, number>, vocabulary: Vocabulary): Concept {
  let rarest = 0;
  let unknown = true;
  // The word itself says how much it tells; synonyms are asked only where no text has the word.
  const counts = [...terms]
    .map(([term, weight]) => [vocabulary.count(term), weight] as const)
    .filter(([count]) => count > 0);
  const own = counts.filter(([, weight]) => weight === 1);
  for (const [count] of own.length > 0 ? own : counts) {
    unknown = false;
    rarest = Math.max(rarest, Math.log(1 + vocabulary.size / count));
  }
  const weight = unknown ? Math.log(1 + vocabulary.size / 3) : rarest;
  return { words, terms, weight: /^[1-5]\d\d$/.test(words) ? weight * 1.5 : weight, unknown };
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

const patterns: Record<keyof Wants, RegExp> = {
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
  return Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => [name, pattern.test(text)]),
  ) as unknown as Wants;
}
