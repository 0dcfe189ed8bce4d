import { type Clause, clausesOf, type Polarity } from './clauses.ts';
import { type Draft, isContent, isDenial, isHead, lettersOf, textOf, type Unit } from './phrases.ts';
import { areItems, isBelow, patternsOf, type Site, siteOf } from './sections.ts';
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

/** What words set: a parameter, or whether a path is included; nothing without a name, as they aren't understood. */
interface Setting {
  words: string;
  name?: string;
  value?: unknown;
  isPath?: boolean;
  /** Whether an amount replaces it. */
  isDefault?: boolean;
  isOnly?: boolean;
  areItems?: boolean;
}

/** What the sentences of a text have in common. */
interface Reader {
  site: Site;
  wordsOf(units: readonly Unit[]): string;
  /** Patterns that the sentences so far want. */
  included: string[];
  /** Whether a sentence without heads may go on with what the one before denies: “Skip the blog. The docs.” */
  isOpen: boolean;
  /** What the sentence before says and sets. */
  before: Setting[];
  said: string;
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
  const site = siteOf(start, siteUrls);
  const wordsOf = (units: readonly Unit[]) => wordsIn(text, units);
  const reader: Reader = { site, wordsOf, included: [], isOpen: false, before: [], said: '' };
  const read = sentencesOf(text, site).map((sentence) => readSentence(sentence, reader));
  const settings = read.flat();
  const { parameters, sources, contradicting } = combined(settings);
  const unread = settings.flatMap(({ name, words }) => (name === undefined ? [words] : []));
  const said = [...new Set([...unread, ...contradicting])].filter((words) => words !== '');
  const areAllItems = (pattern: string) => settings.every((one) => one.name !== pattern || one.areItems);
  const ofItems = (parameters.includePaths ?? []).filter(areAllItems);
  const notUnderstood = [...said.slice(0, maxNotUnderstood), ...(rest === '' ? [] : [rest])];
  return { parameters, sources, notUnderstood, guessed: [], ofItems };
}

/** Returns the words of a text from the first to the last of some units, without joints around them. */
function wordsIn(text: string, units: readonly Unit[]): string {
  const tokens = units.flatMap((unit) => (',-&|'.includes(unit.is) ? [] : unit.tokens));
  const [at, end] = [Math.min(...tokens.map((token) => token.at)), Math.max(...tokens.map((token) => token.end))];
  return tokens.length === 0 ? '' : text.slice(at, end).replace(/\s+/g, ' ').trim();
}

/** What isn't a plain wish: denials, restrictions, conditions, verbs after other words, such as “stop following”. */
const notPlain = /[nadeoD=?|b-]|[^,&wW][^,&]*[wW]/;

/**
 * The only place that decides what sets nothing: a clause of which a word, the order or a thing isn't read. Unless the sentence
 * is a plain wish, that takes all of it along; a bare denial, such as “No thanks.”, takes the sentence before too.
 */
function readSentence({ units, isQuestion }: Sentence, reader: Reader): Setting[] {
  const said = reader.wordsOf(units);
  const letters = lettersOf(units);
  const clauses = clausesOf(units);
  const isDenying = units.some(isDenial);
  // `The docs?`, `Do you need the docs?`: only `Can you skip the docs?` is a wish.
  const isWish = !isQuestion || (units.some(isHead) && !letters.startsWith('='));
  const isHeadless = clauses[0]?.isFree === false && clauses[0].heads + clauses[0].after === '';
  const isBack = isDenying && !/^[^-,&|b]*[NTLOAUSM1]/.test(letters);
  const isVoid = isBack || letters.includes('?') || !isWish || (isHeadless && reader.isOpen);
  const read = clauses.map((clause) => readClause(clause, reader));
  const isRead = !isVoid && !read.includes(undefined);
  const settings = read.flatMap((one, index) => one ?? [{ words: reader.wordsOf(clauses[index]?.units ?? []) }]);
  const result = isRead || !(isVoid || notPlain.test(letters)) ? settings : [{ words: said }];
  if (isBack) reader.before.splice(0, Number.POSITIVE_INFINITY, { words: reader.said });
  // `banished: the blog; the docs`
  reader.isOpen = isDenying || !isRead;
  Object.assign(reader, { before: result, said });
  return result;
}

/** Returns what a clause sets; undefined if it, or a word of it, isn't known. */
function readClause({ parts, tail, polarity }: Clause, reader: Reader): Setting[] | undefined {
  const read = parts.map((part) => polarity && readPart(part, polarity, reader));
  if (!polarity || read.includes(undefined)) return undefined;
  const settings = read.flatMap((one) => one ?? []);
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  const hasParts = polarity.wanted && settings.some(({ isPath }) => isPath);
  if (tail.length > 0 && parts.length > 0 && !hasParts) return undefined;
  return [...settings, { words: reader.wordsOf(tail) }];
}

/** Returns what a part sets; undefined if a word of it isn't known. */
function readPart(units: Unit[], polarity: Polarity, reader: Reader): Setting[] | undefined {
  const { wanted, soft } = polarity;
  const [amounts, own] = [units.filter(({ is }) => is === 'M'), units.filter(({ is }) => is !== 'M')];
  // `don't go deeper than 3 levels` is a limit; `skip 5 pages` and `don't stop after 5 pages` aren't read.
  if (amounts.some(({ of, isLeast }) => soft || (!wanted && !(of && isLeast)))) return undefined;
  const settings = amounts.map((unit): Setting => {
    const words = reader.wordsOf([unit]);
    return unit.of && wanted !== unit.isLeast ? { name: unit.of, value: unit.value, words } : { words };
  });
  const rest = own.filter((unit) => !isHead(unit) && !'=~'.includes(unit.is));
  const thing = readThing(rest, own, polarity, reader);
  // `20 articles`
  const isCount = amounts.length > 0 && !/[TLOAU]/.test(lettersOf(rest));
  return thing || isCount ? [...settings, ...(thing ?? [{ words: reader.wordsOf(rest) }])] : undefined;
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
  for (const [name, all] of Map.groupBy(settings, (setting) => setting.name ?? '')) {
    if (name === '') continue;
    const firm = all.filter(({ isDefault }) => !isDefault);
    const [value, ...others] = new Set((firm.length > 0 ? firm : all).map((setting) => setting.value));
    const words = all.map((setting) => setting.words);
    const isWithin = (one: Setting) => value === 'include' && one.value === 'exclude' && isBelow(name, one.name ?? '');
    const later = settings.slice(settings.indexOf(all[0] as Setting));
    if (others.length > 0 || settings.some(isWithin)) contradicting.push(...words);
    // `the archive, but only 2020`
    else if (!later.some((one) => one.isOnly && isBelow(one.name ?? '', name))) {
      const parameter = all[0]?.isPath ? `${value}Paths` : name;
      parameters[parameter] = all[0]?.isPath ? [...((parameters[parameter] as string[]) ?? []), name] : value;
      sources[parameter] = [...new Set([...(sources[parameter] ?? []), ...words])];
    }
  }
  return { parameters, sources, contradicting };
}
