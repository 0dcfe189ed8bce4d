import { isContent, isHead, textOf, type Unit } from './units.ts';

/** What stands between two joints: heads, things, heads after them, and what is said of them after words such as `with`. */
export interface Part {
  /** How it is joined to the part before: `,`, `-`, `)`, `/` for a line, `&`, `|`, `b` for “but”; none before “without”. */
  joint: string;
  units: Unit[];
  /** A letter for each head before the things; undefined if the words have an order that isn't read. */
  heads: string | undefined;
  /** The same after them: “should not be skipped”. */
  after: string;
  things: Unit[];
  tail: Unit[];
}

/** A list of things, with the heads that say whether they are wanted. */
export interface Clause {
  parts: Part[];
  /** The heads that decide it: its own, after those of earlier clauses that go on in it. Undefined if it can't be told. */
  said: string | undefined;
  /** The heads before and after its things, a letter each. */
  heads: string;
  after: string;
  /** Whether a joint or a word such as “without” separates it from the clause before. */
  isApart: boolean;
}

/** What a clause wants of its things: `only` them; `soft` if it merely doesn't deny them, as “don't skip the blog”. */
export type Polarity = Record<'wanted' | 'only' | 'soft', boolean>;

/** Folds heads: a denial turns round what is wanted. Undefined if there are more than two. */
export function fold(said = 'nnn'): Polarity | undefined {
  const [first, second, ...others] = said.match(/[ndea]/g) ?? [];
  // `don't just crawl the docs`, but not `don't just skip the docs`
  const isNotOnly = /[na][^de]*o/.test(said);
  if (others.length > 0 || (isNotOnly && second)) return undefined;
  const wanted = !first || second !== undefined || isNotOnly;
  // `nothing except the docs`
  const only = first ? second === 'e' : said.includes('o');
  return { wanted, only, soft: first !== undefined && wanted && !only };
}

const letters: Readonly<Partial<Record<Unit['is'], string>>> = {
  ...{ not: 'n', without: 'a', deny: 'd', want: 'w', only: 'o', except: 'e', be: '=', about: '~' },
  ...{ line: '/', and: '&', or: '|', but: 'b' },
};
function letterOf(unit: Unit): string {
  const [text, last] = [textOf(unit), unit.tokens.at(-1)];
  // A bracket ends what it is around, and a dash can be a minus.
  if (unit.is === 'comma') return /[)\]]/.test(text) ? ')' : /[-\u2013\u2014]/.test(text) ? '-' : ',';
  if (isNothing(unit)) return 'g';
  return letters[unit.is] ?? (isAmount(unit) ? 'm' : isContent(unit) && last?.isLabel ? 'T' : 't');
}
const isAmount = ({ is }: Unit) => is === 'amount';
/** Whether it is a word such as “pages” or “section”. */
const isNothing = (unit: Unit) => !isContent(unit) && /^(?:section|generic|unit)$/.test(unit.is);
const isJoint = /[-),/&|b]/;
/** `Pages to be crawled: …` starts with a head too; `the docs: the press` (T) isn't read. */
const shape =
  /^(?:g*=?(?=[ndwoea]))?(?<heads>[ndwoea=]*)(?<things>[tgm]*(?:Tm*)?)(?<after>=*[ndwoa][ndwo=]*)?(?<tail>~[^ndae]*)?$/d;

