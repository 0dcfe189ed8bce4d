import type { CrawlOptions } from '../../../contract/crawl-jobs.ts';
import type { NewPage } from '../store/frontier.ts';
import type { PathMatcher } from './path-rules.ts';
import { type Scope, scopeOf } from './scope.ts';
import { identityOf, parseLink, type UrlIdentity } from './urls.ts';

/** Picks from what a crawl finds the pages that it wants. */
export interface LinkFilter {
  readonly scope: Scope;
  identityOf(url: URL): string;
  /** The wanted pages among `links`, each once; links that were `remember`ed are passed over. */
  pick(links: readonly string[], depth: number): Promise<Picked>;
  /** Whether the path patterns let a page through. */
  matches(url: URL): Promise<{ admitted: boolean; slow: string[] }>;
  /** These links are dealt with: another page that has them need not bring them again. */
  remember(links: readonly string[]): void;
  dispose(): void;
}

export interface Picked {
  pages: NewPage[];
  /** Patterns that took too long on some path. */
  slow: string[];
}

const mostLinks = 20_000;
const remembered = 50_000;

export function createLinkFilter(start: URL, options: CrawlOptions, matcher: PathMatcher): LinkFilter {
  const identity: UrlIdentity = {
    ignoreQueryParameters: options.ignoreQueryParameters === true,
    deduplicateSimilarURLs: options.deduplicateSimilarURLs !== false,
  };
  const deepest = options.maxDiscoveryDepth ?? Number.POSITIVE_INFINITY;
  const scope = scopeOf(start, options);
  const rules = matcher.rules(options);
  const seen = new Set<string>();

  return {
    scope,
    identityOf: (url) => identityOf(url, identity),
    async pick(links, depth) {
      if (depth > deepest) return { pages: [], slow: [] };
      const found = new Map<string, URL>();
      for (const link of links.slice(0, mostLinks)) {
        if (seen.has(link)) continue;
        const url = parseLink(link);
        if (!url || !scope.admits(url)) continue;
        const key = identityOf(url, identity);
        if (!found.has(key)) found.set(key, url);
      }
      const { admitted, slow } = await rules.judge([...found.values()]);
      const pages = [...found]
        .filter((_, index) => admitted[index])
        .map(([key, url]) => ({ url: url.href, origin: url.origin, identity: key, depth }));
      return { pages, slow };
    },
    async matches(url) {
      const { admitted, slow } = await rules.judge([url]);
      return { admitted: admitted[0] === true, slow };
    },
    remember(links) {
      if (seen.size > remembered) seen.clear();
      for (const link of links.slice(0, mostLinks)) seen.add(link);
    },
    dispose: () => rules.dispose(),
  };
}
