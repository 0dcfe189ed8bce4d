import * as z from 'zod';
import { characters, requestBody, responseBody } from './fields.ts';
import { limits } from './limits.ts';
import { shownScrapeOptions, webUrl } from './scrape.ts';

/** One item of GET /v2/crawl/active. */
export const activeCrawl = responseBody({
  id: z.string().nullish(),
  teamId: z.string().nullish(),
  url: z.string().nullish(),
  created_at: z.string().nullish(),
  options: z.looseObject({ scrapeOptions: shownScrapeOptions.nullish() }).nullish(),
});
export const activeCrawls = responseBody({ success: z.boolean().optional(), crawls: z.array(activeCrawl) });

/** Body of POST /v2/crawl/params-preview. */
export const previewBody = requestBody({
  url: webUrl.meta({ description: 'Site to crawl' }),
  prompt: characters(limits.crawlPrompt).meta({ description: 'What is wanted, in a sentence' }),
});

/** Crawl parameters made from a prompt (specification, "Generated crawl parameters"). `delay` is in seconds. */
export const crawlParameters = responseBody({
  url: z.string().nullish(),
  includePaths: z.array(z.string()).nullish(),
  excludePaths: z.array(z.string()).nullish(),
  maxDepth: z.int().nullish(),
  maxDiscoveryDepth: z.int().nullish(),
  crawlEntireDomain: z.boolean().nullish(),
  allowExternalLinks: z.boolean().nullish(),
  allowSubdomains: z.boolean().nullish(),
  sitemap: z.string().nullish(),
  ignoreQueryParameters: z.boolean().nullish(),
  ignoreRobotsTxt: z.boolean().nullish(),
  robotsUserAgent: z.string().nullish(),
  deduplicateSimilarURLs: z.boolean().nullish(),
  delay: z.number().nullish(),
  limit: z.int().nullish(),
});
export const crawlPreview = responseBody({ success: z.boolean().optional(), data: crawlParameters });

export type ActiveCrawl = z.output<typeof activeCrawl>;
export type CrawlParameters = z.output<typeof crawlParameters>;
