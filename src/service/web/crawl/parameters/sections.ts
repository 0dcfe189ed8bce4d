import { escaped } from '../scope/urls.ts';
import { isContent, lettersOf, textOf, type Unit } from './phrases.ts';
import { calledAs, comparable, languageCode, lastOf, pathsTo, type Site, versionName } from './site.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/**
 * Names of sections that many sites have; they are assumed even if a site doesn't show them. Those joined by `=` are the same
 * name. Of others between two commas, it can't be told whether a section holds what is meant: `/stores` and “the products”.
 */
const names: ReadonlyMap<string, string[][]> = new Map(
  (
    'doc=documentation manual=usermanual handbook, faq=frequentlyaskedquestion, help=helpcenter=helpcentre support knowledgebase, blog=post=article, ' +
    'contact=contactu, career=job=jobopening=jobposting=joblisting=joboffer=opening=openposition=vacancy, shop store product catalog=catalogue, changelog=releasenote=whatsnew release=releasenote=changelog, login=signin, about=aboutu company, ' +
    'press=pressrelease=newsroom media, cart=basket=shoppingcart=shoppingbasket, signup=register, guide=userguide tutorial howto, pricing price plan, ' +
    'api, reference, news, forum, community, admin, logout, account, checkout, example, event, term, legal imprint=impressum, privacy=privacypolicy, recipe, gallery, ' +
    'portfolio, project, team, service, solution, resource, learn, academy, course, customer, casestudy, whitepaper, webinar, podcast, download, ' +
    'archive, tag=tagged=taggedwith=taggeda, author, search, user=userprofile profile=userprofile member, wiki, integration, plugin, theme, template, status, security, partner'
  )
    .split(', ')
    .map((group) => group.split(' ').map((same) => same.split('=')))
    .flatMap((group) => group.flat().map((name) => [name, group] as const)),
);
/** Words that can describe the content of a section as well as name one. */
const descriptive = setOf('doc docs documentation material reference guide guides tutorial tutorials');
/** What sites call versions that have no number. */
const namedVersion = /^(?:next|latest|stable|current|unreleased|canary|nightly|beta|dev)$/;
const maxPatterns = 5;
const end = '(/|$)';
const isCalled = (path: string, group: readonly string[]): boolean =>
  calledAs(path).some((name) => group.includes(name));

/** Returns a name in comparable form, and its other forms. */
function namesOf(words: string): string[] {
  const name = comparable(words);
  return [name, ...(names.get(name) ?? []).filter((forms) => forms.includes(name)).flat()];
}

/** Returns the names that are related to that of a unit, and its own. */
export const relatedTo = (unit: Unit | undefined): string[][] | undefined => names.get(comparable(wordsOf(unit)));

/** Whether the site has a section that is called as a unit says, or pages that declare to be so. */
export const isShown = (unit: Unit, { sections, declared }: Site): boolean =>
  namesOf(wordsOf(unit)).some((name) => sections.has(name) || declared.has(name));

/** Whether the site has no section that is called as a unit says, but one with a related name. */
export const isOnlyRelated = (unit: Unit, site: Site): boolean =>
  !isShown(unit, site) &&
  Boolean(
    relatedTo(unit)
      ?.flat()
      .some((name) => site.sections.has(name)),
  );

/** Returns how many words at the start of some name a section: one of the site, or one that many sites have. */
export function nameLength({ sections }: Site, words: readonly string[]): number {
  const isName = (some: readonly string[]) => {
    const name = comparable(some.join(''));
    const [first = '', last] = some;
    // Of a site with `/jobs/postings`, “job postings” are two names.
    const paths = (last !== undefined && sections.get(comparable(some.at(-1) ?? ''))?.slice(0, 100)) || [];
    const isBoth = paths.some((path) => comparable(path).includes(comparable(first)));
    return sections.has(name) || (!isBoth && names.has(name));
  };
  // `-blog` and `!blog` name none.
  const isWord = (word: string) => /[\p{L}\p{N}]/u.test(word);
  const starts = [3, 2, 1].map((length) => words.slice(0, length));
  return starts.find((some) => some.every(isWord) && isName(some))?.length ?? 0;
}

