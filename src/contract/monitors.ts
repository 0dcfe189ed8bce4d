import * as z from 'zod';
import { crawlOptionsShape } from './crawl/crawl-jobs.ts';
import { endpoint } from './endpoints/endpoint.ts';
import {
  apiResponse,
  characters,
  dateTime,
  jobId,
  queryNumber,
  refused,
  requestBody,
  responseBody,
  tooLongUrl,
  wholeNumber,
} from './fields.ts';
import { limits } from './limits.ts';
import { crawlScrapeOptions, scrapeOptions, webUrl } from './scrape/scrape.ts';
import { domains } from './search.ts';
import { webhookConfigOf } from './webhooks/webhooks.ts';

/** The events of a monitor's webhook. */
export const monitorEvents = ['monitor.page', 'monitor.check.completed'] as const;

/** The times that a search can be limited to. */
export const searchWindows = ['5m', '15m', '1h', '6h', '24h', '7d'] as const;

const name = characters(limits.monitors.name).describe('Name in lists');
const schedule = z
  .strictObject({
    cron: characters(limits.monitors.schedule)
      .optional()
      .describe('Cron expression of five fields, such as `0 9 * * 1-5`'),
    text: characters(limits.monitors.schedule)
      .optional()
      .describe('The schedule in words, such as `every 30 minutes` or `daily at 9:00`'),
    timezone: z.string().max(100).default('UTC').describe('IANA time zone, such as Europe/Berlin'),
  })
  .refine(({ cron, text }) => (cron === undefined) !== (text === undefined), {
    error: "expected either 'cron' or 'text'",
  });
const targetId = z.string().max(100).optional().describe('Given by the service');
const scrapeTarget = z.strictObject({
  id: targetId,
  type: z.literal('scrape').describe('The pages of `urls` are read'),
  urls: z.array(webUrl).min(1).max(limits.monitors.urls).describe('The pages'),
  scrapeOptions: scrapeOptions
    .optional()
    .describe(
      'How they are scraped: `includeTags` limits what is compared to parts of the page, and the format `json` to fields',
    ),
});
const crawlTarget = z.strictObject({
  id: targetId,
  type: z.literal('crawl').describe('A site is crawled'),
  url: webUrl.describe('URL to start from'),
  crawlOptions: z
    .strictObject({
      ...crawlOptionsShape,
      limit: wholeNumber({ min: 1, max: limits.monitors.urls })
        .default(limits.monitors.urls)
        .describe(`Maximum number of pages of a check, default ${limits.monitors.urls}`),
    })
    .prefault({})
    .describe('The options of POST /v2/crawl'),
  scrapeOptions: crawlScrapeOptions.optional().describe('How each page is scraped'),
});
const searchTarget = z.strictObject({
  id: targetId,
  type: z.literal('search').describe('The web is searched for results that were not found before'),
  queries: z.array(characters(limits.searchQuery)).min(1).max(limits.monitors.queries).describe('What to search for'),
  searchWindow: z
    .enum(searchWindows)
    .optional()
    .describe('Only results of this time; below a day, those of the last day are asked for'),
  includeDomains: domains.optional().describe('Only results of these hosts and their subdomains'),
  excludeDomains: domains.optional().describe('No results of these hosts and their subdomains'),
  maxResults: wholeNumber(limits.monitors.results)
    .default(limits.monitors.results.default)
    .describe(`Results of each query, default ${limits.monitors.results.default}`),
  scrapeOptions: scrapeOptions
    .optional()
    .describe('Read each result too, and compare its content; without it, a result is new or known'),
});
const target = z.discriminatedUnion('type', [scrapeTarget, crawlTarget, searchTarget], {
  error: 'expected the type scrape, crawl or search',
});
const targets = z
  .array(target)
  .min(1)
  .max(limits.monitors.targets)
  .refine(
    (all) =>
      all.reduce((sum, each) => sum + (each.type === 'scrape' ? each.urls.length : 0), 0) <= limits.monitors.urls,
    {
      error: `expected at most ${limits.monitors.urls} URLs in all targets`,
    },
  )
  .refine(
    (all) => {
      const ids = all.flatMap(({ id }) => id ?? []);
      return new Set(ids).size === ids.length;
    },
    { error: "expected a different 'id' in each target: leave it out, and the service gives it one" },
  );
