import { groupsOf, isContent, isHead, lettersOf, textOf, type Unit } from './phrases.ts';

/** What a clause wants of its things: to include them, `only` them, to exclude them, or merely `keep` them: “don't skip the blog”. */
type Wish = 'want' | 'only' | 'deny' | 'keep';

/** A list of things, and what is said of all of them. */
export interface Clause {
  units: readonly Unit[];
  /** The letters of the joints before it, of the heads before its list, and of those after it: “should not be skipped”. */
  joint: string;
  heads: string;
  after: string;
  /** Its things, each with the heads beside it. */
  parts: Unit[][];
  /** What is said of them after words such as `with`. */
  tail: readonly Unit[];
  /** Whether it is an amount that needs no head, or only a tail: “at most 5 pages”, “with images”. */
  isFree: boolean;
  /** Undefined if the clause isn't read. */
  wish: Wish | undefined;
}

const joints = '[-,&|b:]*';
const thing = '(?:[TLOASMPpu1]|~(?=M))+';
const amount = '[MSu]*M[MSu]*';
/** One more thing of a list, which an amount alone isn't: `skip the docs, 5 pages`. */
const other = `(?!${amount}(?:[^TLOAPp1]|$))${thing}`;
/** A list that ends where it seems to, unlike those of `the docs, the blog skipped` and `not the press, the docs`. */
const closed = `${thing}(?:(?:,${other})+,?[&|]${other}|(?:[&|c]${other})*)`;
const heads = '(?:(?:[=~]*[ndoeawWDc])+=*:?)?(?:~(?=O))?';
/** Everything that a clause may say, as letters. One with any other word or order isn't read. */
const form = new RegExp(
  `(${joints})(?:w*(${amount})|(${heads})` +
    `(?:${closed}(:?=*[ndwoa][ndwo=]*)|(?<![neaD][=:]*)${thing}(?:(?:[,&|]+|c)${other})*|${closed})?)` +
    `((?:[~s]|(?<!M)P)[^ndaeoDc=,&|b:-]*)?(?=[-,&|b:]|(?<!^|[ndoeawWD=])[eaD]|$)`,
  'y',
);

/** Returns the clauses of a sentence. */
export function clausesOf(units: readonly Unit[]): Clause[] {
  const letters = lettersOf(units);
  const clauses: Clause[] = [];
  for (let at = 0, next = 0; at < letters.length; at = next) {
    form.lastIndex = at;
    const [all = '', joint = '', free, before = '', after = '', tail = ''] = form.exec(letters) ?? [];
    const [unread = ''] = /^[-,&|b:]*.[^-,&|b:]*/.exec(letters.slice(at)) ?? [];
    next = at + (all || unread).length;
    const listed = groupsOf(units.slice(at + joint.length, next - tail.length), ({ is }) => ',&|c'.includes(is));
    const parts = listed
      .map((part) => part.filter(({ is }) => !',&|c:'.includes(is)))
      .filter((part) => part.length > 0);
    const clause = {
      units: units.slice(at, next),
      // `the docs, please, but`
      joint: joint.replace(/,+/, ','),
      heads: before.replace(/[=~]/g, '').replace(/c/g, 'W'),
      after: after.replace(/[=:]/g, ''),
      parts,
      tail: units.slice(next - tail.length, next),
      isFree: free !== undefined || (all !== '' && parts.length === 0),
    };
    const last = clauses.findLast((one) => !one.isFree && !isMissing(one));
    clauses.push({ ...clause, wish: all === '' ? undefined : wishOf(clause, last) });
  }
  return clauses;
}

/** Whether a clause only names a section that the site lacks, so that a list goes on after it: “docs and the blog”. */
const isMissing = ({ units }: Clause): boolean =>
  /^[,&|]*w*A?Nu?$/.test(lettersOf(units)) && units.some(({ flag }) => flag === 'related');

/** `don't visit the blog or follow links` */
const orVerb = /^v\|\/[wdWD]+\/$/;

/**
 * What a clause may say: what the one before wants, as in `kindOf`, and joints; its heads before its things; those after them. What
 * none of them allows isn't read.
 */
