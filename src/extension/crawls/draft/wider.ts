import { runInNewContext } from 'node:vm';
import * as l10n from '@vscode/l10n';
import { pathOfRoute, pathsOf } from '../../../contract/addresses.ts';
import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import { textsIn } from '../../../contract/lenient-texts.ts';

type Values = Readonly<Record<string, unknown>>;
type Place = Pick<URL, 'origin' | 'pathname'>;

/** How many links further a crawl goes to get pages that were too deep. */
const deeper = 2;

/**
 * Returns the parameters that a crawl needs in addition, to get pages that it left out: those that change. Pages in a
 * trap, and those to which links were not read, are crawled from one of them.
 * @param completed pages that the crawl has
 */
export function widerOf(url: string, options: Values, pages: LeftOutPages, completed = 0): Values {
  const changed = changedFor(url, options, pages);
  const most = completed + pages.count;
  const isTooLow = typeof options.limit === 'number' && options.limit < most && changed.url === undefined;
  return isTooLow && changed.limit === undefined ? { limit: most, ...changed } : changed;
}

function changedFor(url: string, options: Values, { reason, examples }: LeftOutPages): Values {
  const urls = examples.flatMap((example) => URL.parse(example) ?? []);
  const included = textsIn(options.includePaths);
  const withSections = (others: readonly URL[]) => [
    ...new Set([...included, ...others.map((each) => sectionPattern(each, url, options))]),
  ];
  const textsOf = (page: URL) => (options.regexOnFullURL === true ? [page.href] : pathsOf(page));
  const matched = (patterns: readonly string[]) => matchesOf(patterns, urls.map(textsOf));
  switch (reason) {
    case 'depth': {
      const depths = urls.map(({ pathname }) => depthOf(pathname) - depthOf(new URL(url).pathname));
      return {
        ...(typeof options.maxDepth === 'number' && { maxDepth: Math.max(options.maxDepth + 1, ...depths) }),
        ...(typeof options.maxDiscoveryDepth === 'number' && { maxDiscoveryDepth: options.maxDiscoveryDepth + deeper }),
      };
    }
    case 'include':
      return { includePaths: withSections(urls) };
    case 'exclude': {
      const excluded = textsIn(options.excludePaths);
      const found = matched(excluded);
      return { excludePaths: excluded.filter((_, pattern) => !found.some((each) => each[pattern])) };
    }
    case 'robots':
      return { ignoreRobotsTxt: true };
    case 'login':
      // Whose login it is, only its owner knows.
      return { scrapeOptions: { ...(options.scrapeOptions as Values | undefined), profile: { name: '' } } };
    case 'section': {
      const found = included.length === 0 ? [] : matched(included);
      const others = urls.filter((_, index) => found[index]?.every((matches) => !matches));
      return { crawlEntireDomain: true, ...(others.length > 0 && { includePaths: withSections(others) }) };
    }
    case 'host':
      return { allowExternalLinks: true };
    case 'duplicate':
    case 'notFound':
      return { deduplicateSimilarURLs: false };
    case 'query':
      return { ignoreQueryParameters: false };
    case 'limit':
      return { limit: typeof options.limit === 'number' ? options.limit * 2 : undefined };
    default:
      return { url: examples[0] ?? url };
  }
}

/** How long the patterns of a crawl may take in total, in milliseconds: a server can send some that take years. */
const matchingMs = 250;

/** Returns for each page which of the patterns match one of its texts. */
function matchesOf(patterns: readonly string[], pages: readonly (readonly string[])[]): boolean[][] {
  if (pages.length === 0) return [];
  const code = `const { patterns, pages } = JSON.parse(given);
const expressions = patterns.map((pattern) => new RegExp(pattern));
JSON.stringify(pages.map((texts) => expressions.map((expression) => texts.some((text) => expression.test(text)))))`;
  try {
    const given = JSON.stringify({ patterns, pages });
    return JSON.parse(runInNewContext(code, { given }, { timeout: matchingMs })) as boolean[][];
  } catch (error) {
    const { code: reason, message } = error as NodeJS.ErrnoException;
    // An error of another context is no `Error` here.
    if (reason !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new Error(message);
    throw new Error(
      l10n.t('The path patterns of this crawl take too long to match. Start a new crawl with simpler ones.'),
    );
  }
}

/** Returns the folder above a page, or undefined if it is at the top of its site. */
export function parentOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { pathname } = new URL(url);
  const parent = new URL(pathname.endsWith('/') ? '..' : '.', url);
  return parent.pathname === pathname ? undefined : parent.href;
}

function depthOf(pathname: string): number {
  return pathname.split('/').filter((segment) => segment !== '').length;
}

/**
 * Returns the section of a site that a page is in and the crawl isn't: the first folder that isn't one of those, such as a
 * language, that are above the crawl's start or the paths that it includes. Undefined if the page is in these only.
 */
export function sectionBeyond(page: Place, start: string, options: Values): string | undefined {
  const isAbove = (folder: string) =>
    URL.parse(start)?.pathname.startsWith(`${folder}/`) ||
    textsIn(options.includePaths).some((each) => each.startsWith(`^${originIn(page, options)}${escaped(folder)}/`));
  return foldersOf(page).find((folder) => !isAbove(folder));
}

/** Returns a pattern for the section that a page is in, or else for its folder, or the page. */
function sectionPattern(page: URL, start: string, options: Values): string {
  const { origin, pathname } = page;
  // The whole URL has its route only after a `#`.
  const place = { origin, pathname: (options.regexOnFullURL === true ? undefined : pathOfRoute(page)) ?? pathname };
  const path = sectionBeyond(place, start, options) ?? foldersOf(place).at(-1) ?? place.pathname.replace(/\/+$/, '');
  return `^${originIn(page, options)}${path === '' ? '/$' : `${escaped(path)}(/|$)`}`;
}

/** Returns the options of a crawl of all that is in the folder of its start URL, which need not be a page itself. */
export function besideStart(options: Values): { folder: string; options: Values } | undefined {
  const start = URL.parse(String(options.url));
  const parent = parentOf(start?.href);
  if (!start || parent === undefined || textsIn(options.includePaths).length > 0) return undefined;
  const folder = new URL(parent).pathname;
  return { folder, options: { ...options, includePaths: [`^${originIn(start, options)}${escaped(folder)}`] } };
}

/** Returns the folders that a page is in, the innermost last. */
function foldersOf({ pathname }: Place): string[] {
  const parts = pathname.split('/').filter((part) => part !== '');
  return parts.slice(0, -1).map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** Returns what patterns for a page have before its path. */
function originIn({ origin }: Place, { regexOnFullURL }: Values): string {
  return regexOnFullURL === true ? escaped(origin) : '';
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
