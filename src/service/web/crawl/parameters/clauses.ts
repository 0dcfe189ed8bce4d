import { isContent, isHead, isVerb, textOf, type Unit } from './units.ts';

/** One thing of a list, and what is said of it after words such as `with` or `that`. */
export interface Item {
  things: Unit[];
  tail: Unit[];
}

/** A list of things, with the words that say whether they are wanted. */
export interface Clause {
  heads: Unit[];
  items: Item[];
  /** Its heads, a letter each; and those that decide it: its own, after those of earlier clauses that go on in it. */
  own: string;
  said: string | undefined;
  /** Whether heads are after the list: “the blog should be skipped”. */
  isAfter: boolean;
  /** Whether all items surely are its own: not in “the docs, not the blog, the press”. */
  isSure: boolean;
  /** Whether a joint or a word such as “without” separates it from the clause before: otherwise both are read, or none. */
  isApart: boolean;
}

/** What a clause wants of its things: `only` them; `soft` if it merely doesn't deny them, as “don't skip the blog”. */
export type Polarity = Record<'wanted' | 'only' | 'soft', boolean>;

/** Folds heads: a denial turns round what is wanted. Undefined if there are more than two. */
export function fold(said: string): Polarity | undefined {
  const [first, second, ...others] = said.match(/[ndea]/g) ?? [];
  // `don't just crawl the docs`, but not `don't just skip the docs`
  const isNotOnly = /[na][^de]*o/.test(said);
  if (others.length > 0 || (isNotOnly && second)) return undefined;
  const wanted = !first || second !== undefined || isNotOnly;
  // `nothing except the docs`
  const only = first ? second === 'e' : said.includes('o');
  return { wanted, only, soft: first !== undefined && wanted && !only };
}

/**
 * A letter for each kind of unit, so that a sentence has a shape; other kinds are things, `t`. `/` starts a line, `m` is an
 * amount that needs no head (“at most 5 pages”), `a` a denial that starts a clause (“without”), and `v` a verb that is its own
 * thing (“dedupe”).
 */
const letters = new Map(
  'not n,without a,deny d,want w,only o,except e,but b,be =,about ~,and &,or |,all A,section s,generic s,per i,place i,condition ?'
    .split(',')
    .map((row) => row.split(' ') as [string, string]),
);
const thing = '[tAsi]';
// “do not, please, crawl”; “skip or ignore”, “neither followed nor crawled”
const head = '(?:(?:n,,+(?=w)|[ndwoea])+v?|v)';
const heads = `${head}(?:[&|]${head})*`;
const after = `=?${heads}(?!${thing}|[ndwov])`;
const item = `(?:${thing}+|(?=~))(?:~[tAsi~]*)?(?!${thing}|~)`;
const first = `(?:m(?!${thing}|~)|m?${item})`;
const next = `[,/&|]+${item}`;
/** A clause: an amount, or a list with heads before or after it. Heads after the list of another clause are its last item's. */
const shape = new RegExp(
  `(?<joint>[,/&|b]*)(?:(?<free>m(?!${thing}|~|${after}))|(?:` +
    `[si]*(?<heads>${heads})(?:(?<line>/)?(?<own>${first}(?:${next}(?!${after}))*))?|(?<subject>${first}(?:${next})*)` +
    `)(?<after>${after})?(?<late>~[tAsi~]*)?|$)`,
  'dy',
);
type Found = Partial<Record<'joint' | 'free' | 'heads' | 'line' | 'own' | 'subject' | 'after' | 'late', string>>;
const endsInComma = /[,/][^,/&|]*$/;
/** A list that ends after a comma, or one of two with a comma. */
const openList = /[,/][^,/&|]*$|^[^,/&|]*[,/]+[&|][^,/&|]*$/;

