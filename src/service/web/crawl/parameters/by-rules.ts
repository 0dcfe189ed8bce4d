import { type Clause, clausesOf, contentOf, fold, type Item, type Polarity } from './clauses.ts';
import type { Draft } from './phrases.ts';
import { areItems, isBelow, patternsOf, type Site, shows, siteOf } from './sections.ts';
import { tokensOf } from './tokens.ts';
import { isContent, isDenial, isHead, type Sentence, sentencesOf, type Unit } from './units.ts';

/** Crawl parameters derived from a sentence. */
export interface Derived {
  parameters: Draft;
  /** The words of the sentence that each parameter came from. */
  sources: Record<string, string[]>;
  /** The parts of the sentence that no parameter expresses. */
  notUnderstood: string[];
  /** Parameters that a language model set although the sentence doesn't name them. */
  guessed: (keyof Draft)[];
  /** Patterns of `includePaths` of which the sentence wants the items, rather than all pages. */
  ofItems: string[];
}

/** What words set: a parameter, or whether a path is included. */
interface Setting {
  name: string;
  value: unknown;
  words: string;
  isPath?: boolean;
  /** Whether an amount replaces it. */
  isDefault?: boolean;
  isOnly?: boolean;
  areItems?: boolean;
}

/** What is read of a part of a sentence: what it sets, and the words that aren't understood. */
interface Reading {
  settings: Setting[];
  unread: string[];
}

interface Reader {
  site: Site;
  /** Patterns that the sentences so far want. */
  included: string[];
  wordsOf(units: readonly Pick<Unit, 'tokens'>[]): string;
}

/** Characters that are read: a longer text isn't a sentence, and could take long to read. */
const maxPromptLength = 1_500;
const maxNotUnderstood = 20;

/**
 * Derives crawl parameters from a sentence without a language model. Sets only what the sentence names: every word of a
 * thing has to be known, or it sets nothing and is reported.
 * @param siteUrls known URLs of the site, to find its sections by name
 */
export function parametersByRules(prompt: string, start: URL, siteUrls: readonly string[]): Derived {
  const text = prompt.slice(0, maxPromptLength).normalize('NFC');
  const rest = prompt.slice(maxPromptLength).trim();
  const reader: Reader = { site: siteOf(start, siteUrls), included: [], wordsOf: (units) => wordsIn(text, units) };
  const read: ReadSentence[] = [];
  let last: Sentence | undefined;
  for (const sentence of sentencesOf(tokensOf(text, start.hostname))) {
    const before = read.at(-1);
    const next = readSentence(sentence, reader, before?.mayGoOn === true);
    if (before && last && (next.voids === 'any' || (next.voids && last.isQuestion)))
      Object.assign(before, { settings: [], unread: [reader.wordsOf(last.units)] });
    read.push(next);
    last = sentence;
  }
  const settings = read.flatMap((sentence) => sentence.settings);
  const { parameters, sources, contradicting } = combined(settings);
  const said = new Set([...read.flatMap(({ unread }) => unread), ...contradicting]);
  said.delete('');
  const ofItems = (parameters.includePaths ?? []).filter((pattern) =>
    settings.every(({ name, areItems }) => name !== pattern || areItems),
  );
  const notUnderstood = [...[...said].slice(0, maxNotUnderstood), ...(rest === '' ? [] : [rest])];
  return { parameters, sources, notUnderstood, guessed: [], ofItems };
}

/** Returns the words of a text from the first to the last of some units, without joints around them. */
function wordsIn(text: string, units: readonly (Pick<Unit, 'tokens'> & Partial<Unit>)[]): string {
  const tokens = units.flatMap(({ is = '', tokens }) => (['comma', 'and', 'or'].includes(is) ? [] : tokens));
  const [at, end] = [Math.min(...tokens.map((token) => token.at)), Math.max(...tokens.map((token) => token.end))];
  return tokens.length === 0 ? '' : text.slice(at, end).replace(/\s+/g, ' ').trim();
}

interface ReadSentence extends Reading {
  /** Whether it takes back the sentence before it: “No thanks.”, or if that is a question: “No way.” */
  voids: 'any' | 'question' | undefined;
  /** Whether the next one can be part of a denied list: “Skip these: the blog; the docs”. */
  mayGoOn: boolean;
}

/**
 * The only place that decides what sets nothing: a thing with a word that isn't known, and those after it in its list; a list
 * that `only` narrows, if a thing of it isn't read; and a whole sentence with a condition, with words in an order that isn't
 * read, with clauses that nothing separates and aren't all read, or with a denial of which it can't be told what it denies.
 */
