import type { CrawlOptions } from '../../../contract/crawl/crawl-jobs.ts';
import type { NewPage } from '../store/frontier.ts';
import type { PathMatcher } from './path-rules.ts';
import { type Scope, scopeOf } from './scope.ts';
import { identityOf, type PageUrl, parseLink, readLink, type UrlIdentity } from './urls.ts';

/** Selects the pages that a crawl follows. */
export interface LinkFilter {
  readonly scope: Scope;
  identityOf(url: PageUrl): string;
  /** Returns the pages to crawl among `links`, each once. Skips links passed to `remember`. */
  pick(links: readonly string[], depth: number): Promise<Picked>;
  /** The same for the links of a converted page. */
  pickOfPage(links: readonly string[], depth: number): Promise<Picked>;
  /** Returns whether the path patterns admit a URL. */
  matches(url: URL): Promise<{ admitted: boolean; slow: string[] }>;
  /** Marks links as handled, so that `pick` skips them on other pages. */
  remember(links: readonly string[]): void;
  dispose(): void;
}

export interface Picked {
  pages: NewPage[];
  /** Patterns that took too long to match some path. */
  slow: string[];
}

const maxLinks = 20_000;
const maxRemembered = 50_000;

export function createLinkFilter(start: URL, options: CrawlOptions, matcher: PathMatcher): LinkFilter {
  const identity: UrlIdentity = {
    ignoreQueryParameters: options.ignoreQueryParameters === true,
    deduplicateSimilarURLs: options.deduplicateSimilarURLs !== false,
  };
  const deepest = options.maxDiscoveryDepth ?? Number.POSITIVE_INFINITY;
  const scope = scopeOf(start, options);
  const rules = matcher.rules(options);
  const seen = new Set<string>();

  async function pick(links: readonly string[], depth: number, read: typeof readLink): Promise<Picked> {
    if (depth > deepest) return { pages: [], slow: [] };
    const found = new Map<string, PageUrl>();
    for (const link of links.slice(0, maxLinks)) {
      if (seen.has(link)) continue;
      const url = read(link);
      if (!url || !scope.admits(url)) continue;
      const key = identityOf(url, identity);
      if (!found.has(key)) found.set(key, url);
    }
    const { admitted, slow } = await rules.judge([...found.values()]);
    const pages = [...found]
      .filter((_, index) => admitted[index])
      .map(([key, url]) => ({ url: url.href, origin: url.origin, identity: key, depth }));
    return { pages, slow };
  }

  return {
    scope,
    identityOf: (url) => identityOf(url, identity),
    pick: (links, depth) => pick(links, depth, parseLink),
    pickOfPage: (links, depth) => pick(links, depth, readLink),
    async matches(url) {
      const { admitted, slow } = await rules.judge([url]);
      return { admitted: admitted[0] === true, slow };
    },
    remember(links) {
      if (seen.size > maxRemembered) seen.clear();
      for (const link of links.slice(0, maxLinks)) seen.add(link);
    },
    dispose: () => rules.dispose(),
  };
}
