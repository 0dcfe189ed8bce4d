import { isContent, isHead, isLabel, lettersOf, textOf, type Unit } from './phrases.ts';

/** What stands between two joints: heads, things, heads after them, and what is said of them after words such as `with`. */
export interface Part {
  /** The letters of the joints before it; none before an inner “without” or “excluding”. */
  joint: string;
  units: Unit[];
  /** The letters of the heads before the things; undefined if the words have an order that isn't read. */
  heads: string | undefined;
  /** The same after them: “should not be skipped”. */
  after: string;
  things: Unit[];
  tail: Unit[];
}

/** A list of parts, and the heads that decide what is wanted of it; undefined if it can't be told. */
export interface Clause {
  parts: Part[];
  said: string | undefined;
}

/** What a clause wants of its things: `only` them; `soft` if it merely doesn't deny them, as “don't skip the blog”. */
export type Polarity = Record<'wanted' | 'only' | 'soft', boolean>;

/** Folds heads: a denial turns round what is wanted. Undefined for more than two, and for “not only”. */
export function fold(said: string | undefined): Polarity | undefined {
  const [first, second, third] = said?.match(/[ndea]/g) ?? [];
  if (said === undefined || third || /[na].*o/.test(said)) return undefined;
  // `nothing except the docs`
  const only = first ? second === 'e' : said.includes('o');
  return { wanted: !first || second !== undefined, only, soft: second !== undefined && !only };
}

const shape =
  /^(?<heads>(?:[ndwoea=]*[ndwoea]=*)?)(?<things>[NTLOAUSMPpu1]*)(?<after>=*[ndwoa][ndwo=]*)?(?<tail>~[^ndae=]*)?$/d;
/** Whether a part is an amount, which needs no head, or what is said of something: “at most 5 pages”, “with images”. */
export const isFree = ({ heads, after, things, tail, units }: Part): boolean =>
  (/^w*$/.test(heads ?? 'n') && after === '' && /^[MSu]*M[MSu]*$/.test(lettersOf(things))) ||
  tail.length === units.length;
export const contentOf = (parts: readonly Part[]): Unit[] => parts.flatMap(({ things }) => things.filter(isContent));

/** Returns the parts of a sentence. */
function partsOf(units: readonly Unit[]): Part[] {
  const groups: { joint: string; units: Unit[] }[] = [];
  let joint = '';
  for (const [index, unit] of units.entries()) {
    const [last, next] = [groups.at(-1), units[index + 1]];
    const own = joint === '' && last ? last.units : [];
    // `everything but the blog`
    const isExcept = unit.is === 'b' && own.some(({ is }) => is === 'A') && next && !isHead(next);
    // `a delay`, `with a delay of 2 seconds`, `, with external links`, `not necessary to crawl`
    const isLink = unit.is === '~' && unit.flag !== 'said' && next !== undefined;
    if (isLink && (next.is === 'M' || (!own.some(isContent) && (next.is === 'O' || isHead(next))))) continue;
    if (',-/&|b'.includes(unit.is) && !isExcept) {
      joint += unit.is;
      continue;
    }
    // `the docs excluding the blog`, but not `the docs skipped the blog`
    const isInner = isExcept || /[ea]/.test(unit.is) || (/[dw]/.test(unit.is) && textOf(unit).endsWith('ing'));
    const isNew = isInner && own.some(isContent) && next !== undefined;
    const one = isExcept ? { ...unit, is: 'e' } : unit;
    if (last && joint === '' && !isNew) last.units.push(one);
    else groups.push({ joint, units: [one] });
    joint = '';
  }
  return groups.map((group) => {
    const { indices } = shape.exec(lettersOf(group.units)) ?? {};
    const unitsIn = (name: string) => group.units.slice(...(indices?.groups?.[name] ?? [0, 0]));
    const lettersIn = (name: string) => lettersOf(unitsIn(name)).replaceAll('=', '');
    const [things, heads, after] = [unitsIn('things'), lettersIn('heads'), lettersIn('after')];
    const content = things.filter((unit) => isContent(unit) && unit.is !== 'M');
    // `the docs: the press`
    const isRead = indices && !content.slice(0, -1).some(isLabel);
    return { ...group, heads: isRead ? heads : undefined, after, things, tail: unitsIn('tail') };
  });
}

/** Returns the clauses of a sentence. */
export function clausesOf(units: readonly Unit[]): Clause[] {
  const lists: Part[][] = [];
  for (const part of partsOf(units)) {
    const list = lists.at(-1) ?? [];
    const [first, last] = [list[0], list.at(-1)];
    // `crawl the docs, the blog should be skipped`
    const isOwn = part.after !== '' && part.joint === ',' && first?.heads !== '' && list.length === 1;
    const isNew = part.heads !== '' || /[-/b]/.test(part.joint) || isFree(part) || isOwn;
    if (!last || isNew || last.after !== '' || isFree(last)) lists.push([part]);
    else list.push(part);
  }
  const clauses: Clause[] = [];
  for (const parts of lists) {
    const before = clauses.findLast((clause) => !clause.parts.every(isFree));
    clauses.push({ parts, said: parts.every(isFree) ? '' : saidOf(parts, before) });
  }
  return clauses;
}

