import { isAside, isContent, isHead, isVerb, textOf, type Unit } from './units.ts';

/** One thing of a list. */
export interface Item {
  things: Unit[];
  /** What is said of it after words such as `with` or `that`. */
  tail: Unit[];
}

/** A list of things, with the words that say whether they are wanted. */
export interface Clause {
  /** Its own heads, before and after the items: “the blog should be skipped”. */
  heads: Unit[];
  after: Unit[];
  items: Item[];
  /** What decides it, a letter a head: its own, after those of earlier clauses that go on in it. Undefined if that can't be told. */
  said: string | undefined;
  /** Whether all items surely are its own: not in “the docs, not the blog, the press”. */
  isSure: boolean;
  /** Whether a joint or a word such as “without” separates it from the clause before: otherwise both are read, or none. */
  isApart: boolean;
}

/** What a clause wants of its things. */
export interface Polarity {
  wanted: boolean;
  /** Nothing else is wanted. */
  only: boolean;
  /** It merely doesn't deny them: “don't skip the blog”. */
  soft: boolean;
}

/** Folds heads: a denial turns round what is wanted. Undefined if there are more than two. */
export function fold(said: string): Polarity | undefined {
  const [first, second, ...others] = said.match(/[ndea]/g) ?? [];
  if (others.length > 0) return undefined;
  // `don't just crawl the docs`, but not `don't just skip the docs`
  if (/[na][^de]*o/.test(said)) return second ? undefined : { wanted: true, only: false, soft: true };
  // `nothing except the docs`
  const only = first === undefined ? said.includes('o') : second === 'e';
  return { wanted: first === undefined || second !== undefined, only, soft: second !== undefined && !only };
}

/**
 * A letter for each kind of unit, so that a sentence has a shape; other kinds are things, `t`. `/` starts a line, `m` is an
 * amount that needs no head (“at most 5 pages”), `a` a denial that starts a clause (“without”), and `v` a verb that is its own
 * thing (“dedupe”).
 */
const letters: Partial<Record<Unit['is'], string>> = {
  ...{ not: 'n', deny: 'd', want: 'w', only: 'o', except: 'e', but: 'b', be: '=', about: '~', comma: ',', and: '&' },
  ...{ or: '|', all: 'A', section: 's', generic: 's', per: 'i', place: 'i', condition: '?' },
};
const thing = '[tAsi]';
// “do not, please, crawl”; “skip or ignore”, “neither followed nor crawled”
const head = '(?:(?:n,,+(?=w)|[ndwoea])+v?|v)';
const heads = `${head}(?:[&|]${head})*`;
const after = `=?${heads}(?!${thing}|[ndwov])`;
const joints = '[,/&|]+';
const item = `(?:${thing}+|(?=~))(?:~[tAsi~]*)?(?!${thing}|~)`;
const first = `(?:m(?!${thing}|~)|m?${item})`;
/** A clause: an amount, or a list with heads before or after it. Heads after the list of another clause are those of its last item. */
const shape = new RegExp(
  `(?<joint>[,/&|b]*)(?:(?<free>m(?!${thing}|~|${after}))|(?:` +
    `(?<heads>${heads})(?:/?(?<own>${first}(?:${joints}${item}(?!${after}))*))?|(?<subject>${first}(?:${joints}${item})*)` +
    `)(?<after>${after})?(?<late>~[tAsi~]*)?|$)`,
  'dy',
);
type Found = Partial<Record<'joint' | 'free' | 'heads' | 'own' | 'subject' | 'after' | 'late', string>>;

