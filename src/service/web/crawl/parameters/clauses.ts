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

/** One thing that a sentence speaks of, with the words that say whether it is wanted. */
export interface Clause {
  /** What separates it from the one before: a joint, or its own first word, such as “without”; undefined if nothing does: both can then only be read together. */
  joined: 'comma' | 'and' | 'or' | 'but' | 'aside' | undefined;
  /** Whether a comma precedes its joint. */
  hasComma: boolean;
  /** The heads before it, and those after it: “the blog should be skipped”. */
  heads: Unit[];
  after: Unit[];
  things: Unit[];
  /** What is said of it after words such as `with` or `that`. */
  tail: Unit[];
  /** Whether `is` or `should be` follows it. */
  isSubject: boolean;
  /** Whether its words stand in an order that isn't read. */
  isBroken: boolean;
}

const heads: ReadonlySet<string> = new Set(['not', 'deny', 'want', 'only', 'except']);
const joints: ReadonlySet<string> = new Set('filler generic section place about and comma per too'.split(' '));
const isFiller = ({ is }: Unit) => is === 'filler';
/** Whether a unit is a thing or an unknown word, rather than one that joins others. */
export const isContent = (unit: Unit): boolean => !joints.has(unit.is) && !(unit.is === 'unit' && unit.of === 'limit');
/** Whether a thing needs no head, as “at most 5 pages”, and so isn't one of the list before it. */
const isBounded = (unit: Unit) => unit.is === 'amount' && unit.bound === 'most';
/** Whether a clause is nothing but such amounts, or one with a comma of its own. */
export const isFree = ({ heads, after, things, joined }: Clause): boolean =>
  heads.length + after.length === 0 &&
  things.every((unit) => !isContent(unit) || isBounded(unit) || (unit.is === 'amount' && joined === 'comma'));
const textOf = (unit: Unit | undefined) => unit?.tokens[0]?.text ?? '';

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
    else if (!phrase || (phrase.length === 1 && isNoun(phrase.meaning, tokens[index - 1]?.text ?? '', token.text)))
      units.push({ is: 'name', tokens: [token] });
    else if (phrase.meaning.is === 'agent') {
      while (/^(?:is|of|to|as|be|the|an?|for|named|called|string)$/.test(rest[length]?.text ?? '')) length++;
      const name = rest[length];
      const isName = name && (!phrase.meaning.robot || /bot|crawl|spider|\//.test(name.text));
      if (isName) length++;
      units.push({ ...(isName ? phrase.meaning : { is: 'name' }), tokens: rest.slice(0, length) });
    } else units.push({ ...phrase.meaning, tokens: rest.slice(0, length) });
    index += units.at(-1)?.is === 'name' && phrase?.meaning.is !== 'agent' ? 1 : length;
  }
  return units;
}

/** Whether a verb or preposition names something here: “the index”, “downloads”, “the about page”. */
function isNoun({ is }: Meaning, before: string, word: string): boolean {
  if (!['want', 'deny', 'place', 'about'].includes(is)) return false;
  const isPlural = is !== 'place' && /[^s]s$/.test(word) && !/^(?:yes|.*ions|as)$/.test(word);
  return isPlural || /^(?:the|an?|its|their|our|your|this|these|that|my)$/.test(before);
}

/** Returns the sentences of a text. One that starts with `and` or `but`, or is “The blog too.”, goes on with the one before. */
export function sentencesOf(tokens: readonly Token[]): Sentence[] {
  const sentences: Sentence[] = [];
  let own: Unit[] = [];
  for (const unit of [...unitsOf(tokens), undefined]) {
    if (unit && unit.is !== 'stop') own.push(unit);
    else if (own.length > 0) {
      const before = sentences.at(-1);
      const first = own.find((one) => !isFiller(one))?.is;
      const isMore = own.some(({ is }) => is === 'too') && !own.some(({ is }) => heads.has(is));
      if (before && (first === 'and' || first === 'but' || isMore))
        before.units.push({ is: 'comma', tokens: [] }, ...own);
      else sentences.push({ units: own, isQuestion: textOf(unit).includes('?') });
      own = [];
    }
  }
  return sentences.map(({ units, isQuestion }) => ({ units: readAmounts(units), isQuestion }));
}

