import * as z from 'zod';
import { endpoint, jobParams } from '../endpoints/endpoint.ts';
import { apiResponse, dateTime, ownField, queryFlag, queryNumber, requestBody, responseBody } from '../fields.ts';
import { limits } from '../limits.ts';

/** The kinds of request in the activity list (specification, GET /v2/team/activity). */
export const activityEndpoints = [
  'scrape',
  'crawl',
  'batch_scrape',
  'search',
  'extract',
  'llmstxt',
  'deep_research',
  'map',
  'agent',
  'browser',
  'interact',
] as const;
export type ActivityEndpoint = (typeof activityEndpoints)[number];

export const activityQuery = z.object({
  endpoint: z
    .enum(activityEndpoints, { error: `Invalid endpoint filter. Must be one of: ${activityEndpoints.join(', ')}` })
    .optional()
    .describe('Only requests of this kind'),
  limit: queryNumber(limits.activityPage)
    .optional()
    .describe(`Results per page, default ${limits.activityPage.default}`),
  cursor: z.string().max(4096).optional().describe('The cursor of the previous response'),
});
export type ActivityQuery = z.output<typeof activityQuery>;

/** One item of the activity list. Kinds and dates pass through as servers send them. */
export const activityItem = responseBody({
  id: z.string().nullish().describe('Identifier of the job, for the retrieval endpoint of its kind'),
  endpoint: z.string().nullish().describe('Kind of the request, such as scrape or crawl'),
  api_version: z.string().nullish().describe('API version of the request'),
  created_at: dateTime.nullish().describe('When the request was made'),
  target: z.string().nullish().describe('Target of the request: a URL, or words such as a query'),
  status_code: ownField(z.int(), 'HTTP status that the site answered a scrape with'),
});
export const activityPage = apiResponse({
  data: z.array(activityItem),
  cursor: z
    .string()
    .nullish()
    .describe('Pass it as the query parameter cursor to get the next page; null when there are no more results'),
  has_more: z.boolean().nullish().describe('Whether there are more results after this page'),
});

export const usageQuery = z.object({
  byApiKey: queryFlag.optional().describe('Break the usage down by API key'),
});

const period = {
  startDate: z.string().nullish().describe('Start of the period'),
  endDate: z.string().nullish().describe('End of the period, not included'),
  apiKey: z.string().nullish().describe('The API key that the usage is attributed to; only with byApiKey'),
};

/** One month of usage. Servers send `tokensUsed`, the specification names `totalTokens`: clients accept either, the service sends both. */
export const tokenUsagePeriod = responseBody({
  ...period,
  totalTokens: z.number().nullish().describe('Tokens used in the period, across all endpoints'),
  tokensUsed: z.number().nullish().describe('The same as totalTokens, under the name that servers use'),
});

/** One month of credits. */
export const creditUsagePeriod = responseBody({
  ...period,
  creditsUsed: z.number().nullish().describe('Credits used in the period, across all endpoints'),
  totalCredits: z.number().nullish().describe('The same as creditsUsed, as the published API names it'),
});

const balance = {
  billingPeriodStart: dateTime.nullish().describe('Start of the month, UTC'),
  billingPeriodEnd: dateTime.nullish().describe('Start of the next month, UTC'),
};

/** The number of pages being fetched for the team now, and the maximum. */
export const concurrency = apiResponse({
  concurrency: z.number().describe('Number of pages being fetched now'),
  maxConcurrency: z.number().describe('Maximum number of pages fetched at the same time'),
});

export type ActivityItem = z.output<typeof activityItem>;
export type TokenUsagePeriod = z.output<typeof tokenUsagePeriod>;