/** Returns the clauses of a sentence; undefined if it has a condition, or words in an order that isn't read. */
export function clausesOf(sentence: readonly Unit[]): Clause[] | undefined {
  const { units, text } = shapeOf(sentence);
  const clauses: Clause[] = [];
  /** Heads before lines that have heads of their own. */
  let label: Unit[] = [];
  for (let at = 0; at < text.length; at = shape.lastIndex) {
    shape.lastIndex = at;
    const match = shape.exec(text);
    const found: Found = match?.groups ?? {};
    // `everything but follow links`
    if (!match || !isOrdered(found, clauses.at(-1)) || text.includes('Abw')) return undefined;
    const unitsIn = (...names: (keyof Found)[]) =>
      names.flatMap((name) => units.slice(...(match.indices?.groups?.[name] ?? [0, 0])));
    const [before, behind] = [unitsIn('heads'), unitsIn('after')];
    const list = unitsIn('free', 'own', 'subject');
    const items = itemsOf([...before.filter(isVerb), ...list, ...behind.filter(isVerb), ...unitsIn('late')]);
    const [own, after] = [before.flatMap(headOf), behind.flatMap(headOf)];
    const isLine = found.joint?.startsWith('/') && own.length > 0 && label.length > 0;
    const heads = isLine ? [...label, ...own] : own;
    const said = joined(isLine ? shapeOf(heads).text : found.heads, found.after);
    if (said === undefined || (isLine && !/^[wdv]/.test(found.heads ?? ''))) return undefined;
    // `the docs skipped the blog`
    if (found.joint === '' && clauses.length > 0 && /^[nwd]*[nd]/.test(said) && !/ing$/.test(textOf(own[0])))
      return undefined;
    if (own.length > 0 && items.length === 0 && text[shape.lastIndex] === '/') label = own;
    else if (heads.length + items.length > 0)
      clauses.push({
        ...{ heads, after, items, isSure: isSure(found, clauses) },
        said: isLine ? said : decided(said, found, own[0], clauses),
        isApart: found.joint !== '' || found.free !== undefined || (own[0] !== undefined && isAside(own[0])),
      });
  }
  return clauses;
}

/** Returns the units of a sentence that say something where they stand, and a letter for each. */
function shapeOf(sentence: readonly Unit[]): { units: Unit[]; text: string } {
  const units: Unit[] = [];
  let text = '';
  for (const [index, unit] of sentence.entries()) {
    const letter = letterOf(unit, text, sentence[index + 1]);
    text += letter;
    if (letter !== '') units.push(unit);
  }
  return { units, text };
}

