import { lazy } from '../../../platform/lazy.ts';
import { sectionOf as folderOf, parseLink, withoutWww } from '../scope/urls.ts';
import { isContent, lettersOf, textOf, type Unit } from './units.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/**
 * Names of sections that many sites have, those between two commas for the same thing; they are assumed even if a site doesn't
 * show them.
 */
const names = (
  'doc documentation manual handbook, faq frequentlyaskedquestion, help support helpcenter helpcentre knowledgebase, blog post article, ' +
  'contact contactu, career job, shop store product catalog catalogue, changelog releasenote release whatnew, login signin, about aboutu company, ' +
  'press pressrelease newsroom media, cart basket shoppingcart shoppingbasket, signup register, guide tutorial howto, pricing price plan, ' +
  'api apireference apidoc reference, news, forum, community, admin, logout, account, checkout, example, event, term, legal, privacy, recipe, gallery, ' +
  'portfolio, project, team, service, solution, resource, learn, academy, course, customer, casestudy, whitepaper, webinar, podcast, download, ' +
  'archive, tag, author, search, user, profile, wiki, integration, plugin, theme, template, status, security, partner'
)
  .split(', ')
  .map(setOf);
/** Words that can describe the content of a section as well as name one: `developer docs`, `migration guides`. */
const descriptive = setOf('doc docs documentation material reference guide guides tutorial tutorials');
const languages = lazy(() => new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }));
const deepest = 3;
const maxPatterns = 5;
const end = '(/|$)';

/** The sections of a site, derived from its URLs. */
export interface Site {
  /** Its paths; none if nothing is known about it. */
  paths: ReadonlySet<string>;
  /** Its paths by their last segments, and by the languages whose codes they are, in comparable form. */
  sections: ReadonlyMap<string, readonly string[]>;
  /** The path of the start URL. */
  home: string;
  /** The parts of its host name: the forum of forum.example.com is no section of it. */
  host: readonly string[];
}

export function siteOf(start: URL, siteUrls: readonly string[]): Site {
  const paths = new Set<string>();
  for (const link of siteUrls) {
    const url = parseLink(link);
    if (!url || withoutWww(url.hostname) !== withoutWww(start.hostname)) continue;
    const segments = url.pathname.split('/').filter((segment) => segment !== '');
    for (const depth of segments.slice(0, deepest).keys()) paths.add(`/${segments.slice(0, depth + 1).join('/')}`);
  }
  // Found without a look at all of them: a prompt can have hundreds of names, and a site thousands of paths.
  const sections = new Map<string, string[]>();
  for (const path of paths) {
    const plain = comparable(lastOf(path));
    const language = /^[a-z]{2}$/.test(plain) ? languages().of(plain) : undefined;
    for (const name of [plain, ...(language ? [comparable(language)] : [])])
      sections.set(name, [...(sections.get(name) ?? []), path]);
  }
  return { paths, sections, home: folderOf(start.pathname), host: start.hostname.split('.').map(comparable) };
}

/** Whether a site shows the section of a pattern; anything goes if nothing is known about it. */
export function shows({ paths }: Site, pattern: string): boolean {
  return paths.size === 0 || pathOf(pattern).some((path) => paths.has(path));
}

/** Whether a pattern matches only paths below those of another: `^/blog/news(/|$)` and `^/blog(/|$)`. */
export function isBelow(pattern: string, other: string): boolean {
  return other.startsWith('^') && other.endsWith(end) && pattern.startsWith(`${other.slice(0, -end.length)}/`);
}

/**
 * Returns the patterns on the pathname of the section that some units name, such as `/docs` or “PDFs in the guides”;
 * undefined if a word of it is unknown.
 * @param within patterns of sections that it is probably below
 */
export function patternsOf(units: readonly Unit[], site: Site, within: readonly string[]): string[] | undefined {
  const parts: Unit[][] = [[]];
  for (const unit of units)
    if (unit.is === 'P') parts.push([]);
    else if (unit.is !== 'A') parts.at(-1)?.push(unit);
  // `posts under /news`: the place says it all; but “posts” alone can be a section, and a number is one only in another.
  const precise = parts.filter((part) => part.some((unit) => isContent(unit) && unit.flag !== 'posts'));
  if (precise.length === 0) return parts.length === 1 ? named(site, wordsOf(units), []) : undefined;
  if (parts.length === 1 && /^1+$/.test(lettersOf(parts.flat()))) return undefined;
  const [place = [], ...things] = precise.toReversed();
  return things.reduce(
    (places, part) => places && both(places, partOf(part, site, places) ?? []),
    partOf(place, site, within),
  );
}

/**
 * Whether units name the items of a section rather than the section: “blog posts”, “products in the shop”, “every recipe”,
 * “docs pages”; but not “the blog”, “the docs”, “pages under /news”.
 */
export function areItems(units: readonly Unit[]): boolean {
  const place = units.findIndex(({ is }) => is === 'P');
  const things = units.slice(0, place < 0 ? undefined : place).filter(({ is }) => is !== 'A');
  const head = things.at(-1);
  if (head?.is === 'u') return things.some(({ is }) => is === 'N');
  const { text = '', value } = head?.tokens.at(-1) ?? {};
  const isMany = (text !== value && text.endsWith('s')) || units.some((unit) => /^(?:each|every)$/.test(textOf(unit)));
  return head?.flag === 'posts' || (head?.is === 'N' && !descriptive.has(text) && isMany);
}

