import * as z from 'zod';
import {
  apiResponse,
  characters,
  dateTime,
  jobId,
  ownField,
  queryNumber,
  requestBody,
  responseBody,
  wholeNumber,
} from '../fields.ts';
import { limits } from '../limits.ts';
import {
  checkRetention,
  checkTimes,
  crawlScrapeOptions,
  document,
  scrapeOptionsShape,
  webUrl,
  zeroDataRetention,
} from '../scrape/scrape.ts';
import { webhookConfig } from '../webhooks/webhooks.ts';
import { leftOutPages } from './left-out.ts';

const pattern = z
  .string()
  .max(limits.pathPatterns.length, { error: `expected a pattern of at most ${limits.pathPatterns.length} characters` })
  .superRefine((text, context) => {
    try {
      new RegExp(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });
const patterns = z.array(pattern).max(limits.pathPatterns.count);
const depth = wholeNumber(limits.crawlDepth);

export const sitemapUses = ['skip', 'include', 'only'] as const;
const sitemap = z.enum(sitemapUses, { error: `expected one of ${sitemapUses.join(', ')}` });

const maxConcurrency = wholeNumber(limits.pagesAtATime)
  .optional()
  .describe('Maximum number of pages fetched at the same time');

const delayError = `expected seconds from ${limits.crawlDelay.min} to ${limits.crawlDelay.max}`;

/** The options of a crawl, without defaults: a prompt may fill in what is missing (specification, "Generated crawl parameters"). */
export const crawlOptionsShape = {
  includePaths: patterns
    .optional()
    .describe('Regexes for paths; only pages that match one are kept, others are read only for their links'),
  excludePaths: patterns.optional().describe('Regexes for paths; pages that match one are skipped'),
  regexOnFullURL: z.boolean().optional().describe('Match the patterns against the whole URL'),
  maxDepth: depth.optional().describe('Maximum number of path segments below the start URL'),
  maxDiscoveryDepth: depth.optional().describe('Maximum number of links from the start URL or a sitemap to a page'),
  crawlEntireDomain: z
    .boolean()
    .optional()
    .describe('Crawl the whole domain, not only below the path of the start URL; default false'),
  allowExternalLinks: z.boolean().optional().describe('Follow links to other websites; default false'),
  allowSubdomains: z.boolean().optional().describe('Follow links to subdomains; default false'),
  sitemap: sitemap.optional().describe('Whether to find pages through the sitemap too; default include'),
  ignoreQueryParameters: z.boolean().optional().describe('Treat URLs that differ only in their query as one'),
  ignoreRobotsTxt: z.boolean().optional().describe('Ignore robots.txt; default false'),
  robotsUserAgent: characters({ min: 1, max: 200 }).optional().describe('User agent whose robots.txt rules apply'),
  deduplicateSimilarURLs: z
    .boolean()
    .optional()
    .describe(
      'Treat URLs that differ only in www, http or https, a trailing slash or an index page as one; default true',
    ),
  delay: z
    .number({ error: delayError })
    .min(limits.crawlDelay.min, { error: delayError })
    .max(limits.crawlDelay.max * 1000, { error: delayError })
    .overwrite((delay) => (delay > limits.crawlDelay.max ? delay / 1000 : delay))
    .optional()
    .describe(
      `Seconds between requests to the same host; values above ${limits.crawlDelay.max} are read as milliseconds, as some published clients send them`,
    ),
  limit: wholeNumber(limits.crawlPages)
    .optional()
    .describe(`Maximum number of pages, default ${limits.crawlPages.default}; as many more may fail, and don't count`),
  maxConcurrency,
} as const;

/** Body of POST /v2/crawl. */
export const startCrawlBody = requestBody({
  url: webUrl.describe('URL to start from'),
  ...crawlOptionsShape,
  prompt: characters(limits.crawlPrompt)
    .optional()
    .describe('Crawl options in natural language; explicit fields take precedence'),
  scrapeOptions: crawlScrapeOptions
    .prefault({})
    .describe('How each page is scraped; pages are stored in the cache only with storeInCache or maxAge'),
  webhook: webhookConfig
    .optional()
    .describe('URL that receives the events of the crawl, or an object with url, headers, metadata and events'),
  since: jobId
    .optional()
    .describe(
      'A crawl of the same site that has ended: pages that did not change since are taken over from it, and each page says how it differs. Accepted by the embedded service only',
    ),
  zeroDataRetention,
}).superRefine((body, context) => checkRetention(body.zeroDataRetention, body.scrapeOptions, context));

const options = z.object({ ...crawlOptionsShape, since: jobId.optional(), zeroDataRetention });
export type CrawlOptions = z.output<typeof options>;
export type StartCrawlBody = z.output<typeof startCrawlBody>;

/** Response of POST /v2/crawl. */
export const startedCrawl = apiResponse({
  id: z.string().describe('The job id of the crawl'),
  url: z.string().nullish().describe('URL for the status of the crawl'),
  promptGeneratedOptions: z.looseObject({}).nullish(),
  finalCrawlerOptions: z.looseObject({}).nullish(),
});

/** Body of POST /v2/batch/scrape: URLs with the options of a scrape. */
export const startBatchBody = requestBody({
  urls: z
    .array(z.string(), { error: 'expected an array of URLs' })
    .min(1, { error: 'expected at least one URL' })
    .max(limits.batchUrls.max, { error: `expected at most ${limits.batchUrls.max} URLs` })
    .describe('Pages to scrape'),
  ...scrapeOptionsShape,
  webhook: webhookConfig
    .optional()
    .describe('URL that receives the events of the batch, or an object with url, headers, metadata and events'),
  appendToId: jobId.optional().describe('Existing batch to add the URLs to'),
  ignoreInvalidURLs: z.boolean().default(true).describe('Skip invalid URLs and list them in invalidURLs'),
  maxConcurrency,
  zeroDataRetention,
}).superRefine((body, context) => {
  checkTimes(body, context);
  checkRetention(body.zeroDataRetention, body, context);
});
export type StartBatchBody = z.output<typeof startBatchBody>;

/** Response of POST /v2/batch/scrape. */
export const startedBatch = apiResponse({
  id: z.string().describe('The job id of the batch'),
  url: z.string().nullish().describe('URL for the status of the batch'),
  invalidURLs: z.array(z.string()).nullish().describe('Invalid URLs that were skipped'),
});

export const jobStatuses = ['scraping', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** Leaves out pages that are the same as in the crawl that this one repeats. */
export const onlyChanges = z
  .union([z.boolean(), z.stringbool()], { error: 'expected true or false' })
  .optional()
  .describe(
    'For a crawl with `since`: only pages that are new, changed or removed. Accepted by the embedded service only',
  );

export const jobStatusQuery = z.object({
  skip: queryNumber({ min: 0, max: 999_999_999 }).optional().describe('Number of documents to skip'),
  limit: queryNumber(limits.documentsPage)
    .optional()
    .describe(`Maximum number of documents in the response, default ${limits.documentsPage.default}`),
  onlyChanges,
});

/** The status of a crawl or batch, with a page of its documents. */
export const jobState = apiResponse({
  status: z.string().describe(`One of ${jobStatuses.join(', ')}`),
  completed: z.number().nullish().describe('Number of pages that are done'),
  total: z.number().nullish().describe('Number of pages found so far'),
  readAs: responseBody({ fetched: z.number(), rendered: z.number() })
    .nullish()
    .describe('How the pages that are done were read; not in the specification'),
  warned: z
    .int()
    .nullish()
    .describe(
      'Number of pages that are done and have a `warning`, such as one about missing content; not in the specification',
    ),
  creditsUsed: z.number().nullish().describe('Credits used so far'),
  createdAt: dateTime.nullish().describe('When the job was started'),
  completedAt: dateTime.nullish().describe('When the job ended'),
  expiresAt: dateTime.nullish().describe('When the job and its documents are deleted'),
  duration: z.number().nullish().describe('Seconds from the start of the job to its end, or to now'),
  next: z.string().nullish().describe('URL of the next page of documents; absent when there are no more'),
  data: z.array(document).describe('A page of the documents of the job'),
  error: z.string().nullish().describe('Why the job failed'),
  warning: z.string().nullish().describe('Problems that did not fail the job'),
  changes: ownField(
    responseBody({ new: z.int(), same: z.int(), changed: z.int(), removed: z.int() }),
    'Number of pages that are done, by how they differ from the crawl in `since`',
  ),
  readForLinks: ownField(
    z.int(),
    'Number of pages that includePaths leaves out and that were read only for their links',
  ),
  pageLimit: ownField(z.int(), 'Maximum number of pages of a crawl'),
  redirectedTo: ownField(z.string(), 'Where the start URL of a crawl redirected to'),
  leftOut: ownField(
    z.array(leftOutPages),
    'Pages that the crawl found and left out, by reason: with the first documents of a crawl that has ended',
  ),
});
export type JobState = z.output<typeof jobState>;

/** Response of DELETE on a crawl or batch. */
export const cancelledJob = apiResponse({ status: z.string() });

/** Where a crawl finds pages besides on other pages. */
export const foundInPlaces = ['start', 'sitemap', 'llmsTxt', 'feed', 'earlier'] as const;
export type FoundIn = (typeof foundInPlaces)[number];

/** Where a crawl found a page first. */
export const pageFinding = {
  linkedFrom: ownField(z.string(), 'URL of the page on which the crawl found it first'),
  foundIn: ownField(z.string(), `Where the crawl found it first, if not on a page: one of ${foundInPlaces.join(', ')}`),
};

/** The pages of a crawl or batch that failed, and the URLs that robots.txt disallows. */
export const jobErrors = apiResponse({
  errors: z.array(
    responseBody({
      id: z.string(),
      timestamp: dateTime.nullish(),
      url: z.string(),
      code: z.string().nullish(),
      error: z.string(),
      ...pageFinding,
    }),
  ),
  robotsBlocked: z.array(z.string()).describe('URLs that robots.txt disallows'),
});
export type JobErrors = z.output<typeof jobErrors>;

/** Why a map ended: nothing was left to read, or `limit`, `readPages` or the timeout was reached. */
export const mapEnds = ['complete', 'limit', 'readPages', 'timeout'] as const;
export type MapEnd = (typeof mapEnds)[number];

/** Body of POST /v2/map. */
export const mapBody = requestBody({
  url: webUrl.describe('Site to map'),
  search: characters({ max: 1_000 }).optional().describe('Words that describe the URLs to find'),
  sitemap: sitemap.default('include'),
  includeSubdomains: z.boolean().default(true).describe('Include URLs of subdomains'),
  ignoreQueryParameters: z.boolean().default(false).describe('Treat URLs that differ only in their query as one'),
  ignoreCache: z.boolean().optional().describe('Do not use cached sitemaps'),
  limit: wholeNumber(limits.mapLinks).default(limits.mapLinks.default).describe('Maximum number of URLs to list'),
  timeout: wholeNumber({ min: 1, max: limits.scrapeTimeout.max }, 'milliseconds')
    .optional()
    .describe('Timeout in milliseconds'),
  location: scrapeOptionsShape.location,
  headers: scrapeOptionsShape.headers,
  waitFor: scrapeOptionsShape.waitFor,
  profile: scrapeOptionsShape.profile.describe('Browser profile; nothing is saved to it'),
  fastMode: scrapeOptionsShape.fastMode,
  readPages: wholeNumber(limits.mapReads)
    .default(limits.mapReads.default)
    .describe('Maximum number of pages that are read for their links. Accepted by the embedded service only'),
});
export type MapBody = z.output<typeof mapBody>;

/** Response of POST /v2/map. */
export const siteMap = apiResponse({
  id: z.string().nullish(),
  links: z.array(responseBody({ url: z.string(), title: z.string().nullish(), description: z.string().nullish() })),
  warning: z.string().nullish(),
  read: ownField(
    responseBody({
      sitemaps: z.int().describe('Sitemaps'),
      files: z.array(z.string()).nullish().describe('URLs of llms.txt and llms-full.txt, if they list pages'),
      pages: z.int().describe('Pages that were read for their links, including the given one'),
    }),
    'What was read to find the URLs',
  ),
  stopped: ownField(z.string(), `Why the map ended: ${mapEnds.join(', ')}`),
  startInstead: ownField(z.string(), 'If only the given page was found: the folder to map to get the pages beside it'),
});
export type SiteMap = z.output<typeof siteMap>;
