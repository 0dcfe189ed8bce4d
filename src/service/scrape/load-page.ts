import type { UploadedFile } from '../../contract/scrape/parse.ts';
import type { ScrapeOptions } from '../../contract/scrape/scrape.ts';
import { type CachedPage, cacheKey } from '../fetch/page-cache.ts';
import type { ActionResults } from '../page/actions.ts';
import { acceptLanguage, languagesOf } from '../page/languages.ts';
import type { BodyAccount } from './body-budget.ts';
import { typeOfUpload } from './file-kind.ts';
import { NotAPage } from './render/render.ts';
import type { ScrapeRequest } from './scrape.ts';
import { ScrapeError } from './scrape-errors.ts';
import type { ScrapePlan } from './scrape-plan.ts';
import type { ScraperParts } from './scraper-parts.ts';

/** A page that was fetched, rendered or read from the cache. */
export interface LoadedPage {
  url: string;
  status: number;
  contentType: string | undefined;
  retryAfter?: string | undefined;
  body: Uint8Array;
  rendered: boolean;
  screenshot?: string | undefined;
  actions?: ActionResults | undefined;
  /** Wall-clock milliseconds, if it came from the cache. */
  cachedAt?: number;
}

/** Maximum number of bytes of a decompressed page. */
const maxPageBytes = 10 * 1024 * 1024;

export type LoaderParts = Pick<ScraperParts, 'fetcher' | 'renderer' | 'cache'>;

/** Loads the page of one scrape. */
export interface Loader {
  /** Returns the page from the cache, if the options allow it. Throws if it isn't cached and the options allow no fetch. */
  cached(): Promise<LoadedPage | undefined>;
  /** Whether the options allow a fetch, and not only the cache. */
  readonly mayFetch: boolean;
  fetch(url: string): Promise<LoadedPage>;
  render(): Promise<LoadedPage>;
  /** Whether the page will be cached, if it can be converted. */
  keeps(page: LoadedPage): boolean;
  /** Caches a page, if the options allow it. */
  keep(page: LoadedPage): void;
}

/**
 * @param left returns the milliseconds left of the scrape's timeout
 * @param reserve waits until the page may take that much memory
 */
export function createLoader(
  { fetcher, renderer, cache }: LoaderParts,
  { url, options, team, signal, policy, job, file, maxBytes = maxPageBytes }: ScrapeRequest,
  plan: ScrapePlan,
  left: () => number,
  reserve: BodyAccount['reserve'],
): Loader {
  const languages = languagesOf(options.location);
  const key = () =>
    cacheKey(url, {
      mobile: options.mobile,
      waitFor: options.waitFor,
      languages,
      skipTlsVerification: plan.skipTlsVerification,
      blockAds: options.blockAds,
    });

  async function find(): Promise<CachedPage | undefined> {
    const { maxAge, minAge: min, lockdown } = options;
    return await cache.find(team, key(), {
      min,
      max: maxAge ?? (lockdown || min !== undefined ? Number.MAX_SAFE_INTEGER : 0),
    });
  }

  const mayFetch = !options.lockdown && options.minAge === undefined;

  async function fetch(from: string): Promise<LoadedPage> {
    const language = acceptLanguage(languages);
    const fetched = await fetcher.fetch(from, {
      signal,
      timeoutMs: left(),
      maxBytes,
      headers: { ...(language && { 'accept-language': language }), ...options.headers },
      skipTlsVerification: plan.skipTlsVerification,
      policy,
      reserve,
    });
    return {
      url: fetched.url,
      status: fetched.status,
      contentType: fetched.headers['content-type'],
      retryAfter: fetched.headers['retry-after'],
      body: fetched.body,
      rendered: false,
    };
  }

  function keeps({ status, cachedAt }: LoadedPage): boolean {
    // Crawls leave it unset: most of their pages are never read again.
    const { storeInCache = options.maxAge !== undefined } = options;
    if (file || !storeInCache || cachedAt !== undefined || !isCacheable(options, plan)) return false;
    return status >= 200 && status <= 299;
  }

  return {
    mayFetch,
    keeps,
    async cached() {
      if (file) return uploaded(url, file);
      const { maxAge = 0, minAge, lockdown } = options;
      if (mayFetch && maxAge === 0) return undefined;
      const { storedAt, ...page } = (isCacheable(options, plan) && (await find())) || { storedAt: undefined };
      if (storedAt !== undefined) return { ...(page as Omit<CachedPage, 'storedAt'>), cachedAt: storedAt };
      if (lockdown) {
        throw new ScrapeError(
          'SCRAPE_LOCKDOWN_CACHE_MISS',
          "The page isn't cached, and lockdown doesn't allow fetching it. Scrape it without lockdown first.",
        );
      }
      if (minAge !== undefined) {
        throw new ScrapeError(
          'SCRAPE_NO_CACHED_DATA',
          'The cache has no copy of the page that is old enough. Remove minAge to fetch the page.',
        );
      }
      return undefined;
    },
    fetch,
    async render() {
      try {
        const page = await renderer.render({
          url,
          team,
          signal,
          timeoutMs: left(),
          waitFor: options.waitFor,
          actions: options.actions ?? [],
          headers: options.headers ?? {},
          mobile: options.mobile,
          skipTlsVerification: plan.skipTlsVerification,
          languages,
          blockAds: options.blockAds,
          screenshot: plan.screenshot,
          profile: options.profile,
          job,
          policy,
          reserve,
        });
        const { html, ...rest } = page;
        return { ...rest, contentType: 'text/html; charset=utf-8', body: Buffer.from(html), rendered: true };
      } catch (error) {
        if (error instanceof NotAPage) return fetch(url);
        throw error;
      }
    },
    keep(page) {
      if (!keeps(page)) return;
      const { status, contentType, body, rendered } = page;
      cache.store(team, key(), { url: page.url, status, contentType, body, rendered });
    },
  };
}

function uploaded(url: string, { name, contentType, content }: UploadedFile): LoadedPage {
  return { url, status: 200, contentType: typeOfUpload(name, contentType), body: content, rendered: true };
}

/** Pages loaded with custom headers or a profile, or changed by actions, can't be reused for other scrapes. */
function isCacheable({ headers = {}, actions = [], profile }: ScrapeOptions, { screenshot }: ScrapePlan): boolean {
  return Object.keys(headers).length === 0 && actions.length === 0 && profile === undefined && screenshot === undefined;
}
