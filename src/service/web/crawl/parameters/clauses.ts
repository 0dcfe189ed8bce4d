import { isAside, isContent, isFiller, isHead, textOf, type Unit } from './units.ts';

/** One thing of a list. */
export interface Item {
  things: Unit[];
  /** What is said of it after words such as `with` or `that`. */
  tail: Unit[];
}

/** A list of things, with the words that say whether they are wanted. */
export interface Clause {
  /** What separates it from the one before: a joint, or its own first word, such as “without”; undefined if nothing does: both can then only be read together. */
  joined: Joint | 'but' | 'aside' | undefined;
  heads: Unit[];
  items: Item[];
  /** What joins the last item to the others, and whether after a comma. */
  last: Joint | undefined;
  hasComma: boolean;
  /** Heads after the items: “the blog should be skipped”; and whether `is` or `should be` follows the items. */
  after: Unit[];
  isSubject: boolean;
  /** Whether it began with an amount that needs no head, and so isn't one of the list before it: “at most 5 pages”. */
  isApart: boolean;
  /** Whether its words stand in an order that isn't read. */
  isBroken: boolean;
  /** All heads that decide it; undefined if it can't be told which do. */
  all: Unit[] | undefined;
}

type Joint = 'comma' | 'and' | 'or';

/** What a clause wants of its things. */
export interface Polarity {
  wanted: boolean;
  /** Nothing else is wanted. */
  only: boolean;
  /** It merely doesn't deny them: “don't skip the blog”. */
  soft: boolean;
}

const isBounded = (unit: Unit) => unit.is === 'amount' && unit.bound === 'most';
/** Whether a unit is a verb and its own thing: `dedupe`. */
const isVerb = (unit: Unit) => unit.is === 'same' && unit.of !== undefined;
export const contentOf = ({ items }: Clause): Unit[] => items.flatMap(({ things }) => things.filter(isContent));
/** Whether a clause is an amount that needs no head. */
const isFree = (clause: Clause) =>
  clause.isApart &&
  clause.heads.length + clause.after.length === 0 &&
  contentOf(clause).every(({ is }) => is === 'amount');

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
  const clauses = split(units).flatMap(withPredicate);
  for (const [index, clause] of clauses.entries()) clause.all = headsOf(clause, clauses.slice(0, index));
  return clauses;
}

/** Splits a sentence: a head after a thing starts a clause, and so do `but` and an amount that needs no head. */
function split(units: readonly Unit[]): Clause[] {
  const clauses: Clause[] = [];
  let joined: Joint | undefined;
  let hasComma = false;
  const start = (by: Clause['joined'], isApart = false): Clause => {
    const none = { after: [], isSubject: false, isBroken: false, last: undefined, hasComma: false, all: undefined };
    clauses.push({ ...none, joined: by, isApart, heads: [], items: [{ things: [], tail: [] }] });
    joined = undefined;
    return clauses.at(-1) as Clause;
  };
  let clause = start('comma');
  /** Heads before a list of lines: they are those of each line. */
  let ofLines: Unit[] = [];
  for (const [index, unit] of units.entries()) {
    const next = units.slice(index + 1).find((other) => !isFiller(other));
    const { things, tail } = clause.items.at(-1) as Item;
    const has = things.some(isContent);
    const isOver = has || tail.length > 0;
    const isAfterAll = unit.is === 'but' && (things.at(-1)?.is === 'all' || textOf(units[index - 1]) === 'all');
    const isDone = clause.isSubject || clause.after.length > 0;
    /** Starts an item, in a clause of its own if this one is done. */
    const startItem = (): Item => {
      if (isDone || isFree(clause)) clause = start(joined);
      else if (isOver) {
        clause.items.push({ things: [], tail: [] });
        Object.assign(clause, { last: joined, hasComma });
      }
      return clause.items.at(-1) as Item;
    };
    if (unit.is === 'comma') {
      const isLine = textOf(unit).includes('\n');
      if (isOver || !isLine) joined ??= 'comma';
      // `Skip these:`
      else ofLines = [...clause.heads];
      hasComma = true;
    } else if (unit.is === 'and') joined = textOf(unit) === 'or' ? 'or' : 'and';
    else if (unit.is === 'but' && (!isAfterAll || isHead(next))) {
      // `everything but follow links`
      clause = start('but', next?.is === 'amount');
      clause.isBroken = isAfterAll && next?.is === 'want';
    } else if (unit.is === 'be') {
      if (tail.length > 0) clause.isBroken = true;
      else if (has && !joined) clause.isSubject = true;
    } else if (isHead(unit) || unit.is === 'but' || isVerb(unit)) {
      const { tokens } = unit;
      const except: Unit = { is: 'except', flag: 'aside', tokens };
      const head: Unit = isHead(unit) ? unit : isVerb(unit) ? { is: 'want', tokens } : except;
      const last = (isDone ? clause.after : clause.heads).at(-1);
      const isEnd = !next || ['comma', 'and', 'but', 'about'].includes(next.is) || isBounded(next);
      if ((joined === 'and' || joined === 'or') && last?.is === head.is && (isDone ? isEnd : !isOver)) {
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
        clause.heads.push(...ofLines, head);
        clause.isBroken = ofLines.length > 0 && head.is !== 'want' && head.is !== 'deny';
      }
      if (isVerb(unit)) clause.items.at(-1)?.things.push(unit);
    } else if (unit.is === 'about' && (joined || tail.length === 0)) {
      const isJoint = next?.is === 'amount' || isHead(next) || (next?.is === 'option' && !has);
      if (!isJoint) {
        (joined ? startItem() : { tail }).tail.push(unit);
        joined = undefined;
      }
    } else {
      const isAmount = isBounded(unit) || (unit.is === 'amount' && joined === 'comma');
      const isLost = joined && !isOver && clause.heads.some(({ is }) => is === 'not' || is === 'deny');
      // `the docs, skipped, the blog`: what the head is about can't be told.
      if (isLost && !isFiller(unit)) clause = start(joined, isAmount);
      else if (isOver && isAmount) clause = start(joined ?? 'comma', true);
      else if (joined && isOver && !isFiller(unit)) startItem();
      else if (isContent(unit) && isDone) clause.isBroken = true;
      const item = clause.items.at(-1) as Item;
      (item.tail.length > 0 ? item.tail : item.things).push(unit);
      if (isContent(unit)) joined = undefined;
    }
    if (!joined) hasComma = false;
  }
  const says = (unit: Unit) => isContent(unit) || unit.is === 'section' || unit.is === 'generic';
  for (const one of clauses) one.items = one.items.filter(({ things, tail }) => tail.length > 0 || things.some(says));
  return clauses.filter(({ heads, items }) => heads.length + items.length > 0);
}

