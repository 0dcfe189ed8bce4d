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

/** What some words set: a parameter, or whether a path is included; nothing without a name, as they aren't understood. */
interface Setting {
  units: readonly Unit[];
  name?: string;
  value?: unknown;
  isPath?: boolean;
  isOnly?: boolean;
  areItems?: boolean;
}

/** What a sentence sets. */
interface Reading {
  units: readonly Unit[];
  settings: Setting[];
  /** Whether a sentence without heads may go on with what this one denies: “Skip the blog. The docs.” */
  isOpen: boolean;
  /** Whether it is a bare denial, such as “No thanks.”, which takes back the sentence before. */
  isBack: boolean;
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
  const readings: Reading[] = [];
  for (const sentence of sentencesOf(text, site)) {
    const before = readings.at(-1);
    const reading = readSentence(sentence, before?.isOpen === true, site);
    if (reading.isBack && before) before.settings = [{ units: before.units }];
    readings.push(reading);
  }
  const settings = readings.flatMap((reading) => reading.settings);
  const wordsOf = ({ units }: Setting) => wordsIn(text, units);
  const { parameters, sources, contradicting } = combined(settings, wordsOf);
  const unread = settings.filter(({ name }) => name === undefined).map(wordsOf);
  const said = [...new Set([...unread, ...contradicting])].filter((words) => words !== '').slice(0, maxNotUnderstood);
  const areAllItems = (pattern: string) => settings.every((one) => one.name !== pattern || one.areItems);
  const ofItems = (parameters.includePaths ?? []).filter(areAllItems);
  return { parameters, sources, notUnderstood: rest === '' ? said : [...said, rest], guessed: [], ofItems };
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
 * is a plain wish, that takes all of it along.
 * @param isOpen whether it may go on with what the one before denies
 */
function readSentence({ units, isQuestion }: Sentence, isOpen: boolean, site: Site): Reading {
  const letters = lettersOf(units);
  const clauses = clausesOf(units);
  const isDenying = units.some(isDenial);
  // `The docs?`, `Do you need the docs?`: only `Can you skip the docs?` is a wish.
  const isWish = !isQuestion || (units.some(isHead) && !letters.startsWith('='));
  const isHeadless = clauses[0]?.isFree === false && clauses[0].heads + clauses[0].after === '';
  const isBack = isDenying && !/^[^-,&|b]*[NTLOASM1]/.test(letters);
  const isVoid = isBack || letters.includes('?') || !isWish || (isHeadless && isOpen);
  const read = clauses.map((clause) => readClause(clause, site));
  const isRead = !isVoid && !read.includes(undefined);
  const isKept = isRead || !(isVoid || notPlain.test(letters));
  const settings = clauses.flatMap((clause, index) => read[index] ?? [{ units: clause.units }]);
  // `banished: the blog; the docs`
  return { units, settings: isKept ? settings : [{ units }], isOpen: isDenying || !isRead, isBack };
}

/** Returns what a clause sets; undefined if it, or a word of it, isn't known. */
function readClause({ parts, tail, polarity }: Clause, site: Site): Setting[] | undefined {
  const read = parts.map((part) => polarity && readPart(part, polarity, site));
  if (!polarity || read.includes(undefined)) return undefined;
  const settings = read.flatMap((one) => one ?? []);
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  const hasParts = polarity.wanted && settings.some(({ isPath }) => isPath);
  return tail.length > 0 && parts.length > 0 && !hasParts ? undefined : [...settings, { units: tail }];
}

/** Returns what a part sets: its amounts, and an option or a section; undefined if a word of it isn't known. */
function readPart(units: Unit[], polarity: Polarity, site: Site): Setting[] | undefined {
  const { wanted, soft } = polarity;
  const [amounts, own] = [units.filter(({ is }) => is === 'M'), units.filter(({ is }) => is !== 'M')];
  // `don't go deeper than 3 levels` is a limit; `skip 5 pages`, `don't stop after 5 pages` and `zero blog posts` aren't read.
  const isLimit = ({ of, value, isLeast }: Unit) => (of || value !== 0) && (wanted || (of && isLeast));
  if (amounts.some((unit) => soft || !isLimit(unit))) return undefined;
  const limits = amounts.map((unit): Setting => {
    const { of, value, isLeast } = unit;
    return { units: [unit], ...(of && wanted !== isLeast && { name: of, value }) };
  });
  const read = readThing(own, polarity, site);
  // `don't crawl more than 10 pages of the blog` doesn't deny the blog.
  const thing = !wanted && amounts.length > 0 && read?.length ? undefined : read;
  // `20 articles`
  const isCount = amounts.length > 0 && !/[TLOA]/.test(lettersOf(own));
  return thing || isCount ? [...limits, ...(thing ?? [{ units: own.filter((unit) => !isHead(unit)) }])] : undefined;
}

/** Reads an option or a section; undefined if the units say anything else. */
function readThing(own: Unit[], { wanted, only, soft }: Polarity, site: Site): Setting[] | undefined {
  const units = own.filter((unit) => !isHead(unit) && !'=~'.includes(unit.is));
  const content = units.filter(isContent);
  const [thing = content[0], ...others] = content.filter(({ is }) => is !== 'A');
  if (thing && 'OA'.includes(thing.is)) {
    const { of = '', values, flag } = thing;
    const value = only && values[2] !== undefined ? values[2] : values[wanted ? 0 : 1];
    const isMissing = flag === 'follow' && !own.some((unit) => textOf(unit).startsWith('follow'));
    if (others.length > 0 || value === undefined || (soft && value === null) || isMissing) return undefined;
    return value === null ? [] : [{ units: own, name: of, value }];
  }
  const patterns = patternsOf(units, site, wanted && !only ? [] : site.wanted);
  // `don't skip the blog`: no pattern says that alone.
  if (!patterns || soft) return units.every(({ is }) => is === 'P') ? [] : undefined;
  if (wanted) for (const pattern of patterns) site.wanted.add(pattern);
  const path = { units, value: wanted ? 'include' : 'exclude', isPath: true, isOnly: only };
  return patterns.map((name) => ({ ...path, name, areItems: wanted && areItems(units) }));
}

/** Returns what settings become together. Those that contradict each other set nothing, and all are reported. */
function combined(
  settings: readonly Setting[],
  wordsOf: (setting: Setting) => string,
): Pick<Derived, 'parameters' | 'sources'> & { contradicting: string[] } {
  const parameters: Record<string, unknown> = {};
  const sources: Record<string, string[]> = {};
  const contradicting: string[] = [];
  for (const [name, all] of Map.groupBy(settings, (setting) => setting.name ?? '')) {
    if (name === '') continue;
    const [value, ...others] = new Set(all.map((setting) => setting.value));
    const isWithin = (one: Setting) => value === 'include' && one.value === 'exclude' && isBelow(name, one.name ?? '');
    const later = settings.slice(settings.indexOf(all[0] as Setting));
    if (others.length > 0 || settings.some(isWithin)) contradicting.push(...all.map(wordsOf));
    // `the archive, but only 2020`
    else if (!later.some((one) => one.isOnly && isBelow(one.name ?? '', name))) {
      const parameter = all[0]?.isPath ? `${value}Paths` : name;
      parameters[parameter] = all[0]?.isPath ? [...((parameters[parameter] as string[]) ?? []), name] : value;
      sources[parameter] = [...new Set([...(sources[parameter] ?? []), ...all.map(wordsOf)])];
    }
  }
  return { parameters, sources, contradicting };
}
