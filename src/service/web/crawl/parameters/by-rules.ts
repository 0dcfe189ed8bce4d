import { type Clause, clausesOf } from './clauses.ts';
import { type Draft, isContent, isDenial, isHead, lettersOf, phraseAt, textOf, type Unit } from './phrases.ts';
import { areItems, areMany, comparable, isBelow, kindOf, patternsOf, type Site, siteOf } from './sections.ts';
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

/** What some words set: a parameter, or a pattern of a path; nothing without `of`, as they aren't understood. */
interface Setting {
  units: readonly Unit[];
  of?: keyof Draft;
  value?: unknown;
  isOnly?: boolean;
  areItems?: boolean;
  clause?: Clause;
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
  const settings: Setting[][] = [];
  let isOpen = false;
  let before: { sentence: Sentence; place: number } | undefined;
  for (const sentence of sentencesOf(text, site)) {
    const read = readSentence(sentence, isOpen, site);
    // `No thanks.` takes back the sentence before it.
    if (read.isBack && before)
      settings[before.place] = [{ units: [...before.sentence.units, ...before.sentence.asides] }];
    settings.push(read.settings);
    // `Quick.` is no sentence that could be taken back, or that another one could go on in.
    if (sentence.units.length > 0) [before, isOpen] = [{ sentence, place: settings.length - 1 }, read.isOpen];
  }
  const said = combined(settings.flat(), ({ units }) => wordsIn(text, units));
  return { ...said, notUnderstood: rest === '' ? said.notUnderstood : [...said.notUnderstood, rest], guessed: [] };
}

/** Returns the words of a text from the first to the last of some units, without joints around them. */
function wordsIn(text: string, units: readonly Unit[]): string {
  const tokens = units.flatMap((unit) => (',-&|:'.includes(unit.is) ? [] : unit.tokens));
  const [at, end] = [Math.min(...tokens.map((token) => token.at)), Math.max(...tokens.map((token) => token.end))];
  return tokens.length === 0 ? '' : text.slice(at, end).replace(/\s+/g, ' ').trim();
}

/** What isn't a plain wish: denials, restrictions, conditions, verbs after other words, such as “stop following”. */
const notPlain = /[nadeoD=?|b:-]|[^,&wW][^,&]*[wW]/;

const adverb = /(?:days|times|wards|ways|perhaps|besides|thus)$/;
/** What is about or of a section, rather than all of it. */
const portion = /^(?:news|threads?|topics?|discussions?|series|versions?|details?)$/;

/**
 * Whether an unread clause denies things of its own: “no widgets”, “nothing older than 2024”. One unknown word in the plural is a
 * thing, rather than a verb or what is said of others: “the docs, not desired”.
 */
function isApart({ units, wish }: Clause): boolean {
  const names = units.filter(({ is }) => is === 'N');
  // `the docs, excluded nowadays`: these say what is meant of the things before them.
  if (units.some((unit) => isDenial(unit) && /(?:ed|en|left out)$/.test(textOf(unit)))) return false;
  const isThing =
    names.length === 1 && names.every((unit) => areMany(unit) && !phraseAt(unit.tokens) && !adverb.test(textOf(unit)));
  // What isn't found, as in `articles only, no tags`, says what it means of the others all the same.
  if (wish && wish !== 'keep' && /^[-,&]*[ao]*[TSPA1]+o?$/.test(lettersOf(units))) return true;
  return (isThing ? /^[-,&b]*[nad]A?N$|^,[nad][TS]+N$/ : /^[-,&b]*[nad]s1$/).test(lettersOf(units));
}

/**
 * The only place that decides what sets nothing: a clause of which a word, the order or a thing isn't read. Unless the sentence
 * is a plain wish, that takes all of it along.
 * @param isOpen whether the sentence before may go on in this one, if it has no heads: “Skip the blog. The docs.”
 */
