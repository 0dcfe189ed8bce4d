import { clausesOf, contentOf, fold, isFree, type Part, type Polarity } from './clauses.ts';
import { type Draft, isContent, isDenial, isHead, isLabel, lettersOf, textOf, type Unit } from './phrases.ts';
import { areItems, isBelow, patternsOf, type Site, shows, siteOf } from './sections.ts';
import { type Sentence, sentencesOf } from './sentences.ts';

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

/** What is read: what it sets, and the words that aren't understood. */
interface Reading {
  settings: Setting[];
  unread: string[];
}

/** What the sentences of a text have in common. */
interface Reader {
  site: Site;
  wordsOf(units: readonly Unit[]): string;
  /** Patterns that the sentences so far want. */
  included: string[];
  /** Whether a sentence without heads may go on with what the one before denies: “Skip the blog. The docs.” */
  isOpen: boolean;
  before?: Reading & { words: string };
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
  const reader: Reader = { site: siteOf(start, siteUrls), wordsOf: () => '', included: [], isOpen: false };
  const read = sentencesOf(text, reader.site).map((sentence) => {
    reader.wordsOf = (units) => wordsIn(text, units, sentence.from);
    return readSentence(sentence, reader);
  });
  const settings = read.flatMap((reading) => reading.settings);
  const { parameters, sources, contradicting } = combined(settings);
  const said = new Set([...read.flatMap(({ unread }) => unread), ...contradicting]);
  said.delete('');
  const areAllItems = (pattern: string) => settings.every((one) => one.name !== pattern || one.areItems);
  const ofItems = (parameters.includePaths ?? []).filter(areAllItems);
  const notUnderstood = [...[...said].slice(0, maxNotUnderstood), ...(rest === '' ? [] : [rest])];
  return { parameters, sources, notUnderstood, guessed: [], ofItems };
}

/** Returns the words of a text from the first to the last of some units, without joints around them. */
function wordsIn(text: string, units: readonly Unit[], from: number): string {
  const tokens = units.flatMap((unit) => (',-&|'.includes(unit.is) ? [] : unit.tokens.filter(({ at }) => at >= from)));
  const [at, end] = [Math.min(...tokens.map((token) => token.at)), Math.max(...tokens.map((token) => token.end))];
  return tokens.length === 0 ? '' : text.slice(at, end).replace(/\s+/g, ' ').trim();
}

/**
 * The only place that decides what sets nothing. In a sentence that denies or restricts, a part that isn't read takes all of
 * it along; in a plain wish, what follows in its list. A bare denial, such as “No thanks.”, takes the sentence before too.
 */
function readSentence({ units, isQuestion, from }: Sentence, reader: Reader): Reading {
  const { before, isOpen, wordsOf } = reader;
  const clauses = clausesOf(units);
  const parts = clauses.flatMap((clause) => clause.parts);
  const letters = lettersOf(units);
  const isDenying = units.some(isDenial);
  const isListed = units.some(({ tokens: [token] }) => token && token.at < from);
  // `The docs?`, `Do you need the docs?`: only `Can you skip the docs?` is a wish.
  const isWish =
    /^(?:can|could|will|would|may)$/.test(textOf(units[0])) || (units.some(isHead) && !letters.startsWith('='));
  const isHeadless = clauses[0]?.said === '' && !clauses[0].parts.every(isFree);
  const isBack = isDenying && contentOf(clauses[0]?.parts ?? []).length === 0;
  let isVoid = isBack || letters.includes('?') || (isQuestion && !isWish) || (isHeadless && isOpen);
  let isUnread = isVoid;
  let reading: Reading = { settings: [], unread: [] };
  for (const { parts: list, said } of clauses) {
    let isLost = false;
    for (const part of list) {
      const polarity = isLost && !isFree(part) ? undefined : fold(said);
      const read = polarity && readPart(part, polarity, reader);
      reading.settings.push(...(read?.settings ?? []));
      reading.unread.push(...(read?.unread ?? [wordsOf(part.units)]));
      if (read) continue;
      isLost = isUnread = true;
      // `stop following links`, `the docs are old`
      const isTied = [part, parts[parts.indexOf(part) + 1]].some((one) => one?.joint === '' && one !== parts[0]);
      isVoid ||= isDenying || isTied || isListed || /[o=]/.test(letters);
    }
  }
  const words = wordsOf(units);
  if (isVoid) reading = { settings: [], unread: [words] };
  if (isBack && before) Object.assign(before, { settings: [], unread: [before.words] });
  // `banished: the blog; the docs`
  reader.isOpen = isDenying || (isUnread && (isOpen || units.some(isLabel)));
  reader.before = { ...reading, words };
  return reader.before;
}

