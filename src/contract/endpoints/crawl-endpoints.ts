import * as crawl from '../crawl/crawl.ts';
import * as jobs from '../crawl/crawl-jobs.ts';
import { limits } from '../limits.ts';
import { jobParams, othersJob } from './common.ts';
import { endpoint } from './endpoint.ts';

/** Crawls, batches and maps. */
export const crawlEndpoints = {
  startCrawl: endpoint('POST', '/v2/crawl', {
    summary: 'Crawl a site',
    section: 'Crawl',
    body: jobs.startCrawlBody,
    response: jobs.startedCrawl,
    errors: {
      402: 'No credits left',
      403: 'The address is blocked',
      409: 'The idempotency key was already used',
    },
    respondsWithin: 120,
  }),
  getCrawl: endpoint('GET', '/v2/crawl/:jobId', {
    summary: 'Get the status of a crawl and a page of its documents',
    section: 'GET /v2/team/activity',
    params: jobParams,
    query: jobs.jobStatusQuery,
    response: jobs.jobState,
    errors: { 403: othersJob, 404: 'Crawl not found or expired' },
  }),
  cancelCrawl: endpoint('DELETE', '/v2/crawl/:jobId', {
    summary: 'Cancel a crawl',
    section: 'Crawl',
    params: jobParams,
    response: jobs.cancelledJob,
    errors: { 403: othersJob, 404: 'Crawl not found', 409: 'The crawl has already ended' },
  }),
  getCrawlErrors: endpoint('GET', '/v2/crawl/:jobId/errors', {
    summary: 'List the pages of a crawl that failed or were disallowed',
    section: 'Crawl',
    params: jobParams,
    response: jobs.jobErrors,
    errors: { 403: othersJob, 404: 'Crawl not found or expired' },
  }),
  previewCrawlParameters: endpoint('POST', '/v2/crawl/params-preview', {
    summary: 'Generate crawl parameters from a prompt',
    section: 'POST /v2/crawl/params-preview',
    body: crawl.previewBody,
    response: crawl.crawlPreview,
    respondsWithin: 120,
  }),
  listActiveCrawls: endpoint('GET', '/v2/crawl/active', {
    aliases: ['/v2/crawl/ongoing'],
    summary: 'List the crawls that are running',
    section: 'GET /v2/crawl/active',
    response: crawl.activeCrawls,
  }),
  startBatchScrape: endpoint('POST', '/v2/batch/scrape', {
    summary: 'Scrape many pages',
    section: 'Scrape',
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
  getBatchScrape: endpoint('GET', '/v2/batch/scrape/:jobId', {
    summary: 'Get the status of a batch and a page of its documents',
    section: 'GET /v2/team/activity',
    params: jobParams,
    query: jobs.jobStatusQuery,
    response: jobs.jobState,
    errors: { 403: othersJob, 404: 'Batch not found or expired' },
  }),
  cancelBatchScrape: endpoint('DELETE', '/v2/batch/scrape/:jobId', {
    summary: 'Cancel a batch',
    section: 'Scrape',
    params: jobParams,
    response: jobs.cancelledJob,
    errors: { 403: othersJob, 404: 'Batch not found', 409: 'The batch has already ended' },
  }),
  getBatchScrapeErrors: endpoint('GET', '/v2/batch/scrape/:jobId/errors', {
    summary: 'List the pages of a batch that failed',
    section: 'Scrape',
    params: jobParams,
    response: jobs.jobErrors,
    errors: { 403: othersJob, 404: 'Batch not found or expired' },
  }),
  mapSite: endpoint('POST', '/v2/map', {
    summary: 'List the URLs of a site',
    section: 'Map',
    body: jobs.mapBody,
    response: jobs.siteMap,
    errors: { 402: 'No credits left', 403: 'The address is blocked', 408: 'The timeout expired' },
    respondsWithin: limits.scrapeTimeout.max / 1000 + 15,
  }),
} as const;