function readSentence({ units, asides, isQuestion }: Sentence, isOpen: boolean, site: Site) {
  const letters = lettersOf(units);
  const clauses = clausesOf(units);
  const isDenying = units.some(isDenial);
  // `The docs?`, `Do you need the docs?`: only `Can you skip the docs?` is a wish.
  const isWish = !isQuestion || (units.some(isHead) && !letters.startsWith('='));
  const isHeadless = clauses[0]?.isFree === false && clauses[0].heads + clauses[0].after === '';
  const isBack = isDenying && !/^[^-,&|b]*[NTLOASM1]/.test(letters);
  const isVoid = isBack || letters.includes('?') || !isWish || (isHeadless && isOpen);
  // `guides in English, only German` wants guides, not all that is in German.
  const kindsOf = ({ parts }: Clause) => parts.flat().flatMap((one) => (isContent(one) ? kindOf(one, site) : []));
  const first = clauses.findIndex(({ parts }) => parts.flat().some((one) => one.is === 'T' && !kindOf(one, site)));
  const isRest = (clause: Clause, index: number) => {
    const kinds = kindsOf(clause);
    return first >= 0 && index > first && clause.wish !== 'deny' && kinds.length > 0 && !kinds.includes('');
  };
  const read = clauses.map((clause, index) => (isRest(clause, index) ? undefined : readClause(clause, site)));
  const isRead = !isVoid && !read.includes(undefined);
  // What isn't read can mean the others too, unless it denies things of its own. An amount beside things stays.
  const areApart = clauses.every((clause, index) => read[index] || isApart(clause));
  const isKept = isRead || !(isVoid || (notPlain.test(letters) && !areApart));
  const areThings = clauses.every((clause, index) => read[index] || clause.units.some(isContent));
  const isAmount = ({ isFree, parts, joint }: Clause) => isFree && parts.length > 0 && /^(?:,.*)?$/.test(joint);
  const stays = (clause: Clause) => isKept || (!isVoid && areThings && isAmount(clause));
  const settings = clauses.flatMap(
    (clause, index): Setting[] =>
      (stays(clause) && read[index]?.map((one) => ({ ...one, clause }))) || [{ units: clause.units }],
  );
  const isSaid = clauses.some(stays) && (asides.length === 0 || settings.some(({ of }) => of));
  // `banished: the blog; the docs`
  const all = isSaid ? [...settings, ...asides.map((unit) => ({ units: [unit] }))] : [{ units: [...units, ...asides] }];
  return { settings: all, isOpen: isDenying || !isRead, isBack };
}

/** Returns what a clause sets; undefined if it, or a word of it, isn't known. */
function readClause({ parts: said, tail, wish }: Clause, site: Site): Setting[] | undefined {
  const parts = completed(said, site);
  // Of `only this page and the docs`, this page isn't all.
  const wishFor = (part: readonly Unit[]) =>
    wish === 'only' && parts.length > 1 && part.some(({ is, of }) => is === 'O' && of === 'limit') ? 'want' : wish;
  const read = parts.map((part) => readPart(part, wishFor(part), site));
  if (!wish || read.includes(undefined)) return undefined;
  const settings = read.flatMap((one) => one ?? []);
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  const hasParts = settings.some(({ of }) => of === 'includePaths');
  return tail.length > 0 && parts.length > 0 && !hasParts ? undefined : [...settings, { units: tail }];
}

/** Returns parts with the words that a list says once: “board 1 and 2”, “the English and German guides”. */
function completed(parts: readonly Unit[][], site: Site): Unit[][] {
  const last = parts.at(-1) ?? [];
  // `the guides and the API in English`
  const place = /P[T1]$/.test(lettersOf(last)) && kindOf(last.at(-1), site) ? last.slice(-2) : [];
  const isSameKind = (one: Unit | undefined, other: Unit | undefined) =>
    kindOf(one, site) !== '' && kindOf(one, site) === kindOf(other, site);
  const isLong = (part: readonly Unit[]) => part.length > 1;
  return parts.map((part, index) => {
    if (part.filter((unit) => !isHead(unit)).length === 1) {
      const [first, ...others] = parts.slice(index + 1).find(isLong) ?? [];
      const before = parts.slice(0, index).findLast(isLong) ?? [];
      if (isSameKind(part.at(-1), first)) return [...part, ...others];
      if (isSameKind(part.at(-1), before.at(-1))) return [...before.slice(0, -1), ...part];
    }
    return part.some((unit) => kindOf(unit, site)) ? part : [...part, ...place];
  });
}

