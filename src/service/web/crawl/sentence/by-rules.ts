import { clausesOf, contentOf, fold, isFree, type Part, type Polarity } from './clauses.ts';
import type { Draft } from './phrases.ts';
import { areItems, isBelow, patternsOf, type Site, shows, siteOf } from './sections.ts';
import { isContent, isDenial, isHead, isLabel, type Sentence, sentencesOf, textOf, type Unit } from './units.ts';

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
  wordsOf(units: readonly Pick<Unit, 'is' | 'tokens'>[]): string;
  /** Patterns that the sentences so far want. */
  included: string[];
  /** Whether a sentence without heads may go on with what the one before denies: “Skip the blog. The docs.” */
  isOpen: boolean;
  before?: { sentence: Sentence; reading: Reading };
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
  const reader: Reader = {
    site: siteOf(start, siteUrls),
    wordsOf: (units) => wordsIn(text, units),
    included: [],
    isOpen: false,
  };
  const read = sentencesOf(text, start.hostname).map((sentence) => {
    reader.wordsOf = (units) => wordsIn(text, units, sentence.from);
    return readSentence(sentence, reader);
  });
  const settings = read.flatMap((reading) => reading.settings);
  const { parameters, sources, contradicting } = combined(settings);
  const said = new Set([...read.flatMap(({ unread }) => unread), ...contradicting]);
  said.delete('');
  const ofItems = (parameters.includePaths ?? []).filter((pattern) =>
    settings.every((setting) => setting.name !== pattern || setting.areItems),
  );
  const notUnderstood = [...[...said].slice(0, maxNotUnderstood), ...(rest === '' ? [] : [rest])];
  return { parameters, sources, notUnderstood, guessed: [], ofItems };
}

/** Returns the words of a text from the first to the last of some units, without joints around them. */
function wordsIn(text: string, units: readonly Pick<Unit, 'is' | 'tokens'>[], from: number): string {
  const tokens = units.flatMap(({ is, tokens }) => (',-&|'.includes(is) ? [] : tokens.filter(({ at }) => at >= from)));
  const [at, end] = [Math.min(...tokens.map((token) => token.at)), Math.max(...tokens.map((token) => token.end))];
  return tokens.length === 0 ? '' : text.slice(at, end).replace(/\s+/g, ' ').trim();
}

/**
 * The only place that decides what sets nothing. In a sentence that denies or restricts, a part that isn't read takes all of
 * it along; in a plain wish, what follows in its list. A bare denial, such as “No thanks.”, takes the sentence before too.
 */
function readSentence(sentence: Sentence, reader: Reader): Reading {
  const { units, isQuestion } = sentence;
  const { before, isOpen } = reader;
  const clauses = clausesOf(units);
  const parts = clauses.flatMap((clause) => clause.parts);
  const isDenying = units.some(isDenial);
  const isStrict = isDenying || units.some(({ is }) => is === 'o');
  // `The docs?`, `Do you need the docs?`: only `Can you skip the docs?` is a wish.
  const isWish =
    /^(?:can|could|will|would|may)$/.test(textOf(units[0])) || (units.some(isHead) && units[0]?.is !== '=');
  const isHeadless = clauses[0]?.said === '' && !clauses[0].parts.every(isFree);
  const isBack = isDenying && contentOf(clauses[0]?.parts ?? []).length === 0;
  let isVoid = isBack || units.some(({ is }) => is === '?') || (isQuestion && !isWish) || (isHeadless && isOpen);
  let isUnread = isVoid;
  const reading: Reading = { settings: [], unread: [] };
  for (const { parts: list, said } of clauses) {
    let isLost = false;
    for (const part of list) {
      const polarity = isLost && !isFree(part) ? undefined : fold(said);
      const read = polarity && readPart(part, polarity, reader);
      reading.settings.push(...(read?.settings ?? []));
      reading.unread.push(...(read?.unread ?? [reader.wordsOf(part.units)]));
      if (read) continue;
      isLost = isUnread = true;
      // `stop following links`, `the docs are old`
      const isTied = [part, parts[parts.indexOf(part) + 1]].some((one) => one?.joint === '' && one !== parts[0]);
      isVoid ||= isStrict || isTied || part.units.some(({ is }) => is === '=');
    }
  }
  if (before && (isBack || (isDenying && before.sentence.isQuestion && isUnread)))
    Object.assign(before.reading, { settings: [], unread: [reader.wordsOf(before.sentence.units)] });
  // `banished: the blog; the docs`
  reader.isOpen = isDenying || (isOpen && isHeadless) || (isUnread && units.some(isLabel));
  reader.before = { sentence, reading: isVoid ? { settings: [], unread: [reader.wordsOf(units)] } : reading };
  return reader.before.reading;
}

