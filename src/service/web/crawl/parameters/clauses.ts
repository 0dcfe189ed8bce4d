import { type Amount, readAmounts } from './amounts.ts';
import { type Meaning, phraseAt } from './phrases.ts';
import { numberOf, type Token } from './tokens.ts';

/** A phrase of a sentence, a name that isn't one, or an amount. */
export type Unit = (
  | Meaning
  | Amount
  | { is: 'number'; value: number }
  | { is: 'name' | 'literal' | 'comma' | 'stop' }
) & {
  tokens: readonly Token[];
};

/** A part of a sentence that wants or denies a list of things. */
export interface Clause {
  /** The words that decide it, in order. */
  heads: Unit[];
  /** These and those that go on from the clause before. */
  all: readonly Unit[];
  /** What it is about; an item has the words of one thing. */
  items: Unit[][];
  /** How it is joined to the clause before. */
  joined: 'but' | 'and' | 'or' | 'comma' | undefined;
  /** Whether its heads follow its items: “the blog should be skipped”. */
  takesBefore: boolean;
  /** Whether it sets nothing, because its words can't be told apart. */
  isVoid: boolean;
}

export interface Sentence {
  clauses: Clause[];
  units: readonly Unit[];
  isQuestion: boolean;
  /** Whether nothing of it is set: a condition or a denial can be about all of it. */
  isVoid: boolean;
}

const heads: ReadonlySet<string> = new Set(['not', 'deny', 'want', 'only', 'except']);
const joints: ReadonlySet<string> = new Set([
  'filler',
  'generic',
  'section',
  'place',
  'about',
  'and',
  'comma',
  'per',
  'out',
]);
const determiner = /^(?:the|an?|its|their|our|your|this|these|that|my)$/;
const isFiller = ({ is }: Unit) => is === 'filler';
/** Whether a unit is a thing or an unknown word, rather than one that joins others. */
export const isContent = (unit: Unit): boolean => !joints.has(unit.is) && !(unit.is === 'unit' && unit.of === 'limit');
const hasContent = (units: readonly Unit[] | undefined) => units?.some(isContent) === true;
const isNegative = ({ is }: Unit) => is !== 'want' && is !== 'only' && heads.has(is);
const isDenial = ({ is }: Unit) => is === 'not' || is === 'deny';

/** Returns the sentences of a text. */
export function sentencesOf(tokens: readonly Token[]): Sentence[] {
  const sentences: Sentence[] = [];
  let units: Unit[] = [];
  for (const unit of [...unitsOf(tokens), undefined]) {
    if (unit && unit.is !== 'stop') units.push(unit);
    else {
      const isQuestion = unit?.tokens[0]?.text.includes('?') === true;
      if (units.length > 0) sentences.push(sentenceOf(readAmounts(units), isQuestion));
      units = [];
    }
  }
  return sentences;
}

/** Returns the phrases, numbers and names of a text. */
export function unitsOf(tokens: readonly Token[]): Unit[] {
  const units: Unit[] = [];
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index] as Token;
    const rest = tokens.slice(index);
    const phrase = phraseAt(rest);
    const number = numberOf(rest);
    let length = Math.max(phrase?.length ?? 1, number?.length ?? 1);
    if (token.kind === 'comma' || token.kind === 'stop') units.push({ is: token.kind, tokens: [token] });
    else if (number && number.length >= (phrase?.length ?? 0))
      units.push({ is: 'number', value: number.value, tokens: rest.slice(0, length) });
    else if (token.kind !== 'word') units.push({ is: 'literal', tokens: [token] });
    else if (!phrase || isNoun(phrase, tokens, index)) {
      length = 1;
      units.push({ is: 'name', tokens: [token] });
    } else if (phrase.meaning.is === 'agent') {
      while (/^(?:is|of|to|as|be|the|an?|for|named|called|string)$/.test(rest[length]?.text ?? '')) length++;
      const name = rest[length];
      const isName = name && (!phrase.meaning.robot || /bot|crawl|spider|\//.test(name.text));
      if (isName) length++;
      units.push({ ...(isName ? phrase.meaning : { is: 'name' }), tokens: rest.slice(0, length) });
    } else units.push({ ...phrase.meaning, tokens: rest.slice(0, length) });
    index += length;
  }
  return units;
}

