import { lazy } from '../../../platform/lazy.ts';
import { sectionOf as folderOf, parseLink, withoutWww } from '../scope/urls.ts';
import { isContent, type Unit } from './units.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Sections that many sites have; they are assumed even if the site doesn't show them. */
const wellKnown = setOf(
  'help-center help-centre blog blogs doc docs documentation guide guides tutorial tutorials news pricing price prices faq faqs help support api apis reference references ' +
    'product products shop store catalog catalogue changelog changelogs releases about career careers jobs forum forums community admin ' +
    'login logout signin signup register account accounts cart checkout basket example examples articles posts press media events event terms ' +
    'legal privacy recipe recipes gallery portfolio projects project team contact services service solutions resources resource learn academy courses course ' +
    'customers case-studies whitepapers webinars podcast podcasts download downloads archive archives tags tag authors author ' +
    'search users user profile profiles wiki knowledge-base handbook manual manuals integrations plugins themes templates status security partners',
);
/** Words that can describe the content of a section as well as name one: `developer docs`, `migration guides`. */
const descriptive = setOf('doc docs documentation material reference guide guides tutorial tutorials');
/** Names that sites use for the same thing. */
const synonyms: readonly ReadonlySet<string>[] = (
  'doc documentation manual handbook, faq frequentlyaskedquestion, help support helpcenter helpcentre knowledgebase, about aboutu company, ' +
  'contact contactu, career job, shop store product catalog catalogue, changelog releasenote release whatnew, login signin, ' +
  'press pressrelease newsroom media, cart basket shoppingcart shoppingbasket, signup register, blog post article, ' +
  'guide tutorial howto, pricing price plan, api apireference apidoc reference'
)
  .split(', ')
  .map(setOf);
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
  for (const unit of units) {
    if (unit.is === 'P') parts.push([]);
    else if (unit.is !== 'A') parts.at(-1)?.push(unit);
  }
  // `posts under /news`: the place says it all.
  const precise = parts.filter((part) => part.some((unit) => isContent(unit) && unit.flag !== 'posts'));
  if (precise.length === 0) return parts.length === 1 ? named(site, wordsOf(units), []) : undefined;
  // `posts from 2024`, but not `1`
  if (parts.length === 1 && parts[0]?.every(({ is }) => is === '1')) return undefined;
  let found: string[] | undefined;
  for (const part of precise.toReversed()) {
    const places = found;
    found = partOf(part, site, places ?? within);
    if (found && places) found = both(places, found);
    if (!found) return undefined;
  }
  return found;
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
  const isMany =
    (text !== value && text.endsWith('s')) ||
    units.some(({ tokens }) => /^(?:each|every)$/.test(tokens[0]?.text ?? ''));
  return head?.flag === 'posts' || (head?.is === 'N' && !descriptive.has(text) && isMany);
}

const wordsOf = (units: readonly Unit[]) =>
  units.flatMap(({ is, tokens }) => ('N1S'.includes(is) ? tokens.map(({ text }) => text) : []));

/** Returns the patterns of what is named without its place. */
function partOf(part: readonly Unit[], site: Site, within: readonly string[]): string[] | undefined {
  const things = part.filter(isContent);
  const { kind, value = '' } = things[0]?.tokens[0] ?? {};
  if (things[0]?.is === 'L') {
    if (things.length > 1) return undefined;
    if (kind === 'file') return [`\\.${escaped(value)}$`];
    if (kind !== 'path') return named(site, [value], within) ?? [assumed(site, [value])];
    // `blog/news`, but not `no login/search`
    const isPath = /^(?:\/|https?:)/.test(value) || shows(site, pathPattern(value));
    return isPath ? [pathPattern(value)] : undefined;
  }
  const isName = things.every(
    ({ is, tokens }) => 'NS1'.includes(is) && tokens.every(({ text }) => /[\p{L}\p{N}]/u.test(text)),
  );
  if (!isName) return undefined;
  const names = wordsOf(things.filter(({ flag }) => flag !== 'posts'));
  // `old parts` can be a section, and `blog posts` is one.
  for (const words of [wordsOf(part), wordsOf(things), names, names.filter((word) => !descriptive.has(word))]) {
    const found = named(site, words, within);
    if (found) return found;
  }
  const isSure =
    wellKnown.has(names.join('-')) || (site.paths.size === 0 && part.some(({ flag }) => flag === 'section'));
  return isSure && !site.host.includes(comparable(names.join(''))) ? [assumed(site, names)] : undefined;
}

/**
 * Returns the patterns of the sections with this name, written so, in another form or by another name; of those below
 * `within` or the start if any is, the shallowest. Every word counts: `migration guides` isn't `/guides`.
 */
function named({ sections, home }: Site, words: readonly string[], within: readonly string[]): string[] | undefined {
  const whole = comparable(words.join(''));
  if (whole === '') return undefined;
  const find = (...names: string[]) => [...new Set(names.flatMap((name) => sections.get(name) ?? []))];
  const all = find(whole);
  const written = ['-', '_', ''].map((joint) => words.join(joint));
  const plain = words.length > 1 ? words.map(comparable) : [];
  // `/product` and `/products` can be two sections; `sale collection` is `/collections/sale`.
  const ways = [
    all.filter((path) => written.includes(lastOf(path).toLowerCase())),
    all,
    find(...plain).filter((path) => plain.every((word) => path.split('/').map(comparable).includes(word))),
    find(...synonyms.filter((group) => group.has(whole)).flatMap((group) => [...group])),
  ];
  const outer = within.flatMap(pathOf);
  const isInside = (path: string) => outer.some((other) => path.startsWith(`${other}/`));
  for (const way of [...ways.map((some) => some.filter(isInside)), ...ways]) {
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
/** Returns the pattern of a section below the start that the site doesn't show. */
const assumed = ({ home }: Site, words: readonly string[]): string => patternOf(home + words.join('-'));

/** Returns the patterns of what is found in a place, such as files in a section; undefined if that isn't a section. */
function both(places: readonly string[], found: readonly string[]): string[] | undefined {
  const areIn = (ones: readonly string[], others: readonly string[]) =>
    ones.every((one) => others.some((other) => one === other || isBelow(one, other)));
  // `products in the shop`: a place that is another name of what is found adds nothing.
  const names = [...places, ...found].map((pattern) => comparable(lastOf(pathOf(pattern).join(''))));
  if (areIn(found, places) || synonyms.some((group) => names.every((name) => group.has(name)))) return [...found];
  if (areIn(places, found)) return [...places];
  const areFiles = found.every((one) => !one.startsWith('^')) && places.every((place) => pathOf(place).length > 0);
  const join = (place: string) => found.map((file) => `${place.slice(0, -end.length)}/.*${file}`);
  return areFiles ? places.flatMap(join) : undefined;
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
