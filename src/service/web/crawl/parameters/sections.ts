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
  /** Its paths, each with what it is called, and what it and those above it are called; none if nothing is known about it. */
  paths: ReadonlyMap<string, Record<'called' | 'within', readonly string[]>>;
  /** Its paths by what they are called: their last segments, and the languages whose codes these are, in comparable form. */
  sections: ReadonlyMap<string, readonly string[]>;
  /** Paths that may still be looked at. */
  looks: number;
  /** The path of the start URL, and its host. */
  home: string;
  host: string;
}

export function siteOf(start: URL, siteUrls: readonly string[]): Site {
  const paths = new Map<string, Record<'called' | 'within', string[]>>();
  const sections = new Map<string, string[]>();
  for (const url of siteUrls.flatMap((link) => parseLink(link) ?? [])) {
    const segments =
      withoutWww(url.hostname) === withoutWww(start.hostname) ? url.pathname.split('/').filter(Boolean) : [];
    let above = '';
    for (const segment of segments.slice(0, deepest)) {
      const path = `${above}/${segment}`;
      if (!paths.has(path)) {
        const plain = comparable(segment);
        const language = /^[a-z]{2}$/.test(plain) ? languages().of(plain) : undefined;
        const called = [plain, ...(language ? [comparable(language)] : [])];
        paths.set(path, { called, within: [...called, ...(paths.get(above)?.within ?? [])] });
        for (const name of called) if (!sections.get(name)?.push(path)) sections.set(name, [path]);
      }
      above = path;
    }
  }
  return { paths, sections, looks: maxLooks, home: folderOf(start.pathname), host: start.hostname };
}

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
      const parts = path.split('/');
      const isInside = parts.some((_, index) => outer.has(parts.slice(0, index).join('/')));
      return [!isInside, fitOf(path, site, meant), !path.startsWith(site.home), parts.length].map(Number).join();
    };
    const [best] = [...Map.groupBy(pathsOf(site, meant), rankOf)].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const paths = best?.[1] ?? [];
    // Two names, as `/help` and `/support`, are two sections, not one.
    const isOne = new Set(paths.map((path) => site.paths.get(path)?.called[0])).size === 1;
    if (isOne) return paths.slice(0, maxPatterns).map(patternOf);
  }
  const name = sure.flatMap(textsOf);
  const isShown = pathsOf(site, [meaningOf(name)]).length > 0;
  if (lettersOf(sure) !== 'T' || isShown || site.looks < 0) return undefined;
  // The forum of forum.example.com is no section of it.
  const isHost = site.host
    .split('.')
    .map(comparable)
    .includes(comparable(name.join('')));
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
  const isIn = (path: string) => groups.every((group) => site.paths.get(path)?.within.some((name) => group.has(name)));
  return [...new Set(all)].filter(isIn);
}

/**
 * Tells how well a path is called what is meant, 0 the best: by the first name, as `products in the shop`, or by another one;
 * written so, as `/product` and `/products` can be two sections; in any form; or by another name of the same thing.
 */
function fitOf(path: string, { paths }: Site, meant: readonly Named[]): number {
  const { called = [] } = paths.get(path) ?? {};
  const written = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const fits = [meant.slice(0, 1), meant].flatMap((some) => [
    some.some((one) => one.written.includes(written)),
    some.some(({ name }) => called.includes(name)),
    some.some(({ others }) => others.some((name) => called.includes(name))),
  ]);
  return fits.indexOf(true);
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

/** Words before a name in a title that say nothing of it: “Our Blog”, “All Products”. */
const beforeNames = setOf('a all every my our the your');

/**
 * Returns the path of a section that a site calls by a name, or another one of the same thing, in the title of its page, such as
 * `/notes` with “Our Blog – Jane”; undefined if there is none, or more than one.
 */
export function pathTitled(
  name: string,
  links: readonly { url: string; title?: string | undefined }[],
): string | undefined {
  const { name: own, others } = meaningOf([name]);
  const group = new Set([own, ...others]);
  const isName = (part: string) => {
    const words = (part.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !beforeNames.has(word));
    const isOne = group.has(comparable(words.join('')));
    return isOne || (words.length > 0 && words.every((word) => group.has(comparable(word))));
  };
  const paths = links.map(({ url, title = '' }) => ({ path: folderOf(new URL(url).pathname), title }));
  const called = paths
    .filter(({ title }) => isName(title.split(/[|·•:»«—–]|\s-\s/, 1)[0] ?? ''))
    .map(({ path }) => path);
  const [top = '/'] = called.toSorted((one, other) => one.length - other.length);
  const below = paths.filter(({ path }) => path !== top && path.startsWith(top));
  // What has all pages is no section, such as a language of the site.
  const isPart = paths.some(({ path }) => path !== '/' && !path.startsWith(top));
  const isSection = top !== '/' && isPart && below.length > 0 && called.every((path) => path.startsWith(top));
  return isSection ? top.slice(0, -1) : undefined;
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