/** Whether a verb or preposition names something here: “the index”, “downloads”, “the about page”. */
function isNoun(
  { meaning: { is }, length }: { meaning: Meaning; length: number },
  tokens: readonly Token[],
  at: number,
): boolean {
  if (length > 1 || !['want', 'deny', 'place', 'about'].includes(is)) return false;
  return (
    determiner.test(tokens[at - 1]?.text ?? '') ||
    (is !== 'place' && /[^s]s$/.test(tokens[at]?.text ?? '') && !/^(?:yes|.*ions|as)$/.test(tokens[at]?.text ?? ''))
  );
}

/** Splits a sentence into clauses: one ends at `but`, at a head after a thing, and at a limit, which needs none. */
function sentenceOf(units: readonly Unit[], isQuestion: boolean): Sentence {
  const isVoid = units.some(({ is }) => is === 'condition');
  const sentence: Sentence = { clauses: [], units, isQuestion, isVoid };
  const empty = (joined: Clause['joined']): Clause => ({
    heads: [],
    all: [],
    items: [],
    joined,
    takesBefore: false,
    isVoid: false,
  });
  let clause = empty(undefined);
  let joined: Clause['joined'];
  let isTail = false;
  /** Whether `and` or `or` was the last word between two things. */
  let isList = false;
  const start = (by: Clause['joined'], items: Unit[][] = []) => {
    if (clause.heads.length > 0 || hasContent(clause.items.flat())) sentence.clauses.push(clause);
    clause = { ...empty(by), items };
    joined = undefined;
    isTail = false;
  };
  /** What follows is about the things before it: about the last alone if the first has a verb of its own. */
  const takeBefore = (isOnly: boolean, isPassive: boolean) => {
    const { heads: own, items } = clause;
    const things = items.filter(hasContent);
    if (own.length > 0 && things.length === 2 && !(isOnly && !own.some(isDenial))) {
      clause.items = things.slice(0, 1);
      start('comma', things.slice(1));
    } else if (!isOnly && things.length > 1 && (own.length > 0 || !isPassive || !isList)) clause.isVoid = true;
    // `everything but the blog should be skipped`: what precedes it may be meant too.
    if (clause.heads.some(isNegative) && sentence.clauses.at(-1)?.heads.length === 0) sentence.isVoid = true;
    clause.takesBefore = true;
  };
  for (const [index, unit] of units.entries()) {
    const next = units.slice(index + 1).find((other) => !isFiller(other));
    const has = hasContent(clause.items.flat());
    const previous = units.slice(0, index).findLast(({ is }) => is !== 'comma');
    const isAfterAll =
      unit.tokens[0]?.text === 'but' && (previous?.is === 'all' || previous?.tokens[0]?.text === 'all');
    const isExcept = isAfterAll && next !== undefined && !heads.has(next.is);
    if (unit.is === 'comma' || unit.is === 'and') {
      joined = unit.is === 'comma' ? (joined ?? 'comma') : unit.tokens[0]?.text === 'or' ? 'or' : 'and';
      isTail = false;
      isList = joined !== 'comma';
      if (hasContent(clause.items.at(-1)) || clause.items.at(-1)?.some(({ is }) => is === 'about'))
        clause.items.push([]);
    } else if (unit.is === 'but' && !isExcept) {
      start('but');
      // `everything but follow links`
      clause.isVoid = isAfterAll && next?.is === 'want';
    } else if (isTail) {
      // `pages with images are skipped`
      if (isDenial(unit) || ['be', 'except', 'only'].includes(unit.is)) sentence.isVoid = true;
      clause.items.at(-1)?.push(unit);
    } else if (unit.is === 'be') {
      if (has && !joined && !clause.takesBefore) takeBefore(false, true);
    } else if (heads.has(unit.is) || unit.is === 'but') {
      const head: Unit = unit.is === 'but' ? { is: 'except', tokens: unit.tokens } : unit;
      // `skip or ignore the blog`, `should be skipped or ignored`
      if (joined && clause.heads.at(-1)?.is === head.is && (clause.takesBefore || !has)) continue;
      const isEnd = next === undefined || ['comma', 'and', 'but'].includes(next.is);
      if (has && isEnd && !joined && !clause.takesBefore) takeBefore(head.is === 'only', false);
      else if (has && (joined || !clause.takesBefore)) start(joined);
      else if (clause.heads.length === 0) clause.joined ??= joined;
      clause.heads.push(head);
    } else {
      const isAside =
        unit.is === 'about' && (next?.is === 'amount' || heads.has(next?.is ?? '') || (next?.is === 'option' && !has));
      if (isAside) continue;
      if (isContent(unit)) {
        const isBounded = unit.is === 'amount' && (unit.bound === 'most' || joined === 'comma');
        if (has && (clause.takesBefore ? joined && clause.heads.length > 0 : isBounded)) start(joined);
        // `the docs are old`: what is said of them isn't known.
        else if (clause.takesBefore && unit.is !== 'same') clause.isVoid = true;
        joined = undefined;
      }
      isTail = unit.is === 'about';
      if (clause.items.length === 0) clause.items.push([]);
      clause.items.at(-1)?.push(unit);
    }
  }
  start(undefined);
  return sentence;
}