/** Whether a pattern matches only paths below those of another: `^/blog/news(/|$)` and `^/blog(/|$)`. */
export const isBelow = (pattern: string, other: string): boolean =>
  other.startsWith('^') && other.endsWith(end) && pattern.startsWith(`${other.slice(0, -end.length)}/`);

/**
 * Returns the patterns on the pathname of what some units name, such as `/docs`, “the API docs” or “PDFs”; undefined if a word
 * of it is unknown, or a path or type of file isn't all.
 * @param within patterns of sections that it is probably below
 */
export function patternsOf(units: readonly Unit[], site: Site, within: Iterable<string>): string[] | undefined {
  const content = units.filter((unit) => isContent(unit) && unit.is !== 'A');
  const own = content.filter(({ is }) => is !== 'S');
  if (own.every(({ is }) => 'T1'.includes(is))) {
    // A text can say one name hundreds of times.
    const names = units.filter(({ is }) => 'TS1u'.includes(is));
    const said = [lettersOf(names), ...names.map((unit) => wordsOf(unit)), ...within].join(' ');
    if (!site.named.has(said)) site.named.set(said, named(names, site, [...within]));
    return site.named.get(said);
  }
  const [literal, ...more] = own.filter(({ is }) => is === 'L');
  const { kind, value = '' } = literal?.tokens[0] ?? {};
  // `the product pages under /products`
  const isIn = (unit: Unit) => unit.is === 'T' && pathsTo(value).some((path) => isCalled(path, namesOf(wordsOf(unit))));
  const isAll = more.length === 0 && own.every((unit) => unit === literal || isIn(unit));
  if (!isAll || (kind !== 'file' && !/\w/.test(value))) return undefined;
  // `blog/news`, but not `no login/search`
  const isShown = site.sections.get(comparable(lastOf(value)))?.includes(`/${value}`);
  if (kind === 'path' && !value.startsWith('/') && !isShown) return undefined;
  return kind === 'path' ? [pathPattern(value)] : kind === 'file' ? [`\\.${escaped(value)}$`] : undefined;
}

