import * as z from 'zod';
import * as crawl from './crawl.ts';
import * as jobs from './crawl-jobs.ts';
import * as docsSearch from './docs-search.ts';
import * as execution from './execution.ts';
import { jobId, responseBody } from './fields.ts';
import { limits } from './limits.ts';
import * as scrape from './scrape.ts';
import * as sessions from './sessions.ts';
import * as team from './team.ts';

/** One call of the service: all that a client, a route, OpenAPI and the reference tables need to know of it. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path with `:name` parameters. */
  path: string;
  /** Other paths that answer the same. */
  aliases?: readonly string[];
  summary: string;
  /** Heading of the specification. */
  section: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  response: z.ZodType;
  /** Status -> when it is answered. 400, 401 and 413/415 are the same everywhere and not repeated. */
  errors: Readonly<Record<number, string>>;
  /** Seconds the server may rightly take to answer; 60 where it is left out. */
  answersWithin?: number | 'run timeout';
}

function endpoint<const Entry extends Endpoint>(entry: Entry): Entry {
  return entry;
}

const noBrowser = 'No Chrome to run it in, or what the language needs is missing; the message says what to do';
const othersJob = 'The job belongs to a different team';
const notHere = { 501: 'Not offered by the embedded service' };
const jobParams = z.object({ jobId: jobId.meta({ description: 'The id that was answered when the job was started' }) });

