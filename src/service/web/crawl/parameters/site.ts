import { sectionOf as folderOf, pathsOf } from '../../../../contract/addresses.ts';
import { lazy } from '../../../platform/lazy.ts';
import type { KnownSite } from '../map/known-site.ts';
import { parseLink, withoutQuery, withoutWww } from '../scope/urls.ts';
import type { DeclaredKinds } from './declared-kinds.ts';

const languages = lazy(() => new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }));
/** A folder that is named after a language: `en`, `pt-br`. */
export const languageCode = /^([a-z]{2})(?:[-_][a-z]{2,4})?$/i;
/** A folder that is named after a version, with its number, and without `.0` or `.x`. */
export const versionName = /(?:^|\/)(?:v|version-?|(?=\d+\.))((\d+(?:\.\d+)*?)(?:\.[0x])?)(?:\/|$)/i;
const months = 'january february march april may june july august september october november december'.split(' ');
/** What the further pages of a list are in, which is no section. */
const pager = /(?<=\/)page\/\d+\/?$/i;
/** A month in the folder of its year. */
const monthName = /^(?:19|20)\d\d\/(?:0[1-9]|1[0-2])$/;
const deepest = 3;
/** Paths that are looked at for one text. */
const maxLooks = 50_000;

/** The sections of a site, derived from its URLs, for one text. */
export interface Site {
  /** Its paths by what they are called, in comparable form. */
  sections: ReadonlyMap<string, readonly string[]>;
  /** Whether it has folders of years with folders of months: in these are the posts of a blog without a section of its own. */
  hasMonths: boolean;
  /** Where the pages are that declare what they are. */
  declared: DeclaredKinds;
  /** What its home page is called. */
  title: string;
  /** The path of the start URL, and its host, with the port if it has one. */
  home: string;
  host: string;
  /** Patterns that the text wants so far, what it has named so far, and paths that may still be looked at. */
  wanted: Set<string>;
  named: Map<string, string[] | undefined>;
  looks: number;
}

/** What folders of feeds are called, and feeds themselves. */
const feedName = /\/(?:feeds?|rss|atom)(?:\.\w+)?$/i;

/**
 * Returns the URLs that name the sections of a site. Of the folders of a feed, they are those up to one that is called a feed, or
 * else to the outermost that has only feeds: what is below it, as in `/feeds/posts`, names what the feed is of.
 */
export function urlsOfSections({ found, feeds }: Pick<KnownSite, 'found' | 'feeds'>): string[] {
  const isFeed = (url: string) => feeds.has(url) || feeds.has(withoutQuery(url));
  const urls = [...found.values()].map(({ url }) => url);
  const pages = urls.filter((url) => !isFeed(url));
  const folders = new Set(pages.flatMap((url) => foldersOf(new URL(url))));
  const own = urls.filter(isFeed).flatMap((url) => {
    const paths = foldersOf(new URL(url));
    const from = paths.findIndex((path) => feedName.test(path));
    const end = paths.findIndex((path, at) => at > from && !feedName.test(path));
    const named = from < 0 ? paths.find((path) => !folders.has(path)) : paths.at(end < 0 ? -1 : end - 1);
    return named === undefined ? [] : new URL(url).origin + named;
  });
  return [...pages, ...own];
}

/** What is known of a site besides its URLs. */
export type SiteFacts = Partial<Pick<Site, 'declared' | 'title'>>;

/** Returns the sections of a site by the paths of its URLs. */
export function siteOf(
  start: URL,
  urls: readonly string[],
  { declared = new Map(), title = '' }: SiteFacts = {},
): Site {
  const sections = new Map<string, string[]>();
  const host = withoutWww(start.hostname);
  const ofText = { wanted: new Set<string>(), named: new Map(), looks: maxLooks };
  const own = urls.flatMap((url) => parseLink(url) ?? []).filter(({ hostname }) => withoutWww(hostname) === host);
  const paths = new Set(own.flatMap(foldersOf));
  for (const path of paths)
    for (const name of calledAs(path)) if (!sections.get(name)?.push(path)) sections.set(name, [path]);
  const home = folderOf(start.pathname);
  const hasMonths = [...paths].some((path) => path.startsWith(home) && monthName.test(path.slice(home.length)));
  return { sections, hasMonths, declared, title, ...ofText, home, host: start.host };
}

/** Returns the paths of the sections that a page is in, the outermost first. */
const foldersOf = (url: URL) => pathsOf(url).flatMap((path) => pathsTo(folderOf(path.replace(pager, '')).slice(0, -1)));

/** Returns the paths of the sections that a path is in, the outermost first, and its own. */
export function pathsTo(path: string): string[] {
  // A version has the sections of the site one level deeper.
  const segments = path.split('/').slice(1, deepest + (versionName.test(path) ? 2 : 1));
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}

/** Returns the last part of a path. */
export const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns what a section is called: as the last segment of its path, and as the language, version or month that this is. */
export function calledAs(path: string): string[] {
  const [last = '', before = ''] = path.split('/').toReversed();
  const [, code = ''] = languageCode.exec(last) ?? [];
  // `/2.0` and `/2.x` are version 2, too.
  const [, version, shorter = ''] = versionName.exec(last) ?? [];
  const versions = version ? [version, shorter].flatMap((one) => [`v${one}`, `version${one}`]) : [];
  const month = /^(?:19|20)\d\d$/.test(before) ? (months[Number(last) - 1] ?? '') : '';
  const dates = month ? [month + before, month.slice(0, 3) + before] : [];
  const called = [last, (code && languages().of(code)) || '', ...versions, ...dates];
  return [...new Set(called.map(comparable))].filter((one) => one !== '');
}

/** Returns a text in lower case, without separators and plural endings. A shop's baskets aren't its basket. */
export function comparable(text: string): string {
  const plain = text.toLowerCase().replace(/\.(?:html?|php|aspx?)$|[^\p{L}\p{N}]/gu, '');
  return plain.length > 3 ? plain.replace(/ies$/, 'y').replace(/(?<!s|^new|^basket)s$/, '') : plain;
}