/** Returns the parts of a sentence. */
function partsOf(units: readonly Unit[]): Part[] {
  const groups: { joint: string; units: Unit[] }[] = [];
  let joint = '';
  for (const [index, unit] of units.entries()) {
    const letter = letterOf(unit);
    const next = units[index + 1];
    const all = joint === '' ? (groups.at(-1)?.units ?? []) : [];
    const isExcept = letter === 'b' && all.some(({ is }) => is === 'all') && !(next && isHead(next));
    // `skip or ignore the blog`
    const isSame = isHead(unit) && unit.is === units[index - 2]?.is && /[&|]$/.test(joint);
    // `the docs excluding the blog`, but not `the docs skipped the blog`
    const isInside =
      isExcept ||
      (isHead(unit) &&
        next &&
        !/[-),/&|bnae~]/.test(letterOf(next)) &&
        (/ing$/.test(textOf(unit)) || /[ae]/.test(letter)));
    const isAfter = all.some((one) => /[tTgm]/.test(letterOf(one)));
    const isFirst =
      letter === '~' && next?.is === 'option' && !all.some((one) => isContent(one) && !isHead(one) && one.is !== 'be');
    // `with a delay of 2 seconds`, `use with external links`
    if (letter === '~' && next && (next.is === 'amount' || isHead(next) || (isFirst && all.length > 0))) continue;
    if (isSame) joint = '';
    else if (isJoint.test(letter) && !isExcept) joint += letter;
    else {
      // `everything but the blog`, `, with external links`
      const own = isExcept || isFirst ? ({ ...unit, is: isExcept ? 'except' : 'want' } as Unit) : unit;
      const last = groups.at(-1);
      if (last && joint === '' && !(isInside && isAfter && !/ed$/.test(textOf(unit)))) last.units.push(own);
      else groups.push({ joint, units: [own] });
      joint = '';
    }
  }
  return groups.map((group) => {
    const { groups: found, indices } = shape.exec(group.units.map(letterOf).join('')) ?? {};
    const unitsIn = (name: string) => group.units.slice(...(indices?.groups?.[name] ?? [0, 0]));
    const [heads, after = ''] = [found?.heads, found?.after].map((said) => said?.replaceAll('=', ''));
    return { ...group, heads, after, things: unitsIn('things'), tail: unitsIn('tail') };
  });
}

/** Whether a part is an amount, which needs no head: “at most 5 pages”. */
export const isFree = ({ heads, after, things }: Part): boolean =>
  /^w*$/.test(heads ?? 'n') &&
  after === '' &&
  things.some(isAmount) &&
  things.every((unit) => isAmount(unit) || unit.is === 'posts');

/** Returns the clauses of a sentence. */
export function clausesOf(units: readonly Unit[]): Clause[] {
  const clauses: Clause[] = [];
  /** The heads before lines: `Skip: …` */
  let label = '';
  const parts = partsOf(units);
  for (const [index, part] of parts.entries()) {
    const { joint, heads = '', after } = part;
    const last = clauses.at(-1);
    // `crawl the docs, the blog should be skipped`
    const isOwn = after !== '' && /^[-),]+$/.test(joint) && last?.heads !== '' && last?.parts.length === 1;
    const isNew = heads !== '' || (/[-)/b]/.test(joint) && part.things.length > 0) || isFree(part) || isOwn;
    if (!last || isNew || last.after !== '' || last.parts.every(isFree)) {
      const isApart = !last || joint !== '' || /^[ae]/.test(heads);
      const before = joint.includes('/') ? label : '';
      // `Don't:`, and below it `- don't follow links`
      const isTwice = /[ndae]/.test(before) && /[nae]/.test(heads);
      clauses.push({ parts: [part], heads: isTwice ? 'nnn' : before + heads, after, said: undefined, isApart });
    } else {
      last.parts.push(part);
      last.after = after;
    }
    if (isBare(part) && (joint.includes('/') || index === 0) && parts[index + 1]?.joint.includes('/')) {
      label = heads;
      clauses.pop();
    }
  }
  for (const [index, clause] of clauses.entries()) {
    const before = clauses.slice(0, index).findLast(({ parts }) => !thingsOf(parts).every(isAmount));
    // No verb goes on after an amount: `nothing under /admin, 20 pages, ignoring robots.txt`.
    const isAlone = before !== clauses[index - 1] && /^[^|bndaeo]*[wd]/.test(jointOf(clause.parts) + clause.heads);
    const goesOn = clauses.slice(index + 1).some(({ parts, heads }) => /^[&|][wd]/.test(jointOf(parts) + heads));
    clause.said = decided(clause, isAlone ? undefined : before, goesOn);
  }
  return clauses;
}

const isBare = ({ heads, things, tail }: Part) => heads !== undefined && things.every(isNothing) && tail.length === 0;
const jointOf = ([first]: readonly Part[]) => first?.joint ?? '';
export const thingsOf = (parts: readonly Part[]): Unit[] => parts.flatMap(({ things }) => things.filter(isContent));