/** Returns the clauses of a sentence; undefined if it has a condition, or words in an order that isn't read. */
export function clausesOf(sentence: readonly Unit[]): Clause[] | undefined {
  const { units, text } = shapeOf(sentence);
  const clauses: Clause[] = [];
  /** Heads before lines that have heads of their own. */
  let label: Pick<Clause, 'own' | 'heads'> = { own: '', heads: [] };
  // `everything but follow links`
  if (text.includes('Abw')) return undefined;
  for (let at = 0; at < text.length; at = shape.lastIndex) {
    shape.lastIndex = at;
    const { groups, indices } = shape.exec(text) ?? {};
    const found: Found = groups ?? {};
    const unitsIn = (...names: (keyof Found)[]) =>
      names.flatMap((name) => units.slice(...(indices?.groups?.[name] ?? [0, 0])));
    const { joint = '', free } = found;
    const isLine = joint.startsWith('/') && label.own !== '' && found.heads !== undefined;
    const ofLine = isLine ? label : { own: '', heads: [] };
    const own = ofLine.own + joined(found.heads) + joined(found.after);
    const heads = [...ofLine.heads, ...unitsIn('heads', 'after').filter((unit) => isHead(unit) || isVerb(unit))];
    const all = unitsIn('free', 'heads', 'own', 'subject', 'after', 'late');
    const items = itemsOf(all.filter((unit) => !isHead(unit) && unit.is !== 'be'));
    const isApart = joint !== '' || free !== undefined || /^[ae]/.test(own) || clauses.length === 0;
    // `the docs skipped the blog`, and `- don't follow links` below `Don't:`
    const isEither = isLine
      ? !/^[wdv]/.test(found.heads ?? '')
      : !isApart && /^[nwd]*[nd]/.test(own) && !textOf(heads[0]).endsWith('ing');
    if (!groups || own.includes('?') || isEither || !isOrdered(found, clauses.at(-1))) return undefined;
    // `the docs, not the blog` goes on with `or the press`; but `, the press` and `, and the press` may be wanted, as the docs are.
    const isContrast = /^[nea]+$/.test(found.heads ?? '') && !clauses.flatMap(contentOf).every(isAmountOrAll);
    const isSure = !isContrast || !openList.test(found.own ?? '');
    const said = isLine || free !== undefined ? own : decided(own, joint, unitsIn('heads')[0], clauses);
    const clause = { heads, items, own, said, isAfter: found.after !== undefined, isSure, isApart };
    // `Don't:` before lines with verbs is their label; `crawl, but not` isn't read.
    const isBare = items.length === 0 && found.after === undefined && heads.length > 0;
    const rest = text.slice(shape.lastIndex);
    if (isBare && /^[,&|b]+[ndwoeav]/.test(rest)) return undefined;
    const isLabel = isBare && /^\/[ndwoeav]/.test(rest);
    if (isLabel || found.line) label = { own, heads };
    if (!isLabel && heads.length + items.length > 0) clauses.push(clause);
  }
  return clauses;
}

/** Returns the units of a sentence that say something where they stand, and a letter for each. */
function shapeOf(sentence: readonly Unit[]): { units: Unit[]; text: string } {
  let text = '';
  const units = sentence.flatMap((unit, index): Unit[] => {
    const letter = letterOf(unit, text, sentence[index + 1]);
    text += letter;
    const head = { e: 'except', w: 'want' }[letter];
    return letter === '' ? [] : [head ? ({ ...unit, is: head } as Unit) : unit];
  });
  return { units, text };
}

function letterOf(unit: Unit, before: string, next: Unit | undefined): string {
  const letter = letters.get(unit.is) ?? 't';
  if (isVerb(unit)) return 'v';
  if (unit.is === 'comma') return textOf(unit).includes('\n') ? '/' : ',';
  if (unit.is === 'unit' && unit.of === 'limit') return 'i';
  if (unit.is === 'amount' && (unit.bound === 'most' || /[,/b]$/.test(before))) return 'm';
  // `everything but the blog`
  if (unit.is === 'but' && before.endsWith('A') && !(next && isHead(next))) return 'e';
  // `X should be skipped`, but `do crawl X`
  if (unit.is === 'be' && !/[tAsim]$/.test(before)) return '';
  const part = /[^,/&|b]*$/.exec(before)?.[0] ?? '';
  if (unit.is !== 'about' || part.includes('~')) return letter;
  // `with a delay of 2 seconds`, `use with external links`, `, with external links`
  if (next?.is === 'amount' || (next && isHead(next))) return '';
  return next?.is !== 'option' || /[tAmv]/.test(part) ? letter : part === '' ? 'w' : '';
}

