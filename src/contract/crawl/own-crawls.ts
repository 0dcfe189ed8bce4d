import * as z from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { jobId, ownResponse, requestBody, wholeNumber } from '../fields.ts';
import { limits } from '../limits.ts';
import { webUrl } from '../scrape/scrape.ts';
import { crawlOptionsShape } from './crawl-jobs.ts';
import { leftOutPages } from './left-out.ts';

/** The calls about crawls that only the embedded service has. */
export const ownCrawlEndpoints = {
  continueCrawl: endpoint('POST', '/embedded/crawl/:jobId/continue', {
    summary: 'Continue a crawl that reached its limit, with a higher one',
    params: z.object({ jobId: jobId.describe('A crawl that has completed') }),
    body: requestBody({
      limit: wholeNumber(limits.crawlPages)
        .optional()
        .describe('The new limit of pages in total; by default twice the old one'),
    }),
    response: ownResponse({ id: z.string(), limit: z.int() }),
    errors: {
      402: 'No credits left',
      403: 'The crawl belongs to a different team',
      404: 'The crawl was not found or has expired',
      409: 'The crawl has not completed, or found no more pages',
    },
  }),
  repeatCrawl: endpoint('POST', '/embedded/crawl/:jobId/repeat', {
    summary: 'Crawl a site again with the same options, and compare its pages with the earlier crawl',
    params: z.object({ jobId: jobId.describe('A crawl that has ended') }),
    body: requestBody({}),
    response: ownResponse({
      id: z.string().describe('The job id of the new crawl'),
      url: z.string().describe('The URL that it starts from'),
    }),
    errors: {
      400: 'The crawl is still running, or compares pages with the format changeTracking',
      402: 'No credits left',
      403: 'The crawl belongs to a different team',
      404: 'The crawl was not found or has expired',
    },
  }),
  estimateCrawl: endpoint('POST', '/embedded/crawl-estimate', {
    summary: 'Estimate what a crawl would get, from the sitemaps of its site and a few of its lists',
    body: requestBody({
      url: webUrl.describe('URL to start from'),
      ...crawlOptionsShape,
      lookAgain: z
        .boolean()
        .optional()
        .describe('Read the site again. By default, what was read of it in the last ten minutes is used'),
    }),
    response: ownResponse({
      found: z.int().describe('Number of pages that were found on the site'),
      matches: z.int().describe('Number of those that the crawl would get'),
      examples: z.array(z.string()).describe('URLs of some that it would get'),
      leftOut: z.array(leftOutPages).describe('Those that it would leave out, by reason'),
      listed: leftOutPages
        .nullish()
        .describe('The pages left out that most of the matching pages only list. Sent if these seem to be lists'),
      complete: z.boolean().describe('Whether nothing was left to read'),
      redirectedTo: z.string().nullish().describe('Where the start URL redirects to, if it does'),
    }),
    errors: { 402: 'No credits left', 403: 'The address is blocked', 500: 'The site could not be read' },
    respondsWithin: 60,
  }),
} as const;