/** Returns the patterns of the sections that names mean: of those that one of them calls so, in all the others, the best. */
function named(all: readonly Unit[], site: Site, within: readonly string[]): string[] | undefined {
  const rare = all.filter(({ is, of }) => 'TS1'.includes(is) || of === 'delay');
  const sure = all.filter(({ is }) => 'T1'.includes(is));
  const asked = sure.length > 0 ? sure : all.filter(({ flag }) => flag === 'posts');
  // “economy news” is the economy, if news aren't a section; “user docs” aren't the users.
  const isNamed = (unit: Unit) =>
    !descriptive.has(textOf(unit)) && (textOf(unit) !== 'news' || site.sections.has('news'));
  // `meeting minutes` and `old parts` can be a section, `blog posts` is one, and “API docs” can be `/api`.
  for (const some of [all, rare, sure, sure.filter(isNamed)]) {
    // A number alone isn't a section, but a year that all is about is: “posts from 2024”.
    const isYearAlone = lettersOf(some) === '1' && sure.length === 1 && isYear(some[0]);
    // Nor are the guides in English all that is in English.
    const isPart = some.length < sure.length && some.every((unit) => kindOf(unit, site) || people.test(textOf(unit)));
    const isRest = isPart && !isAllDocs(some, sure, site);
    if (isRest || (!isYearAlone && /^1*$/.test(lettersOf(some)))) continue;
    // Where threads are a section of their own, those of board 2 aren't the board. Minutes aren't all that a meeting has.
    const isOwn = (unit: Unit) => unit.is === 'S' && site.sections.has(comparable(wordsOf(unit)));
    if (some === sure && rare.some((unit) => unit.of === 'delay' || isOwn(unit))) return undefined;
    // `the products in the shop` can be in either.
    const own = Map.groupBy(some, (unit) => relatedTo(unit) ?? unit);
    const groups = Array.from(own.values(), (units) => units.flatMap((unit) => namesOf(wordsOf(unit))));
    // A site can have thousands of paths of one name.
    const called = [...new Set(groups.flat())].flatMap((name) => site.sections.get(name) ?? []);
    site.looks -= called.length * groups.length;
    if (site.looks < 0) return undefined;
    const paths = [...new Set(called)].filter(
      (path) =>
        groups.every((group) => pathsTo(path).some((part) => isCalled(part, group))) &&
        // `the blog, not from 2023` isn't about `/2023`.
        !(isYearAlone && (path.lastIndexOf('/') >= site.home.length || within.length > 0)),
    );
    // Best is what is asked for, as it is written: `/product` and `/products` can be two sections, and of “products in the shop”,
    // neither is `/shop`. Before that is what is in a section that is wanted, after it what is below the start, and what is shallow.
    const rankOf = (path: string) => {
      const [first = []] = groups;
      const isWritten = lastOf(path).toLowerCase().replace(/[-_]/g, '') === wordsOf(some[0]);
      const fit = [isWritten, calledAs(path).includes(first[0] ?? ''), isCalled(path, first), true].indexOf(true);
      const isInside = within.some((pattern) => isBelow(patternOf(path), pattern));
      return [isInside ? 0 : 1, fit, path.startsWith(site.home) ? 0 : 1, pathsTo(path).length].join();
    };
    const [best] = [...Map.groupBy(paths, rankOf)].toSorted(([one], [other]) => (one < other ? -1 : 1));
    // Two names, as `/help` and `/support`, are two sections, not one. Nor are those of many departments set in part.
    const isOne = new Set(best?.[1].map((path) => calledAs(path)[0])).size === 1;
    const isAsked = asked.every((unit) => some.includes(unit));
    if (best && isAsked && onlyList(best[1], asked, site)) return whereDeclared(asked, site);
    if (best) return isOne && best[1].length <= maxPatterns ? best[1].map(patternOf) : undefined;
  }
  if (declaredAs(asked, site)) return whereDeclared(asked, site);
  const [name] = sure;
  // The forum of forum.example.com is no section of it.
  const ofSite = [...site.host.split(/[.:]/), ...site.title.split(/[^\p{L}\p{N}]+/u)].map(comparable);
  const isSite = namesOf(wordsOf(name)).some((one) => one !== '' && ofSite.includes(one));
  if (lettersOf(sure) !== 'T' || isSite || (name && isOnlyRelated(name, site))) return undefined;
  // Of which years it has posts isn't known before it is read.
  const isBlog = site.hasMonths && namesOf(wordsOf(name)).includes('blog');
  return [isBlog ? `^${escaped(site.home)}(?:19|20)\\d\\d${end}` : patternOf(site.home + wordsOf(name, '-'))];
}

/** Returns where pages declare to be what a name says; undefined if they don't, or of several names that aren't related. */
function declaredAs(units: readonly Unit[], { declared }: Site) {
  const [first, ...others] = units;
  if (!first || others.some((unit) => unit.is !== 'T' || !relatedTo(first) || relatedTo(unit) !== relatedTo(first)))
    return undefined;
  return units.flatMap((unit) => namesOf(wordsOf(unit)).flatMap((name) => declared.get(name) ?? [])).at(0);
}

/** Returns the patterns of such pages; undefined if no path tells them from others. */
function whereDeclared(units: readonly Unit[], site: Site): string[] | undefined {
  const { patterns = [] } = declaredAs(units, site) ?? {};
  return patterns.length > 0 ? [...patterns] : undefined;
}

/** Whether sections, such as `/blog`, have no pages below them, while pages elsewhere declare to be what the sections are called. */
function onlyList(sections: readonly string[], units: readonly Unit[], site: Site): boolean {
  const isBelowOne = (path: string) => sections.some((section) => path.startsWith(`${section}/`));
  const kind = declaredAs(units, site);
  return kind !== undefined && ![...kind.paths, ...[...site.sections.values()].flat()].some(isBelowOne);
}