const webhook = webhookConfigOf(monitorEvents);
const notification = z
  .looseObject({
    email: z.looseObject({ enabled: refused('e-mail is not supported: set a webhook').optional() }).optional(),
  })
  .nullish()
  .describe('E-mail is not supported: only a disabled one is accepted');
const shared = {
  retentionDays: wholeNumber(limits.monitors.retentionDays)
    .optional()
    .describe(`Days for which checks are kept, default ${limits.monitors.retentionDays.default}`),
  goal: characters(limits.prompt)
    .optional()
    .describe('What matters, in a sentence: a language model, if there is one, judges each change by it'),
  judgeEnabled: z.boolean().optional().describe('Whether changes are judged by the goal; default true'),
  notification,
};

/** Body of PATCH /v2/monitor/{id}. */
export const updateMonitorBody = requestBody({
  name: name.optional(),
  status: z.enum(['active', 'paused']).optional().describe('A paused monitor runs only on request'),
  schedule: schedule.optional(),
  targets: targets.optional(),
  webhook: webhook.nullish().describe('null removes it'),
  ...shared,
});

export const monitorParams = z.object({ monitorId: jobId.describe('ID of the monitor') });

const offset = queryNumber({ min: 0, max: Number.MAX_SAFE_INTEGER });
const limit = queryNumber(limits.monitors.page).default(limits.monitors.page.default);
export const listQuery = z.object({ limit, offset: offset.default(0) });
export const pageStatuses = ['same', 'new', 'changed', 'removed', 'error'] as const;

const summary = responseBody({
  totalPages: z.number(),
  same: z.number(),
  changed: z.number(),
  new: z.number(),
  removed: z.number(),
  error: z.number(),
});
const monitor = responseBody({
  id: z.string(),
  name: z.string(),
  status: z.string().describe('active or paused'),
  schedule: responseBody({ cron: z.string().nullish(), timezone: z.string().nullish() }),
  nextRunAt: dateTime.nullish().describe('When it is due'),
  lastRunAt: dateTime.nullish().describe('When its last check began'),
  currentCheckId: z.string().nullish().describe('The check in progress'),
  targets: z.array(z.record(z.string(), z.unknown())),
  webhook: z.record(z.string(), z.unknown()).nullish(),
  notification: z.record(z.string(), z.unknown()).nullish(),
  retentionDays: z.number(),
  estimatedCreditsPerMonth: z.number().nullish(),
  lastCheckSummary: summary.nullish().describe('Number of pages of each status in the last check'),
  goal: z.string().nullish(),
  judgeEnabled: z.boolean().nullish(),
  createdAt: dateTime,
  updatedAt: dateTime,
});
const checkShape = {
  id: z.string(),
  monitorId: z.string(),
  status: z
    .string()
    .describe('queued, running, completed, partial if some pages failed, failed, or skipped_no_credits'),
  trigger: z.string().describe('scheduled or manual'),
  scheduledFor: dateTime.nullish(),
  startedAt: dateTime.nullish(),
  finishedAt: dateTime.nullish(),
  actualCredits: z.number().nullish(),
  billingStatus: z.string(),
  summary,
  error: z.string().nullish(),
  createdAt: dateTime,
  updatedAt: dateTime,
};
const check = responseBody(checkShape);
const judgment = responseBody({
  meaningful: z.boolean(),
  confidence: z.string().describe('high, medium or low'),
  reason: z.string(),
  meaningfulChanges: z.array(z.record(z.string(), z.unknown())),
});
const checkPage = responseBody({
  id: z.string(),
  targetId: z.string(),
  url: z.string().max(limits.url, tooLongUrl),
  status: z.string().describe(pageStatuses.join(', ')),
  currentScrapeId: z.string().nullish().describe('The scrape, kept for a week'),
  statusCode: z.number().nullish(),
  error: z.string().nullish().describe('Why the page was not compared'),
  diff: responseBody({ text: z.string().nullish(), json: z.unknown().optional() })
    .nullish()
    .describe('The changed lines, as text and as data; or the changed fields'),
  judgment: judgment.nullish().describe('Whether the change matters for the goal'),
  createdAt: dateTime,
});
const next = z.string().nullish().describe('URL of the next pages; null on the last');

