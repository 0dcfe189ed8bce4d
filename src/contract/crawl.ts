import * as z from 'zod';
import { characters, requestBody, responseBody } from './fields.ts';
import { limits } from './limits.ts';
import { shownScrapeOptions, webUrl } from './scrape.ts';

/** One item of GET /v2/crawl/active. */
export const activeCrawl = responseBody({
  id: z.string().nullish().meta({ description: 'Identifier of the crawl, a UUID' }),
  teamId: z.string().nullish().meta({ description: 'The team that the crawl belongs to' }),
  url: z.string().nullish().meta({ description: 'Where the crawl started' }),
  created_at: z.string().nullish().meta({ description: 'When the crawl was started' }),
  options: z
    .looseObject({ scrapeOptions: shownScrapeOptions.nullish() })
    .nullish()
    .meta({ description: 'Options of the crawl, with its scrapeOptions' }),
});
export const activeCrawls = responseBody({ success: z.boolean().optional(), crawls: z.array(activeCrawl) });

/** Body of POST /v2/crawl/params-preview. */
export const previewBody = requestBody({
  url: webUrl.meta({ description: 'Site to crawl' }),
  prompt: characters(limits.crawlPrompt).meta({ description: 'What is wanted, in a sentence' }),
});

/** Crawl parameters made from a prompt (specification, "Generated crawl parameters"). `delay` is in seconds. */
export const crawlParameters = responseBody({
  url: z.string().nullish().meta({ description: 'Site to crawl' }),
  includePaths: z
    .array(z.string())
    .nullish()
    .meta({ description: 'Regexes of pathnames; only pages that match one are kept' }),
  excludePaths: z
    .array(z.string())
    .nullish()
    .meta({ description: 'Regexes of pathnames; pages that match one are left out' }),
  maxDepth: z.int().nullish().meta({ description: 'Path segments that a page may lie below the start URL' }),
  maxDiscoveryDepth: z
    .int()
    .nullish()
    .meta({ description: 'Links that a page may be away from the start URL or a sitemap' }),
  crawlEntireDomain: z
    .boolean()
    .nullish()
    .meta({ description: 'Crawl the whole domain, not only below the path of the start URL' }),
  allowExternalLinks: z.boolean().nullish().meta({ description: 'Follow links to other websites' }),
  allowSubdomains: z.boolean().nullish().meta({ description: 'Follow links to subdomains' }),
  sitemap: z.string().nullish().meta({ description: 'Whether pages are found by the sitemap: skip, include or only' }),
  ignoreQueryParameters: z.boolean().nullish().meta({ description: 'Take URLs that differ in their query for one' }),
  ignoreRobotsTxt: z.boolean().nullish().meta({ description: 'Do not follow robots.txt' }),
  robotsUserAgent: z.string().nullish().meta({ description: 'User agent whose rules in robots.txt are followed' }),
  deduplicateSimilarURLs: z.boolean().nullish().meta({ description: 'Take URLs of the same page for one' }),
  delay: z.number().nullish().meta({ description: 'Seconds between two requests to a host' }),
  limit: z.int().nullish().meta({ description: 'Pages fetched at most' }),
});
export const crawlPreview = responseBody({ success: z.boolean().optional(), data: crawlParameters });

export type ActiveCrawl = z.output<typeof activeCrawl>;
export type CrawlParameters = z.output<typeof crawlParameters>;