/** Splits a sentence into clauses: a head after a thing starts one, and a joint before a thing or a head. */
export function clausesOf(units: readonly Unit[]): Clause[] {
  const clauses: Clause[] = [];
  let joined: Clause['joined'];
  let hasComma = false;
  let clause: Clause;
  const start = (by: Clause['joined']) => {
    clause = { joined: by, hasComma, heads: [], after: [], things: [], tail: [], isSubject: false, isBroken: false };
    clauses.push(clause);
    joined = undefined;
    hasComma = false;
    return clause;
  };
  clause = start('comma');
  for (const [index, unit] of units.entries()) {
    const next = units.slice(index + 1).find((other) => !isFiller(other));
    const has = clause.things.some(isContent);
    const isOver = has || clause.tail.length > 0;
    const isAfterAll = unit.is === 'but' && (clause.things.at(-1)?.is === 'all' || textOf(units[index - 1]) === 'all');
    if (unit.is === 'comma') {
      // `Skip these:`, and a list of lines
      if (isOver || !textOf(unit).includes('\n')) joined ??= 'comma';
      hasComma = true;
    } else if (unit.is === 'and') joined = textOf(unit) === 'or' ? 'or' : 'and';
    else if (unit.is === 'but' && !(isAfterAll && next && !heads.has(next.is))) {
      // `everything but follow links`
      start('but').isBroken = isAfterAll && next?.is === 'want';
    } else if (unit.is === 'be') {
      if (clause.tail.length > 0) clause.isBroken = true;
      else if (has && !joined) clause.isSubject = true;
    } else if (heads.has(unit.is) || unit.is === 'but') {
      const head: Unit = unit.is === 'but' ? { is: 'except', aside: true, tokens: unit.tokens } : unit;
      const own = clause.isSubject || clause.after.length > 0 ? clause.after : clause.heads;
      const last = own.at(-1);
      const isEnd = next === undefined || ['comma', 'and', 'but', 'about'].includes(next.is) || isBounded(next);
      // `skip or ignore the blog`, `should be skipped or ignored`
      if (joined && last?.is === head.is && (own === clause.after ? isEnd : !isOver)) joined = undefined;
      else if (!isOver) {
        // `do not, under any circumstances, crawl`, but `no, crawl` and `skip, not crawl` aren't read.
        if (joined && last && !(last.is === 'not' && !isAside(last) && head.is === 'want')) clause.isBroken = true;
        joined = undefined;
        clause.heads.push(head);
      } else if (!joined && (isEnd || clause.isSubject)) clause.after.push(head);
      else start(joined ?? (isAside(head) ? 'aside' : undefined)).heads.push(head);
    } else if (unit.is === 'about' && (joined || clause.tail.length === 0)) {
      const isJoint = next?.is === 'amount' || heads.has(next?.is ?? '') || (next?.is === 'option' && !has);
      if (!isJoint) (joined && isOver ? start(joined) : clause).tail.push(unit);
    } else {
      // `the docs, skipped, the blog`: what the head is about can't be told.
      const isApart = joined && (isOver || clause.heads.some(({ is }) => is === 'not' || is === 'deny'));
      if (!isFiller(unit) && (isApart || (isOver && isBounded(unit)))) start(joined ?? 'comma');
      else if (isContent(unit) && (clause.isSubject || clause.after.length > 0) && unit.is !== 'same')
        clause.isBroken = true;
      if (isContent(unit)) joined = undefined;
      if (isContent(unit)) hasComma = false;
      (clause.tail.length > 0 ? clause.tail : clause.things).push(unit);
    }
  }
  return clauses.filter(({ heads: own, things, tail }) => own.length + tail.length > 0 || things.some(isContent));
}

/** Whether a head says nothing of the clause before it: “without”, “except”. */
const isAside = (head: Unit) => 'aside' in head && head.aside === true;

/** What a clause wants of its things. */
export interface Polarity {
  wanted: boolean;
  /** Nothing else is wanted. */
  only: boolean;
  /** It merely doesn't deny them: “don't skip the blog”. */
  soft: boolean;
}

/** Folds heads: each denial turns what they want round. Undefined if there are more than two. */
export function fold(all: readonly Unit[]): Polarity | undefined {
  let polarity: Polarity = { wanted: true, only: false, soft: false };
  let turns = 0;
  for (const [index, head] of all.entries()) {
    const { wanted, soft } = polarity;
    // `neither read nor followed`
    if (textOf(head) === 'nor' && all.slice(0, index).some(({ is }) => is === 'not')) continue;
    if (head.is === 'not' || head.is === 'deny' || head.is === 'except') turns++;
    if (head.is === 'except') polarity = { wanted: !wanted, only: !wanted, soft: false };
    else if (head.is === 'not' || head.is === 'deny') polarity = { wanted: !wanted, only: false, soft: !wanted };
    else if (head.is === 'only' && wanted) polarity = { wanted, only: !soft, soft };
    // `don't just crawl the docs`
    else if (head.is === 'only' && all.some(({ is }) => is === 'not'))
      polarity = { wanted: true, only: false, soft: true };
  }
  return turns > 2 ? undefined : polarity;
}

/** A clause with all the heads that decide it; undefined if it can't be told which do. */
export interface Decided extends Clause {
  all: Unit[] | undefined;
}

/** Finds the heads of each clause: its own, and those that go on from the clauses before and after it. */
export function decided(clauses: readonly Clause[]): Decided[] {
  const result: Decided[] = clauses.map((clause) => ({ ...clause, all: undefined }));
  for (const [index, clause] of result.entries()) takeBefore(clause, result.slice(0, index));
  for (const [index, clause] of result.entries())
    if (goesOn(result, index)) clause.all = headsOf(clause, result[index - 1]);
  return result;
}