const forms: readonly RegExp[] = [
  // `skip the docs`, but not `or follow links`
  /^[-,&b]*\/.*\/$/,
  // `the docs should not be crawled`, `crawl the docs only`, `nothing in the docs should be crawled`, but not `the blog may be
  // skipped, but the docs not`
  /^(?![xXvz][^/]*b.*[nda]).*\/(?:\/(?:w+|d|o|a|n[wd]?)|w+\/[wo]|n\/w)$/,
  // `not the blog but the docs`; after an amount, `the docs, 5 pages, the blog`
  /^(?:[xvz],?b|[yYS][,&|]*)\/\/$/,
  // `everything except the blog`, `skip everything except the docs`, but not `skip the docs except the guides`
  /^[yYX].*\/e\/$/,
  // `not the docs, not the guides`, `the docs without the guides`, `no docs, no guides`, but not `skip the docs without the guides`
  /^(?:[yYsS].*|[xvXz].+|N,)\/a.*\/$|^(?:[yYS].*|[vz][^b]*)\/n\/$/,
  // `only the docs` and `don't visit the blog` go on from anything
  /\/(?:o|n[wd]).*\/$/,
  // `skip the blog and follow links`, but not `don't visit the blog and follow links`
  /^(?:Y,?b\/d|[ysSxXvz],?b\/[wdWD]|[yYsS][,&-]*\/[wdWD]).*\/$|^[xXz][,&-]*\/[wd]+\/$/,
  orVerb,
];

/**
 * Wanted: `y`, `Y` for all pages, `S` for an option, which has no exceptions (“obey robots.txt except for the blog”), `s` if
 * merely kept. Denied: `X` for all pages, `v` by a denial of a verb, `z` by a mere “not”, `x`. Not read: `N`.
 */
function kindOf({ parts, heads, after, wish }: Clause): string {
  const content = parts.flat().filter(isContent);
  if (!wish) return 'N';
  const isSetting = ({ is, of, values }: Unit) => is === 'O' && of !== 'crawlEntireDomain' && values[0] !== null;
  if (wish === 'keep') return 's';
  if (wish !== 'deny') return content.some(isSetting) ? 'S' : content.some(({ is }) => is === 'A') ? 'Y' : 'y';
  if (content.every(({ is }) => is === 'A')) return 'X';
  return heads + after === 'n' ? 'z' : /[na].|dw/i.test(heads + after) ? 'v' : 'x';
}

/** Tells what a clause wants; undefined if it can't be told what a denial denies. */
function wishOf(clause: Omit<Clause, 'wish'>, before: Clause | undefined): Wish | undefined {
  const { joint, after } = clause;
  const units = clause.parts.flat();
  const kind = before ? kindOf(before) : '';
  // `everything but the blog`; `everything but five pages` isn't read
  const isExcept = joint === 'b' && clause.heads === '' && /[XY]/.test(kind);
  if (clause.isFree) return isExcept ? undefined : 'want';
  const heads = isExcept ? 'e' : clause.heads;
  // `the docs, ignored`; `not all of the docs`
  if (/[ndae]/i.test(heads) && !units.some(isContent)) return undefined;
  if (heads.includes('n') && units.some(({ is, flag }) => is === 'p' || (is === 'A' && flag !== 'any')))
    return undefined;
  // `everything excluding the docs including the guides`, `skip the docs including subdomains` and `query parameters including the
  // docs` can mean several things.
  if (/[bDe].*[TLOAS]c|Oc[TLAS]|[nad].*([TLAS]cO|Ac|cA)/.test(lettersOf(clause.units))) return undefined;
  // `the docs, the blog excluded`
  const isList = before?.after === '' && /^[,&|]+$/.test(joint) && (before.heads === '' || before.parts.length > 1);
  if (after !== '' ? isList : /[nda][na]|[dae]e|e./i.test(heads)) return undefined;
  // `the docs, skipped the press`, `the docs - no: the press`
  const isPast = heads.startsWith('d') && textOf(units.find(isHead)).endsWith('ed');
  if (before && (isPast || /[ndae].*:/i.test(heads))) return undefined;
  const said = `${kind}${isExcept ? '' : joint}/${heads}/${after}`;
  if (!forms.some((allowed) => allowed.test(said))) return undefined;
  // An exception from all that is denied is wanted.
  if (before && heads === 'e') return before.wish === 'deny' ? 'only' : 'deny';
  return folded((orVerb.test(said) ? 'n' : '') + heads + after);
}

/** Folds heads: a denial turns round what is wanted. Undefined for more than two, and for “not only”. */
function folded(heads: string): Wish | undefined {
  const [first, second, third] = heads.toLowerCase().match(/[ndea]/g) ?? [];
  if (third || /[na].*o/.test(heads)) return undefined;
  if (second) return second === 'e' ? 'only' : 'keep';
  return first ? 'deny' : heads.includes('o') ? 'only' : 'want';
}