/** Returns what a part sets: its amounts, and an option or a section; undefined if a word of it isn't known. */
function readPart(units: readonly Unit[], wish: Clause['wish'], site: Site): Setting[] | undefined {
  const wanted = wish !== 'deny';
  const [amounts, own] = [units.filter(({ is }) => is === 'M'), units.filter(({ is }) => is !== 'M')];
  // `don't go deeper than 3 levels` is a limit; `skip 5 pages`, `don't stop after 5 pages` and `zero blog posts` aren't read.
  const isLimit = ({ of, value, isLeast }: Unit) => (of || value !== 0) && (wanted || (of && isLeast));
  if (amounts.some((unit) => wish === 'keep' || !isLimit(unit))) return undefined;
  const limits = amounts.map((unit) => ({ ...(wanted !== unit.isLeast && unit), units: [unit] }));
  const thing = readThing(own, wish, site);
  // `20 articles`
  const isCount = amounts.length > 0 && !/[TLOA]/.test(lettersOf(own));
  // `don't crawl more than 10 pages of the blog` doesn't deny the blog.
  const isKnown = thing && (wanted || amounts.length === 0 || thing.length === 0);
  if (!isKnown && !isCount) return undefined;
  return [...limits, ...((isKnown && thing) || [{ units: own.filter((unit) => !isHead(unit)) }])];
}

/** Reads an option or a section; undefined if the units say anything else. */
function readThing(own: readonly Unit[], wish: Clause['wish'], site: Site): Setting[] | undefined {
  const wanted = wish !== 'deny';
  const units = own.filter((unit) => !isHead(unit) && !'=~'.includes(unit.is));
  const content = units.filter(isContent);
  const [thing = content[0], ...others] = content.filter(({ is }) => is !== 'A');
  if (thing && 'OA'.includes(thing.is)) {
    const { of, values, flag } = thing;
    const value = wish === 'only' && values[2] !== undefined ? values[2] : values[wanted ? 0 : 1];
    const isMissing = flag === 'follow' && !own.some((unit) => textOf(unit).startsWith('follow'));
    if (others.length > 0 || value === undefined || (wish === 'keep' && value === null) || isMissing) return undefined;
    return value === null ? [] : [{ units: own, of, value }];
  }
  const patterns = patternsOf(units, site, wish === 'want' ? [] : site.wanted);
  // `don't skip the blog`: no pattern says that alone.
  if (!patterns || wish === 'keep') return units.every(({ is }) => is === 'P') ? [] : undefined;
  // “no news about products” and “skip product details” don't deny all products, “skip the German version” all in German.
  const said = units.some((unit) => kindOf(unit, site) === 'language') ? ['version', 'versions'] : [];
  const isPortion = (unit: Unit, at: number) =>
    unit.tokens.length === 1 && portion.test(textOf(unit)) && units[at + 1]?.is !== '1' && !said.includes(textOf(unit));
  const isOwn = (unit: Unit) => patterns.every((one) => comparable(one).includes(comparable(textOf(unit))));
  if (!wanted && !units.filter(isPortion).every(isOwn)) return undefined;
  if (wanted) for (const pattern of patterns) site.wanted.add(pattern);
  const of = wanted ? 'includePaths' : 'excludePaths';
  return patterns.map((value) => ({ units, of, value, isOnly: wish === 'only', areItems: areItems(units) }));
}

const isPath = ({ of }: Setting): boolean => of === 'includePaths' || of === 'excludePaths';

/** Returns what settings become together. Those that contradict each other set nothing, and all are reported. */
function combined(settings: readonly Setting[], wordsOf: (setting: Setting) => string): Omit<Derived, 'guessed'> {
  const parameters: Record<string, unknown> = {};
  const sources: Record<string, string[]> = {};
  const ofItems: string[] = [];
  const unread = settings.filter(({ of }) => !of);
  const paths = settings.filter(isPath);
  for (const all of Map.groupBy(settings, (one) => (isPath(one) ? one.value : one.of)).values()) {
    const [first] = all as [Setting];
    const { of, value } = first;
    if (!of) continue;
    const isDenied = (one: Setting) => one.of === 'excludePaths' && isBelow(String(value), String(one.value));
    const isWithin = of === 'includePaths' && paths.some(isDenied);
    const later = paths.slice(paths.indexOf(first)).filter(({ isOnly, clause }) => isOnly && clause !== first.clause);
    if (isWithin || all.some((one) => one.of !== of || one.value !== value)) unread.push(...all);
    // `the archive, but only 2020`
    else if (!later.some((one) => isBelow(String(one.value), String(value)))) {
      parameters[of] = isPath(first) ? [...((parameters[of] as string[]) ?? []), value] : value;
      sources[of] = [...new Set([...(sources[of] ?? []), ...all.map(wordsOf)])];
      if (of === 'includePaths' && all.every((one) => one.areItems)) ofItems.push(String(value));
    }
  }
  const notUnderstood = [...new Set(unread.map(wordsOf))].filter((words) => words !== '').slice(0, maxNotUnderstood);
  return { parameters, sources, notUnderstood, ofItems };
}