/** What a clause wants of its items. */
export interface Polarity {
  wanted: boolean;
  /** Nothing else is wanted. */
  only: boolean;
  /** It merely doesn't deny them: “don't skip the blog”. */
  soft: boolean;
}

/** Folds the heads of a clause; undefined if it can't be told what they want. */
export function polarityOf(clause: Clause, before: Clause | undefined): Polarity | undefined {
  const { heads: own, joined, items } = clause;
  const was = before && fold(before.all);
  const denied = was?.wanted === false ? (before?.all.filter(isDenial) ?? []) : [];
  // `neither read nor followed`
  clause.all = own.filter(
    ({ tokens }, index) => tokens[0]?.text !== 'nor' || !own.slice(0, index).some(({ is }) => is === 'not'),
  );
  if (was?.wanted === false && own.some(({ is }) => is === 'except')) {
    // `skip everything except the docs`; of a part of something skipped it can't be told.
    const isAll = before?.items
      .flat()
      .filter(isContent)
      .every(({ is }) => is === 'all');
    return isAll && !own.some(isDenial) ? { wanted: true, only: true, soft: false } : undefined;
  }
  // `ignore robots.txt but not the sitemap`: the verb goes on.
  if (own.every((head) => head.is === 'not' && !head.aside) && (own.length > 0 || joined === 'but')) {
    if (own.length === 0 && denied.length > 0) return undefined;
    clause.all = [...clause.all, ...denied.filter(({ is }) => is === 'deny')];
  }
  // `don't visit the shop or follow links`: the denial goes on; after `and` it may, or not.
  if (own[0]?.is === 'want' && !before?.takesBefore && denied.some(({ is }) => is === 'not')) {
    const isParallel = [own, before?.heads].every((some) =>
      some?.some(({ tokens }) => /ing$/.test(tokens[0]?.text ?? '')),
    );
    if (joined === 'or' || isParallel) clause.all = [...denied, ...own];
    else if (joined === 'and' && items.length > 0) return undefined;
  }
  return fold(clause.all);
}

function fold(all: readonly Unit[]): Polarity {
  let polarity: Polarity = { wanted: true, only: false, soft: false };
  for (const { is } of all) {
    const { wanted, soft } = polarity;
    if (is === 'except') polarity = { wanted: !wanted, only: !wanted, soft: false };
    else if (is === 'not' || is === 'deny') polarity = { wanted: !wanted, only: false, soft: !wanted };
    else if (is === 'only' && wanted) polarity = { wanted, only: !soft, soft };
    // `don't just crawl the docs`
    else if (is === 'only' && all.some((head) => head.is === 'not'))
      polarity = { wanted: true, only: false, soft: true };
  }
  return polarity;
}
