import { randomUUID } from 'node:crypto';
import type { ScrapeDocument, ScrapeOptions } from '../../../contract/scrape/scrape.ts';
import type { SearchBody, SearchSource } from '../../../contract/search.ts';
import { transaction } from '../../../storage/storage.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import type { Caller } from '../../platform/http/keys.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { Platform } from '../../platform/platform.ts';
import { defaultMaxAge } from '../scrape/default-max-age.ts';
import type { KeepScrape } from '../scrape/handlers.ts';
import type { FoundResult, WebSearch } from './search.ts';

export interface SearchHandlerParts extends Pick<Platform, 'database' | 'ledger' | 'activity'> {
  search: WebSearch;
  keepScrape: KeepScrape;
  /** Throws when the service can't scrape any page with these options. */
  checkOptions(options: ScrapeOptions, team: string): void;
  policy: Pick<AddressPolicy, 'checkUrl'>;
}

/** Credits for each ten results, started ones included. */
const creditsPerTen = 2;

/** Returns the credits of a search with so many results. */
export const creditsOfResults = (count: number) => Math.ceil(count / 10) * creditsPerTen;

/** Creates the handler for POST /v2/search. */
export function searchHandlers(parts: SearchHandlerParts): Pick<Handlers, 'searchWeb'> {
  const { search, database, activity, ledger } = parts;
  const isAllowed = (url: URL) => {
    try {
      parts.policy.checkUrl(url);
      return true;
    } catch {
      return false;
    }
  };
  async function scrape(url: string, options: ScrapeOptions, body: SearchBody, caller: Caller, signal: AbortSignal) {
    const { origin, integration } = body;
    const maxAge = options.maxAge ?? defaultMaxAge({ ...options, url, origin, integration });
    return await parts.keepScrape({ url, options: { ...options, maxAge }, team: caller.team, signal }, caller, false);
  }
  return {
    async searchWeb({ body }, { caller, signal }) {
      const { scrapeOptions } = body;
      const deadline = performance.now() + body.timeout;
      if (scrapeOptions) parts.checkOptions(scrapeOptions, caller.team);
      await ledger.require(caller.team, creditsPerTen);
      const { limit, sources, categories, includeDomains, excludeDomains, tbs, location, country, lang } = body;
      const found = await search.search(body.query, {
        limit,
        sources,
        categories,
        includeDomains,
        excludeDomains,
        tbs,
        location,
        country,
        lang,
        timeoutMs: body.timeout,
        team: caller.team,
        signal,
        ...(body.ignoreInvalidURLs && { accepts: isAllowed }),
      });
      const lists = Object.entries(found.results) as [SearchSource, FoundResult[]][];
      const count = lists.reduce((sum, [, results]) => sum + results.length, 0);
      const credits = creditsOfResults(count);
      const id = randomUUID();
      await transaction(database, async (tx) => {
        await activity.record({ id, team: caller.team, endpoint: 'search', target: body.query }, tx);
        await ledger.charge(caller, 'search', credits, tx);
      });
      const urls = lists.flatMap(([, results]) => results.map(({ url }) => url));
      const scraped =
        scrapeOptions && scrapeOptions.formats.length > 0
          ? await scrapeResults(urls, (url, until) => scrape(url, scrapeOptions, body, caller, until), {
              deadline,
              signal,
            })
          : undefined;
      const data = Object.fromEntries(
        lists.map(([source, results]) => [
          source,
          results.map((result, index) => ({
            ...shapes[source](result),
            position: index + 1,
            ...scraped?.documents.get(result.url),
          })),
        ]),
      );
      return {
        success: true,
        id,
        data,
        creditsUsed: credits + (scraped?.creditsUsed ?? 0),
        ...(found.warning !== undefined && { warning: found.warning }),
      };
    },
  };
}

/** How a result of each source is written. */
const shapes = {
  web: ({ url, title, text, category }: FoundResult) => ({
    url,
    title,
    description: text,
    ...(category && { category }),
  }),
  news: ({ url, title, text, date, imageUrl }: FoundResult) => ({
    url,
    title,
    snippet: text,
    ...(date && { date }),
    ...(imageUrl && { imageUrl }),
  }),
  images: ({ url, title, imageUrl, imageWidth, imageHeight }: FoundResult) => ({
    url,
    title,
    ...(imageUrl && { imageUrl }),
    ...(imageWidth && { imageWidth }),
    ...(imageHeight && { imageHeight }),
  }),
};

const pagesAtATime = 5;

/**
 * Scrapes the pages of results, each once. A page that could not be scraped has only metadata, with the reason in `error`.
 * @param deadline when to give up, as `performance.now()` counts
 */
async function scrapeResults(
  urls: readonly string[],
  scrape: (url: string, signal: AbortSignal) => Promise<ScrapeDocument>,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
) {
  const documents = new Map<string, ScrapeDocument>();
  const waiting = [...new Set(urls)];
  const timeout = AbortSignal.timeout(Math.max(0, Math.ceil(deadline - performance.now())));
  const until = AbortSignal.any([signal, timeout]);
  let creditsUsed = 0;
  async function work(): Promise<void> {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      try {
        until.throwIfAborted();
        const document = await scrape(url, until);
        creditsUsed += document.metadata?.creditsUsed ?? 0;
        documents.set(url, document);
      } catch (error) {
        signal.throwIfAborted();
        const why = timeout.aborted ? 'The page was not scraped within the timeout of the search.' : messageOf(error);
        const status = timeout.aborted ? 408 : error instanceof ServiceError ? error.status : 500;
        documents.set(url, { metadata: { sourceURL: url, statusCode: status, error: why } });
      }
    }
  }
  await Promise.all(Array.from({ length: pagesAtATime }, work));
  return { documents, creditsUsed };
}
