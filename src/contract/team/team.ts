import * as z from 'zod';
import { dateTime, queryFlag, queryNumber, requestBody, responseBody } from '../fields.ts';
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
    .meta({ description: 'Only requests of this kind' }),
  limit: queryNumber(limits.activityPage)
    .optional()
    .meta({ description: `Results per page, default ${limits.activityPage.default}` }),
  cursor: z.string().max(4096).optional().meta({ description: 'The cursor of the previous response' }),
});

/** One item of the activity list. Kinds and dates pass through as servers send them. */
export const activityItem = responseBody({
  id: z.string().nullish().meta({ description: 'Identifier of the job, for the retrieval endpoint of its kind' }),
  endpoint: z.string().nullish().meta({ description: 'Kind of the request, such as scrape or crawl' }),
  api_version: z.string().nullish().meta({ description: 'API version of the request' }),
  created_at: dateTime.nullish().meta({ description: 'When the request was made' }),
  target: z.string().nullish().meta({ description: 'Target of the request: a URL, or words such as a query' }),
  status_code: z
    .int()
    .nullish()
    .meta({ description: 'HTTP status that the site answered a scrape with. Sent by the embedded service only' }),
});
export const activityPage = responseBody({
  success: z.boolean().optional(),
  data: z.array(activityItem),
  cursor: z.string().nullish().meta({
    description: 'Pass it as the query parameter cursor to get the next page; null when there are no more results',
  }),
  has_more: z.boolean().nullish().meta({ description: 'Whether there are more results after this page' }),
});

export const usageQuery = z.object({
  byApiKey: queryFlag.optional().meta({ description: 'Break the usage down by API key' }),
});

/** One month of usage. Servers send `tokensUsed`, the specification names `totalTokens`: clients accept either, the service sends both. */
export const tokenUsagePeriod = responseBody({
  startDate: z.string().nullish().meta({ description: 'Start of the period' }),
  endDate: z.string().nullish().meta({ description: 'End of the period, not included' }),
  apiKey: z.string().nullish().meta({ description: 'The API key that the usage is attributed to; only with byApiKey' }),
  totalTokens: z.number().nullish().meta({ description: 'Tokens used in the period, across all endpoints' }),
  tokensUsed: z.number().nullish().meta({ description: 'The same as totalTokens, under the name that servers use' }),
});
export const tokenUsage = responseBody({ success: z.boolean().optional(), periods: z.array(tokenUsagePeriod) });

/** One month of credits. */
export const creditUsagePeriod = responseBody({
  startDate: z.string().nullish().meta({ description: 'Start of the period' }),
  endDate: z.string().nullish().meta({ description: 'End of the period, not included' }),
  apiKey: z.string().nullish().meta({ description: 'The API key that the usage is attributed to; only with byApiKey' }),
  creditsUsed: z.number().nullish().meta({ description: 'Credits used in the period, across all endpoints' }),
  totalCredits: z.number().nullish().meta({ description: 'The same as creditsUsed, as the published API names it' }),
});
export const creditHistory = responseBody({ success: z.boolean().optional(), periods: z.array(creditUsagePeriod) });

const balance = {
  billingPeriodStart: dateTime.nullish().meta({ description: 'Start of the month, UTC' }),
  billingPeriodEnd: dateTime.nullish().meta({ description: 'Start of the next month, UTC' }),
};

/** The remaining credits of the month. A service without a limit reports a very large number. */
export const creditUsage = responseBody({
  success: z.boolean().optional(),
  data: responseBody({
    remainingCredits: z.number().meta({ description: 'Credits left this month' }),
    planCredits: z.number().nullish().meta({ description: 'Credits per month' }),
    ...balance,
  }),
});

/** The remaining tokens of the month. */
export const tokenBalance = responseBody({
  success: z.boolean().optional(),
  data: responseBody({
    remainingTokens: z.number().meta({ description: 'Tokens left this month' }),
    planTokens: z.number().nullish().meta({ description: 'Tokens per month' }),
    ...balance,
  }),
});

/** The number of running and waiting crawls and batches of the team. */
export const queueStatus = responseBody({
  success: z.boolean().optional(),
  jobsInQueue: z.number().meta({ description: 'Number of running and waiting crawls and batches' }),
  activeJobsInQueue: z.number().meta({ description: 'Number of running crawls and batches' }),
  waitingJobsInQueue: z.number().meta({ description: 'Number of waiting crawls and batches' }),
  maxConcurrency: z.number().meta({ description: 'Maximum number of pages fetched at the same time' }),
  mostRecentSuccess: dateTime.nullish().meta({ description: 'When a crawl or batch last completed' }),
});

/** The number of pages being fetched for the team now, and the maximum. */
export const concurrency = responseBody({
  success: z.boolean().optional(),
  concurrency: z.number().meta({ description: 'Number of pages being fetched now' }),
  maxConcurrency: z.number().meta({ description: 'Maximum number of pages fetched at the same time' }),
});

export type ActivityItem = z.output<typeof activityItem>;
export type TokenUsagePeriod = z.output<typeof tokenUsagePeriod>;

const said = z.string().max(2000);
const searchFeedback = {
  rating: z.enum(['good', 'partial', 'bad']).meta({ description: 'How good the result was' }),
  valuableSources: z
    .array(z.strictObject({ url: said, reason: said.optional() }))
    .max(100)
    .optional()
    .meta({ description: 'Results that helped' }),
  missingContent: z
    .array(z.strictObject({ topic: said, description: said.optional() }))
    .max(100)
    .optional()
    .meta({ description: 'What was missing' }),
  querySuggestions: said.optional().meta({ description: 'Queries that would find more' }),
};
/** Body of POST /v2/search/{jobId}/feedback. */
export const searchFeedbackBody = requestBody(searchFeedback);
/** Body of POST /v2/feedback. */
export const feedbackBody = requestBody({
  endpoint: z.enum(['search', 'scrape', 'parse', 'map']).meta({ description: 'What the feedback is about' }),
  jobId: z.string().max(100).meta({ description: 'The job, or `scrapeId` of the document' }),
  ...searchFeedback,
  issues: z.array(said).max(50).optional().meta({ description: 'What was wrong' }),
  tags: z.array(said).max(50).optional().meta({ description: 'Labels' }),
  note: said.optional().meta({ description: 'Anything else' }),
  url: said.optional().meta({ description: 'The page' }),
  pageNumbers: z.array(z.int()).max(1000).optional().meta({ description: 'Pages of a PDF' }),
  metadata: z.record(z.string(), z.unknown()).optional().meta({ description: 'Data of the caller' }),
});
export type FeedbackBody = Omit<z.output<typeof feedbackBody>, 'origin' | 'integration'>;

/** Response of both: nothing is refunded, since this service has no prices. */
export const feedbackAnswer = responseBody({
  success: z.boolean().optional(),
  feedbackId: z.string().meta({ description: 'The stored feedback' }),
  creditsRefunded: z.number().meta({ description: 'Always 0' }),
  alreadySubmitted: z
    .boolean()
    .nullish()
    .meta({ description: 'True if there already was feedback on it, which is kept' }),
});
