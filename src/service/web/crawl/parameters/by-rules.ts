import { type Clause, clausesOf } from './clauses.ts';
import { type Draft, isContent, isDenial, isHead, lettersOf, phraseAt, textOf, type Unit } from './phrases.ts';
import { areItems, areMany, isBelow, isVersion, kindOf, patternsOf, wordsOf } from './sections.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { comparable, type Site, type SiteFacts, siteOf } from './site.ts';

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
 * @param facts what is known of it besides
 */
export function parametersByRules(prompt: string, start: URL, siteUrls: readonly string[], facts?: SiteFacts): Derived {
  const text = prompt.slice(0, maxPromptLength).normalize('NFC');
  const rest = prompt.slice(maxPromptLength).trim();
  const site = siteOf(start, siteUrls, facts);
  let isOpen = false;
  const sentences = sentencesOf(text, site).map((sentence) => {
    const read = readSentence(sentence, isOpen, site);
    // `Quick.` is no sentence that another one could go on in.
    if (sentence.units.length > 0) isOpen = read.isOpen;
    return { ...sentence, ...read };
  });
  // `No thanks.` can take back all that is said before it.
  const back = sentences.findLastIndex(({ isBack }) => isBack);
  const settings = sentences.flatMap((one, index) => (index < back ? unread(one) : one.settings));
  const said = combined(settings, ({ units }) => wordsIn(text, units));
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

const unread = ({ units, asides }: Sentence): Setting[] => [{ units: [...units, ...asides] }];

/** Words that can mean a part of a section: “no news about products”, “skip product details”, “nothing else from planning”. */
const portion = /^(?:news|threads?|topics?|discussions?|series|versions?|details?|else)$/;

/** Whether it isn't known which pages a word means: “all versions”, “all the items”. */
const isUnsure = (unit: Unit): boolean =>
  (unit.is === 'S' && portion.test(wordsOf(unit))) || (unit.is === 'u' && !/page|url|document/.test(wordsOf(unit)));

/** Whether an unread clause denies a thing of its own, such as “no widgets”, “not the AMP pages” or “nothing older than 2024”, rather than says what is meant of others. */
function isApart({ units }: Clause): boolean {
  const letters = lettersOf(units);
  // `no print versions`
  if (/^[-,&b]*[an]A?[NT]S$/.test(letters) && textOf(units.at(-1)) === 'versions') return true;
  const [name] = units.filter(({ is }) => is === 'N');
  if (!name) return /^[-,&b]*[na]s1$/.test(letters);
  const last = units.at(-1) ?? name;
  return /^[-,&b]*(?:aA?Nu?|nNu)$/.test(letters) && areMany(last) && (last !== name || !phraseAt(name.tokens));
}

/**
 * The only place that decides what sets nothing: a clause of which a word, the order or a thing isn't read. Unless the sentence
 * is a plain wish, that takes all of it along.
 * @param isOpen whether the sentence before may go on in this one, if it has no heads: “Skip the blog. The docs.”
 */
function readSentence(sentence: Sentence, isOpen: boolean, site: Site) {
  const { units, asides, isQuestion } = sentence;
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
  // What isn't read can mean the others too, unless it denies a thing of its own.
  const isPlain = !notPlain.test(letters);
  const isKept = !isVoid && clauses.every((clause, index) => read[index] || isPlain || isApart(clause));
  // An amount between commas is said of the whole crawl.
  const isAmount = ({ isFree, parts, joint }: Clause) => isFree && parts.length > 0 && /^,?$/.test(joint);
  const stays = (clause: Clause) => isKept || (!isVoid && isAmount(clause));
  const settings = clauses.flatMap(
    (clause, index): Setting[] =>
      (stays(clause) && read[index]?.map((one) => ({ ...one, clause }))) || [{ units: clause.units }],
  );
  const isSaid = clauses.some(stays) && (asides.length === 0 || settings.some(({ of }) => of));
  // `banished: the blog; the docs`
  const all = isSaid ? [...settings, ...asides.map((unit) => ({ units: [unit] }))] : unread(sentence);
  return { settings: all, isOpen: isDenying || isVoid || read.includes(undefined), isBack };
}

/** Returns what a clause sets; undefined if it, or a word of it, isn't known. */
function readClause({ parts: said, tail, wish, joint }: Clause, site: Site): Setting[] | undefined {
  const before = [...site.wanted];
  const parts = completed(said, site);
  const read = parts.map((part) => readPart(part, wish, site));
  if (!wish || read.includes(undefined)) return undefined;
  const settings = read.flatMap((one) => one ?? []);
  // `engineering jobs, but only remote ones` wants what is in both, which no patterns say.
  const isBoth = (one: Setting) => one.of === 'includePaths' && !before.some((other) => isBelow(`${one.value}`, other));
  if (wish === 'only' && joint.includes('b') && before.length > 0 && settings.some(isBoth)) return undefined;
  // What is said of a part of the site leaves it wanted, in whole; an option or a denial has no parts.
  const hasParts = settings.some(({ of }) => of === 'includePaths');
  return tail.length > 0 && parts.length > 0 && !hasParts ? undefined : [...settings, { units: tail }];
}

/** Returns parts with the words that a list says once: “board 1 and 2”, “the English and German guides”. */
function completed(parts: readonly Unit[][], site: Site): Unit[][] {
  const last = parts.at(-1) ?? [];
  // `the guides and the API in English`
  const place = /P[T1]$/.test(lettersOf(last)) && kindOf(last.at(-1), site) ? last.slice(-2) : [];
  return parts.map((part, index) => {
    const kind = kindOf(part.at(-1), site);
    const isKind = (unit: Unit) => kindOf(unit, site) === kind;
    if (kind === '') return part.some((unit) => kindOf(unit, site)) ? part : [...part, ...place];
    if (part.filter((unit) => !isHead(unit)).length > 1) return part;
    const isModel = (one: readonly Unit[]) => one.length > 1 && one.some(isKind);
    const model = parts.slice(index + 1).find(isModel) ?? parts.slice(0, index).findLast(isModel);
    // Of `2023 issue 4 and 5`, the issue is another one.
    return model?.with(model.findLastIndex(isKind), part.at(-1) as Unit) ?? part;
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
  // `don't crawl more than 10 pages of the blog` doesn't deny the blog.
  const thing = readThing(own, wish, site);
  // `two levels below the blog` counts from the start only if that is the blog.
  const isElsewhere = thing?.some(({ value }) => comparable(`${value}`) !== comparable(site.home));
  if (isElsewhere && /P[TL]/.test(lettersOf(own)) && amounts.some(({ of }) => of?.startsWith('max'))) return undefined;
  if (thing && (wanted || amounts.length === 0 || thing.length === 0)) return [...limits, ...thing];
  // `20 articles`
  if (amounts.length === 0 || /[TLOA]/.test(lettersOf(own))) return undefined;
  return [...limits, { units: own.filter((unit) => !isHead(unit) && !'=~P'.includes(unit.is)) }];
}

/** Reads an option or a section; undefined if the units say anything else. */
function readThing(own: readonly Unit[], wish: Clause['wish'], site: Site): Setting[] | undefined {
  const wanted = wish !== 'deny';
  const units = own.filter((unit) => !isHead(unit) && !'=~'.includes(unit.is));
  const content = units.filter(isContent);
  const [thing = content[0], ...others] = content.filter(({ is }) => is !== 'A');
  const isVague = thing?.is === 'A' && units.some(isUnsure);
  if (thing && 'OA'.includes(thing.is) && !isVague) {
    const { of, values, flag } = thing;
    const value = wish === 'only' && values[2] !== undefined ? values[2] : values[wanted ? 0 : 1];
    const isMissing = flag === 'follow' && !own.some((unit) => textOf(unit).startsWith('follow'));
    if (others.length > 0 || value === undefined || (wish === 'keep' && value === null) || isMissing) return undefined;
    return value === null ? [] : [{ units: own, of, value }];
  }
  // The whole documentation, where no part of the site is called so, is all that is below the start.
  if (wanted && content.length === 1 && thing?.flag === 'whole') return [];
  const patterns = patternsOf(units, site, wish === 'want' ? [] : site.wanted);
  if (!patterns && isVague) return [{ units }];
  // `don't skip the blog`: no pattern says that alone.
  if (!patterns || wish === 'keep') return units.length === 0 ? [] : undefined;
  // `without the next and 2.x versions`
  const ofVersion = units.some((unit) => isVersion(unit, site)) ? 'version' : undefined;
  const isOwn = (unit: Unit) =>
    comparable(textOf(unit)) === ofVersion ||
    patterns.every((one) => comparable(one).includes(comparable(textOf(unit))));
  if (!wanted && units.some((unit) => portion.test(wordsOf(unit)) && !isOwn(unit))) return undefined;
  if (wanted) for (const pattern of patterns) site.wanted.add(pattern);
  const of = wanted ? 'includePaths' : 'excludePaths';
  return patterns.map((value) => ({ units, of, value, isOnly: wish === 'only', areItems: areItems(units, site) }));
}

const isPath = ({ of }: Setting): boolean => of === 'includePaths' || of === 'excludePaths';

const isWhole = ({ of, value }: Setting): boolean => of === 'crawlEntireDomain' && value === true;
const isSection = ({ of, isOnly }: Setting): boolean => of === 'includePaths' && !isOnly;
const isPage = ({ of, units }: Setting): boolean => of === 'limit' && units.some(({ is }) => is === 'O');

/** Returns what settings become together. Those that contradict each other set nothing, and all are reported. */
function combined(settings: readonly Setting[], wordsOf: (setting: Setting) => string): Omit<Derived, 'guessed'> {
  const parameters: Record<string, unknown> = {};
  const sources: Record<string, string[]> = {};
  const ofItems: string[] = [];
  const unread = settings.filter(({ of }) => !of);
  const paths = settings.filter(isPath);
  const areBoth = settings.some(isWhole) && settings.some(isSection);
  const areMore = settings.some(({ of = '' }) => /^(?:include|max)/.test(of));
  for (const all of Map.groupBy(settings, (one) => (isPath(one) ? one.value : one.of)).values()) {
    const [first] = all as [Setting];
    const { of, value } = first;
    if (!of) continue;
    const isDenied = (one: Setting) => one.of === 'excludePaths' && isBelow(String(value), String(one.value));
    const isWithin = of === 'includePaths' && paths.some(isDenied);
    const later = paths.slice(paths.indexOf(first)).filter(({ isOnly, clause }) => isOnly && clause !== first.clause);
    // `everything and the blog`, `only this page and the docs`
    const isNarrowed = (areBoth && (isWhole(first) || isSection(first))) || (areMore && isPage(first));
    if (isWithin || isNarrowed || all.some((one) => one.of !== of || one.value !== value)) unread.push(...all);
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
