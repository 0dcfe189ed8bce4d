import * as z from 'zod';
import { apiResponse, characters, ownField, requestBody, responseBody } from '../fields.ts';
import { limits } from '../limits.ts';
import { shownScrapeOptions, webUrl } from '../scrape/scrape.ts';

/** One item of GET /v2/crawl/active. */
export const activeCrawl = responseBody({
  id: z.string().nullish().describe('Identifier of the crawl, a UUID'),
  teamId: z.string().nullish().describe('The team that the crawl belongs to'),
  url: z.string().nullish().describe('Start URL of the crawl'),
  created_at: z.string().nullish().describe('When the crawl was started'),
  options: z
    .looseObject({ scrapeOptions: shownScrapeOptions.nullish() })
    .nullish()
    .describe('Options of the crawl, with its scrapeOptions'),
});
export const activeCrawls = apiResponse({ crawls: z.array(activeCrawl) });

/** Body of POST /v2/crawl/params-preview. */
export const previewBody = requestBody({
  url: webUrl.describe('Site to crawl'),
  prompt: characters(limits.crawlPrompt).describe('What to crawl, in natural language'),
});

/** Crawl parameters generated from a prompt (specification, "Generated crawl parameters"). `delay` is in seconds. */
export const crawlParameters = responseBody({
  url: z.string().nullish().describe('Site to crawl'),
  includePaths: z
    .array(z.string())
    .nullish()
    .describe('Regexes for paths; only pages that match one are kept, others are read only for their links'),
  excludePaths: z.array(z.string()).nullish().describe('Regexes for paths; pages that match one are skipped'),
  maxDepth: z.int().nullish().describe('Maximum number of path segments below the start URL'),
  maxDiscoveryDepth: z.int().nullish().describe('Maximum number of links from the start URL or a sitemap to a page'),
  crawlEntireDomain: z.boolean().nullish().describe('Crawl the whole domain, not only below the path of the start URL'),
  allowExternalLinks: z.boolean().nullish().describe('Follow links to other websites'),
  allowSubdomains: z.boolean().nullish().describe('Follow links to subdomains'),
  sitemap: z.string().nullish().describe('Whether to find pages through the sitemap: skip, include or only'),
  ignoreQueryParameters: z.boolean().nullish().describe('Treat URLs that differ only in their query as one'),
  ignoreRobotsTxt: z.boolean().nullish().describe('Ignore robots.txt'),
  robotsUserAgent: z.string().nullish().describe('User agent whose robots.txt rules apply'),
  deduplicateSimilarURLs: z.boolean().nullish().describe('Treat similar URLs of the same page as one'),
  delay: z.number().nullish().describe('Seconds between requests to the same host'),
  limit: z.int().nullish().describe('Maximum number of pages to get'),
});
/** A part of a site whose pages list others. */
export const listedPart = responseBody({
  path: z.string().describe('The path that its pages have in common'),
  pages: z.int().describe('Number of its pages that were found'),
  leadsTo: z.int().describe('How many pages of the section one of them leads to'),
});
export const crawlPreview = apiResponse({
  data: crawlParameters,
  notUnderstood: ownField(z.array(z.string()), 'Parts of the prompt that no parameter expresses'),
  notFound: ownField(
    z.array(z.string()),
    'Parts of the prompt that name a section of which no page was found on the site yet, or only lists of pages in other sections; its path is set all the same',
  ),
  sources: ownField(z.record(z.string(), z.array(z.string())), 'The words of the prompt that each parameter came from'),
  guessed: ownField(
    z.array(z.string()),
    'Parameters that the language model set although the prompt does not name them',
  ),
  lists: ownField(
    z.array(listedPart),
    'Parts of the site that `includePaths` leaves out because they only list the pages that the prompt asks for: they are read for their links',
  ),
});

export type ListedPart = z.output<typeof listedPart>;
export type ActiveCrawl = z.output<typeof activeCrawl>;
export type CrawlParameters = z.output<typeof crawlParameters>;
export type CrawlPreview = z.output<typeof crawlPreview>;