/** The one table of calls that any server of the web data API may be asked. */
export const endpoints = {
  createBrowserSession: endpoint({
    method: 'POST',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'Create a browser session',
    section: 'POST /v2/browser',
    body: sessions.createSessionBody,
    response: sessions.createdSession,
    errors: {
      402: 'Not enough credits for the whole ttl',
      409: 'Another session is writing to this profile',
      429: 'The limit of concurrent sessions is reached',
      502: 'The browser did not start',
      503: noBrowser,
    },
    answersWithin: 90,
  }),
  listBrowserSessions: endpoint({
    method: 'GET',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'List browser sessions, newest first',
    section: 'GET /v2/browser',
    query: sessions.listSessionsQuery,
    response: sessions.sessionList,
    errors: {},
  }),
  executeInBrowserSession: endpoint({
    method: 'POST',
    path: '/v2/browser/:sessionId/execute',
    aliases: ['/v2/interact/:sessionId/execute'],
    summary: 'Run code in a browser session',
    section: 'POST /v2/browser/{sessionId}/execute',
    params: sessions.sessionParams,
    body: execution.executeBody,
    response: execution.executionResult,
    errors: {
      403: 'The session belongs to another team',
      404: 'No such session',
      410: 'The session was destroyed',
      503: noBrowser,
    },
    answersWithin: 'run timeout',
  }),
  deleteBrowserSession: endpoint({
    method: 'DELETE',
    path: '/v2/browser/:sessionId',
    aliases: ['/v2/interact/:sessionId'],
    summary: 'Destroy a browser session',
    section: 'DELETE /v2/browser/{sessionId}',
    params: sessions.sessionParams,
    response: sessions.deletedSession,
    errors: { 403: 'The session belongs to another team', 404: 'No such session' },
  }),
  deleteBrowserSessionByBody: endpoint({
    method: 'DELETE',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'Destroy the browser session named in the body',
    section: 'DELETE /v2/browser/{sessionId}',
    body: sessions.deleteSessionBody,
    response: sessions.deletedSession,
    errors: { 403: 'The session belongs to another team', 404: 'No such session' },
  }),
  scrape: endpoint({
    method: 'POST',
    path: '/v2/scrape',
    summary: 'Scrape a page, in the formats asked for',
    section: 'Scrape',
    body: scrape.scrapeBody,
    response: scrape.scrapeResult,
    errors: {
      402: 'Not enough credits for the page',
      404: 'The page is not in the store, and nothing else was allowed',
      408: 'The page was not there within the timeout',
      500: 'The page could not be scraped; the code says why',
      503: 'No Chrome to render it in, or no language model for json; the message says what to do',
    },
    answersWithin: limits.scrapeTimeout.max / 1000 + 15,
  }),
  getScrape: endpoint({
    method: 'GET',
    path: '/v2/scrape/:jobId',
    summary: 'Get the document of an earlier scrape',
    section: 'GET /v2/team/activity',
    params: jobParams,
    response: scrape.scrapeResult,
    errors: { 403: 'The scrape belongs to a different team', 404: 'No such scrape' },
  }),
  interactWithScrape: endpoint({
    method: 'POST',
    path: '/v2/scrape/:jobId/interact',
    summary: 'Go on with the page of a scrape, by code or by a prompt',
    section: 'POST /v2/scrape/{jobId}/interact',
    params: jobParams,
    body: execution.interactBody,
    response: execution.interactionResult,
    errors: {
      402: 'Insufficient credits for a browser session',
      403: 'The scrape job belongs to a different team',
      404: 'Scrape job not found',
      409: 'Replay context unavailable; rerun the scrape and try again',
      410: 'The browser session was already destroyed',
      429: 'Maximum concurrent browser sessions reached',
      502: 'The browser service or the agent did not start',
      503: 'No browser or no language model is configured',
    },
    answersWithin: 'run timeout',
  }),
  stopInteraction: endpoint({
    method: 'DELETE',
    path: '/v2/scrape/:jobId/interact',
    summary: 'Stop the browser session of a scrape',
    section: 'DELETE /v2/scrape/{jobId}/interact',
    params: jobParams,
    response: responseBody({
      success: z.boolean().optional(),
      sessionDurationMs: z.number().nullish(),
      creditsBilled: z.number().nullish(),
    }),
    errors: { 403: 'The scrape job belongs to a different team', 404: 'No interaction was begun on this job' },
  }),
  startCrawl: endpoint({
    method: 'POST',
    path: '/v2/crawl',
    summary: 'Crawl a site',
    section: 'Crawl',
    body: jobs.startCrawlBody,
    response: jobs.startedCrawl,
    errors: {
      402: 'No credits left',
      403: 'The address may not be asked from here',
      409: 'The idempotency key was used before',
    },
    answersWithin: 120,
  }),
  getCrawl: endpoint({
    method: 'GET',
    path: '/v2/crawl/:jobId',
    summary: 'Get the state of a crawl and a page of its documents',
    section: 'GET /v2/team/activity',
    params: jobParams,
    query: jobs.jobStatusQuery,
    response: jobs.jobState,
    errors: { 403: othersJob, 404: 'No such crawl, or it expired' },
  }),
  cancelCrawl: endpoint({
    method: 'DELETE',
    path: '/v2/crawl/:jobId',
    summary: 'Cancel a crawl',
    section: 'Crawl',
    params: jobParams,
    response: jobs.cancelledJob,
    errors: { 403: othersJob, 404: 'No such crawl', 409: 'The crawl is over already' },
  }),
  getCrawlErrors: endpoint({
    method: 'GET',
    path: '/v2/crawl/:jobId/errors',
    summary: 'List the pages of a crawl that failed or were forbidden',
    section: 'Crawl',
    params: jobParams,
    response: jobs.jobErrors,
    errors: { 403: othersJob, 404: 'No such crawl, or it expired' },
  }),
  previewCrawlParameters: endpoint({
    method: 'POST',
    path: '/v2/crawl/params-preview',
    summary: 'Make crawl parameters from a sentence',
    section: 'POST /v2/crawl/params-preview',
    body: crawl.previewBody,
    response: crawl.crawlPreview,
    errors: {},
    answersWithin: 120,
  }),
  listActiveCrawls: endpoint({
    method: 'GET',
    path: '/v2/crawl/active',
    aliases: ['/v2/crawl/ongoing'],
    summary: 'List the crawls that are running',
    section: 'GET /v2/crawl/active',
    response: crawl.activeCrawls,
    errors: {},
  }),
  startBatchScrape: endpoint({
    method: 'POST',
    path: '/v2/batch/scrape',
    summary: 'Scrape many pages',
    section: 'Scrape',
    body: jobs.startBatchBody,
    response: jobs.startedBatch,
    errors: {
      402: 'No credits left',
      403: othersJob,
      404: 'No such batch to add to',
      409: 'The batch to add to is over, or the idempotency key was used before',
    },
  }),
  getBatchScrape: endpoint({
    method: 'GET',
    path: '/v2/batch/scrape/:jobId',
    summary: 'Get the state of a batch and a page of its documents',
    section: 'GET /v2/team/activity',
    params: jobParams,
    query: jobs.jobStatusQuery,
    response: jobs.jobState,
    errors: { 403: othersJob, 404: 'No such batch, or it expired' },
  }),
  cancelBatchScrape: endpoint({
    method: 'DELETE',
    path: '/v2/batch/scrape/:jobId',
    summary: 'Cancel a batch',
    section: 'Scrape',
    params: jobParams,
    response: jobs.cancelledJob,
    errors: { 403: othersJob, 404: 'No such batch', 409: 'The batch is over already' },
  }),
  getBatchScrapeErrors: endpoint({
    method: 'GET',
    path: '/v2/batch/scrape/:jobId/errors',
    summary: 'List the pages of a batch that failed',
    section: 'Scrape',
    params: jobParams,
    response: jobs.jobErrors,
    errors: { 403: othersJob, 404: 'No such batch, or it expired' },
  }),
  mapSite: endpoint({
    method: 'POST',
    path: '/v2/map',
    summary: 'List the URLs of a site',
    section: 'Map',
    body: jobs.mapBody,
    response: jobs.siteMap,
    errors: { 402: 'No credits left', 403: 'The address may not be asked from here', 408: 'The timeout passed' },
    answersWithin: limits.scrapeTimeout.max / 1000 + 15,
  }),
  parseFile: endpoint({
    method: 'POST',
    path: '/v2/parse',
    summary: 'Parse an uploaded file',
    section: 'Parse',
    response: responseBody({}),
    errors: notHere,
  }),
  searchWeb: endpoint({
    method: 'POST',
    path: '/v2/search',
    summary: 'Search the web',
    section: 'Search',
    response: responseBody({}),
    errors: notHere,
  }),
  startExtract: endpoint({
    method: 'POST',
    path: '/v2/extract',
    summary: 'Extract data from pages',
    section: 'Agent',
    response: responseBody({}),
    errors: notHere,
  }),
  getExtract: endpoint({
    method: 'GET',
    path: '/v2/extract/:jobId',
    summary: 'Get an extract or agent job',
    section: 'GET /v2/team/activity',
    params: jobParams,
    response: responseBody({ success: z.boolean().optional(), status: z.string().nullish() }),
    errors: { 403: othersJob, 404: 'No such job' },
  }),
  startAgent: endpoint({
    method: 'POST',
    path: '/v2/agent',
    summary: 'Gather web data by an agent',
    section: 'Agent',
    response: responseBody({}),
    errors: notHere,
  }),
  getAgent: endpoint({
    method: 'GET',
    path: '/v2/agent/:jobId',
    summary: 'Get an agent job',
    section: 'GET /v2/team/activity',
    params: jobParams,
    response: responseBody({ success: z.boolean().optional(), status: z.string().nullish() }),
    errors: { 403: othersJob, 404: 'No such job' },
  }),
  listActivity: endpoint({
    method: 'GET',
    path: '/v2/team/activity',
    summary: 'List the requests of the last 24 hours',
    section: 'GET /v2/team/activity',
    query: team.activityQuery,
    response: team.activityPage,
    errors: {},
  }),
  getTokenUsage: endpoint({
    method: 'GET',
    path: '/v2/team/token-usage/historical',
    summary: 'Report token usage month by month',
    section: 'GET /v2/team/token-usage/historical',
    query: team.tokenUsageQuery,
    response: team.tokenUsage,
    errors: {},
  }),
  getCreditUsage: endpoint({
    method: 'GET',
    path: '/v2/team/credit-usage',
    summary: "Report what is left of the month's credits",
    section: 'GET /v2/team/token-usage/historical',
    response: team.creditUsage,
    errors: {},
  }),
  getTokenBalance: endpoint({
    method: 'GET',
    path: '/v2/team/token-usage',
    summary: "Report what is left of the month's tokens",
    section: 'GET /v2/team/token-usage/historical',
    response: team.tokenBalance,
    errors: {},
  }),
  getQueueStatus: endpoint({
    method: 'GET',
    path: '/v2/team/queue-status',
    summary: 'Report how many crawls and batches run',
    section: 'Crawl',
    response: team.queueStatus,
    errors: {},
  }),
  checkConcurrency: endpoint({
    method: 'GET',
    path: '/v2/concurrency-check',
    summary: 'Report how many pages are being fetched',
    section: 'Crawl',
    response: team.concurrency,
    errors: {},
  }),
  searchDocs: endpoint({
    method: 'POST',
    path: '/v2/support/docs-search',
    summary: 'Answer a question from the reference texts',
    section: 'POST /v2/support/docs-search',
    body: docsSearch.docsSearchBody,
    response: docsSearch.docsAnswer,
    errors: { 503: 'No texts to answer from' },
    answersWithin: 65,
  }),
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

type Part<Entry, Key extends 'params' | 'query' | 'body', Side extends 'input' | 'output'> = Entry extends {
  [K in Key]: infer Schema extends z.ZodType;
}
  ? Side extends 'input'
    ? { [K in Key]: z.input<Schema> }
    : { [K in Key]: z.output<Schema> }
  : unknown;

/** What a caller gives: path parameters, query and body, each only where the endpoint has it. */
export type RequestOf<Entry extends Endpoint> = Part<Entry, 'params', 'input'> &
  Partial<Part<Entry, 'query', 'input'>> &
  Part<Entry, 'body', 'input'>;
/** What a route receives: the same, checked and with defaults. */
export type CheckedRequestOf<Entry extends Endpoint> = Part<Entry, 'params', 'output'> &
  Part<Entry, 'query', 'output'> &
  Part<Entry, 'body', 'output'>;
export type ResponseOf<Entry extends Endpoint> = z.output<Entry['response']>;

/** The most steps that a prompt may take: servers apply `timeout` to each. */
const promptSteps = 25;
const longestWaitMs = 30 * 60_000;

/**
 * Milliseconds that a caller should wait for the answer: the server's own limit and a margin for the way.
 * A run may first wait for another one on its session, which its timeout does not count; a server's own default timeout
 * is not known, so a run without one may last as long as the longest.
 */
export function answerLimitMs(entry: Endpoint, body?: unknown): number {
  const marginMs = 15_000;
  if (entry.answersWithin !== 'run timeout') return (entry.answersWithin ?? 60) * 1000 + marginMs;
  const { timeout = limits.runTimeout.max, prompt } = (body ?? {}) as { timeout?: number; prompt?: unknown };
  const runMs = timeout * 1000 * (prompt === undefined ? 1 : promptSteps);
  return Math.min(runMs + limits.runTimeout.max * 1000 + 30_000, longestWaitMs) + marginMs;
}