/** Returns what a part sets; undefined if a word of it isn't known. */
function readPart({ things, tail, units }: Part, polarity: Polarity, reader: Reader): Reading | undefined {
  const { wanted, only, soft } = polarity;
  const settings: Setting[] = [];
  const unread: string[] = [];
  for (const unit of things.filter(({ is }) => is === 'M')) {
    const isLimit = unit.bound === 'least' ? !wanted : wanted && !soft;
    const words = reader.wordsOf([unit]);
    // `no more than 5 pages` is a limit; `at least 5 pages` and `skip 5 pages` aren't.
    if (unit.of && isLimit) settings.push({ name: unit.of, value: unit.value, words });
    else if (wanted && !soft) unread.push(words);
    else return undefined;
  }
  const rest = things.filter(({ is }) => is !== 'M');
  const isAmount = rest.length < things.length;
  const isPosts = isAmount && rest.every((unit) => unit.flag === 'posts' || !isContent(unit));
  const cut = isPosts ? 0 : rest.findLastIndex(({ is }) => is === 'P');
  const whole = readThing(rest, units.slice(0, units.length - tail.length), polarity, reader);
  // `the docs from 2024`, `20 articles`: what isn't known of them is said, as in `the docs with screenshots`.
  const some =
    whole ?? (cut > 0 && wanted ? readThing(rest.slice(0, cut), units, polarity, reader) : isPosts ? [] : undefined);
  if (!some || (!whole && !some.every(({ name, isPath }) => isPath && shows(reader.site, name)))) return undefined;
  settings.push(...some);
  const said = whole ? tail : [...rest.slice(cut), ...tail];
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  const hasParts = settings.some(({ name, isPath }) => isPath || name === 'limit') || units.length === tail.length;
  if (said.length > 0 && !(wanted && hasParts))
    return units.length === tail.length ? { settings, unread: [reader.wordsOf(said)] } : undefined;
  return { settings, unread: [...unread, reader.wordsOf(said)] };
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
    const name = thing.tokens.slice(-1);
    const value = name[0]?.kind === 'quoted' ? name[0].value : reader.wordsOf([{ is: 'U', tokens: name }]);
    return wanted && others.length === 0 ? [{ name: 'robotsUserAgent', value, words }] : undefined;
  }
  if (thing?.is === 'O' || (thing?.is === 'A' && others.length === 0)) {
    const { of = '', values, flag } = thing;
    const value = only && values[2] !== undefined ? values[2] : values[wanted ? 0 : 1];
    if (flag === 'follow' && !own.some((unit) => textOf(unit).startsWith('follow'))) return undefined;
    if (others.length > 0 || value === undefined || (soft && value === null)) return undefined;
    return value === null
      ? []
      : [{ name: of, value, words: reader.wordsOf(own.filter(({ is }) => is !== 'M')), isDefault: flag === 'default' }];
  }
  const patterns = patternsOf(units, reader.site, wanted && !only ? [] : reader.included);
  if (!patterns || soft) {
    // `crawl the pages` says nothing, but `only the files`, `the folder` do; `don't skip the blog`: no pattern says that alone.
    const isNothing = content.length === 0 && wanted && !only && !units.some((unit) => unit.flag === 'section');
    return isNothing || units.length === 0 ? [] : undefined;
  }
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
