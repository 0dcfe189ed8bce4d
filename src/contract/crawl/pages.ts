import * as z from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { characters, jobId, ownResponse, queryNumber, requestBody, responseBody } from '../fields.ts';
import { limits } from '../limits.ts';
import { changeStatuses, changeTracking } from '../scrape/change-tracking.ts';
import { documentMetadata } from '../scrape/scrape.ts';
import { onlyChanges, pageFinding } from './crawl-jobs.ts';
import { pageLimits } from './page-limits.ts';

export const pageOutcomes = ['ok', 'failed', 'blocked'] as const;
export type PageOutcome = (typeof pageOutcomes)[number];

/** A page of a crawl or batch. `GET /v2/scrape/{id}` returns its document. */
export const jobPage = responseBody({
  order: z.int().describe('Position in the job, from 1, in the order in which the pages were stored'),
  id: z.string().nullish().describe('Scrape id of the document; missing if the page has none'),
  url: z.string().describe('URL of the page, after redirects'),
  title: z.string().nullish().describe("The page's title"),
  statusCode: z.int().nullish().describe('HTTP status of the response'),
  ...documentMetadata.pick({ readAs: true, readBecause: true }).shape,
  warning: z.string().nullish().describe('What is missing from its document'),
  state: z.string().describe(`One of ${pageOutcomes.join(', ')}; blocked: by robots.txt`),
  code: z.string().nullish().describe('Error code of a page that failed'),
  reason: z.string().nullish().describe('Why the page failed, is blocked or was removed'),
  ...pageFinding,
  changeStatus: changeTracking.shape.changeStatus
    .nullish()
    .describe(`How it differs from the crawl in \`since\`: one of ${changeStatuses.join(', ')}`),
});
export type JobPage = z.output<typeof jobPage>;

const pageCounts = {
  pageCount: z.int().describe('Number of pages in any state'),
  failedCount: z.int().describe('Number of pages that failed'),
  blockedCount: z.int().describe('Number of pages that robots.txt disallows'),
};

/** A folder of pages: all URLs that start with its prefix. */
export const pageFolder = responseBody({
  prefix: z.string().describe('URL prefix that ends with a slash'),
  name: z.string().describe('The prefix below the listed folder, such as "guide" or "en/guide"'),
  ...pageCounts,
});
export type PageFolder = z.output<typeof pageFolder>;

/** A line of a page that matches a search. */
export const pageMatch = responseBody({
  line: z.int().describe("Line of the page's Markdown, from 1"),
  column: z.int().describe('Column of the match in the line, from 1, in UTF-16 code units'),
  length: z.int().describe('Length of the match in UTF-16 code units'),
  text: z.string().describe('The line, cut around the match if it is long'),
  textColumn: z.int().describe('Column of the match in `text`, from 1'),
});
export type PageMatch = z.output<typeof pageMatch>;

/** A page that matches a search. */
export const foundPage = responseBody({
  jobId: z.string().describe('The crawl or batch that the page belongs to'),
  page: jobPage,
  matches: z.array(pageMatch).describe('Matching lines, in order; none if only the title or the URL matches'),
  moreMatches: z.boolean().describe('Whether more lines match than are listed'),
});
export type FoundPage = z.output<typeof foundPage>;

const cursor = {
  query: z.string().max(4096).optional().describe('The cursor of the previous response'),
  response: z.string().nullable().describe('The cursor of the next page of results; null on the last one'),
};
const listed = queryNumber(pageLimits.listed)
  .optional()
  .describe(`Results per response, ${pageLimits.listed.default} by default`);
const folder = z.string().max(limits.url).regex(/\/$/, { error: 'expected a URL prefix that ends with a slash' });
const params = z.object({ jobId: jobId.describe('A crawl or batch') });
const errors = {
  403: 'The job belongs to a different team',
  404: 'The job was not found or has expired',
} as const;

/** The calls about the pages of crawls and batches, offered by the embedded service only. */
export const pageEndpoints = {
  listPages: endpoint('GET', '/embedded/jobs/:jobId/pages', {
    summary: 'List the pages of a crawl or batch',
    params,
    query: z.object({
      folder: folder
        .optional()
        .describe('Only pages whose URLs start with this prefix, ordered by URL; numbers in URLs are ordered by value'),
      url: z.string().max(limits.url).optional().describe('Only the page with this URL, before or after redirects'),
      state: z
        .enum(pageOutcomes, { error: `expected one of ${pageOutcomes.join(', ')}` })
        .optional()
        .describe('Only pages with this state'),
      onlyChanges,
      cursor: cursor.query,
      limit: listed,
    }),
    response: ownResponse({ pages: z.array(jobPage), cursor: cursor.response }),
    errors,
  }),
  findPages: endpoint('POST', '/embedded/jobs/:jobId/find', {
    summary: 'Look up which URLs are pages of a crawl or batch',
    params,
    body: requestBody({
      urls: z
        .array(z.string().max(pageLimits.lookedUp.length))
        .min(pageLimits.lookedUp.min)
        .max(pageLimits.lookedUp.max)
        .describe('URLs of pages, before or after redirects'),
    }),
    response: ownResponse({
      found: z
        .array(responseBody({ url: z.string(), page: jobPage }))
        .describe('The URLs that are pages of the job, as they were sent, with their pages'),
    }),
    errors,
  }),
  listPageFolder: endpoint('GET', '/embedded/jobs/:jobId/folder', {
    summary: 'List the folders and pages directly in a folder of a crawl or batch',
    params,
    query: z.object({
      folder: folder.optional().describe('Prefix of the folder; the top folder by default'),
      cursor: cursor.query,
      limit: listed,
    }),
    response: ownResponse({
      folder: z
        .string()
        .describe('Prefix of the listed folder; for the top folder, the longest prefix that all pages share'),
      folders: z.array(pageFolder).describe('Folders that contain more than one page'),
      pages: z.array(jobPage).describe('Pages in the folder, and the page of each subfolder that has only one'),
      cursor: cursor.response,
      ...pageCounts,
    }),
    errors,
  }),
  searchPages: endpoint('GET', '/embedded/page-search', {
    summary: 'Search the text of the pages of a crawl or batch, or of all of them',
    query: z.object({
      query: characters(pageLimits.query).describe(
        'Words that a page must contain; the last one can be the start of a word, and "words in quotes" must be adjacent',
      ),
      jobId: jobId.optional().describe('The crawl or batch to search; all of them by default'),
      onlyChanges,
      cursor: cursor.query,
      limit: queryNumber(pageLimits.found)
        .optional()
        .describe(`Pages per response, ${pageLimits.found.default} by default`),
    }),
    response: ownResponse({
      results: z.array(foundPage).describe('Matching pages, best first'),
      total: z.int().describe('Number of matching pages'),
      cursor: cursor.response,
      indexed: responseBody({ pages: z.int(), total: z.int() }).describe(
        'Number of pages searched so far, and of all pages. If they differ, indexing is still in progress: search again.',
      ),
    }),
    errors,
  }),
} as const;