/** Gives the heads after a list to all of it, or to its last item if it has heads of its own: “crawl the docs, the blog should be skipped”. */
function withPredicate(clause: Clause): Clause[] {
  const { heads, items, after, last, isSubject } = clause;
  if (after.length === 0) return [clause];
  const isOnly = after.every(({ is }) => is === 'only');
  if (heads.length > 0 && items.length === 2 && (isSubject || last === 'comma'))
    return [
      { ...clause, items: items.slice(0, 1), after: [], isSubject: false },
      { ...clause, joined: last, heads: [], items: items.slice(1) },
    ];
  // `skip the docs and the blog only`, `the blog, the press skipped`
  const isClear = items.length < 2 || (heads.length === 0 && (isOnly || last !== 'comma'));
  return [
    { ...clause, isBroken: clause.isBroken || !isClear || heads.some(({ is }) => is === 'deny' || is === 'except') },
  ];
}

/**
 * Whether the list of a clause can be told. `the docs, not the blog` goes on with `or the press` and with
 * `the reviews or the press`; but `the press` and `, and the press` may be wanted, as the docs are.
 */
export function isClearList({ heads, items, last, hasComma }: Clause, before: readonly Clause[]): boolean {
  const isContrast = heads.length > 0 && heads.every(({ is }) => is === 'not' || is === 'except');
  const isAlone = before.flatMap(contentOf).every(({ is }) => is === 'amount' || is === 'all');
  return !isContrast || isAlone || items.length < 2 || (last !== 'comma' && (items.length > 2 || !hasComma));
}

/** Returns the heads of a clause with those of the clauses before that go on in it; undefined if it can't be told. */
function headsOf(clause: Clause, all: readonly Clause[]): Unit[] | undefined {
  const { joined, heads } = clause;
  const own = [...heads, ...clause.after];
  const [first] = own;
  const before = all.findLast((one) => !isFree(one));
  const prior = before?.all;
  const was = prior && fold(prior);
  if (!before || isFree(clause)) return own;
  if (!first) {
    // `no press, but the docs`
    if (joined === 'but') return was?.wanted === false ? own : undefined;
    // A list doesn't go on after an amount or a verb: `skip the blog, at most 5 pages, the docs`, `the blog is skipped, the docs`.
    return was?.wanted && !was.soft ? prior : undefined;
  }
  if (first.is === 'except') {
    const isAll = contentOf(before).every(({ is }) => is === 'all');
    // `obey robots.txt except for the blog`: only the pages of a site have exceptions.
    const isSetting = contentOf(before).some(
      (unit) => unit.is === 'option' && Object.keys(unit.wanted ?? {}).some((name) => name !== 'crawlEntireDomain'),
    );
    const isDenied = own.some(({ is }) => is === 'not' || is === 'deny');
    return was && (was.wanted || isAll) && !isSetting && !isDenied ? [...prior, ...own] : undefined;
  }
  // `don't crawl the docs without the guides`
  if (joined === 'aside' && prior?.some(({ is }) => is === 'not')) return undefined;
  if (own.every((head) => head.is === 'not' && !isAside(head)) && (!was?.wanted || was.soft)) {
    // `ignore robots.txt but not the sitemap`: the verb goes on.
    const verbs = prior?.filter(({ is }) => is === 'deny');
    if (verbs?.length === 0) return joined === 'but' ? undefined : own;
    return verbs && joined === 'but' && heads.length === 1 && textOf(first) === 'not' ? [...own, ...verbs] : undefined;
  }
  if ((first.is !== 'want' && first.is !== 'deny') || joined === 'but' || heads.length === 0) return own;
  // A verb after a denial: `don't visit the shop or follow links` denies both; `and`, or `including links`, isn't clear.
  const not = prior?.findIndex(({ is }, index) => is === 'not' || (is === 'deny' && prior[index + 1])) ?? 0;
  if (joined === 'or') return prior && not >= 0 ? [...prior.slice(0, not + 1), ...own] : undefined;
  const isAmount = all
    .slice(-1)
    .flatMap(contentOf)
    .every(({ is }) => is === 'amount');
  const goesOn = (joined === 'and' && not >= 0) || (!was?.wanted && /ing$/.test(textOf(first)));
  return goesOn && !isAmount ? undefined : own;
}