function readSentence({ units }: Sentence, reader: Reader, isAfterDenial: boolean): ReadSentence {
  const denies = units.some(isDenial);
  const mayGoOn = isAfterDenial || denies;
  const isJoint = ({ is }: Unit) => is === 'be' || is === 'but' || is === 'comma' || is === 'and' || is === 'or';
  const next = units.findIndex((unit) => !isHead(unit) && unit.is !== 'be');
  // “No, the docs.”; “Should be skipped.”
  const isBack = next >= 0 && units.slice(0, next).some(isDenial) && units.slice(next, next + 1).some(isJoint);
  const isEmpty = units.every((unit) => isHead(unit) || isJoint(unit) || !isContent(unit));
  const voids = denies ? (isEmpty || isBack ? 'any' : 'question') : undefined;
  const none: ReadSentence = { settings: [], unread: [reader.wordsOf(units)], mayGoOn, voids };
  const clauses = clausesOf(units);
  if (!clauses) return none;
  const sentence: ReadSentence = { settings: [], unread: [], voids: undefined, mayGoOn: isAfterDenial };
  let isVoid = false;
  for (const [index, clause] of clauses.entries()) {
    const { heads, items, own, said } = clause;
    const polarity = said === undefined ? undefined : fold(said);
    const isAmount = (contentOf(clause)[0]?.is ?? 'amount') === 'amount';
    const isOpen = isAfterDenial && index === 0 && own === '' && !isAmount;
    const readings: (Reading | undefined)[] = [];
    for (const [at, item] of items.entries()) {
      // An unknown word can be about what follows it: `banished: the blog, the press`.
      const isRead = polarity && !isOpen && (at === 0 || (clause.isSure && readings[at - 1]));
      readings.push(isRead ? readItem(item, clause, polarity, reader) : undefined);
    }
    const isUnread = readings.includes(undefined);
    if (!isAmount || own !== '') sentence.mayGoOn = polarity?.wanted === false || (isUnread && own === '');
    if (/[ndea]/.test(own)) {
      // `don't crawl the unicorns`, but not `skip the unicorns`: it can't be told what is denied.
      const isLoose = own.startsWith('n') || (polarity ? polarity.soft : !own.startsWith('d'));
      if (contentOf(clause).length === 0 || (isUnread && isLoose)) isVoid = true;
      if (isUnread) sentence.voids = 'question';
    }
    const isTied = !clause.isApart || clauses[index + 1]?.isApart === false;
    if (isUnread && (clause.isAfter || isTied)) isVoid = true;
    if (isUnread && (!polarity || polarity.only)) readings.fill(undefined);
    const denying = polarity?.wanted ? [] : heads;
    for (const [at, { things, tail }] of items.entries()) {
      // `skip the docs and the unicorns`: what isn't understood is to skip the unicorns.
      const words = reader.wordsOf([...(at === 0 ? denying : []), ...things, ...tail]);
      const unread = at > 0 && denying.length > 0 ? `${reader.wordsOf(denying)} … ${words}` : words;
      sentence.settings.push(...(readings[at]?.settings ?? []));
      sentence.unread.push(...(readings[at]?.unread ?? [unread]));
    }
  }
  return isVoid ? none : sentence;
}

/** Options of pages that can be “the same page”. */
const mergeable: ReadonlySet<string> = new Set<keyof Draft>(['ignoreQueryParameters', 'deduplicateSimilarURLs']);

/** Returns what an item sets; undefined if a word of it isn't known. */
function readItem(item: Item, clause: Clause, polarity: Polarity, reader: Reader): Reading | undefined {
  const { things, tail } = item;
  const { wanted, soft } = polarity;
  const settings: Setting[] = [];
  const unread: string[] = [];
  const rest = things.filter(({ is }) => is !== 'amount');
  for (const unit of things) {
    if (unit.is !== 'amount') continue;
    const words = reader.wordsOf([unit]);
    const isLimit = unit.bound === 'least' ? !wanted : wanted && !soft;
    // `no more than 5 pages` is a limit; `at least 5 pages` and `skip 5 pages` aren't.
    if (unit.name && isLimit) settings.push({ name: unit.name, value: unit.value, words });
    else if (wanted && !soft) unread.push(words);
    else return undefined;
  }
  // `skip the docs, with screenshots`
  if (things.length === 0) return { settings, unread: [reader.wordsOf(tail)] };
  const isPosts = rest.length < things.length && rest.every((unit) => unit.is === 'posts' || !isContent(unit));
  const cut = isPosts ? 0 : rest.findLastIndex(({ is }) => is === 'place');
  const whole = readThing(rest, clause, polarity, reader);
  // `the docs from 2024`, `20 articles`: what isn't known of them is said, as in `the docs with screenshots`.
  const part = !whole && (isPosts || cut > 0) ? readThing(rest.slice(0, cut), clause, polarity, reader) : undefined;
  const thing = whole ?? (part?.every(({ name, isPath }) => isPath && shows(reader.site, name)) ? part : undefined);
  const said = whole ? tail : [...rest.slice(cut), ...tail];
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  settings.push(...(thing ?? []));
  const hasParts = wanted && settings.some(({ name, isPath }) => isPath || name === 'limit');
  if (!thing || (said.length > 0 && !hasParts)) return undefined;
  return { settings, unread: [...unread, reader.wordsOf(said)] };
}

