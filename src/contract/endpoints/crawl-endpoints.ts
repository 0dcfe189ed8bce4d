import * as crawl from '../crawl/crawl.ts';
import * as jobs from '../crawl/crawl-jobs.ts';
import { limits } from '../limits.ts';
import { endpoint, jobParams, othersJob } from './endpoint.ts';

/** The calls about a job that was started. */
function jobCalls(noun: 'Crawl' | 'Batch', path: string) {
  const name = noun.toLowerCase();
  const errors = { 403: othersJob, 404: `${noun} not found or expired` };
  return {
    get: endpoint('GET', path, {
      summary: `Get the status of a ${name} and a page of its documents`,
      params: jobParams,
      query: jobs.jobStatusQuery,
      response: jobs.jobState,
      errors,
    }),
    cancel: endpoint('DELETE', path, {
      summary: `Cancel a ${name}`,
      params: jobParams,
      response: jobs.cancelledJob,
      errors: { 403: othersJob, 404: `${noun} not found`, 409: `The ${name} has already ended` },
    }),
    errors: endpoint('GET', `${path}/errors`, {
      summary: `List the pages of a ${name} that failed${noun === 'Crawl' ? ' or were disallowed' : ''}`,
      params: jobParams,
      response: jobs.jobErrors,
      errors,
    }),
  };
}
const crawlCalls = jobCalls('Crawl', '/v2/crawl/:jobId');
const batchCalls = jobCalls('Batch', '/v2/batch/scrape/:jobId');

/** Crawls, batches and maps. */
export const crawlEndpoints = {
  startCrawl: endpoint('POST', '/v2/crawl', {
    summary: 'Crawl a site',
    body: jobs.startCrawlBody,
    response: jobs.startedCrawl,
    errors: {
      402: 'No credits left',
      403: 'The address is blocked',
      409: 'The idempotency key was already used',
    },
    respondsWithin: 120,
  }),
  getCrawl: crawlCalls.get,
  cancelCrawl: crawlCalls.cancel,
  getCrawlErrors: crawlCalls.errors,
  previewCrawlParameters: endpoint('POST', '/v2/crawl/params-preview', {
    summary: 'Generate crawl parameters from a prompt',
    body: crawl.previewBody,
    response: crawl.crawlPreview,
    respondsWithin: 120,
  }),
  listActiveCrawls: endpoint('GET', '/v2/crawl/active', {
    aliases: ['/v2/crawl/ongoing'],
    summary: 'List the crawls that are running',
    response: crawl.activeCrawls,
  }),
  startBatchScrape: endpoint('POST', '/v2/batch/scrape', {
    summary: 'Scrape many pages',
    body: jobs.startBatchBody,
    bodyLimit: limits.batchBody,
    response: jobs.startedBatch,
    errors: {
      402: 'No credits left',
      403: othersJob,
      404: 'The batch to add to was not found',
      409: 'The batch to add to has ended, or the idempotency key was already used',
    },
  }),
  getBatchScrape: batchCalls.get,
  cancelBatchScrape: batchCalls.cancel,
  getBatchScrapeErrors: batchCalls.errors,
  mapSite: endpoint('POST', '/v2/map', {
    summary: 'List the URLs of a site',
    body: jobs.mapBody,
    response: jobs.siteMap,
    errors: { 402: 'No credits left', 403: 'The address is blocked', 408: 'The timeout expired' },
    respondsWithin: limits.scrapeTimeout.max / 1000 + 15,
  }),
} as const;