/** Gives the heads after a clause to the list that it ends: “the blog and the docs should be skipped”. */
function takeBefore(clause: Decided, before: readonly Decided[]): void {
  const { after, heads: own, joined } = clause;
  if (after.length === 0) return;
  if (own.some(({ is }) => is === 'deny' || is === 'except')) clause.isBroken = true;
  const first = before.findLastIndex((one) => one.heads.length > 0 || one.after.length > 0 || isFree(one)) + 1;
  const list = own.length === 0 && joined !== 'but' ? before.slice(first) : [];
  const isOnly = after.every(({ is }) => is === 'only');
  const isList = isOnly || joined === 'and' || joined === 'or';
  const isAfterOther = first > 0 && list[0]?.joined !== 'but' && before[first - 1]?.after.length === 0;
  // `crawl the docs, the blog and the reviews should be skipped`, `skip the docs, the blog only`
  if (list.length > 0 && (isAfterOther || !isList)) clause.isBroken = true;
  const isDenied = fold(before.at(-1)?.heads ?? [])?.wanted !== true;
  if (list.length === 0 && isOnly && isDenied && (joined === 'and' || joined === 'or')) clause.isBroken = true;
  for (const one of list) one.after = after;
}

/**
 * Whether a clause without heads can only go on with the list before it. After `the docs, not the blog`, `or the press`
 * and `the reviews or the press` do; `the press` and `, and the press` may be wanted, as the docs are.
 */
function goesOn(clauses: readonly Decided[], index: number): boolean {
  const isListed = ({ heads: own, after }: Clause) => own.length + after.length === 0;
  const first = clauses.slice(0, index + 1).findLastIndex((clause) => !isListed(clause) && !isFree(clause));
  const before = clauses.slice(0, first < 0 ? 0 : first).flatMap(({ things }) => things.filter(isContent));
  const isContrast = clauses[first]?.heads.every(({ is }) => is === 'not' || is === 'except');
  if (first === index || !isContrast || before.every(({ is }) => is === 'amount' || is === 'all')) return true;
  const next = clauses.findIndex((clause, other) => other > index && (!isListed(clause) || isFree(clause)));
  const end = next < 0 ? clauses.length - 1 : next - 1;
  const last = clauses[end];
  return (
    isFree(clauses[index] as Decided) ||
    ((last?.joined === 'and' || last?.joined === 'or') && (end > first + 1 || !last.hasComma))
  );
}

function headsOf(clause: Decided, before: Decided | undefined): Unit[] | undefined {
  const own = [...clause.heads, ...clause.after];
  const [first] = own;
  const prior = before?.all;
  const was = prior && fold(prior);
  const isDenied = was?.wanted === false;
  if (!before) return own;
  if (!first) {
    // A list doesn't go on after an amount: `skip the blog, at most 5 pages, the docs`.
    if (isFree(clause)) return isDenied || was?.soft ? undefined : prior;
    // `no press, but the docs`; a list after `is skipped` may go on or not.
    if (clause.joined === 'but') return isDenied ? [] : undefined;
    return before.after.length > 0 && isDenied ? undefined : prior;
  }
  if (first.is === 'except') {
    const isAll = before.things.filter(isContent).every(({ is }) => is === 'all');
    const isClear = was && (was.wanted || isAll) && own.every(({ is }) => is !== 'not' && is !== 'deny');
    return isClear ? [...prior, ...own] : undefined;
  }
  if (textOf(first) === 'nor') return prior?.some(({ is }) => is === 'not') ? prior : own;
  // `don't crawl the docs without the guides`
  if (clause.joined === 'aside' && prior?.some(({ is }) => is === 'not')) return undefined;
  if (own.every(({ is }) => is === 'not') && !was?.wanted && !isAside(first)) {
    if (!prior) return undefined;
    // `ignore robots.txt but not the sitemap`: the verb goes on.
    const verbs = prior.filter(({ is }) => is === 'deny');
    if (verbs.length === 0) return clause.joined === 'but' ? undefined : own;
    return clause.joined === 'but' && clause.heads.length === 1 && textOf(first) === 'not'
      ? [...own, ...verbs]
      : undefined;
  }
  if ((first.is !== 'want' && first.is !== 'deny') || clause.joined === 'but' || clause.heads.length === 0) return own;
  // A verb after a denial: `don't visit the shop or follow links`, `avoid reading the shop and following links`.
  const not = prior?.findIndex(({ is }, index) => is === 'not' || (is === 'deny' && prior[index + 1])) ?? -1;
  if (clause.joined === 'or') return prior && not >= 0 ? [...prior.slice(0, not + 1), ...own] : undefined;
  if (isDenied && /ing$/.test(textOf(first))) return undefined;
  const isAmount = before.things.filter(isContent).every(({ is }) => is === 'amount');
  return clause.joined === 'and' && not >= 0 && !isAmount ? undefined : own;
}
