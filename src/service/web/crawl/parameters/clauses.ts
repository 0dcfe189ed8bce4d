import { isAside, isContent, isFiller, isHead, textOf, type Unit } from './units.ts';

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
  /** All heads that decide it; undefined if it can't be told which do. */
  all: Unit[] | undefined;
}

/** What a clause wants of its things. */
export interface Polarity {
  wanted: boolean;
  /** Nothing else is wanted. */
  only: boolean;
  /** It merely doesn't deny them: “don't skip the blog”. */
  soft: boolean;
}

/** Whether an amount needs no head, as “at most 5 pages”, and so isn't one of the list before it. */
const isBounded = (unit: Unit) => unit.is === 'amount' && unit.bound === 'most';
/** Whether a unit is a verb and its own thing: `dedupe`. */
const isVerb = (unit: Unit) => unit.is === 'same' && unit.of !== undefined;
const isHeadless = ({ heads, after }: Clause) => heads.length + after.length === 0;
/** Whether a clause is nothing but such amounts, or an amount with a comma of its own. */
export const isFree = (clause: Clause): boolean =>
  isHeadless(clause) &&
  clause.things.every(
    (unit) => !isContent(unit) || isBounded(unit) || (unit.is === 'amount' && clause.joined === 'comma'),
  );

/** Folds heads: each denial turns what they want round. Undefined if there are more than two. */
export function fold(heads: readonly Unit[]): Polarity | undefined {
  let polarity: Polarity = { wanted: true, only: false, soft: false };
  let turns = 0;
  for (const { is } of heads) {
    const { wanted, soft } = polarity;
    const isTurn = is === 'not' || is === 'deny' || is === 'except';
    if (isTurn) turns++;
    if (isTurn) polarity = { wanted: !wanted, only: !wanted && is === 'except', soft: !wanted && is !== 'except' };
    else if (is === 'only' && wanted) polarity = { wanted, only: !soft, soft };
    // `don't just crawl the docs`
    else if (is === 'only' && heads.some((head) => head.is === 'not'))
      polarity = { wanted: true, only: false, soft: true };
  }
  return turns > 2 ? undefined : polarity;
}

/** Returns the clauses of a sentence, each with the heads that decide it. */
export function clausesOf(units: readonly Unit[]): Clause[] {
  const clauses = split(units).filter(
    ({ heads, tail, things }) => heads.length + tail.length > 0 || things.some(isContent),
  );
  for (const [index, clause] of clauses.entries()) takeBefore(clause, clauses.slice(0, index));
  for (const [index, clause] of clauses.entries())
    if (isClear(clauses, index)) clause.all = headsOf(clause, clauses[index - 1]);
  return clauses;
}

/** Splits a sentence: a head after a thing starts a clause, and so does a joint before a thing or a head. */
function split(units: readonly Unit[]): Clause[] {
  const clauses: Clause[] = [];
  let joined: Clause['joined'];
  let hasComma = false;
  const start = (by: Clause['joined']): Clause => {
    const clause: Clause = {
      joined: by,
      hasComma,
      heads: [],
      after: [],
      things: [],
      tail: [],
      isSubject: false,
      isBroken: false,
      all: undefined,
    };
    clauses.push(clause);
    joined = undefined;
    hasComma = false;
    return clause;
  };
  let clause = start('comma');
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
    else if (unit.is === 'but' && (!isAfterAll || isHead(next))) {
      // `everything but follow links`
      clause = start('but');
      clause.isBroken = isAfterAll && next?.is === 'want';
    } else if (unit.is === 'be') {
      if (clause.tail.length > 0) clause.isBroken = true;
      else if (has && !joined) clause.isSubject = true;
    } else if (isHead(unit) || unit.is === 'but' || isVerb(unit)) {
      const { tokens } = unit;
      const head: Unit = isHead(unit)
        ? unit
        : isVerb(unit)
          ? { is: 'want', tokens }
          : { is: 'except', flag: 'aside', tokens };
      const own = clause.isSubject || clause.after.length > 0 ? clause.after : clause.heads;
      const last = own.at(-1);
      const isEnd = !next || ['comma', 'and', 'but', 'about'].includes(next.is) || isBounded(next);
      if ((joined === 'and' || joined === 'or') && last?.is === head.is && (own === clause.after ? isEnd : !isOver)) {
        // `skip or ignore the blog`, `should be skipped or ignored`
        joined = undefined;
      } else if (!isOver) {
        // `do not, under any circumstances, crawl`, but `no, crawl` and `skip, not crawl` aren't read.
        if (joined && last && !(last.is === 'not' && !isAside(last) && head.is === 'want')) clause.isBroken = true;
        joined = undefined;
        clause.heads.push(head);
      } else if (!joined && (isEnd || clause.isSubject)) clause.after.push(head);
      else {
        clause = start(joined ?? (isAside(head) ? 'aside' : undefined));
        clause.heads.push(head);
      }
      if (isVerb(unit)) clause.things.push(unit);
    } else if (unit.is === 'about' && (joined || clause.tail.length === 0)) {
      const isJoint = next?.is === 'amount' || isHead(next) || (next?.is === 'option' && !has);
      if (joined && isOver && !isJoint) clause = start(joined);
      if (!isJoint) clause.tail.push(unit);
    } else {
      // `the docs, skipped, the blog`: what the head is about can't be told.
      const isApart = joined && (isOver || clause.heads.some(({ is }) => is === 'not' || is === 'deny'));
      if (!isFiller(unit) && (isApart || (isOver && isBounded(unit)))) clause = start(joined ?? 'comma');
      else if (isContent(unit) && (clause.isSubject || clause.after.length > 0) && unit.is !== 'same')
        clause.isBroken = true;
      if (isContent(unit)) joined = undefined;
      if (isContent(unit)) hasComma = false;
      (clause.tail.length > 0 ? clause.tail : clause.things).push(unit);
    }
  }
  return clauses;
}

