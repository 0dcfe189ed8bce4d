import { groupsOf, isContent, isHead, isLabel, lettersOf, textOf, type Unit } from './phrases.ts';
import { numberOf } from './tokens.ts';

/** What a clause wants of its things: `only` them; `soft` if it merely doesn't deny them, as “don't skip the blog”. */
export type Polarity = Record<'wanted' | 'only' | 'soft', boolean>;

/** A list of things, and what is said of all of them. */
export interface Clause {
  /** The letters of the joints before it. */
  joint: string;
  /** The letters of the heads before the list, and after it: “should not be skipped”. */
  heads: string;
  after: string;
  units: Unit[];
  /** Its things, each with the heads beside it. */
  parts: Unit[][];
  /** What is said of them after words such as `with`. */
  tail: Unit[];
  /** Whether it is an amount that needs no head, or only a tail: “at most 5 pages”, “with images”. */
  isFree: boolean;
  /** Undefined if the clause isn't read. */
  polarity: Polarity | undefined;
}

const joints = '[-,&|b]';
const thing = '(?:[TLOAUSMPpu1]|~(?=M))+';
const amount = '[MSu]*M[MSu]*';
/** One more thing of a list, which an amount alone isn't: `skip the docs, 5 pages`. */
const other = `(?!${amount}(?:[^TLOAUPp1]|$))${thing}`;
/** A list that ends where it seems to, unlike those of `the docs, the blog skipped` and `not the press, the docs`. */
const closed = `${thing}(?:(?:,${other})+,?[&|]${other}|(?:[&|]${other})*)`;
/** Everything that a clause may say, as letters. One with any other word or order isn't read. */
const form = new RegExp(
  `(?<joint>${joints}*)(?:w*(?<amount>${amount})(?!P)|(?<heads>(?:(?:[=~]*[ndoeawWD])+=*)?(?:~(?=O))?)` +
    `(?:${closed}(?<after>=*[ndwoa][ndwo=]*)|(?<![neaD]=*)${thing}(?:[,&|]+${other})*|${closed})?)` +
    `(?<tail>(?:[~s]|(?<!M)P)[^ndaeD=,&|b-]*)?(?=${joints}|(?<!^|[ndoeawWD=])[eaD]|$)`,
  'dy',
);

/** Returns the clauses of a sentence, those that aren't read without a polarity. */
export function clausesOf(units: readonly Unit[]): Clause[] {
  const letters = lettersOf(units);
  const clauses: Clause[] = [];
  for (let at = 0, next = 0; at < letters.length; at = next) {
    form.lastIndex = at;
    const { 0: all = '', groups: said = {}, indices } = form.exec(letters) ?? {};
    const isRead = all !== '';
    next = isRead ? form.lastIndex : letters.length - letters.slice(at).replace(/^[-,&|b]*.[^-,&|b]*/, '').length;
    const { joint = '', heads = '', after = '' } = said;
    const [end] = indices?.groups?.tail ?? [next];
    const isJoint = ({ is }: Unit) => ',&|'.includes(is);
    const groups = groupsOf(units.slice(at + joint.length, end), isJoint);
    const parts = groups.map((part) => part.filter((unit) => !isJoint(unit))).filter((part) => part.length > 0);
    const clause = {
      joint,
      heads: heads.replace(/[=~]/g, ''),
      after: after.replaceAll('=', ''),
      units: units.slice(at, next),
      parts,
      tail: units.slice(end, next),
      isFree: isRead && (said.amount !== undefined || parts.length === 0),
    };
    const before = clauses.findLast((one) => !one.isFree);
    clauses.push({ ...clause, polarity: isRead ? polarityOf(clause, before) : undefined });
  }
  return clauses;
}

/** How a clause may go on: the one before, as in `kindOf`; the joints; and its heads after a colon. */
const continuations: readonly RegExp[] = [
  // `not the blog but the docs`; after an amount, `the docs, 5 pages, the blog`
  /^(?:[xv],?b|[yY][,&|]*):$/,
  // `everything except the blog`, `skip everything except the docs`, but not `skip the docs except the guides`
  /^[yYX].*:e$/,
  // `the docs without the guides`, but not `skip the docs without the guides`
  /^(?:[yYs].*|[xvX].+):a/,
  // `the docs, not the blog`, but not `skip the docs, not the blog`
  /^(?:[yY].*|v[^b]*):n$/,
  /:(?:o|n[wd])/,
  // `skip the blog and follow links`, but not `don't visit the blog and follow links`
  /^(?:Y,?b:d|[ysxXv],?b:[wdWD]|[yYs][,&-]*:[wdWD]|N[,&]+:[wW]|[xX][,&-]*:[wd]+$)/,
];