function letterOf(unit: Unit, before: string, next: Unit | undefined): string {
  const letter = letters[unit.is] ?? 't';
  if (unit.is === 'not' && isAside(unit)) return 'a';
  if (unit.is === 'comma') return textOf(unit).includes('\n') ? '/' : ',';
  if (unit.is === 'unit' && unit.of === 'limit') return 'i';
  if (unit.is === 'amount' && (unit.bound === 'most' || /[,/b]$/.test(before))) return 'm';
  // `everything but the blog`
  if (unit.is === 'but' && before.endsWith('A') && !(next && isHead(next))) return 'e';
  if (isVerb(unit)) return 'v';
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

/** Returns the head that a unit is: a verb that is its own thing is wanted. */
function headOf(unit: Unit): Unit[] {
  if (isVerb(unit)) return [{ is: 'want', tokens: unit.tokens, values: {} }];
  return isHead(unit) ? [unit] : [];
}

/** Returns what joined heads say together, such as “skip or ignore”; undefined if they differ. */
function joined(...runs: (string | undefined)[]): string | undefined {
  const said = runs.map((run = '') => {
    const [first = '', ...others] = run.replace(/[,=]/g, '').replaceAll('v', 'w').split(/[&|]/);
    return others.every((other) => other === first || other === first.at(-1)) ? first : undefined;
  });
  return said.includes(undefined) ? undefined : said.join('');
}

const lastJoint = (list = '') => list.match(/[,/&|]+/g)?.at(-1) ?? '';

/**
 * Whether it can be told which things heads after a list are about: not in “the blog, the press skipped”, “skip the docs and
 * the blog only” and “crawl the docs, the guides and the blog should be skipped”.
 */
function isOrdered({ joint = '', heads, subject, after }: Found, last: Clause | undefined): boolean {
  if (after === undefined) return true;
  // `should not be skipped` turns twice, but `skipped, ignored` doesn't.
  if (/[ndea].*[nea]|[de].*d/.test(after.replace(/[&|].*/, ''))) return false;
  if (heads !== undefined) return !/[dea]/.test(heads) && !(/n/.test(heads) && /[ndeao]/.test(after));
  const isSubject = after.startsWith('=');
  if (after !== 'o' && /^[,/]+$/.test(lastJoint(subject))) return false;
  const goesOn = last && last.heads.length > 0 && last.after.length === 0 && !joint.includes('b');
  return !goesOn || (last.items.length === 1 && (isSubject || (joint.includes(',') && after !== 'o')));
}

/**
 * Whether a list is all of its heads': “the docs, not the blog” goes on with “or the press” and with “the reviews or the press”;
 * but “the press” and “, and the press” may be wanted, as the docs are.
 */
function isSure({ heads = '', own }: Found, before: readonly Clause[]): boolean {
  const last = lastJoint(own);
  const isLong = (own?.match(/[,/&|]+/g) ?? []).length > 1;
  const isAlone = before.flatMap(contentOf).every(({ is }) => is === 'amount' || is === 'all');
  return !/^[nea]+$/.test(heads) || isAlone || last === '' || (/[&|]/.test(last) && (isLong || !last.includes(',')));
}

/** Returns the heads that decide a clause, with those of the clause before that go on in it; undefined if it can't be told. */
function decided(
  own: string,
  { joint = '', free }: Found,
  first: Unit | undefined,
  clauses: readonly Clause[],
): string | undefined {
  const before = clauses.findLast((clause) => !isFree(clause));
  if (!before || free !== undefined) return own;
  const { said } = before;
  const was = said === undefined ? undefined : fold(said);
  const isWanted = was?.wanted && !was.soft;
  const isBut = joint.includes('b');
  // A list doesn't go on after a verb: `the blog is skipped, the docs`; but `no press, but the docs`.
  if (own === '' && isBut) return was?.wanted === false ? own : undefined;
  if (own === '') return isWanted ? said : undefined;
  if (own.startsWith('e')) {
    const isAll = contentOf(before).every(({ is }) => is === 'all');
    // `obey robots.txt except for the blog`: only the pages of a site have exceptions.
    const isSetting = contentOf(before).some(
      (unit) => unit.is === 'option' && unit.of !== 'crawlEntireDomain' && unit.values.wanted !== null,
    );
    return was && (was.wanted || isAll) && !isSetting && !/[nda]/.test(own) ? said + own : undefined;
  }
  // `don't crawl the docs without the guides`
  if (own.startsWith('a') && joint === '' && /[na]/.test(said ?? '')) return undefined;
  // `neither the docs nor the blog`; `ignore robots.txt but not the sitemap`: the verb goes on.
  if (own === 'n' && !isWanted)
    return isBut
      ? textOf(first) === 'not' && /^w*d$/.test(said ?? '')
        ? 'nd'
        : undefined
      : /d/.test(said ?? 'd')
        ? undefined
        : own;
  if (!first || !/^[wd]/.test(own) || isBut) return own;
  // A verb after a denial: `don't visit the shop or follow links` denies both; `and`, or `including links`, isn't clear.
  const not = said?.search(/[na]|d./) ?? 0;
  if (joint.includes('|')) return said !== undefined && not >= 0 ? said.slice(0, not + 1) + own : undefined;
  const isAfterAmount = clauses
    .slice(-1)
    .flatMap(contentOf)
    .every(({ is }) => is === 'amount');
  const isOpen = (joint.includes('&') && not >= 0) || (!was?.wanted && textOf(first).endsWith('ing'));
  return isOpen && !isAfterAmount ? undefined : own;
}

export const contentOf = ({ items }: Clause): Unit[] => items.flatMap(({ things }) => things.filter(isContent));

/** Whether a clause is an amount that needs no head. */
function isFree(clause: Clause): boolean {
  return clause.heads.length + clause.after.length === 0 && contentOf(clause).every(({ is }) => is === 'amount');
}