/** Gives the heads after a clause to the list that it ends: “the blog and the docs should be skipped”. */
function takeBefore(clause: Clause, before: readonly Clause[]): void {
  const { after, heads, joined } = clause;
  if (after.length === 0) return;
  const first = before.findLastIndex((one) => !isHeadless(one) || isFree(one)) + 1;
  const list = heads.length > 0 || joined === 'but' ? [] : before.slice(first);
  const isAnd = joined === 'and' || joined === 'or';
  const isAfterHead = (before[first - 1]?.heads.length ?? 0) > 0 && (list[0] ?? clause).joined !== 'but';
  // Not: `skip the docs and the blog only`, `crawl the docs, the blog and the press should be skipped`, `the blog, the press skipped`
  if (heads.some(({ is }) => is === 'deny' || is === 'except')) clause.isBroken = true;
  else if (list.length === 0) clause.isBroken ||= isAfterHead && isAnd && !clause.isSubject;
  else clause.isBroken ||= isAfterHead || !(isAnd || after.every(({ is }) => is === 'only'));
  for (const one of list) one.after = after;
}

/**
 * Whether the heads of a clause can be told. After `the docs, not the blog`, a list goes on with `or the press` and with
 * `the reviews or the press`; but `the press` and `, and the press` may be wanted, as the docs are.
 */
function isClear(clauses: readonly Clause[], index: number): boolean {
  const isStart = (clause: Clause) => !isHeadless(clause) || isFree(clause);
  const first = clauses.findLastIndex((clause, other) => other <= index && isStart(clause));
  const before = clauses.slice(0, Math.max(first, 0)).flatMap(({ things }) => things.filter(isContent));
  const isContrast = clauses[first]?.heads.every(({ is }) => is === 'not' || is === 'except');
  if (first === index || !isContrast || before.every(({ is }) => is === 'amount' || is === 'all')) return true;
  const next = clauses.findIndex((clause, other) => other > index && isStart(clause));
  const end = next < 0 ? clauses.length - 1 : next - 1;
  const { joined, hasComma } = clauses[end] ?? {};
  return (joined === 'and' || joined === 'or') && (end > first + 1 || !hasComma);
}

/** Returns the heads of a clause with those of the clauses before that go on in it; undefined if it can't be told. */
function headsOf(clause: Clause, before: Clause | undefined): Unit[] | undefined {
  const { joined } = clause;
  const own = [...clause.heads, ...clause.after];
  const [first] = own;
  const prior = before?.all;
  const was = prior && fold(prior);
  const isDenied = was?.wanted === false;
  if (!before) return own;
  if (!first) {
    // `no press, but the docs`
    if (joined === 'but') return isDenied ? [] : undefined;
    // A list doesn't go on after an amount or a verb: `skip the blog, at most 5 pages, the docs`, `the blog is skipped, the docs`.
    return (isFree(clause) && was?.soft !== false) || ((isFree(clause) || before.after.length > 0) && isDenied)
      ? undefined
      : prior;
  }
  if (first.is === 'except') {
    const isAll = before.things.filter(isContent).every(({ is }) => is === 'all');
    return was && (was.wanted || isAll) && !own.some(({ is }) => is === 'not' || is === 'deny')
      ? [...prior, ...own]
      : undefined;
  }
  // `don't crawl the docs without the guides`
  if (joined === 'aside' && prior?.some(({ is }) => is === 'not')) return undefined;
  if (own.every((head) => head.is === 'not' && !isAside(head)) && (!was?.wanted || was.soft)) {
    // `ignore robots.txt but not the sitemap`: the verb goes on.
    const verbs = prior?.filter(({ is }) => is === 'deny');
    if (verbs?.length === 0) return joined === 'but' ? undefined : own;
    return verbs && joined === 'but' && clause.heads.length === 1 && textOf(first) === 'not'
      ? [...own, ...verbs]
      : undefined;
  }
  if ((first.is !== 'want' && first.is !== 'deny') || joined === 'but' || clause.heads.length === 0) return own;
  // A verb after a denial: `don't visit the shop or follow links` denies both; `and`, or `including links`, isn't clear.
  const not = prior?.findIndex(({ is }, index) => is === 'not' || (is === 'deny' && prior[index + 1])) ?? 0;
  if (joined === 'or') return prior && not >= 0 ? [...prior.slice(0, not + 1), ...own] : undefined;
  const isAmount = before.things.filter(isContent).every(({ is }) => is === 'amount');
  const goesOn = (joined === 'and' && not >= 0) || (!was?.wanted && /ing$/.test(textOf(first)));
  return goesOn && !isAmount ? undefined : own;
}
