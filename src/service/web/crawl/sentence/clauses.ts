import { isContent, isHead, isLabel, textOf, type Unit } from './units.ts';

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

/** A list of parts with the heads that say whether they are wanted. */
export interface Clause {
  parts: Part[];
  /** The heads that decide it, also those of clauses before that go on in it; undefined if it can't be told. */
  said: string | undefined;
}

/** What a clause wants of its things: `only` them; `soft` if it merely doesn't deny them, as “don't skip the blog”. */
export type Polarity = Record<'wanted' | 'only' | 'soft', boolean>;

/** Folds heads: a denial turns round what is wanted. Undefined if there are more than two, or “not only”. */
export function fold(said: string | undefined): Polarity | undefined {
  const [first, second, third] = said?.match(/[ndea]/g) ?? [];
  if (said === undefined || third || /[na].*o/.test(said)) return undefined;
  const wanted = !first || second !== undefined;
  // `nothing except the docs`
  const only = first ? second === 'e' : said.includes('o');
  return { wanted, only, soft: first !== undefined && wanted && !only };
}

const shape =
  /^(?<heads>(?:[ndwoea=]*[ndwoea]=*)?)(?<things>[NLOAUSMPpu1]*)(?<after>=*[ndwoa][ndwo=]*)?(?<tail>~[^ndae=]*)?$/d;
const lettersOf = (units: readonly Unit[]) => units.map(({ is }) => is).join('');
export const isAll = ({ is }: Unit): boolean => is === 'A';
/** Whether a part is an amount, which needs no head: “at most 5 pages”. */
export const isFree = ({ heads, after, things }: Part): boolean =>
  /^w*$/.test(heads ?? 'n') && after === '' && /^[Mu]*M[MuS]*$/.test(lettersOf(things));

/** Returns the parts of a sentence. */
function partsOf(units: readonly Unit[]): Part[] {
  const groups: { joint: string; units: Unit[] }[] = [];
  let joint = '';
  for (const [index, unit] of units.entries()) {
    const [last, next] = [groups.at(-1), units[index + 1]];
    const own = joint === '' && last ? last.units : [];
    // `everything but the blog`
    const isExcept = unit.is === 'b' && own.some(isAll) && next && !isHead(next);
    // `with a delay of 2 seconds`, `, with external links`
    if (unit.is === '~' && (next?.is === 'M' || (own.length === 0 && next?.is === 'O'))) continue;
    if (',-&|b'.includes(unit.is) && !isExcept) {
      joint += unit.is;
      continue;
    }
    // `the docs excluding the blog`, but not `the docs skipped the blog`
    const isInner = isExcept || 'ea'.includes(unit.is) || ('dw'.includes(unit.is) && textOf(unit).endsWith('ing'));
    const isNew = isInner && own.some(isContent) && next !== undefined && !/[nae=~,&|b-]/.test(next.is);
    const one = isExcept ? { ...unit, is: 'e' } : unit;
    if (last && joint === '' && !isNew) last.units.push(one);
    else groups.push({ joint, units: [one] });
    joint = '';
  }
  return groups.map((group) => {
    const { indices } = shape.exec(lettersOf(group.units)) ?? {};
    const unitsIn = (name: string) => group.units.slice(...(indices?.groups?.[name] ?? [0, 0]));
    const lettersIn = (name: string) => lettersOf(unitsIn(name)).replaceAll('=', '');
    const things = unitsIn('things');
    // `the docs: the press`
    const isRead = indices && !things.slice(0, -1).some((unit) => isContent(unit) && unit.is !== 'M' && isLabel(unit));
    // `Pages to be crawled: …` starts with a head.
    const isBare = !things.some(isContent);
    const [heads, after] = [lettersIn('heads'), lettersIn('after')];
    const own = isBare ? { heads: heads + after, after: '' } : { heads, after };
    return { ...group, ...own, ...(!isRead && { heads: undefined }), things, tail: unitsIn('tail') };
  });
}

/**
 * Returns the clauses of a sentence.
 * @param label heads before its line
 */
