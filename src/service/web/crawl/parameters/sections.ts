import { lazy } from '../../../platform/lazy.ts';
import { sectionOf as folderOf, parseLink, withoutWww } from '../scope/urls.ts';
import { isContent, lettersOf, textOf, type Unit } from './phrases.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/**
 * Names of sections that many sites have, those between two commas for the same thing; they are assumed even if a site doesn't
 * show them.
 */
const names = (
  'doc documentation manual handbook, faq frequentlyaskedquestion, help support helpcenter helpcentre knowledgebase, blog post article, ' +
  'contact contactu, career job, shop store product catalog catalogue, changelog releasenote release whatnew, login signin, about aboutu company, ' +
  'press pressrelease newsroom media, cart basket shoppingcart shoppingbasket, signup register, guide tutorial howto, pricing price plan, ' +
  'api, reference, news, forum, community, admin, logout, account, checkout, example, event, term, legal, privacy, recipe, gallery, ' +
  'portfolio, project, team, service, solution, resource, learn, academy, course, customer, casestudy, whitepaper, webinar, podcast, download, ' +
  'archive, tag, author, search, user, profile, wiki, integration, plugin, theme, template, status, security, partner'
)
  .split(', ')
  .map(setOf);
/** Words before a name in a title that say nothing of it: “Our Blog”, “All Products”. */
const beforeNames = setOf('a all every my our the your');
/** Words that can describe the content of a section as well as name one. */
const descriptive = setOf('doc docs documentation material reference guide guides tutorial tutorials');
const languages = lazy(() => new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }));
const deepest = 3;
const maxPatterns = 5;
const end = '(/|$)';

/** Paths that are looked at for one text: a site can have thousands of one name, and a text can say it hundreds of times. */
const maxLooks = 50_000;

/** The sections of a site, derived from its URLs, for one text. */
export interface Site {
  /** Its paths, each with what it is called, in comparable form; none if nothing is known about it. */
  paths: ReadonlyMap<string, readonly string[]>;
  /** Its paths by what they are called. */
  sections: ReadonlyMap<string, readonly string[]>;
  /** Paths that may still be looked at. */
  looks: number;
  /** The path of the start URL, and its host. */
  home: string;
  host: string;
}

/**
 * Returns the sections of a site by the paths of its URLs. They are called as their last segments, and as the languages whose
 * codes these are; those with pages, but not all of them, also as their title begins, such as `/notes` with “Our Blog – Jane”.
 */
export function siteOf(start: URL, urls: readonly string[], titles: readonly (string | undefined)[] = []): Site {
  const [paths, sections] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const counts = new Map<string, number>();
  const call = (path: string, name: string) => {
    if (name === '' || paths.get(path)?.includes(name)) return;
    if (!paths.get(path)?.push(name)) paths.set(path, [name]);
    if (!sections.get(name)?.push(path)) sections.set(name, [path]);
  };
  const home = withoutWww(start.hostname);
  const pages = urls.flatMap((url, index) => {
    const { hostname = '', pathname = '/' } = parseLink(url) ?? {};
    return withoutWww(hostname) === home ? [{ path: folderOf(pathname).slice(0, -1), title: titles[index] ?? '' }] : [];
  });
  for (const path of pages.flatMap((page) => pathsTo(page.path))) {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    if (paths.has(path)) continue;
    const code = comparable(lastOf(path));
    call(path, code);
    if (/^[a-z]{2}$/.test(code)) call(path, comparable(languages().of(code) ?? ''));
  }
  const inside = pages.filter(({ path }) => path !== '').length;
  for (const { path, title } of pages) {
    const [name = ''] = title.toLowerCase().split(/[|·•:»«—–]|\s-\s/, 1);
    const words = name.split(/\s+/).filter((word) => !beforeNames.has(word));
    const own = counts.get(path) ?? 0;
    if (own > 1 && own < inside) call(path, comparable(words.join('')));
  }
  return { paths, sections, looks: maxLooks, home: folderOf(start.pathname), host: start.hostname };
}

