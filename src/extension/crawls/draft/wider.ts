import type { LeftOutPages } from '../../../contract/crawl/left-out.ts';
import { textsIn } from '../../../contract/lenient-texts.ts';

type Values = Readonly<Record<string, unknown>>;

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
  switch (reason) {
    case 'depth': {
      const depths = urls.map(({ pathname }) => depthOf(pathname) - depthOf(new URL(url).pathname));
      return {
        ...(typeof options.maxDepth === 'number' && { maxDepth: Math.max(options.maxDepth + 1, ...depths) }),
        ...(typeof options.maxDiscoveryDepth === 'number' && { maxDiscoveryDepth: options.maxDiscoveryDepth + deeper }),
      };
    }
    case 'include':
      return {
        includePaths: [...new Set([...textsIn(options.includePaths), ...urls.map((each) => sectionOf(each, options))])],
      };
    case 'exclude': {
      const matches = (pattern: string) => urls.some((each) => new RegExp(pattern).test(matched(each, options)));
      return { excludePaths: textsIn(options.excludePaths).filter((pattern) => !matches(pattern)) };
    }
    case 'robots':
      return { ignoreRobotsTxt: true };
    case 'login':
      // Whose login it is, only its owner knows.
      return { scrapeOptions: { ...(options.scrapeOptions as Values | undefined), profile: { name: '' } } };
    case 'section':
      return { crawlEntireDomain: true };
    case 'host':
      return { allowExternalLinks: true };
    case 'duplicate':
    case 'notFound':
      return { deduplicateSimilarURLs: false };
    case 'limit':
      return { limit: typeof options.limit === 'number' ? options.limit * 2 : undefined };
    default:
      return { url: examples[0] ?? url };
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

/** Returns what path patterns are compared with. */
function matched({ href, pathname }: URL, { regexOnFullURL }: Values): string {
  return regexOnFullURL === true ? href : pathname;
}

/** Returns a pattern for the section of a site that a page is in. */
function sectionOf(url: URL, options: Values): string {
  const [first = ''] = url.pathname.slice(1).split('/');
  const origin = options.regexOnFullURL === true ? escaped(url.origin) : '';
  return first === '' ? `^${origin}/$` : `^${origin}/${escaped(first)}(/|$)`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
