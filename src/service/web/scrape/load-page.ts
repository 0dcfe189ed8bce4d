import { parseUrl } from '../../../contract/addresses.ts';
import type { UploadedFile } from '../../../contract/scrape/parse.ts';
import type { ReadingReason, ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import { acceptLanguage, languagesOf } from '../../browsers/page/languages.ts';
import { type CachedPage, cacheKey } from '../../platform/network/page-cache.ts';
import type { BodyAccount } from './body-budget.ts';
import { bodyDigest, type KnownPage, type PageSource, UnchangedPage } from './changes/known-page.ts';
import { refreshTarget } from './convert/page-tree/urls.ts';
import { typeOfUpload } from './file-kind.ts';
import { NotAPage, type RenderedPage } from './render/render.ts';
import type { ReplayContext, ScrapeRequest } from './scrape.ts';
import { ScrapeError } from './scrape-errors.ts';
import type { ScrapePlan } from './scrape-plan.ts';
import type { ScraperParts } from './scraper-parts.ts';

/** A page that was fetched, rendered or read from the cache. */
export interface LoadedPage
  extends Omit<CachedPage, 'because' | 'storedAt'>,
    Partial<Omit<RenderedPage, keyof CachedPage | 'html'>> {
  /** Where its `Refresh` header leads. */
  refresh?: string | undefined;
  /** Whether a refresh led to it. */
  refreshed?: boolean;
  /** Milliseconds that it waited because all tabs were in use. */
  queuedMs?: number | undefined;
  /** Wall-clock milliseconds, if it came from the cache, and why it was fetched or rendered. */
  cachedAt?: number;
  because?: string;
  /** Whether the site was asked, and said that the cached page is unchanged. */
  revalidated?: boolean;
  /** Digest of the body, for a page that a later scrape may compare with. */
  digest?: string | undefined;
}

/** Maximum number of bytes of a decompressed page. */
const maxPageBytes = 10 * 1024 * 1024;

/** Loads the page of one scrape. */
export type Loader = ReturnType<typeof createLoader>;

/**
 * @param left returns the milliseconds left of the scrape's timeout
 * @param reserve waits until the page may take that much memory
 */
export function createLoader(
  { fetcher, renderer, cache }: Pick<ScraperParts, 'fetcher' | 'renderer' | 'cache'>,
  { url, options, team, signal, policy, job, file, known, allLinks, maxBytes = maxPageBytes }: ScrapeRequest,
  plan: ScrapePlan,
  left: () => number,
  reserve: BodyAccount['reserve'],
) {
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

  /** A page that the site may say is unchanged: that of an earlier crawl, or a cached one that is too old. */
  let earlier: KnownPage | CachedPage | undefined = known;

  async function fetch(from: string): Promise<LoadedPage> {
    const language = acceptLanguage(languages);
    const asked = from === url ? earlier : undefined;
    earlier = undefined;
    const fetched = await fetcher.fetch(from, {
      signal,
      timeoutMs: left(),
      limitMs: plan.limitMs,
      maxBytes,
      headers: { ...(language && { 'accept-language': language }), ...options.headers, ...conditions(asked) },
      skipTlsVerification: plan.skipTlsVerification,
      policy,
      reserve,
    });
    if (asked && fetched.status === 304) {
      // Another page than the one that is known may be unchanged.
      if (fetched.url !== asked.url) return await fetch(from);
      if (!('storedAt' in asked)) throw new UnchangedPage(true);
      const { storedAt, ...page } = asked;
      return { ...page, cachedAt: storedAt, revalidated: true };
    }
    const digest = allLinks ? bodyDigest(fetched.body) : undefined;
    const isKnown = known && asked === known && known.url === fetched.url && known.body === digest;
    if (isKnown && fetched.status === 200) {
      throw new UnchangedPage(false);
    }
    const refresh = webUrlOf(refreshTarget(fetched.headers.refresh), fetched.url);
    return {
      url: fetched.url,
      ...(refresh !== undefined && { refresh }),
      status: fetched.status,
      contentType: fetched.headers['content-type'],
      link: fetched.headers.link,
      retryAfter: fetched.headers['retry-after'],
      doubt: fetched.doubt,
      body: fetched.body,
      rendered: false,
      ...(digest && { digest }),
      ...validators(fetched.headers),
    };
  }

  /** Whether the page will be cached, if it can be converted. */
  function keeps({ status, cachedAt, revalidated }: LoadedPage): boolean {
    // Crawls leave it unset: most of their pages are never read again.
    const { storeInCache = options.maxAge !== undefined } = options;
    const isCopy = cachedAt !== undefined && !revalidated;
    if (file || !storeInCache || isCopy || !isCacheable(options, plan)) return false;
    return status >= 200 && status <= 299;
  }

  return {
    /** Whether the options allow a fetch, and not only the cache. */
    mayFetch,
    keeps,
    /** Returns the page from the cache, if the options allow it. Throws if it isn't cached and the options allow no fetch. */
    async cached(): Promise<LoadedPage | undefined> {
      if (file) return uploaded(url, file);
      const { maxAge = 0, minAge, lockdown } = options;
      // Changes show only in the page as it is now.
      if (mayFetch && (maxAge === 0 || plan.changes)) return undefined;
      const copy = isCacheable(options, plan) ? await find() : undefined;
      // Without the links of its menus, a crawl would miss pages.
      const lacksLinks = allLinks && mayFetch && copy?.rendered && !copy.menuLinks;
      if (copy && !lacksLinks) {
        const { storedAt, ...page } = copy;
        return { ...page, cachedAt: storedAt };
      }
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
      if (known || !isCacheable(options, plan)) return undefined;
      const outdated = await cache.find(team, key(), { max: Number.MAX_SAFE_INTEGER });
      // Scripts may show something new on a page that is unchanged.
      if (!outdated?.rendered) earlier = outdated;
      return undefined;
    },
    fetch,
    async render(from: string): Promise<LoadedPage> {
      let queuedMs: number | undefined;
      try {
        const page = await renderer.render({
          ...replayOf(from, options, plan),
          team,
          signal,
          timeoutMs: left(),
          limitMs: plan.limitMs,
          languages,
          blockAds: options.blockAds,
          screenshot: plan.screenshot,
          allLinks: allLinks === true,
          job,
          policy,
          reserve,
          onQueued: (ms) => {
            queuedMs = ms;
          },
        });
        const { html, ...rest } = page;
        const contentType = 'text/html; charset=utf-8';
        return { ...rest, contentType, body: Buffer.from(html), rendered: true, ...(queuedMs && { queuedMs }) };
      } catch (error) {
        if (error instanceof NotAPage) return fetch(from);
        throw error;
      }
    },
    /** Caches a page, if the options allow it. */
    keep(page: LoadedPage, because: ReadingReason): void {
      if (!keeps(page)) return;
      const { url, status, contentType, encoding, link, body, rendered, menuLinks, goesOn, etag, lastModified } = page;
      const kept = { url, status, contentType, encoding, link, body, rendered, because };
      cache.store(team, key(), { ...kept, menuLinks, goesOn, etag, lastModified });
    },
  };
}

/** Returns what a page was scraped with that decides what a browser shows of it. */
export function replayOf(url: string, options: ScrapeOptions, { skipTlsVerification }: ScrapePlan): ReplayContext {
  const { waitFor, actions = [], headers = {}, mobile, location, profile } = options;
  return { url, waitFor, actions, headers, mobile, skipTlsVerification, location, profile };
}

function webUrlOf(written: string | undefined, base: string): string | undefined {
  const url = written === undefined ? null : parseUrl(written, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function uploaded(url: string, { name, contentType, content }: UploadedFile): LoadedPage {
  return { url, status: 200, contentType: typeOfUpload(name, contentType), body: content, rendered: true };
}

/** Maximum length of an ETag that is kept: the site sees it again in a header. */
const maxEtag = 1000;

/** Returns what a site compares to say that a page is unchanged; nothing if its response isn't the same for equal requests. */
function validators(headers: Readonly<Record<string, string | undefined>>) {
  const { etag, 'last-modified': lastModified, date, vary = '' } = headers;
  if (vary.split(',').some((name) => name.trim() === '*')) return {};
  // A page may change again within the second that its time names (RFC 9110, section 8.8.2.2).
  const isFinal = lastModified !== undefined && lastModified !== date;
  return {
    etag: etag && etag.length <= maxEtag ? etag : undefined,
    lastModified: isFinal ? lastModified : undefined,
  };
}

/** Returns the headers that ask for a page only if it has changed (RFC 9110, section 13.1). */
function conditions(known: Partial<Pick<PageSource, 'etag' | 'lastModified'>> | undefined): Record<string, string> {
  const { etag, lastModified } = known ?? {};
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

/** Pages loaded with custom headers or a profile, or changed by actions, can't be reused for other scrapes. */
function isCacheable({ headers = {}, actions = [], profile }: ScrapeOptions, { screenshot }: ScrapePlan): boolean {
  return Object.keys(headers).length === 0 && actions.length === 0 && profile === undefined && screenshot === undefined;
}