/** Returns what a part sets; undefined if a word of it isn't known. */
function readPart({ things, tail, units }: Part, polarity: Polarity, reader: Reader): Reading | undefined {
  const { wordsOf, site } = reader;
  const { wanted, soft } = polarity;
  const settings: Setting[] = [];
  const unread: string[] = [];
  for (const unit of things.filter(({ is }) => is === 'M')) {
    const words = wordsOf([unit]);
    // `don't go deeper than 3 levels` is a limit; `skip 5 pages` and `don't stop after 5 pages` aren't read.
    if (soft || (!wanted && !(unit.of && unit.isLeast))) return undefined;
    if (unit.of && wanted !== unit.isLeast) settings.push({ name: unit.of, value: unit.value, words });
    else unread.push(words);
  }
  // `skip the docs, with screenshots`
  if (units.length === tail.length) return { settings, unread: [wordsOf(tail)] };
  const own = units.slice(0, units.length - tail.length).filter(({ is }) => is !== 'M');
  const rest = things.filter(({ is }) => is !== 'M');
  let thing = readThing(rest, own, polarity, reader);
  let said = tail;
  if (!thing) {
    // `the docs from 2024`, `20 articles`: what isn't known of them is said, as in `the docs with screenshots`.
    const isCount = rest.length < things.length && !/[NTLOAU]/.test(lettersOf(rest));
    const cut = isCount ? 0 : rest.findLastIndex(({ is }) => is === 'P');
    thing = cut > 0 || isCount ? readThing(rest.slice(0, cut), own, polarity, reader) : undefined;
    if (!thing?.every(({ name, isPath }) => isPath && shows(site, name))) return undefined;
    said = [...rest.slice(cut), ...tail];
  }
  settings.push(...thing);
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  const hasParts = wanted && settings.some(({ name, isPath }) => isPath || name === 'limit');
  return said.length > 0 && !hasParts ? undefined : { settings, unread: [...unread, wordsOf(said)] };
}

/** Reads an option, a user agent or a section; undefined if the units say anything else. */
function readThing(
  units: Unit[],
  own: Unit[],
  { wanted, only, soft }: Polarity,
  reader: Reader,
): Setting[] | undefined {
  const content = units.filter(isContent);
  const thing = content.find(({ is }) => 'OU'.includes(is)) ?? content[0];
  const others = content.filter((unit) => unit !== thing && unit.is !== 'A');
  const words = reader.wordsOf(units);
  if (thing?.is === 'U') {
    const name = thing.tokens.at(-1);
    const value = name?.kind === 'quoted' ? name.value : reader.wordsOf([{ ...thing, tokens: thing.tokens.slice(-1) }]);
    return wanted && others.length === 0 ? [{ name: 'robotsUserAgent', value, words }] : undefined;
  }
  if (thing?.is === 'O' || (thing?.is === 'A' && others.length === 0)) {
    const { of = '', values, flag } = thing;
    const value = only && values[2] !== undefined ? values[2] : values[wanted ? 0 : 1];
    const isMissing = flag === 'follow' && !own.some((unit) => textOf(unit).startsWith('follow'));
    if (others.length > 0 || value === undefined || (soft && value === null) || isMissing) return undefined;
    return value === null ? [] : [{ name: of, value, words: reader.wordsOf(own), isDefault: flag === 'default' }];
  }
  const patterns = patternsOf(units, reader.site, wanted && !only ? [] : reader.included);
  // `crawl the pages` says nothing, but `only the files`, `the folder` do; `don't skip the blog`: no pattern says that alone.
  const isNothing = content.length === 0 && wanted && !only && !units.some(({ flag }) => flag === 'section');
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
