import * as z from 'zod';
import { characters, requestBody, responseBody } from './fields.ts';
import { limits } from './limits.ts';

/** A web address that may be scraped or crawled. */
export const webUrl = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .max(8192, { error: 'expected a URL of at most 8,192 characters' });

/** Options of a scrape as the specification lists them (section "Active crawl"). */
export const scrapeOptions = z.looseObject({
  formats: z.array(z.unknown()).optional(),
  onlyMainContent: z.boolean().optional(),
  onlyCleanContent: z.boolean().optional(),
  includeTags: z.array(z.string()).optional(),
  excludeTags: z.array(z.string()).optional(),
  maxAge: z.int().optional(),
  minAge: z.int().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  waitFor: z.int().optional(),
  mobile: z.boolean().optional(),
  skipTlsVerification: z.boolean().optional(),
  timeout: z.int().optional(),
  parsers: z.array(z.unknown()).optional(),
  actions: z.array(z.looseObject({ type: z.string(), milliseconds: z.int().optional() })).optional(),
  location: z.looseObject({ country: z.string().optional(), languages: z.array(z.string()).optional() }).optional(),
  removeBase64Images: z.boolean().optional(),
  blockAds: z.boolean().optional(),
  proxy: z.string().optional(),
  storeInCache: z.boolean().optional(),
  lockdown: z.boolean().optional(),
  profile: z.looseObject({ name: z.string(), saveChanges: z.boolean().optional() }).optional(),
});

/** One item of GET /v2/crawl/active. */
export const activeCrawl = responseBody({
  id: z.string(),
  teamId: z.string().nullish(),
  url: z.string().nullish(),
  created_at: z.string().nullish(),
  options: z.looseObject({ scrapeOptions: scrapeOptions.nullish() }).nullish(),
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

export type ScrapeOptions = z.output<typeof scrapeOptions>;
export type ActiveCrawl = z.output<typeof activeCrawl>;
export type CrawlParameters = z.output<typeof crawlParameters>;