/** Whether all that is left out of names are docs of a version, where no section is called so: these are all of the version. */
function isAllDocs(some: readonly Unit[], all: readonly Unit[], site: Site): boolean {
  if (!some.some((unit) => kindOf(unit, site) === 'version')) return false;
  const others = all.filter((unit) => !some.includes(unit)).map((unit) => namesOf(wordsOf(unit)));
  return others.every((group) => group.includes('documentation') && !group.some((name) => site.sections.has(name)));
}

const isDescriptive = ({ tokens }: Unit): boolean => descriptive.has(tokens.at(-1)?.text ?? '');

/** Whether a name is that of several things, such as “recipes”, not “the docs”. */
export function areMany(unit: Unit): boolean {
  const { text = '', value } = unit.tokens.at(-1) ?? {};
  return text !== value && text.endsWith('s') && !isDescriptive(unit);
}

/** Tells which kind of section a unit names, of which a list can say several: a number, version, language or person. */
export function kindOf(unit: Unit | undefined, { sections }: Site): string {
  const name = comparable(wordsOf(unit));
  if (unit?.is === '1') return 'number';
  if (/^v(?:ersion)?\d/.test(name)) return 'version';
  const paths = sections.get(name)?.slice(0, 100) ?? [];
  if (paths.some((path) => languageCode.test(lastOf(path)))) return 'language';
  return paths.some((path) => people.test(path.split('/').at(-2) ?? '')) ? 'person' : '';
}

/** Whether a unit names a section as versions are called: “2.x”, “next”. */
export function isVersion(unit: Unit, { sections }: Site): boolean {
  const words = wordsOf(unit);
  return sections.has(comparable(words)) && (versionName.test(words) || namedVersion.test(words));
}

const people = /^(?:authors?|users?|members?|profiles?|people|by)$/i;

/** Whether a number is more likely a year than an amount. */
export const isYear = (unit: Unit | undefined): boolean => /^(?:19|20)\d\d$/.test(textOf(unit));

/**
 * Whether units name the items of a section, as “blog posts”, “every recipe” and “product pages” do, or the section: “the docs”,
 * “the docs pages”, and “the English pages”, to which the first page in English belongs.
 */
export function areItems(units: readonly Unit[], site: Site): boolean {
  // `posts by Ann`, `posts tagged bread`
  const end = units.findIndex((unit, at) => unit.is === 'P' || (at > 0 && /ed$/.test(textOf(unit))));
  const head = units.slice(0, end < 0 ? undefined : end).findLast(({ is }) => is !== 'A');
  const isEach = units.some((unit) => /^(?:each|every)$/.test(textOf(unit)));
  // `the English pages` of `/en`, not `the TV pages` of `/tv`
  const isLanguage = (unit: Unit) => {
    const name = comparable(wordsOf(unit));
    const isCode = site.sections.get(name)?.some((path) => comparable(lastOf(path)) === name);
    return !isCode && kindOf(unit, site) === 'language';
  };
  const isSection = units.some((unit) => unit.is === 'T' && !isDescriptive(unit) && !isLanguage(unit));
  if (head?.is === 'u') return isSection && (isEach || textOf(head).endsWith('s'));
  // `all the jobs`
  if (head?.flag === 'kind') return units.every(({ is }) => is !== 'T') && areMany(head);
  return head?.flag === 'posts' || (head?.is === 'T' && (areMany(head) || (isEach && !isDescriptive(head))));
}

export const wordsOf = (unit: Unit | undefined, joint = ''): string =>
  (unit?.tokens ?? []).map(({ text }) => text).join(joint);

/** Returns the pattern of a path and everything below it. */
export const patternOf = (path: string): string => `^${escaped(path)}${end}`;

/** Returns the pattern of a literal path, in which `*` stands for any part. */
function pathPattern(path: string): string {
  const plain = `/${path.replace(/^\/+/, '')}`
    .replace(/(?<!\/\*{0,2})(?:\/\*{1,2}|\/)+$/, '')
    .replace(/(?<!\*)\*+$/, '*');
  return patternOf(plain).replace(/\\\*(\\\*)?/g, (_, another) => (another ? '.*' : '[^/]*'));
}