export const monitorAnswer = apiResponse({ data: monitor });
export type UpdateMonitorBody = z.output<typeof updateMonitorBody>;
export type MonitorTarget = z.output<typeof target>;
export type CrawlTarget = z.output<typeof crawlTarget>;
export type SearchTarget = z.output<typeof searchTarget>;
export type MonitorJudgment = z.output<typeof judgment>;
export type MonitorSchedule = z.output<typeof schedule>;
export type Monitor = z.output<typeof monitor>;
export type MonitorSummary = z.output<typeof summary>;
export type MonitorCheck = z.output<typeof check>;
export type MonitorCheckPage = z.output<typeof checkPage>;

const errors = { 403: 'The monitor belongs to a different team', 404: 'Monitor not found' } as const;

/** Pages that are read again and again, and compared. */
export const monitorEndpoints = {
  createMonitor: endpoint('POST', '/v2/monitor', {
    summary: 'Create a monitor: read pages on a schedule and report what changed',
    body: requestBody({ name, schedule, targets, webhook: webhook.nullish(), ...shared }),
    response: monitorAnswer,
    errors: { 409: 'The team has the maximum number of monitors' },
  }),
  listMonitors: endpoint('GET', '/v2/monitor', {
    summary: 'List monitors',
    query: listQuery,
    response: apiResponse({
      data: z.array(monitor),
      next: next.describe('URL of the next monitors; null on the last'),
    }),
  }),
  getMonitor: endpoint('GET', '/v2/monitor/:monitorId', {
    summary: 'Get a monitor',
    params: monitorParams,
    response: monitorAnswer,
    errors,
  }),
  updateMonitor: endpoint('PATCH', '/v2/monitor/:monitorId', {
    summary: 'Change a monitor, pause it or resume it',
    params: monitorParams,
    body: updateMonitorBody,
    response: monitorAnswer,
    errors,
  }),
  deleteMonitor: endpoint('DELETE', '/v2/monitor/:monitorId', {
    summary: 'Delete a monitor and its checks',
    params: monitorParams,
    response: apiResponse({}),
    errors,
  }),
  runMonitor: endpoint('POST', '/v2/monitor/:monitorId/run', {
    summary: 'Check the pages of a monitor now',
    params: monitorParams,
    response: apiResponse({ data: check }),
    errors,
  }),
  listMonitorChecks: endpoint('GET', '/v2/monitor/:monitorId/checks', {
    summary: 'List the checks of a monitor, newest first',
    params: monitorParams,
    query: listQuery,
    response: apiResponse({ data: z.array(check) }),
    errors,
  }),
  getMonitorCheck: endpoint('GET', '/v2/monitor/:monitorId/checks/:checkId', {
    summary: 'Get a check with its pages and how they changed',
    params: monitorParams.extend({ checkId: jobId.describe('ID of the check') }),
    query: z.object({
      limit,
      skip: offset.default(0),
      status: z.enum(pageStatuses).optional().describe('Only pages of this status'),
    }),
    response: apiResponse({ data: responseBody({ ...checkShape, pages: z.array(checkPage), next }), next }),
    errors,
  }),
} as const;
