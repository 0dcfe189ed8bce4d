import * as z from 'zod';
import { crawlOptionsShape } from './crawl/crawl-jobs.ts';
import {
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

const name = characters(limits.monitors.name).meta({ description: 'Name in lists' });
const schedule = z
  .strictObject({
    cron: characters(limits.monitors.schedule)
      .optional()
      .meta({ description: 'Cron expression of five fields, such as `0 9 * * 1-5`' }),
    text: characters(limits.monitors.schedule)
      .optional()
      .meta({ description: 'The schedule in words, such as `every 30 minutes` or `daily at 9:00`' }),
    timezone: z.string().max(100).default('UTC').meta({ description: 'IANA time zone, such as Europe/Berlin' }),
  })
  .refine(({ cron, text }) => (cron === undefined) !== (text === undefined), {
    error: "expected either 'cron' or 'text'",
  });
const targetId = z.string().max(100).optional().meta({ description: 'Given by the service' });
const scrapeTarget = z.strictObject({
  id: targetId,
  type: z.literal('scrape').meta({ description: 'The pages of `urls` are read' }),
  urls: z.array(webUrl).min(1).max(limits.monitors.urls).meta({ description: 'The pages' }),
  scrapeOptions: scrapeOptions.optional().meta({
    description:
      'How they are scraped: `includeTags` limits what is compared to parts of the page, and the format `json` to fields',
  }),
});
const crawlTarget = z.strictObject({
  id: targetId,
  type: z.literal('crawl').meta({ description: 'A site is crawled' }),
  url: webUrl.meta({ description: 'URL to start from' }),
  crawlOptions: z
    .strictObject({
      ...crawlOptionsShape,
      limit: wholeNumber({ min: 1, max: limits.monitors.urls })
        .default(limits.monitors.urls)
        .meta({ description: `Maximum number of pages of a check, default ${limits.monitors.urls}` }),
    })
    .prefault({})
    .meta({ description: 'The options of POST /v2/crawl' }),
  scrapeOptions: crawlScrapeOptions.optional().meta({ description: 'How each page is scraped' }),
});
const searchTarget = z.strictObject({
  id: targetId,
  type: z.literal('search').meta({ description: 'The web is searched for results that were not found before' }),
  queries: z
    .array(characters(limits.searchQuery))
    .min(1)
    .max(limits.monitors.queries)
    .meta({ description: 'What to search for' }),
  searchWindow: z
    .enum(searchWindows)
    .optional()
    .meta({ description: 'Only results of this time; below a day, those of the last day are asked for' }),
  includeDomains: domains.optional().meta({ description: 'Only results of these hosts and their subdomains' }),
  excludeDomains: domains.optional().meta({ description: 'No results of these hosts and their subdomains' }),
  maxResults: wholeNumber(limits.monitors.results)
    .default(limits.monitors.results.default)
    .meta({ description: `Results of each query, default ${limits.monitors.results.default}` }),
  scrapeOptions: scrapeOptions.optional().meta({
    description: 'Read each result too, and compare its content; without it, a result is new or known',
  }),
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
  );
const webhook = webhookConfigOf(monitorEvents);
const notification = z
  .looseObject({
    email: z.looseObject({ enabled: refused('e-mail is not supported: set a webhook').optional() }).optional(),
  })
  .nullish()
  .meta({ description: 'E-mail is not supported: only a disabled one is accepted' });
const shared = {
  retentionDays: wholeNumber(limits.monitors.retentionDays)
    .optional()
    .meta({ description: `Days for which checks are kept, default ${limits.monitors.retentionDays.default}` }),
  goal: characters(limits.prompt).optional().meta({
    description: 'What matters, in a sentence: a language model, if there is one, judges each change by it',
  }),
  judgeEnabled: z.boolean().optional().meta({ description: 'Whether changes are judged by the goal; default true' }),
  notification,
};

/** Body of POST /v2/monitor. */
export const createMonitorBody = requestBody({ name, schedule, targets, webhook: webhook.nullish(), ...shared });
/** Body of PATCH /v2/monitor/{id}. */
export const updateMonitorBody = requestBody({
  name: name.optional(),
  status: z.enum(['active', 'paused']).optional().meta({ description: 'A paused monitor runs only on request' }),
  schedule: schedule.optional(),
  targets: targets.optional(),
  webhook: webhook.nullish().meta({ description: 'null removes it' }),
  ...shared,
});

export const monitorParams = z.object({ monitorId: jobId.meta({ description: 'ID of the monitor' }) });
export const checkParams = monitorParams.extend({ checkId: jobId.meta({ description: 'ID of the check' }) });

const offset = queryNumber({ min: 0, max: Number.MAX_SAFE_INTEGER });
const limit = queryNumber(limits.monitors.page).default(limits.monitors.page.default);
export const listQuery = z.object({ limit, offset: offset.default(0) });
export const pageStatuses = ['same', 'new', 'changed', 'removed', 'error'] as const;
export const checkQuery = z.object({
  limit,
  skip: offset.default(0),
  status: z.enum(pageStatuses).optional().meta({ description: 'Only pages of this status' }),
});

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
  status: z.string().meta({ description: 'active or paused' }),
  schedule: responseBody({ cron: z.string().nullish(), timezone: z.string().nullish() }),
  nextRunAt: dateTime.nullish().meta({ description: 'When it is due' }),
  lastRunAt: dateTime.nullish().meta({ description: 'When its last check began' }),
  currentCheckId: z.string().nullish().meta({ description: 'The check in progress' }),
  targets: z.array(z.record(z.string(), z.unknown())),
  webhook: z.record(z.string(), z.unknown()).nullish(),
  notification: z.record(z.string(), z.unknown()).nullish(),
  retentionDays: z.number(),
  estimatedCreditsPerMonth: z.number().nullish(),
  lastCheckSummary: summary.nullish().meta({ description: 'Number of pages of each status in the last check' }),
  goal: z.string().nullish(),
  judgeEnabled: z.boolean().nullish(),
  createdAt: dateTime,
  updatedAt: dateTime,
});
const checkShape = {
  id: z.string(),
  monitorId: z.string(),
  status: z.string().meta({
    description: 'queued, running, completed, partial if some pages failed, failed, or skipped_no_credits',
  }),
  trigger: z.string().meta({ description: 'scheduled or manual' }),
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
  confidence: z.string().meta({ description: 'high, medium or low' }),
  reason: z.string(),
  meaningfulChanges: z.array(z.record(z.string(), z.unknown())),
});
const checkPage = responseBody({
  id: z.string(),
  targetId: z.string(),
  url: z.string().max(limits.url, tooLongUrl),
  status: z.string().meta({ description: pageStatuses.join(', ') }),
  currentScrapeId: z.string().nullish().meta({ description: 'The scrape, kept for a week' }),
  statusCode: z.number().nullish(),
  error: z.string().nullish().meta({ description: 'Why the page was not compared' }),
  diff: responseBody({ text: z.string().nullish(), json: z.unknown().optional() })
    .nullish()
    .meta({ description: 'The changed lines, as text and as data; or the changed fields' }),
  judgment: judgment.nullish().meta({ description: 'Whether the change matters for the goal' }),
  createdAt: dateTime,
});
const next = z.string().nullish().meta({ description: 'URL of the next pages; null on the last' });
const success = z.boolean().optional();

export const monitorAnswer = responseBody({ success, data: monitor });
export const monitorList = responseBody({ success, data: z.array(monitor) });
export const deletedMonitor = responseBody({ success });
export const checkAnswer = responseBody({ success, data: check });
export const checkList = responseBody({ success, data: z.array(check) });
export const checkDetail = responseBody({
  success,
  data: responseBody({ ...checkShape, pages: z.array(checkPage), next }),
  next,
});
export type UpdateMonitorBody = z.output<typeof updateMonitorBody>;
export type MonitorTarget = z.output<typeof target>;
export type ScrapeTarget = z.output<typeof scrapeTarget>;
export type CrawlTarget = z.output<typeof crawlTarget>;
export type SearchTarget = z.output<typeof searchTarget>;
export type MonitorJudgment = z.output<typeof judgment>;
export type MonitorSchedule = z.output<typeof schedule>;
export type Monitor = z.output<typeof monitor>;
export type MonitorSummary = z.output<typeof summary>;
export type MonitorCheck = z.output<typeof check>;
export type MonitorCheckPage = z.output<typeof checkPage>;