/** Wanted: `y`, `Y` for all pages, `s` if softly. Denied: `X` for all pages, `v` by a denial of a verb, `x`. Not read: `N`. */
function kindOf({ parts, heads, after, polarity }: Clause): string {
  const content = parts.flat().filter(isContent);
  if (!polarity) return 'N';
  if (polarity.soft) return 's';
  if (polarity.wanted) return content.some(({ is }) => is === 'A') ? 'Y' : 'y';
  if (content.every(({ is }) => is === 'A')) return 'X';
  return /[na].|dw/i.test(heads + after) ? 'v' : 'x';
}

/** Tells what a clause wants; undefined if it can't be told what a denial denies. */
function polarityOf(clause: Omit<Clause, 'polarity'>, before: Clause | undefined): Polarity | undefined {
  const { isFree, joint, after, parts, tail } = clause;
  const units = parts.flat();
  const kind = before ? kindOf(before) : '';
  // `everything but five pages`
  if (isFree) return joint === 'b' && /[XY]/.test(kind) && numberOf(units[0]?.tokens ?? []) ? undefined : folded('');
  // `everything but the blog`
  const isExcept = joint === 'b' && clause.heads === '' && /[XY]/.test(kind);
  const heads = isExcept ? 'e' : clause.heads;
  const isDenying = /[ndaeD]/.test(heads);
  // `the docs, ignored`; `the docs: the press`
  if (isDenying && tail.length === 0 && !units.some(isContent)) return undefined;
  if (
    units
      .filter((unit) => isContent(unit) && unit.is !== 'M')
      .slice(0, -1)
      .some(isLabel)
  )
    return undefined;
  const { wanted = false, only = false } = before?.polarity ?? {};
  // `the docs should not be crawled`, `crawl the docs only`, `nothing in the docs should be crawled`
  if (after !== '') {
    // `the docs, the blog excluded`
    const isList = before?.after === '' && /^[,&|]+$/.test(joint) && (before.heads === '' || before.parts.length > 1);
    const isRead = /^(?::(?:w+|d|o|a|n[wd]?)|w+:[wo]|n:w)$/.test(`${heads}:${after}`);
    // `the blog may be skipped, but the docs not`
    const isContrast = joint.includes('b') && before?.polarity?.wanted === false && /[nda]/.test(after);
    return isRead && !isList && !isContrast ? folded(heads + after) : undefined;
  }
  if (/[nda][na]|[dae]e|e./i.test(heads)) return undefined;
  // `50 pages or follow links`
  if (!before) return joint.includes('|') ? undefined : folded(heads);
  const head = units.filter(isHead);
  // `docs, no: blog`
  if (isDenying && isLabel(head.at(-1))) return undefined;
  // `obey robots.txt except for the blog`: only the pages of a site have exceptions.
  const isSetting = ({ is, of, values }: Unit) => is === 'O' && of !== 'crawlEntireDomain' && values[0] !== null;
  if (heads === 'e' && before.parts.flat().some(isSetting)) return undefined;
  // `the docs, skipped the press`
  if (heads.startsWith('d') && textOf(head[0]).endsWith('ed')) return undefined;
  // `don't visit the blog or follow links` denies both.
  if (kind === 'v' && joint === '|' && /^[wd]/i.test(heads)) return folded(`n${heads}`);
  if (!continuations.some((allowed) => allowed.test(`${kind}${isExcept ? '' : joint}:${heads}`))) return undefined;
  // An exception from all that is denied is wanted.
  if (heads === 'e') return { wanted: !wanted, only: !wanted, soft: false };
  return heads === '' && !joint.includes('b') ? { wanted, only, soft: false } : folded(heads);
}

/** Folds heads: a denial turns round what is wanted. Undefined for more than two, and for “not only”. */
function folded(heads: string): Polarity | undefined {
  const [first, second, third] = heads.toLowerCase().match(/[ndea]/g) ?? [];
  if (third || /[na].*o/.test(heads)) return undefined;
  const only = first ? second === 'e' : heads.includes('o');
  return { wanted: !first || second !== undefined, only, soft: second !== undefined && !only };
}