const wordsOf = (units: readonly Unit[]) =>
  units.flatMap(({ is, tokens }) => ('N1S'.includes(is) ? tokens.map(({ text }) => text) : []));

/** Returns the patterns of what is named without its place. */
function partOf(part: readonly Unit[], site: Site, within: readonly string[]): string[] | undefined {
  const things = part.filter(isContent);
  const letters = lettersOf(things);
  const { kind, value = '' } = things[0]?.tokens[0] ?? {};
  if (letters === 'L') {
    if (kind === 'file') return [`\\.${escaped(value)}$`];
    if (kind === 'quoted') return named(site, [value], within);
    // `blog/news`, but not `no login/search`
    return /^(?:\/|https?:)/.test(value) || shows(site, pathPattern(value)) ? [pathPattern(value)] : undefined;
  }
  if (!/^[NS1]+$/.test(letters) || !wordsOf(things).every((word) => /[\p{L}\p{N}]/u.test(word))) return undefined;
  const own = wordsOf(things.filter(({ flag }) => flag !== 'posts'));
  // `old parts` can be a section, and `blog posts` is one.
  for (const words of [wordsOf(part), wordsOf(things), own, own.filter((word) => !descriptive.has(word))]) {
    const found = named(site, words, within);
    if (found) return found;
  }
  const whole = comparable(own.join(''));
  const isSure =
    names.some((group) => group.has(whole)) ||
    (site.paths.size === 0 && /section/.test(part.map(({ flag }) => flag).join()));
  return isSure && !site.host.includes(whole) ? [patternOf(site.home + own.join('-'))] : undefined;
}

/**
 * Returns the patterns of the sections with this name, written so, in another form or by another name; of those below
 * `within` or the start if any is, the shallowest. Every word counts: `migration guides` isn't `/guides`.
 */
function named({ sections, home }: Site, words: readonly string[], within: readonly string[]): string[] | undefined {
  const whole = comparable(words.join(''));
  if (whole === '') return undefined;
  const find = (...some: string[]) => [...new Set(some.flatMap((name) => sections.get(name) ?? []))];
  const plain = words.length > 1 ? words.map(comparable) : [];
  // `/product` and `/products` can be two sections; `sale collection` is `/collections/sale`.
  const ways = [
    find(whole).filter((path) => ['-', '_', ''].some((joint) => lastOf(path).toLowerCase() === words.join(joint))),
    find(whole),
    find(...plain).filter((path) => plain.every((word) => path.split('/').map(comparable).includes(word))),
    find(...names.filter((group) => group.has(whole)).flatMap((group) => [...group])),
  ];
  const outer = within.flatMap(pathOf);
  const inside = ways.map((way) => way.filter((path) => outer.some((other) => path.startsWith(`${other}/`))));
  for (const way of [...inside, ...ways]) {
    const below = way.filter((path) => path.startsWith(home));
    const candidates = Map.groupBy(below.length > 0 ? below : way, (path) => path.split('/').length);
    const shallowest = candidates.get(Math.min(...candidates.keys())) ?? [];
    // Two names, as `/api` and `/reference` for “API reference”, are two sections, not one.
    const isOne = new Set(shallowest.map((path) => comparable(lastOf(path)))).size === 1;
    if (isOne) return shallowest.slice(0, maxPatterns).map(patternOf);
  }
  return undefined;
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns the patterns of what is found in a place, such as files in a section; undefined if that isn't in it. */
function both(places: readonly string[], found: readonly string[]): string[] | undefined {
  const [[place = ''], [one = '']] = [places, found];
  if (places.length !== 1 || found.length !== 1) return undefined;
  // `products in the shop`: a place that is another name of what is found adds nothing.
  const [outer = '', inner = ''] = [place, one].map((pattern) => comparable(lastOf(pathOf(pattern).join(''))));
  if (place === one || isBelow(one, place) || names.some((group) => group.has(outer) && group.has(inner))) return [one];
  if (isBelow(place, one)) return [place];
  return one.startsWith('^') || outer === '' ? undefined : [`${place.slice(0, -end.length)}/.*${one}`];
}

/** Returns a text in lower case, without separators and plural endings. */
function comparable(text: string): string {
  const plain = text.toLowerCase().replace(/\.(?:html?|php|aspx?)$|[^\p{L}\p{N}]/gu, '');
  return plain.length > 3 ? plain.replace(/ies$/, 'y').replace(/(?<!s)s$/, '') : plain;
}

/** Returns the path of a section's pattern; none if the pattern isn't that of a path. */
export function pathOf(pattern: string): string[] {
  const isPath = pattern.startsWith('^') && pattern.endsWith(end);
  return isPath ? [pattern.slice(1, -end.length).replace(/\\(.)/g, '$1')] : [];
}

/** Returns the pattern of a path and everything below it. */
const patternOf = (path: string): string => `^${escaped(path)}${end}`;

/** Returns the pattern of a literal path or URL, in which `*` stands for any part. */
function pathPattern(path: string): string {
  const plain = `/${path.replace(/^https?:\/\/[^/]*/, '').replace(/^\/+/, '')}`
    .replace(/(?<!\/\*{0,2})(?:\/\*{1,2}|\/)+$/, '')
    .replace(/(?<!\*)\*+$/, '*');
  return patternOf(plain).replace(/\\\*(\\\*)?/g, (_, another) => (another ? '.*' : '[^/]*'));
}

/** Returns a text as a pattern that matches only it. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
