import * as z from 'zod';
import { characters, dateTime, jobId, queryNumber, requestBody, responseBody, wholeNumber } from './fields.ts';
import { limits } from './limits.ts';
import { checkTimes, document, scrapeOptions, scrapeOptionsShape, webUrl } from './scrape.ts';
import { webhookConfig } from './webhooks.ts';

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

const zeroDataRetention = z
  .literal(false, { error: 'zeroDataRetention is not offered: documents are kept on this machine for a day' })
  .optional();
const maxConcurrency = wholeNumber(limits.pagesAtATime).optional().meta({ description: 'Pages fetched at a time' });

/** The options of a crawl, none of them with a default: what is left out may be filled in by a prompt (specification, "Generated crawl parameters"). */
export const crawlOptionsShape = {
  includePaths: patterns.optional().meta({ description: 'Regexes of pathnames; only pages that match one are kept' }),
  excludePaths: patterns.optional().meta({ description: 'Regexes of pathnames; pages that match one are left out' }),
  regexOnFullURL: z.boolean().optional().meta({ description: 'Match the patterns against the whole URL' }),
  maxDepth: depth.optional().meta({ description: 'Path segments that a page may lie below the start URL' }),
  maxDiscoveryDepth: depth
    .optional()
    .meta({ description: 'Links that a page may be away from the start URL or a sitemap' }),
  crawlEntireDomain: z
    .boolean()
    .optional()
    .meta({ description: 'Crawl the whole domain, not only below the path of the start URL; default false' }),
  allowExternalLinks: z.boolean().optional().meta({ description: 'Follow links to other websites; default false' }),
  allowSubdomains: z.boolean().optional().meta({ description: 'Follow links to subdomains; default false' }),
  sitemap: sitemap.optional().meta({ description: 'Whether pages are found by the sitemap too; default include' }),
  ignoreQueryParameters: z.boolean().optional().meta({ description: 'Take URLs that differ in their query for one' }),
  ignoreRobotsTxt: z.boolean().optional().meta({ description: 'Do not follow robots.txt; default false' }),
  robotsUserAgent: characters({ min: 1, max: 200 })
    .optional()
    .meta({ description: 'User agent whose rules in robots.txt are followed' }),
  deduplicateSimilarURLs: z
    .boolean()
    .optional()
    .meta({ description: 'Default true: www or not, http or https, a trailing slash or index page are one' }),
  delay: z
    .number({ error: `expected seconds from ${limits.crawlDelay.min} to ${limits.crawlDelay.max}` })
    .min(limits.crawlDelay.min)
    .max(limits.crawlDelay.max)
    .optional()
    .meta({ description: 'Seconds between two requests to a host' }),
  limit: wholeNumber(limits.crawlPages)
    .optional()
    .meta({ description: `Pages fetched at most, default ${limits.crawlPages.default}` }),
  maxConcurrency,
} as const;

/** Body of POST /v2/crawl. */
export const startCrawlBody = requestBody({
  url: webUrl.meta({ description: 'Where the crawl starts' }),
  ...crawlOptionsShape,
  prompt: characters(limits.crawlPrompt)
    .optional()
    .meta({ description: 'Options in a sentence; those given as fields come first' }),
  scrapeOptions: scrapeOptions.prefault({}).meta({ description: 'How each page is scraped' }),
  webhook: webhookConfig.optional().meta({
    description: 'URL that events of the crawl are sent to, or an object of url, headers, metadata and events',
  }),
  zeroDataRetention,
});

const options = z.object(crawlOptionsShape);
export type CrawlOptions = z.output<typeof options>;
export type StartCrawlBody = z.output<typeof startCrawlBody>;

/** Answer of POST /v2/crawl. */
export const startedCrawl = responseBody({
  success: z.boolean().optional(),
  id: z.string().meta({ description: 'The job id of the crawl' }),
  url: z.string().nullish().meta({ description: 'Where the state of the crawl is asked for' }),
  promptGeneratedOptions: z.looseObject({}).nullish(),
  finalCrawlerOptions: z.looseObject({}).nullish(),
});