/**
 * Returns the heads that decide a clause, after those of the clause before that go on in it. Undefined if it can't be told
 * what a denial denies: all that isn't named here.
 */
function decided({ heads, after, parts }: Clause, before: Clause | undefined, goesOn: boolean): string | undefined {
  const joint = jointOf(parts);
  const was = before && fold(before.said);
  const isDenied = was && !was.wanted;
  const first = parts[0]?.units.find(isHead);
  // `the docs, the blog skipped`: a list is closed by its last joint.
  const isClosed = parts.length === 1 || /[&|]/.test(parts.at(-1)?.joint ?? '');
  // `the docs, ignored, the press`
  if (parts[0]?.things.length === 0 && /[ndea]/.test(heads + after)) return undefined;
  if (after !== '') {
    if (!isClosed || !/^(?:[wdoa]|n[wd]?)$/.test(after)) return undefined;
    // `with robots.txt respected`, `I want the blog skipped`
    if (heads === '' || (heads === 'w' && /^(?:with|want|need)$/.test(textOf(first)))) return after;
    if (after === 'o') return /[ndea]/.test(heads) ? undefined : heads + after;
    // `nothing under /admin should be crawled`, `use the sitemap: include`
    return /^[naw]$/.test(heads) && after === 'w' ? heads : undefined;
  }
  // `the docs, skipped without the press`
  if (/[nda]a|[dae]e|e./.test(heads)) return undefined;
  const isTwo = parts.length === 2 && parts[1]?.joint.includes(',');
  const isOpen = !isClosed || isTwo;
  // `not the press, the docs`
  if (isOpen && heads === 'n' && textOf(first) === 'not') return undefined;
  if (!before || parts.every(isFree)) return heads;
  if (heads === '') {
    if (joint.includes('-')) return undefined;
    if (joint.includes('b')) return isDenied ? '' : undefined;
    return was?.wanted && !was.soft && before.after === '' ? before.said : undefined;
  }
  // `the docs, not the blog, the press`: the press may be wanted.
  const isContrast =
    (/^[nea]+$/.test(heads) || (isDenied === false && heads === 'd' && textOf(first).endsWith('ing'))) &&
    thingsOf(before.parts).some(({ is }) => is !== 'all');
  if (!was || (isContrast && isOpen)) return undefined;
  if (heads.startsWith('e')) {
    const things = thingsOf(before.parts);
    // `obey robots.txt except for the blog`: only the pages of a site have exceptions.
    const isSetting = (unit: Unit) =>
      unit.is === 'option' && unit.of !== 'crawlEntireDomain' && unit.values.wanted !== null;
    const isExcepted = was.wanted ? !was.soft : things.every(({ is }) => is === 'all');
    return heads === 'e' && isExcepted && !things.some(isSetting) ? `${before.said}e` : undefined;
  }
  const said = before.said ?? '';
  // `the docs, skipped: the blog`
  if (/^[-),]*$/.test(joint) && /[nda]/.test(heads) && first?.tokens.at(-1)?.isLabel) return undefined;
  // `don't crawl the docs without the guides`
  if (heads.startsWith('a')) return joint === '' && isDenied ? undefined : heads;
  if (heads === 'n') return was.soft || (isDenied && (joint.includes('b') || said.includes('d'))) ? undefined : heads;
  // A verb after a denied one: `don't visit the shop or follow links` denies both; `and`, or `including links`, isn't clear.
  const denial = /^(?:.*?[na](?=.)|d(?=w))/.exec(said)?.[0];
  // `do everything but follow links`
  if (/b$/.test(joint) && heads.startsWith('w') && thingsOf(before.parts).some(({ is }) => is === 'all'))
    return undefined;
  if (joint.includes('b') || !/^[wd]/.test(heads)) return heads;
  if (joint.includes('|')) return denial === undefined ? undefined : denial + heads;
  const isUnclear = textOf(first).endsWith('ing')
    ? !was.wanted
    : denial !== undefined && (!/^[-),]+$/.test(joint) || goesOn);
  return isUnclear ? undefined : heads;
}
