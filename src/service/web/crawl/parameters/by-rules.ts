import { clausesOf, fold, isFree, type Part, type Polarity, thingsOf } from './clauses.ts';
import type { Draft } from './phrases.ts';
import { areItems, isBelow, patternsOf, type Site, shows, siteOf } from './sections.ts';
import { tokensOf } from './tokens.ts';
import { isContent, isDenial, isHead, type Sentence, sentencesOf, textOf, type Unit } from './units.ts';

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
  for (const sentence of sentencesOf(tokensOf(text, start.hostname)))
    read.push(readSentence(sentence, read.at(-1), reader));
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
  sentence: Sentence;
  /** Whether the next one may go on with a list that it denies: “Skip the blog. The docs.”, “Banished: the blog; the docs” */
  goesOn: boolean;
}

/**
 * The only place that decides what sets nothing. A part with a word that isn't known takes along what follows it in its list;
 * and all of its sentence if nothing separates them, or if the part has a head that may be about more. A bare denial, such as
 * “No thanks.”, and one that isn't read after a question also take the sentence before.
 */
function readSentence(sentence: Sentence, before: ReadSentence | undefined, reader: Reader): ReadSentence {
  const { units } = sentence;
  const isDenying = units.some(isDenial);
  const clauses = clausesOf(units);
  const isBack = isDenying && thingsOf(clauses[0]?.parts ?? []).length === 0;
  const read: Reading = { settings: [], unread: [] };
  // `The docs?`, `Do you need the docs?`: only `Can you skip the docs?` is a wish.
  const isWish =
    /^(?:can|could|will|would|may)$/.test(textOf(units[0])) || (units.some(isHead) && units[0]?.is !== 'be');
  let isVoid = isBack || units.some(({ is }) => is === 'condition') || (sentence.isQuestion && !isWish);
  let isLost = false;
  let goesOn = isDenying;
  for (const [index, clause] of clauses.entries()) {
    const polarity = fold(clause.said);
    const isList = clause.said === '' && thingsOf(clause.parts)[0]?.is !== 'amount';
    const isOpen = index === 0 && before?.goesOn === true && isList;
    goesOn ||= isOpen;
    // `zzz, skip the blog`
    if (clause.isApart && clause.heads !== '') isLost = false;
    for (const part of clause.parts) {
      const isReadable = isFree(part) || (!isLost && !isOpen);
      const reading = polarity && isReadable ? readPart(part, polarity, reader) : undefined;
      read.settings.push(...(reading?.settings ?? []));
      read.unread.push(...(reading?.unread ?? [reader.wordsOf(part.units)]));
      if (reading) continue;
      isLost = true;
      const isTied = (index > 0 && !clause.isApart) || clauses[index + 1]?.isApart === false;
      const isLoose = part.units.some(
        ({ is }) => /^(?:not|except|only)$/.test(is) || (is === 'be' && clause.heads === ''),
      );
      // `docs, not the blog, the press`, `skip blog posts with images`
      const isDenied = polarity ? !polarity.wanted && part.tail.length > 0 : part.units.some(isDenial);
      isVoid ||=
        isTied || isLoose || isDenied || polarity?.only === true || part.after !== '' || part.things.length === 0;
    }
  }
  if (before && isDenying && (isBack || (before.sentence.isQuestion && (isLost || isVoid))))
    Object.assign(before, { settings: [], unread: [reader.wordsOf(before.sentence.units)] });
  goesOn ||= (isLost || isVoid) && units.some(({ tokens }) => tokens.at(-1)?.isLabel);
  return { ...(isVoid ? { settings: [], unread: [reader.wordsOf(units)] } : read), sentence, goesOn };
}

/** Returns what a part sets; undefined if a word of it isn't known. */
function readPart(part: Part, polarity: Polarity, reader: Reader): Reading | undefined {
  const { heads, things, after, tail, units } = part;
  const { wanted, soft } = polarity;
  const settings: Setting[] = [];
  const unread: string[] = [];
  if (heads === undefined) return undefined;
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
  if (things.length === 0)
    return heads + after === '' || wanted ? { settings, unread: [reader.wordsOf(tail)] } : undefined;
  const isPosts = rest.length < things.length && rest.every((unit) => unit.is === 'posts' || !isContent(unit));
  const cut = isPosts ? 0 : rest.findLastIndex(({ is }) => is === 'place');
  const own = units.filter((unit) => isHead(unit) || unit.is === 'be' || rest.includes(unit));
  const whole = readThing(rest, own, polarity, reader);
  // `the docs from 2024`, `20 articles`: what isn't known of them is said, as in `the docs with screenshots`.
  const some = !whole && (isPosts || cut > 0) ? readThing(rest.slice(0, cut), own, polarity, reader) : undefined;
  const thing = whole ?? (some?.every(({ name, isPath }) => isPath && shows(reader.site, name)) ? some : undefined);
  const said = whole ? tail : [...rest.slice(cut), ...tail];
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  settings.push(...(thing ?? []));
  const hasParts = wanted && settings.some(({ name, isPath }) => isPath || name === 'limit');
  if (!thing || (said.length > 0 && !hasParts)) return undefined;
  return { settings, unread: [...unread, reader.wordsOf(said)] };
}

/** Reads an option, a user agent or a section; undefined if the units say anything else. */
function readThing(units: Unit[], own: Unit[], polarity: Polarity, reader: Reader): Setting[] | undefined {
  const { wanted, only, soft } = polarity;
  const content = units.filter(isContent);
  const thing = content.find(({ is }) => is === 'option') ?? content[0];
  const others = content.filter((unit) => unit !== thing && unit.is !== 'all');
  const words = reader.wordsOf(units);
  if (thing?.is === 'option' || (others.length === 0 && thing?.is === 'all')) {
    const { of = '', values, flag } = thing;
    const value = only && values.only !== undefined ? values.only : wanted ? values.wanted : values.denied;
    if (flag === 'follow' && !own.some(({ tokens }) => tokens[0]?.value === 'follow')) return undefined;
    // `don't only crawl this page`
    if (others.length > 0 || value === undefined || (soft && value === null)) return undefined;
    return value === null ? [] : [{ name: of, value, words: reader.wordsOf(own), isDefault: flag === 'default' }];
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
