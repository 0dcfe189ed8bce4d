import { sectionOf } from '../../../../contract/addresses.ts';
import type { CrawlOptions } from '../../../../contract/crawl/crawl-jobs.ts';
import { type LeftOutReason, leftOutLimits } from '../../../../contract/crawl/left-out.ts';
import { listed } from '../../../../contract/shorten.ts';
import { inTurns } from '../../../platform/async.ts';
import type { NewPage } from '../store/frontier.ts';
import type { Job, Say } from '../store/job-table.ts';
import type { PathMatcher } from './path-rules.ts';
import { type Verdict, verdicts } from './path-rules-thread.ts';
import { scopeOf } from './scope.ts';
import { isPartOfList } from './shapes.ts';
import { identityOf, identityRules, type PageUrl, parseLink, withoutTrackers } from './urls.ts';

/** Links of a page that are followed. */
export const maxFollowed = 20_000;
const maxRemembered = 50_000;

/** A path that ends a login. */
const logout = /\/(?:log|sign)[-_]?(?:out|off)(?:[/.]|$)/i;

/** A page that is read only for its links has an identity of its own: a similar URL may match. */
export const identityForLinks = (identity: string) => `links ${identity}`;

export type LinkFilter = ReturnType<typeof createLinkFilter>;

/**
 * Selects the pages that a crawl follows.
 * @param say called with the patterns that took too long to match some path
 * @param keepsLogin whether to leave out links that would end a login
 */
export function createLinkFilter(
  start: URL,
  options: CrawlOptions,
  matcher: PathMatcher,
  say?: Say,
  keepsLogin = false,
) {
  const identity = identityRules(options);
  const deepest = options.maxDiscoveryDepth ?? Number.POSITIVE_INFINITY;
  const scope = scopeOf(start, options);
  const rules = matcher.rules(options);
  const seen = new Set<string>();
  const startIdentity = identityOf(start, identity);
  const wholeOf = (url: PageUrl) => identityOf(url, { ...identity, ignoreQueryParameters: false });
  /** Pages that were left out so far, as far as they are counted. */
  const leftOut = new Map<LeftOutReason, Set<string>>();
  const slow = new Set<string>();

  async function judge(urls: readonly PageUrl[]): Promise<Verdict[]> {
    const judged = await rules.judge(urls);
    for (const pattern of judged.slow) slow.add(pattern);
    const said = `These path patterns took too long to match, so some paths were skipped: ${listed([...slow])}`;
    if (judged.slow.length > 0) say?.('path patterns', said);
    return judged.verdicts;
  }

  /** Whether a page is to be counted as left out: each once, and only so many. */
  function counts(reason: LeftOutReason, key: string): boolean {
    const known = leftOut.get(reason) ?? new Set();
    leftOut.set(reason, known);
    return known.size < leftOutLimits.counted && known.size !== known.add(key).size;
  }

  /**
   * Returns the pages among `links`, each once, or with each query that is ignored: those to crawl, those to read only for their
   * links, and those to leave out, as their `role` says. Skips links passed to `remember`.
   * @param read `readLink` for links of a converted page
   */
  async function pick(
    links: readonly string[],
    depth: number,
    read: (link: string) => PageUrl | undefined = parseLink,
  ): Promise<NewPage[]> {
    /** Each URL once by its query too, which may be ignored, with the identity of its page. */
    const found = new Map<string, { key: string; url: PageUrl }>();
    const isWorthReading = options.sitemap !== 'only' && depth < deepest;
    const pages: NewPage[] = [];
    const urlOf = identity.deduplicateSimilarURLs ? withoutTrackers : ({ href }: PageUrl) => href;
    const pageOf = (key: string, url: PageUrl) => ({ url: urlOf(url), origin: url.origin, identity: key, depth });
    const variantOf = (whole: string, key: string, url: PageUrl, isIncluded: boolean): Pick<NewPage, 'variant'> => {
      const role = isWorthReading && isPartOfList(url) ? 'links' : 'query';
      if (whole === key || whole === wholeOf(start) || (role === 'query' && !isIncluded)) return {};
      return { variant: { ...pageOf(identityForLinks(whole), url), role } };
    };
    const leaveOut = (reason: LeftOutReason, key: string, url: PageUrl) => {
      if (counts(reason, key)) pages.push({ ...pageOf(key, url), role: reason });
    };
    await inTurns(links.slice(0, maxFollowed), (link) => {
      if (seen.has(link)) return;
      const url = read(link);
      const against = url && scope.against(url);
      if (!url || against === 'no page') return;
      const key = identityOf(url, identity);
      if (against) leaveOut(against, key, url);
      else if (keepsLogin && logout.test(url.pathname)) leaveOut('exclude', key, url);
      else {
        const whole = identity.ignoreQueryParameters ? wholeOf(url) : key;
        if (!found.has(whole)) found.set(whole, { key, url });
      }
    });
    const judged = await judge([...found.values()].map(({ url }) => url));
    for (const [index, [whole, { key, url }]] of [...found].entries()) {
      const verdict = judged[index];
      // The start page is read for its links anyway.
      if (verdict === verdicts.undecided || (key === startIdentity && verdict !== verdicts.admitted)) continue;
      if (verdict === verdicts.excluded) leaveOut('exclude', key, url);
      else if (verdict === verdicts.notIncluded) {
        leaveOut('include', key, url);
        if (isWorthReading)
          pages.push({ ...pageOf(identityForLinks(key), url), ...variantOf(whole, key, url, false), role: 'links' });
      } else if (depth > deepest) leaveOut('depth', key, url);
      else pages.push({ ...pageOf(key, url), ...variantOf(whole, key, url, true) });
    }
    return pages;
  }

  return {
    scope,
    identityOf: (url: PageUrl) => identityOf(url, identity),
    pick,
    /** Returns whether the path patterns admit a URL. */
    matches: async (url: URL): Promise<boolean> => (await judge([url]))[0] === verdicts.admitted,
    /** Whether it can leave out pages of its site by its patterns or the path of its start URL. */
    mayLeaveOut:
      (options.includePaths?.length ?? 0) > 0 ||
      (options.crawlEntireDomain !== true && sectionOf(start.pathname) !== '/'),
    /** Returns why the crawl leaves URLs out, apart from robots.txt; undefined for those that it doesn't. */
    async against(urls: readonly URL[]): Promise<(LeftOutReason | 'no page' | undefined)[]> {
      const judged = await judge(urls);
      const byPaths = new Map<Verdict | undefined, LeftOutReason>([
        [verdicts.excluded, 'exclude'],
        [verdicts.notIncluded, 'include'],
      ]);
      return urls.map((url, at) => scope.against(url) ?? byPaths.get(judged[at]));
    },
    /** Marks links as handled, so that `pick` skips them on other pages. Those that were too deep may not be from there. */
    remember(links: readonly string[], depth: number) {
      if (depth > deepest) return;
      if (seen.size > maxRemembered) seen.clear();
      for (const link of links.slice(0, maxFollowed)) seen.add(link);
    },
    dispose: () => rules.dispose(),
  };
}

/** Returns the filter of a crawl that was stored. */
export function filterOf(job: Job, matcher: PathMatcher, say: Say): LinkFilter {
  const { profile, headers = {} } = job.scrapeOptions;
  const isLoggedIn =
    profile !== undefined || Object.keys(headers).some((name) => /^(?:cookie|authorization)$/i.test(name));
  const filter = createLinkFilter(new URL(job.url), job.options, matcher, say, isLoggedIn);
  if (job.found_at) filter.scope.extend(new URL(job.found_at));
  return filter;
}
