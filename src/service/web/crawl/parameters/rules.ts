import { type Clause, clausesOf, contentOf, fold, type Item, isClearList, type Polarity } from './clauses.ts';
import type { Draft } from './phrases.ts';
import { areItems, isBelow, patternsOf, type Site, shows, siteOf } from './sections.ts';
import { tokensOf } from './tokens.ts';
import { isAside, isContent, isFiller, sentencesOf, type Unit } from './units.ts';

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

/** What words of a clause set. Without a draft or patterns, they aren't understood. */
interface Reading {
  words: string;
  draft?: Draft;
  /** Whether an amount replaces it. */
  isDefault?: boolean;
  patterns?: string[];
  is?: 'include' | 'exclude';
  isOnly?: boolean;
  areItems?: boolean;
}

interface Reader {
  text: string;
  wordsOf(units: readonly Unit[]): string;
  site: Site;
  /** Patterns that the sentences so far want. */
  included: string[];
}

/** Characters that are read: a longer text isn't a sentence, and could take long to read. */
const maxPromptLength = 1_500;
const maxNotUnderstood = 20;

/**
 * Derives crawl parameters from a sentence without a language model. Sets only what the sentence names: every word of a
 * clause has to be known, or the clause sets nothing and is reported.
 * @param siteUrls known URLs of the site, to find its sections by name
 */
export function parametersByRules(prompt: string, start: URL, siteUrls: readonly string[]): Derived {
  const text = prompt.slice(0, maxPromptLength).normalize('NFC');
  const rest = prompt.slice(maxPromptLength).trim();
  const sentences = sentencesOf(tokensOf(text, start.hostname));
  const wordsOf = (units: readonly Unit[]) => wordsIn(text, units);
  const reader: Reader = { text, wordsOf, site: siteOf(start, siteUrls), included: [] };
  const read: Sentence[] = [];
  for (const { units } of sentences) read.push(readSentence(units, reader, read.at(-1)?.mayGoOn === true));
  const readings = read.flatMap((sentence, index): Reading[] => {
    const { units = [], isQuestion } = sentences[index] ?? {};
    const by = read[index + 1]?.voidsBefore;
    return sentence.isVoid || by === 'any' || (by && isQuestion) ? [{ words: wordsOf(units) }] : sentence.readings;
  });
  const { parameters, sources, unset } = combined(readings);
  const said = [...new Set(unset)].filter((words) => words !== '').slice(0, maxNotUnderstood);
  const ofItems = (parameters.includePaths ?? []).filter((pattern) => {
    const wanting = readings.filter(({ patterns, is }) => is === 'include' && patterns?.includes(pattern));
    return wanting.every((reading) => reading.areItems);
  });
  return { parameters, sources, notUnderstood: rest === '' ? said : [...said, rest], guessed: [], ofItems };
}

/** Returns the words of a text from the first to the last of some units, without words around them that say nothing. */
function wordsIn(text: string, units: readonly Unit[]): string {
  const known = units.filter(({ is }) => is !== 'filler' && is !== 'comma' && is !== 'and' && is !== 'too');
  const tokens = known.flatMap((unit) => unit.tokens).toSorted((one, other) => one.at - other.at);
  const words = text.slice(tokens[0]?.at ?? 0, tokens.at(-1)?.end ?? 0);
  return words.replace(/\s+/g, ' ').trim();
}

interface Sentence {
  readings: Reading[];
  /** Whether all of it sets nothing, as a condition or a denial in it can be about any of its clauses. */
  isVoid: boolean;
  /** Whether it takes back the sentence before it: “No thanks.”, or if that is a question: “No way.” */
  voidsBefore: 'any' | 'question' | undefined;
  /** Whether the next one can be part of a denied list: “Skip these: the blog; the docs”. */
  mayGoOn: boolean;
}

/**
 * The only place that decides what sets nothing: a thing with a word that isn't known; clauses that nothing separates, or
 * that `only` narrows, if a part of them isn't read; and a sentence with a condition, with words in an order that isn't
 * read, or with a denial of which it can't be told what it denies.
 */
