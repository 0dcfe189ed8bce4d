import * as z from 'zod';
import * as crawl from './crawl.ts';
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
const jobParams = z.object({ jobId: jobId.meta({ description: 'The scrape job' }) });

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
