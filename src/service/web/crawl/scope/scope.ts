import { sectionOf } from '../../../../contract/addresses.ts';
import type { CrawlOptions } from '../../../../contract/crawl/crawl-jobs.ts';
import { hostIdentity, isFile, isPartOfPages, isTrap, type PageUrl, pathDepth, withoutWww } from './urls.ts';

type ScopeOptions = Pick<CrawlOptions, 'crawlEntireDomain' | 'allowExternalLinks' | 'allowSubdomains' | 'maxDepth'>;

/** Returns which URLs a crawl may fetch, apart from its path patterns and robots.txt. */
export function scopeOf(start: URL, options: ScopeOptions) {
  const homes = new Set([hostIdentity(start)]);
  const sections = new Set([sectionOf(start.pathname)]);
  const domains = new Set([withoutWww(start.hostname)]);
  const deepest =
    options.maxDepth === undefined ? Number.POSITIVE_INFINITY : options.maxDepth + pathDepth(start.pathname);

  function isHome(url: PageUrl): boolean {
    return homes.has(hostIdentity(url)) || (options.allowSubdomains === true && isSubdomain(url.hostname));
  }
  function isSubdomain(hostname: string): boolean {
    return [...domains].some((domain) => hostname.endsWith(`.${domain}`) && !/^[\d.]+$/.test(domain));
  }
  function inSection(url: PageUrl): boolean {
    const path = `${url.pathname}/`;
    return options.crawlEntireDomain === true || [...sections].some((section) => path.startsWith(section));
  }
  /** Returns why a URL isn't in scope: it is on another host, outside the start URL's path, too deep, a trap, a file, or no page. */
  function against(url: PageUrl): 'host' | 'section' | 'depth' | 'trap' | 'file' | 'no page' | undefined {
    if (isPartOfPages(url.pathname)) return 'no page';
    const isOwn = isHome(url);
    const outside = isOwn ? !inSection(url) && 'section' : options.allowExternalLinks !== true && 'host';
    if (isFile(url.pathname)) return outside ? 'no page' : 'file';
    if (outside) return outside;
    if (isTrap(url.pathname)) return 'trap';
    return isOwn && pathDepth(url.pathname) > deepest ? 'depth' : undefined;
  }
  return {
    against,
    /** Returns whether a URL is in scope. */
    admits: (url: PageUrl): boolean => against(url) === undefined,
    /** Adds the URL that the start page redirected to as a further start. */
    extend(url: URL): void {
      homes.add(hostIdentity(url));
      domains.add(withoutWww(url.hostname));
      sections.add(sectionOf(url.pathname));
    },
  };
}
