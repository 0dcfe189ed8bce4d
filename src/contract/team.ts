import * as z from 'zod';
import { dateTime, queryFlag, queryNumber, responseBody } from './fields.ts';
import { limits } from './limits.ts';

/** Kinds of request that the activity list knows (specification, GET /v2/team/activity). */
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
  cursor: z.string().max(4096).optional().meta({ description: 'The cursor of the previous answer' }),
});

/** One item of the activity list. Kinds and dates pass through as servers send them. */
export const activityItem = responseBody({
  id: z.string().nullish(),
  endpoint: z.string().nullish(),
  api_version: z.string().nullish(),
  created_at: dateTime.nullish(),
  target: z.string().nullish(),
});
export const activityPage = responseBody({
  success: z.boolean().optional(),
  data: z.array(activityItem),
  cursor: z.string().nullish(),
  has_more: z.boolean().nullish(),
});

export const tokenUsageQuery = z.object({
  byApiKey: queryFlag.optional().meta({ description: 'Break the usage down by API key' }),
});

/** One month of usage. Servers send `tokensUsed`, the specification names `totalTokens`: either is read, both are sent. */
export const tokenUsagePeriod = responseBody({
  startDate: z.string().nullish(),
  endDate: z.string().nullish(),
  apiKey: z.string().nullish(),
  totalTokens: z.number().nullish(),
  tokensUsed: z.number().nullish(),
});
export const tokenUsage = responseBody({ success: z.boolean().optional(), periods: z.array(tokenUsagePeriod) });

const balance = {
  billingPeriodStart: dateTime.nullish().meta({ description: 'First moment of the month, UTC' }),
  billingPeriodEnd: dateTime.nullish().meta({ description: 'First moment of the next month, UTC' }),
};

/** What is left of the month's credits. A service without a limit reports a very large one. */
export const creditUsage = responseBody({
  success: z.boolean().optional(),
  data: responseBody({ remainingCredits: z.number(), planCredits: z.number().nullish(), ...balance }),
});

/** The same in tokens. */
export const tokenBalance = responseBody({
  success: z.boolean().optional(),
  data: responseBody({ remainingTokens: z.number(), planTokens: z.number().nullish(), ...balance }),
});

/** How many crawls and batches of the team run or wait. */
export const queueStatus = responseBody({
  success: z.boolean().optional(),
  jobsInQueue: z.number(),
  activeJobsInQueue: z.number(),
  waitingJobsInQueue: z.number(),
  maxConcurrency: z.number(),
  mostRecentSuccess: dateTime.nullish(),
});

/** How many pages the team is having fetched right now, and how many it may at a time. */
export const concurrency = responseBody({
  success: z.boolean().optional(),
  concurrency: z.number(),
  maxConcurrency: z.number(),
});

export type ActivityItem = z.output<typeof activityItem>;
export type TokenUsagePeriod = z.output<typeof tokenUsagePeriod>;