/** How a clause may go on: the clause before, as in `kindOf`; the joints; a colon and its heads, with `i` for an -ing form. */
const continuations: readonly RegExp[] = [
  // `not the blog but the docs`; after an amount, `the docs, 5 pages, the blog`
  /^(?:[DNVZ],?b|[WA][,&|]*):$/,
  // `everything except the blog`, `nothing except the blog`, but not `skip the docs except the guides`
  /^[WAZ].*:e$/,
  // `the docs without the guides`, but not `skip the docs without the guides`
  /^(?:[WAS].*|[DNVZ].+):a/,
  // `the docs, not the blog`, but not `skip the docs, not the blog`
  /^(?:[WA].*|[NV][^b]*):n$/,
  /:(?:o|n[wd])/,
  // `skip the blog and follow links`, but not `don't visit the blog and follow links`
  /^(?:A,?b:d|[WSDNVZ],?b:[wd])/,
  /^(?:[WAS][,/&-]*:[wd]|[DNZ][,&-]*:[wd]+$)/,
];

/** Wanted: `W`, `A` for all pages, `S` if softly. Denied: `Z` for all pages, `V` by a denial of a verb, `D` by a verb, `N`. */
function kindOf({ parts, said = '' }: Clause): string {
  const { wanted, soft } = fold(said) ?? {};
  const content = contentOf(parts);
  if (wanted) return soft ? 'S' : content.some(({ is }) => is === 'A') ? 'A' : 'W';
  if (content.every(({ is }) => is === 'A')) return 'Z';
  return /[na].|dw/.test(said) ? 'V' : said.includes('d') ? 'D' : 'N';
}

/** Returns the heads that decide a list of parts; undefined if it can't be told what a denial denies. */
function saidOf(parts: readonly Part[], before: Clause | undefined): string | undefined {
  const [first, second] = parts as [Part, Part?];
  const { joint, heads } = first;
  const after = parts.at(-1)?.after ?? '';
  const head = first.units.filter(isHead);
  if (heads === undefined || parts.some((part) => part.heads === undefined)) return undefined;
  // `the docs, ignored`; `docs, no: blog`
  if (contentOf([first]).length === 0 && first.tail.length === 0 && /[ndea]/.test(heads)) return undefined;
  if (before && /[ndae]/.test(heads) && isLabel(head.at(-1))) return undefined;
  // `Skip the press and:`, and below it `- only the docs`
  if (before && joint.includes('/') && !fold(before.said)?.wanted) return undefined;
  // A list is closed by its last joint: not `the docs, the blog skipped`, `not the press, the docs`.
  const last = parts.at(-1)?.joint ?? '';
  const isClosed = !second || (parts.length === 2 ? /^[&|]$/ : /^,?[&|]$/).test(last);
  if (!isClosed && (after !== '' || /[nea]$/.test(heads) || (before && joint === ''))) return undefined;
  // `the docs should not be crawled`, `crawl the docs only`, `nothing in the docs should be crawled`
  if (after !== '')
    return /^(?::(?:w+|d|o|a|n[wd]?)|w+:[wo]|n:w)$/.test(`${heads}:${after}`) ? heads + after : undefined;
  if (/[nda][na]|[dae]e|e./.test(heads)) return undefined;
  if (!before) return heads;
  if (!fold(before.said) || (heads === '' && before.parts.at(-1)?.after !== '' && !joint.includes('b')))
    return undefined;
  // `obey robots.txt except for the blog`: only the pages of a site have exceptions.
  const isSetting = ({ is, of, values }: Unit) => is === 'O' && of !== 'crawlEntireDomain' && values[0] !== null;
  if (heads === 'e' && contentOf(before.parts).some(isSetting)) return undefined;
  // `the docs, skipped the press`
  if (heads.startsWith('d') && textOf(head[0]).endsWith('ed')) return undefined;
  // `don't go deeper than 3 levels and skip the blog` denies no verb after the amount.
  const isAmount = contentOf(before.parts).every(({ is }) => is === 'M');
  const kind = isAmount && /^[wd]/.test(heads) ? 'W' : kindOf(before);
  const form = `${kind}${joint}:${heads}${/^[wd]/.test(heads) && textOf(head[0]).endsWith('ing') ? 'i' : ''}`;
  // `don't visit the blog or follow links` denies both.
  if (/^V\|:[wd]/.test(form)) return `n${heads}`;
  if (!continuations.some((allowed) => allowed.test(form))) return undefined;
  // An exception from all that is denied is wanted.
  return heads === 'e' || (heads === '' && !joint.includes('b')) ? before.said + heads : heads;
}