const said = z.string().max(2000);
const searchFeedback = {
  rating: z.enum(['good', 'partial', 'bad']).describe('How good the result was'),
  valuableSources: z
    .array(z.strictObject({ url: said, reason: said.optional() }))
    .max(100)
    .optional()
    .describe('Results that helped'),
  missingContent: z
    .array(z.strictObject({ topic: said, description: said.optional() }))
    .max(100)
    .optional()
    .describe('What was missing'),
  querySuggestions: said.optional().describe('Queries that would find more'),
};
/** Body of POST /v2/feedback. */
export const feedbackBody = requestBody({
  endpoint: z.enum(['search', 'scrape', 'parse', 'map']).describe('What the feedback is about'),
  jobId: z.string().max(100).describe('The job, or `scrapeId` of the document'),
  ...searchFeedback,
  issues: z.array(said).max(50).optional().describe('What was wrong'),
  tags: z.array(said).max(50).optional().describe('Labels'),
  note: said.optional().describe('Anything else'),
  url: said.optional().describe('The page'),
  pageNumbers: z.array(z.int()).max(1000).optional().describe('Pages of a PDF'),
  metadata: z.record(z.string(), z.unknown()).optional().describe('Data of the caller'),
});
export type FeedbackBody = Omit<z.output<typeof feedbackBody>, 'origin' | 'integration'>;

/** Response of both: nothing is refunded, since this service has no prices. */
export const feedbackAnswer = apiResponse({
  feedbackId: z.string().describe('The stored feedback'),
  creditsRefunded: z.number().describe('Always 0'),
  alreadySubmitted: z.boolean().nullish().describe('True if there already was feedback on it, which is kept'),
});

/** Activity and usage of a team, and feedback. */
export const teamEndpoints = {
  listActivity: endpoint('GET', '/v2/team/activity', {
    summary: 'List the requests of the last 24 hours',
    query: activityQuery,
    response: activityPage,
  }),
  getTokenUsage: endpoint('GET', '/v2/team/token-usage/historical', {
    summary: 'Report token usage month by month',
    query: usageQuery,
    response: apiResponse({ periods: z.array(tokenUsagePeriod) }),
  }),
  getCreditUsage: endpoint('GET', '/v2/team/credit-usage', {
    summary: 'Report the remaining credits of the month',
    response: apiResponse({
      data: responseBody({
        remainingCredits: z.number().describe('Credits left this month'),
        planCredits: z.number().nullish().describe('Credits per month'),
        ...balance,
      }),
    }),
  }),
  getCreditHistory: endpoint('GET', '/v2/team/credit-usage/historical', {
    summary: 'Report credit usage month by month',
    query: usageQuery,
    response: apiResponse({ periods: z.array(creditUsagePeriod) }),
  }),
  getTokenBalance: endpoint('GET', '/v2/team/token-usage', {
    summary: 'Report the remaining tokens of the month',
    response: apiResponse({
      data: responseBody({
        remainingTokens: z.number().describe('Tokens left this month'),
        planTokens: z.number().nullish().describe('Tokens per month'),
        ...balance,
      }),
    }),
  }),
  getQueueStatus: endpoint('GET', '/v2/team/queue-status', {
    summary: 'Report the number of running and waiting crawls and batches',
    response: apiResponse({
      jobsInQueue: z.number().describe('Number of running and waiting crawls and batches'),
      activeJobsInQueue: z.number().describe('Number of running crawls and batches'),
      waitingJobsInQueue: z.number().describe('Number of waiting crawls and batches'),
      maxConcurrency: z.number().describe('Maximum number of pages fetched at the same time'),
      mostRecentSuccess: dateTime.nullish().describe('When a crawl or batch last completed'),
    }),
  }),
  checkConcurrency: endpoint('GET', '/v2/concurrency-check', {
    summary: 'Report the number of pages being fetched',
    response: concurrency,
  }),
  submitFeedback: endpoint('POST', '/v2/feedback', {
    summary: 'Store feedback on a result, for whoever runs the service',
    body: feedbackBody,
    response: feedbackAnswer,
    errors: { 404: 'The team made no such request in the last 24 hours' },
  }),
  submitSearchFeedback: endpoint('POST', '/v2/search/:jobId/feedback', {
    summary: 'Store feedback on a search, for whoever runs the service',
    params: jobParams,
    body: requestBody(searchFeedback),
    response: feedbackAnswer,
    errors: { 404: 'The team made no such request in the last 24 hours' },
  }),
} as const;