/** Reads an option, a user agent or a section; undefined if the units say anything else. */
function readThing(units: Unit[], clause: Clause, polarity: Polarity, reader: Reader): Setting[] | undefined {
  const { wanted, only, soft } = polarity;
  const content = units.filter(isContent);
  const thing = content.find(({ is }) => is === 'option') ?? content[0];
  const others = content.filter((unit) => unit !== thing && unit.is !== 'all');
  const isSame = others.length === 1 && others[0]?.is === 'same';
  const words = reader.wordsOf(units);
  if (thing?.is === 'option' || (others.length === 0 && (thing?.is === 'all' || thing?.is === 'same'))) {
    const { of = '', values, flag } = thing;
    const isVerb = flag !== 'follow' || clause.heads.some(({ tokens }) => tokens[0]?.value === 'follow');
    // `skip the docs, duplicates as one page`
    const isClear = wanted || (clause.items.length === 1 && /[na]/.test(clause.own));
    if (isSame ? !mergeable.has(of) || !isClear : others.length > 0 || flag === 'same') return undefined;
    if (!isVerb) return undefined;
    const isOnly = only && values.only !== undefined;
    const value = wanted === isSame ? values.denied : isOnly ? values.only : values.wanted;
    // `don't only crawl this page`
    if (value === undefined || (soft && value === null)) return undefined;
    const all = reader.wordsOf([...clause.heads, ...units]);
    return value === null ? [] : [{ name: of, value, words: all, isDefault: flag === 'default' }];
  }
  if (thing?.is === 'agent') {
    const name = thing.tokens.slice(-1);
    const value = name[0]?.kind === 'quoted' ? name[0].value : reader.wordsOf([{ tokens: name }]);
    return wanted && others.length === 0 ? [{ name: 'robotsUserAgent', value, words }] : undefined;
  }
  const patterns = patternsOf(units, reader.site, wanted && !only ? [] : reader.included);
  // `crawl the pages` says nothing, but `only the files`, `the folder` do; `don't skip the blog`: no pattern says that alone.
  const isNothing = content.length === 0 && wanted && !only && !units.some(({ is }) => is === 'section');
  if (!patterns || soft) return isNothing || units.length === 0 ? [] : undefined;
  if (wanted) reader.included.push(...patterns);
  const path = { value: wanted ? 'include' : 'exclude', words, isPath: true, isOnly: only };
  return patterns.map((name) => ({ ...path, name, areItems: wanted && areItems(units) }));
}

/** Returns what settings become together. Those that contradict each other set nothing, and all are reported. */
function combined(settings: readonly Setting[]): Pick<Derived, 'parameters' | 'sources'> & { contradicting: string[] } {
  const parameters: Record<string, unknown> = {};
  const sources: Record<string, string[]> = {};
  const contradicting: string[] = [];
  for (const [name, all] of Map.groupBy(settings, (setting) => setting.name)) {
    const firm = all.filter(({ isDefault }) => !isDefault);
    const [value, ...others] = new Set((firm.length > 0 ? firm : all).map((setting) => setting.value));
    const words = all.map((setting) => setting.words);
    const isWithin = (one: Setting) => value === 'include' && one.value === 'exclude' && isBelow(name, one.name);
    const later = settings.slice(settings.indexOf(all[0] as Setting));
    if (others.length > 0 || settings.some(isWithin)) contradicting.push(...words);
    // `the archive, but only 2020`
    else if (!later.some((one) => one.isOnly && isBelow(one.name, name))) {
      const parameter = all[0]?.isPath ? `${value}Paths` : name;
      parameters[parameter] = all[0]?.isPath ? [...((parameters[parameter] as string[]) ?? []), name] : value;
      sources[parameter] = [...new Set([...(sources[parameter] ?? []), ...words])];
    }
  }
  return { parameters, sources, contradicting };
}