/** Body of POST /v2/batch/scrape: a scrape's options beside the URLs. */
export const startBatchBody = requestBody({
  urls: z
    .array(z.string(), { error: 'expected an array of URLs' })
    .min(1, { error: 'expected at least one URL' })
    .max(limits.batchUrls.max, { error: `expected at most ${limits.batchUrls.max} URLs` })
    .meta({ description: 'Pages to scrape' }),
  ...scrapeOptionsShape,
  webhook: webhookConfig.optional().meta({
    description: 'URL that events of the batch are sent to, or an object of url, headers, metadata and events',
  }),
  appendToId: jobId.optional().meta({ description: 'Batch that the URLs are added to' }),
  ignoreInvalidURLs: z.boolean().default(true).meta({ description: 'Leave out what is no URL, and name it' }),
  maxConcurrency,
  zeroDataRetention,
}).superRefine(checkTimes);
export type StartBatchBody = z.output<typeof startBatchBody>;

/** Answer of POST /v2/batch/scrape. */
export const startedBatch = responseBody({
  success: z.boolean().optional(),
  id: z.string().meta({ description: 'The job id of the batch' }),
  url: z.string().nullish().meta({ description: 'Where the state of the batch is asked for' }),
  invalidURLs: z.array(z.string()).nullish().meta({ description: 'What was left out because it is no URL' }),
});

export const jobStatuses = ['scraping', 'completed', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const jobStatusQuery = z.object({
  skip: queryNumber({ min: 0, max: 999_999_999 }).optional().meta({ description: 'Documents to pass over' }),
  limit: queryNumber(limits.documentsPage)
    .optional()
    .meta({ description: `Documents of one answer, default ${limits.documentsPage.default}` }),
});

/** State of a crawl or batch with a page of its documents. */
export const jobState = responseBody({
  success: z.boolean().optional(),
  status: z.string().meta({ description: `One of ${jobStatuses.join(', ')}` }),
  completed: z.number().nullish().meta({ description: 'Pages that are done' }),
  total: z.number().nullish().meta({ description: 'Pages that are known so far' }),
  creditsUsed: z.number().nullish().meta({ description: 'Credits that the job cost so far' }),
  createdAt: dateTime.nullish().meta({ description: 'When the job was started' }),
  completedAt: dateTime.nullish().meta({ description: 'When the job ended' }),
  expiresAt: dateTime.nullish().meta({ description: 'Until when the job can be asked for' }),
  duration: z.number().nullish().meta({ description: 'Seconds from its start to its end, or to now' }),
  next: z.string().nullish().meta({ description: 'Where the next documents are; only while there are any unread' }),
  data: z.array(document).meta({ description: 'Documents of the job, a page of them' }),
  error: z.string().nullish().meta({ description: 'Why the job failed' }),
  warning: z.string().nullish().meta({ description: 'What a person should know of how it went' }),
});
export type JobState = z.output<typeof jobState>;

/** Answer of DELETE on a crawl or batch. */
export const cancelledJob = responseBody({ success: z.boolean().optional(), status: z.string() });

/** What failed in a crawl or batch, and what robots.txt forbade. */
export const jobErrors = responseBody({
  errors: z.array(
    responseBody({
      id: z.string(),
      timestamp: dateTime.nullish(),
      url: z.string(),
      code: z.string().nullish(),
      error: z.string(),
    }),
  ),
  robotsBlocked: z.array(z.string()).meta({ description: 'URLs that robots.txt forbids' }),
});
export type JobErrors = z.output<typeof jobErrors>;

/** Body of POST /v2/map. */
export const mapBody = requestBody({
  url: webUrl.meta({ description: 'Site to map' }),
  search: characters({ max: 1_000 }).optional().meta({ description: 'Words that the wanted URLs are about' }),
  sitemap: sitemap.default('include'),
  includeSubdomains: z.boolean().default(true).meta({ description: 'List URLs of subdomains too' }),
  ignoreQueryParameters: z
    .boolean()
    .default(true)
    .meta({ description: 'Take URLs that differ in their query for one' }),
  ignoreCache: z.boolean().optional().meta({ description: 'Use no sitemap that was kept' }),
  limit: wholeNumber(limits.mapLinks).default(limits.mapLinks.default).meta({ description: 'URLs listed at most' }),
  timeout: wholeNumber(limits.scrapeTimeout, 'milliseconds')
    .optional()
    .meta({ description: 'Milliseconds that the map may take' }),
  location: scrapeOptionsShape.location,
});
export type MapBody = z.output<typeof mapBody>;

/** Answer of POST /v2/map. */
export const siteMap = responseBody({
  success: z.boolean().optional(),
  id: z.string().nullish(),
  links: z.array(responseBody({ url: z.string(), title: z.string().nullish(), description: z.string().nullish() })),
  warning: z.string().nullish(),
});
export type SiteMap = z.output<typeof siteMap>;