export function clausesOf(units: readonly Unit[], label: string): Clause[] {
  const lists: Part[][] = [];
  for (const part of partsOf(units)) {
    const list = lists.at(-1);
    const [first, last] = [list?.[0], list?.at(-1)];
    // `crawl the docs, the blog should be skipped`
    const isOwn = part.after !== '' && part.joint === ',' && first?.heads !== '' && list?.length === 1;
    const isNew = part.heads !== '' || /[-b]/.test(part.joint) || isFree(part) || isOwn || last?.after !== '';
    if (list && !isNew && !(last && isFree(last))) list.push(part);
    else lists.push([part]);
  }
  const clauses: Clause[] = [];
  let before: Clause | undefined;
  for (const [index, parts] of lists.entries()) {
    const isAlone = parts.every(isFree);
    const isAfterAmount = index > 0 && (lists[index - 1] ?? []).every(isFree);
    const said = isAlone && label === '' ? parts[0]?.heads : decided(parts, before, before ? '' : label, isAfterAmount);
    const clause = { parts, said };
    clauses.push(clause);
    if (!isAlone) before = clause;
  }
  return clauses;
}

/**
 * Returns the heads that decide a list of parts, with those of the clause before that go on in it. Undefined if it can't be
 * told what a denial denies: all that isn't named here.
 */
function decided(parts: readonly Part[], before: Clause | undefined, label: string, isAfterAmount: boolean) {
  const [first] = parts as [Part];
  const { joint } = first;
  const after = parts.at(-1)?.after ?? '';
  const joints = parts.slice(1).map((part) => part.joint);
  // `the docs, the blog skipped`: a list is closed by its last joint.
  const isClosed = joints.length === 0 || /^,?[&|]$/.test(joints.at(-1) ?? '');
  const isSure = isClosed && (joints.length !== 1 || !joints[0]?.includes(','));
  const own = first.heads;
  const head = first.units.find(isHead);
  if (own === undefined || parts.some(({ heads }) => heads === undefined)) return undefined;
  // `Don't:`, and below it `- don't follow links`
  if (/[ndae]/.test(label) && /[nae]/.test(own + after)) return undefined;
  const heads = label + own;
  // `the docs, ignored`
  if (!first.things.some(isContent) && first.tail.length === 0 && /[ndea]/.test(heads)) return undefined;
  if (after !== '') {
    if (!isSure) return undefined;
    // `I want the blog skipped`
    const isPlain = heads === '' || (heads === 'w' && /^(?:want|need)$/.test(textOf(head)));
    if (isPlain) return /^(?:w+|d|o|a|n[wd]?)$/.test(after) ? after : undefined;
    if (after === 'o') return /[ndea]/.test(heads) ? undefined : `${heads}o`;
    return /^[naw]$/.test(heads) && after === 'w' ? heads : undefined;
  }
  if (/[nda]a|[dae]e|e./.test(heads)) return undefined;
  // `not the press, the docs`
  if (/[nea]$/.test(heads) && !isSure) return undefined;
  if (!before) return heads;
  const was = fold(before.said);
  if (!was) return undefined;
  const things = before.parts.flatMap((part) => part.things.filter(isContent));
  if (heads === '') {
    if (joint.includes('-')) return undefined;
    // `not the blog but the docs`
    if (joint.includes('b')) return was.wanted ? undefined : '';
    return was.wanted && !was.soft && before.parts.at(-1)?.after === '' ? before.said : undefined;
  }
  if (heads === 'e') {
    // `obey robots.txt except for the blog`: only the pages of a site have exceptions.
    const isSetting = things.some((unit) => unit.is === 'O' && unit.of !== 'crawlEntireDomain' && unit.values[0] !== null);
    const isExcepted = was.wanted ? !was.soft : things.every(isAll);
    return isExcepted && !isSetting ? `${before.said}e` : undefined;
  }
  // `don't crawl the docs without the guides`
  if (heads.startsWith('a')) return joint === '' && !was.wanted ? undefined : heads;
  // `skip the press, not the docs`
  if (heads === 'n') return was.soft || before.said?.includes('d') || (!was.wanted && joint.includes('b')) ? undefined : heads;
  if (!/^[wd]/.test(heads)) return heads;
  // `the docs, skipped: the press`
  if (heads.startsWith('d') && textOf(head).endsWith('ed')) return undefined;
  if (isAfterAmount && joint === ',') return heads;
  // A verb after a denied one: `don't visit the shop or follow links` denies both; `and`, or `including links`, isn't clear.
  const denial = /^(?:.*?[na](?=.)|d(?=w))/.exec(before.said ?? '')?.[0];
  if (joint.includes('b')) return heads.startsWith('w') && things.some(isAll) ? undefined : heads;
  if (joint.includes('|')) return denial === undefined ? undefined : denial + heads;
  return denial !== undefined || (!was.wanted && textOf(head).endsWith('ing')) ? undefined : heads;
}
