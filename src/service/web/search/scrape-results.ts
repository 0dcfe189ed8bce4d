import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';

export interface ScrapedResults {
  /** By URL. A page that could not be scraped has only metadata, with the reason in `error`. */
  documents: ReadonlyMap<string, ScrapeDocument>;
  creditsUsed: number;
}

const pagesAtATime = 5;

/**
 * Scrapes the pages of results, each once.
 * @param deadline when to give up, as `performance.now()` counts
 */
export async function scrapeResults(
  urls: readonly string[],
  scrape: (url: string, signal: AbortSignal) => Promise<ScrapeDocument>,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
): Promise<ScrapedResults> {
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