/** Returns the items of a list that say something. */
function itemsOf(list: readonly Unit[]): Item[] {
  const items: Item[] = [{ things: [], tail: [] }];
  for (const unit of list) {
    const { things, tail } = items.at(-1) as Item;
    if (unit.is === 'comma' || unit.is === 'and' || unit.is === 'or') items.push({ things: [], tail: [] });
    else (unit.is === 'about' || tail.length > 0 ? tail : things).push(unit);
  }
  const says = (unit: Unit) => isContent(unit) || unit.is === 'section' || unit.is === 'generic';
  return items.filter(({ things, tail }) => tail.length > 0 || things.some(says));
}

/** Returns what joined heads say together, such as “skip or ignore”; `?` if they differ. */
function joined(heads = ''): string {
  const [said = '', ...others] = heads.replace(/[,=]/g, '').replaceAll('v', 'w').split(/[&|]/);
  return others.every((other) => other === said || other === said.at(-1)) ? said : '?';
}

/**
 * Whether it can be told which things heads after a list are about: not in “the blog, the press skipped”, “skip the docs and
 * the blog only” and “crawl the docs, the guides and the blog should be skipped”.
 */
function isOrdered({ joint = '', heads, subject = '', after }: Found, last: Clause | undefined): boolean {
  if (after === undefined) return true;
  // `should not be skipped` turns twice, but `skipped, ignored` doesn't; and `included: skip` can be about what follows.
  if (/[ndea].*[nea]|^w+d|[de].*d/.test(after.replace(/[&|].*/, ''))) return false;
  if (heads !== undefined) return !/[dea]/.test(heads) && !(/n/.test(heads) && /[ndeao]/.test(after));
  if (after !== 'o' && endsInComma.test(subject)) return false;
  const goesOn = last && last.heads.length > 0 && !last.isAfter && !joint.includes('b');
  return !goesOn || (last.items.length === 1 && (after.startsWith('=') || (joint.includes(',') && after !== 'o')));
}

/** Returns the heads that decide a clause, after those of the clause before that go on in it; undefined if it can't be told. */
function decided(own: string, joint: string, first: Unit | undefined, clauses: readonly Clause[]): string | undefined {
  const isFree = (clause: Clause) => clause.heads.length === 0 && contentOf(clause).every(({ is }) => is === 'amount');
  const before = clauses.findLast((clause) => !isFree(clause));
  if (!before) return own;
  const { said = '?' } = before;
  const was = before.said === undefined ? undefined : fold(said);
  const isWanted = was?.wanted && !was.soft;
  const isBut = joint.includes('b');
  // A list doesn't go on after a verb: `the blog is skipped, the docs`; but `no press, but the docs`.
  if (own === '') return isBut ? (was?.wanted === false ? own : undefined) : isWanted ? said : undefined;
  if (own.startsWith('e')) {
    const things = contentOf(before);
    // `obey robots.txt except for the blog`: only the pages of a site have exceptions.
    const isSetting = (unit: Unit) =>
      unit.is === 'option' && unit.of !== 'crawlEntireDomain' && unit.values.wanted !== null;
    const isExcepted = was && (was.wanted || things.every(({ is }) => is === 'all')) && !things.some(isSetting);
    return isExcepted && !/[nda]/.test(own) ? said + own : undefined;
  }
  // `don't crawl the docs without the guides`
  if (own.startsWith('a') && joint === '' && /[na]/.test(said)) return undefined;
  // `neither the docs nor the blog`; `ignore robots.txt but not the sitemap`: the verb goes on.
  if (own === 'n' && !isWanted) {
    if (isBut) return textOf(first) === 'not' && /^w*d$/.test(said) ? 'nd' : undefined;
    return /[d?]/.test(said) ? undefined : own;
  }
  if (isBut || !/^[wd]/.test(own) || !first) return own;
  // A verb after a denial: `don't visit the shop or follow links` denies both; `and`, or `including links`, isn't clear.
  const not = said.search(/[na?]|d./);
  if (joint.includes('|')) return not >= 0 && was ? said.slice(0, not + 1) + own : undefined;
  const isAfterAmount = clauses
    .slice(-1)
    .flatMap(contentOf)
    .every(({ is }) => is === 'amount');
  const isOpen = (joint.includes('&') && not >= 0) || (!was?.wanted && textOf(first).endsWith('ing'));
  return isOpen && !isAfterAmount ? undefined : own;
}

const isAmountOrAll = ({ is }: Unit) => is === 'amount' || is === 'all';
export const contentOf = ({ items }: Clause): Unit[] => items.flatMap(({ things }) => things.filter(isContent));