function readSentence(units: readonly Unit[], reader: Reader, isAfterDenial: boolean): Sentence {
  const clauses = clausesOf(units);
  const isVoid = units.some(({ is }) => is === 'condition');
  const sentence: Sentence = { readings: [], isVoid, voidsBefore: undefined, mayGoOn: isAfterDenial };
  const sets = clauses.map((clause, index) => {
    const { heads, after, all, items } = clause;
    const polarity = all && fold(all);
    const isClear = isClearList(clause, clauses.slice(0, index));
    const isHeadless = heads.length + after.length === 0;
    const isAmount = (contentOf(clause)[0]?.is ?? 'amount') === 'amount';
    const isRead = polarity && !clause.isBroken && !(isAfterDenial && index === 0 && isHeadless && !isAmount);
    const alone = items.map((item, at) =>
      isRead && (at === 0 || isClear) ? readItem(item, clause, polarity, reader) : undefined,
    );
    // An unknown word can be about what follows it: `banished: the blog, the press`.
    const first = alone.indexOf(undefined);
    const read = alone.map((set, at) => (first >= 0 && at > first ? undefined : set));
    const isUnread = read.includes(undefined);
    if (!isAmount || !isHeadless) sentence.mayGoOn = polarity?.wanted === false || (isUnread && isHeadless);
    const isDenial = [...heads, ...after].some(({ is }) => is !== 'want' && is !== 'only');
    const isEmpty = contentOf(clause).length === 0 && items.every(({ tail }) => tail.length === 0);
    const [head] = heads;
    const isLoose = (head?.is === 'not' && !isAside(head)) || (polarity ? polarity.soft : head?.is !== 'deny');
    const isLostDenial = isDenial && (isEmpty || (isUnread && isLoose));
    if (clause.isBroken || isLostDenial || (isUnread && after.length > 0)) sentence.isVoid = true;
    if (index === 0 && isDenial && (isEmpty || isUnread)) sentence.voidsBefore = isEmpty ? 'any' : 'question';
    return isUnread && (!polarity || polarity.only) ? undefined : read;
  });
  for (const [index, clause] of clauses.entries()) {
    const isWith = (other: number) => sets[other] === undefined || sets[other].includes(undefined);
    const isNext = clauses[index + 1] && clauses[index + 1]?.joined === undefined;
    const isLost = (clause.joined === undefined && isWith(index - 1)) || (isNext && isWith(index + 1));
    sentence.readings.push(...readingsOf(clause, isLost ? undefined : sets[index], reader));
  }
  return sentence;
}

/** Returns the readings of a clause, and the words of what isn't read: with its heads if it is denied, or all of it. */
function readingsOf(clause: Clause, read: (Reading[] | undefined)[] | undefined, { wordsOf }: Reader): Reading[] {
  const { heads, items, after, all } = clause;
  const unitsOf = ({ things, tail }: Item) => [...things, ...tail];
  const isWanted = all && fold(all)?.wanted;
  if (!read && !isWanted) return [{ words: wordsOf([...heads, ...items.flatMap(unitsOf), ...after]) }];
  return items.flatMap((item, index) => {
    const words = wordsOf(unitsOf(item));
    // `skip the docs and the unicorns`: what isn't understood is to skip the unicorns.
    const denied = index === 0 ? wordsOf([...heads, ...unitsOf(item)]) : `${wordsOf(heads)} … ${words}`;
    return read?.[index] ?? [{ words: isWanted ? words : denied }];
  });
}

/** Returns what an item sets; undefined if a word of it isn't known. */
function readItem(item: Item, clause: Clause, polarity: Polarity, reader: Reader): Reading[] | undefined {
  const { things, tail } = item;
  const { wanted, soft } = polarity;
  const readings: Reading[] = [];
  for (const unit of things) {
    if (unit.is !== 'amount') continue;
    // `no more than 5 pages` is a limit; `at least 5 pages` and `skip 5 pages` aren't.
    const isSet = unit.name && (unit.bound === 'least' ? !wanted : wanted && !soft);
    if (!isSet && !(wanted && !soft)) return undefined;
    const words = reader.wordsOf([unit]);
    readings.push(isSet ? { words, draft: { [unit.name as string]: unit.value } } : { words });
  }
  // `skip the docs, with screenshots`
  if (item !== clause.items[0] && things.every(isFiller)) return [{ words: reader.wordsOf(tail) }];
  const rest = things.filter(({ is }) => is !== 'amount');
  let said = tail;
  let thing = readThing(rest, clause, polarity, reader);
  const isPosts = readings.length > 0 && rest.every((unit) => unit.is === 'posts' || !isContent(unit));
  const cut = isPosts ? 0 : rest.findLastIndex(({ is }) => is === 'place');
  if (!thing && (isPosts || cut > 0)) {
    // `the docs from 2024`, `20 articles`: what isn't known of them is said, as in `the docs with screenshots`.
    said = [...rest.slice(cut), ...tail];
    thing = readThing(rest.slice(0, cut), clause, polarity, reader);
    if (!thing?.every(({ patterns }) => patterns && shows(reader.site, patterns))) return undefined;
  }
  if (!thing) return undefined;
  readings.push(...thing);
  if (said.length === 0) return readings;
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  const hasParts = wanted && readings.some(({ patterns, draft }) => patterns || (draft && 'limit' in draft));
  return hasParts ? [...readings, { words: reader.wordsOf(said) }] : undefined;
}