/** Returns the paths of the sections that a path is in, the outermost first, and its own. */
function pathsTo(path: string): string[] {
  const segments = path.split('/').slice(1, deepest + 1);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns how many words at the start of some name a section: one of the site, or one that many sites have. */
export function nameLength({ sections }: Site, words: readonly string[]): number {
  const isName = (name: string) => sections.has(name) || names.some((group) => group.has(name));
  // `-blog` and `!blog` name none.
  const isWord = (some: readonly string[]) => some.every((word) => /[\p{L}\p{N}]/u.test(word));
  const starts = [3, 2, 1].map((length) => words.slice(0, length));
  return starts.find((some) => isWord(some) && isName(comparable(some.join(''))))?.length ?? 0;
}

/** Whether a site shows the section of a pattern; anything goes if nothing is known about it. */
export const shows = ({ paths }: Site, pattern: string): boolean =>
  paths.size === 0 || pathOf(pattern).some((path) => paths.has(path));

/** Whether a pattern matches only paths below those of another: `^/blog/news(/|$)` and `^/blog(/|$)`. */
export const isBelow = (pattern: string, other: string): boolean =>
  other.startsWith('^') && other.endsWith(end) && pattern.startsWith(`${other.slice(0, -end.length)}/`);

/**
 * Returns the patterns on the pathname of what some units name, such as `/docs`, “the API docs” or “PDFs in the guides”;
 * undefined if a word of it is unknown. Every name counts: a section is one of those that they say, in all the others.
 * @param within patterns of sections that it is probably below
 */
export function patternsOf(units: readonly Unit[], site: Site, within: readonly string[]): string[] | undefined {
  const content = units.filter((unit) => isContent(unit) && unit.is !== 'A');
  const { kind, value = '' } = content.find(({ is }) => is === 'L')?.tokens[0] ?? {};
  const isNamed = content.some(({ is }) => 'T1'.includes(is));
  // A path says it all, and so does a type of file if nothing says where; `blog/news`, but not `no login/search`
  const isPath =
    kind === 'path' && /\w/.test(value) && (/^(?:\/|https?:)/.test(value) || shows(site, pathPattern(value)));
  if (!/^[TS1]*L?[TS1]*$/.test(lettersOf(content)) || (kind && (isPath ? isNamed : kind !== 'file'))) return undefined;
  if (isPath) return [pathPattern(value)];
  const type = `\\.${escaped(value)}$`;
  if (kind && !isNamed) return [type];
  const found = named(units, site, within);
  return kind ? found?.map((place) => `${place.slice(0, -end.length)}/.*${type}`) : found;
}

/** Returns the patterns of the sections that names mean; of those below `within` or the start if any is, the shallowest. */
function named(units: readonly Unit[], site: Site, within: readonly string[]): string[] | undefined {
  const all = units.filter(({ is }) => 'TS1'.includes(is));
  const sure = all.filter(({ is }) => is !== 'S');
  const outer = new Set(within.flatMap(pathOf));
  // `old parts` can be a section, `blog posts` is one, and “API docs” can be `/api`.
  for (const some of [all, sure, sure.filter((unit) => !descriptive.has(textOf(unit)))]) {
    // A number alone isn't a section.
    if (/^1*$/.test(lettersOf(some))) continue;
    const meant = some.map((unit) => meaningOf(textsOf(unit)));
    const rankOf = (path: string) => {
      const parts = pathsTo(path);
      const isInside = parts.slice(0, -1).some((part) => outer.has(part));
      const called = site.paths.get(path) ?? [];
      // `/product` and `/products` can be two sections; of “products in the shop”, neither is `/shop`.
      const [{ name, written, others } = meaningOf([])] = meant;
      const isOther = others.some((one) => called.includes(one));
      const isCalled = [written.includes(lastOf(path).toLowerCase()), called.includes(name), isOther];
      return [!isInside, ...isCalled.map((is) => !is), !path.startsWith(site.home), parts.length].map(Number).join();
    };
    const [best] = [...Map.groupBy(pathsOf(site, meant), rankOf)].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const paths = best?.[1] ?? [];
    // Two names, as `/help` and `/support`, are two sections, not one.
    const isOne = new Set(paths.map((path) => site.paths.get(path)?.[0])).size === 1;
    if (isOne) return paths.slice(0, maxPatterns).map(patternOf);
  }
  const name = sure.flatMap(textsOf);
  const isShown = pathsOf(site, [meaningOf(name)]).length > 0;
  if (lettersOf(sure) !== 'T' || isShown || site.looks < 0) return undefined;
  // The forum of forum.example.com is no section of it.
  const isHost = site.host.split('.').some((part) => comparable(part) === comparable(name.join('')));
  return isHost ? undefined : [patternOf(site.home + name.join('-'))];
}

/** A name in comparable form, as it can be written in a path, and the other names of the same thing. */
interface Named {
  name: string;
  written: string[];
  others: string[];
}

function meaningOf(words: readonly string[]): Named {
  const name = comparable(words.join(''));
  const others = names.filter((group) => group.has(name)).flatMap((group) => [...group]);
  return { name, written: ['-', '_', ''].map((joint) => words.join(joint)), others };
}

/** Returns the paths called by one of some names that are, or are in, a section of each; none after too many looks. */
function pathsOf(site: Site, meant: readonly Named[]): string[] {
  const groups = [...new Map(meant.map(({ name, others }) => [name, new Set([name, ...others])])).values()];
  const all = [...new Set(groups.flatMap((group) => [...group]))].flatMap((name) => site.sections.get(name) ?? []);
  site.looks -= all.length * meant.length;
  if (site.looks < 0) return [];
  return [...new Set(all)].filter((path) => {
    const within = pathsTo(path).flatMap((part) => site.paths.get(part) ?? []);
    return groups.every((group) => within.some((name) => group.has(name)));
  });
}

/**
 * Whether units name the items of a section rather than the section: “blog posts”, “products in the shop”, “every recipe”,
 * “docs pages”; but not “the blog”, “the docs”, “pages under /news”.
 */
export function areItems(units: readonly Unit[]): boolean {
  const [letters = ''] = lettersOf(units).split('P');
  const things = units.slice(0, letters.length).filter(({ is }) => is !== 'A');
  const head = things.at(-1);
  if (head?.is === 'u') return letters.includes('T');
  const { text = '', value } = head?.tokens.at(-1) ?? {};
  const isMany = (text !== value && text.endsWith('s')) || units.some((unit) => /^(?:each|every)$/.test(textOf(unit)));
  return head?.flag === 'posts' || (head?.is === 'T' && !descriptive.has(text) && isMany);
}

const textsOf = ({ tokens }: Unit): string[] => tokens.map(({ text }) => text);

/** Returns a text in lower case, without separators and plural endings. */
export function comparable(text: string): string {
  const plain = text.toLowerCase().replace(/\.(?:html?|php|aspx?)$|[^\p{L}\p{N}]/gu, '');
  return plain.length > 3 ? plain.replace(/ies$/, 'y').replace(/(?<!s)s$/, '') : plain;
}

/** Returns the path of a section's pattern; none if the pattern isn't that of a path. */
export function pathOf(pattern: string): string[] {
  const isPath = pattern.startsWith('^') && pattern.endsWith(end);
  return isPath ? [pattern.slice(1, -end.length).replace(/\\(.)/g, '$1')] : [];
}

/** Returns the pattern of a path and everything below it. */
export const patternOf = (path: string): string => `^${escaped(path)}${end}`;

/** Returns the pattern of a literal path or URL, in which `*` stands for any part. */
function pathPattern(path: string): string {
  const plain = `/${path.replace(/^https?:\/\/[^/]*/, '').replace(/^\/+/, '')}`
    .replace(/(?<!\/\*{0,2})(?:\/\*{1,2}|\/)+$/, '')
    .replace(/(?<!\*)\*+$/, '*');
  return patternOf(plain).replace(/\\\*(\\\*)?/g, (_, another) => (another ? '.*' : '[^/]*'));
}

/** Returns a text as a pattern that matches only it. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
