import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { ScrapedPage, Scraper } from './scrape.ts';

/** Counts the pages that are loaded, and how. */
export function countPages(scraper: Scraper, metrics: Pick<Metrics, 'page'>): Scraper {
  const resultOf = ({ document, rendered }: ScrapedPage) => {
    if (document.metadata?.cachedAt !== undefined) return 'cached';
    return rendered ? 'rendered' : 'fetched';
  };
  return {
    ...scraper,
    async scrape(request) {
      try {
        const page = await scraper.scrape(request);
        if (!request.file) metrics.page(resultOf(page));
        return page;
      } catch (error) {
        if (!request.file && !request.signal.aborted) metrics.page('failed');
        throw error;
      }
    },
  };
}