/** Reads an option, a user agent or a section; undefined if the units say anything else. */
function readThing(
  units: Unit[],
  { heads, items, after }: Clause,
  polarity: Polarity,
  reader: Reader,
): Reading[] | undefined {
  const { wanted, only, soft } = polarity;
  const content = units.filter(isContent);
  const option = content.find(({ is }) => is === 'option') ?? content[0];
  const others = content.filter((unit) => unit !== option && unit.is !== 'all');
  const isSame = others.length === 1 && others[0]?.is === 'same';
  if (option?.is === 'option' || (others.length === 0 && (option?.is === 'all' || option?.is === 'same'))) {
    const isVerb = option.flag !== 'follow' || heads.some(({ tokens }) => tokens[0]?.value === 'follow');
    if ((others.length > 0 && !isSame) || (option.flag === 'same' && !isSame) || !isVerb) return undefined;
    // `skip the docs, duplicates as one page`
    const isTurned = items.length === 1 && [...heads, ...after].some(({ is }) => is === 'not');
    if (isSame && !wanted && !isTurned) return undefined;
    const draft = wanted === isSame ? option.denied : (only && option.only) || option.wanted;
    // `don't only crawl this page`
    if (!draft || (soft && Object.keys(draft).length === 0)) return undefined;
    return [{ words: reader.wordsOf([...heads, ...units, ...after]), draft, isDefault: option.flag === 'default' }];
  }
  if (option?.is === 'agent') {
    const { at, kind, value = '' } = option.tokens.at(-1) ?? {};
    const name = kind === 'quoted' ? value : (/^\S*[\w)]/.exec(reader.text.slice(at))?.[0] ?? '');
    return wanted && others.length === 0
      ? [{ words: reader.wordsOf(units), draft: { robotsUserAgent: name } }]
      : undefined;
  }
  const { site, included } = reader;
  const patterns = patternsOf(units, site, wanted && !only ? [] : included);
  // `crawl the pages` says nothing, but `only the files`, `the folder` do; `don't skip the blog`: no pattern says that alone.
  const isNothing = content.length === 0 && wanted && !only && !units.some(({ is }) => is === 'section');
  if (!patterns || soft) return isNothing || units.length === 0 ? [] : undefined;
  if (wanted) included.push(...patterns);
  const is = wanted ? 'include' : 'exclude';
  return [{ words: reader.wordsOf(units), patterns, is, isOnly: only, areItems: wanted && areItems(units) }];
}

/** Returns what the readings set together. Words that contradict each other set nothing, and all are reported. */
function combined(readings: readonly Reading[]): Pick<Derived, 'parameters' | 'sources'> & { unset: string[] } {
  const parameters: Record<string, unknown> = {};
  const sources: Record<string, string[]> = {};
  const unset = readings.flatMap(({ words, draft, patterns }) => (draft || patterns ? [] : [words]));
  // A path is a setting like others: it is included or excluded.
  const settings = [
    ...readings.flatMap(({ draft = {}, words, isDefault }) =>
      Object.entries(draft).map(([name, value]) => ({ name, value, words, isDefault, isPath: false, isOnly: false })),
    ),
    ...readings.flatMap(({ patterns = [], words, is, isOnly }) =>
      patterns.map((name) => ({ name, value: is, words, isDefault: false, isPath: true, isOnly })),
    ),
  ];
  for (const [name, all = []] of Object.entries(Object.groupBy(settings, (setting) => setting.name))) {
    const firm = all.filter(({ isDefault }) => !isDefault);
    const [value, ...others] = new Set((firm.length > 0 ? firm : all).map((setting) => setting.value));
    const words = [...new Set(all.map((setting) => setting.words))];
    const above = settings.filter((setting) => setting.isPath && isBelow(name, setting.name));
    if (others.length > 0 || (value === 'include' && above.some((setting) => setting.value === 'exclude')))
      unset.push(...words);
    else if (!all[0]?.isPath) {
      parameters[name] = value;
      sources[name] = words;
    }
    // `the archive, but only 2020`
    else if (
      !settings.slice(settings.indexOf(all[0])).some((one) => one.isOnly && one.isPath && isBelow(one.name, name))
    ) {
      const list = `${value}Paths`;
      parameters[list] = [...((parameters[list] as string[] | undefined) ?? []), name];
      sources[list] = [...new Set([...(sources[list] ?? []), ...words])];
    }
  }
  return { parameters, sources, unset };
}
