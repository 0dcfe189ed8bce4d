import * as z from 'zod';
import { addScheme, isQuickUrl } from '../addresses.ts';
import { apiResponse, characters, refused, requestBody, responseBody, tooLongUrl, wholeNumber } from '../fields.ts';
import { limits } from '../limits.ts';
import { profile } from '../sessions/sessions.ts';
import { document } from './document.ts';
import { type Format, format, formatNames, screenshotFormat } from './formats.ts';

export {
  document,
  documentMetadata,
  type MissingPart,
  type ReadingReason,
  readAsOf,
  readingReasons,
  type ScrapeDocument,
} from './document.ts';

/** A URL that can be scraped or crawled. Without a scheme, `https://` is added, or `http://` for private hosts. */
export const webUrl = z
  .string({ error: 'expected an http or https URL' })
  .overwrite(addScheme)
  .refine(isQuickUrl, { error: 'expected an http or https URL', abort: true })
  .check(z.url({ protocol: /^https?$/, error: 'expected an http or https URL' }))
  .max(limits.url, tooLongUrl);

const selector = characters({ min: 1, max: 2000 }).describe('CSS selector');
const wait = wholeNumber(limits.scrapeWait, 'milliseconds');

/** An action on a page before it is read; actions run in order. */
export const scrapeAction = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.literal('wait'), milliseconds: wait.optional(), selector: selector.optional() })
    .refine((action) => (action.milliseconds === undefined) !== (action.selector === undefined), {
      error: 'a wait needs either "milliseconds" or "selector"',
    }),
  z.strictObject({
    type: z.literal('click'),
    selector,
    all: z.boolean().default(false),
    /** Click the first match again, as long as it is there and that adds content; not in the specification. */
    repeat: z.boolean().default(false),
  }),
  screenshotFormat,
  z.strictObject({ type: z.literal('write'), text: characters({ max: 100_000 }) }),
  z.strictObject({ type: z.literal('press'), key: characters({ min: 1, max: 100 }) }),
  z.strictObject({
    type: z.literal('scroll'),
    direction: z.enum(['up', 'down']).default('down'),
    selector: selector.optional(),
  }),
  z.strictObject({ type: z.literal('scrape') }),
  z.strictObject({ type: z.literal('executeJavascript'), script: characters(limits.code) }),
  z.strictObject({
    type: z.literal('pdf'),
    landscape: z.boolean().default(false),
    scale: z.number().min(0.1).max(2).default(1),
    format: z
      .enum(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'Letter', 'Legal', 'Tabloid', 'Ledger'])
      .default('Letter'),
  }),
]);
export type ScrapeAction = z.output<typeof scrapeAction>;

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;
const headers = z
  .record(z.string(), z.string())
  .refine((all) => Object.entries(all).every(([name, value]) => headerName.test(name) && headerValue.test(value)), {
    error: 'expected HTTP header names and values, without line breaks',
  });

const noBlocks = refused(
  "this service doesn't find the blocks of a PDF's pages; use 'pages' for the text of each page",
);
const pdfParser = z.strictObject({
  type: z.literal('pdf'),
  mode: z.string().max(100).optional(),
  maxPages: wholeNumber({ min: 1, max: 10_000 }, 'pages').optional(),
  pageRange: z
    .string()
    .regex(/^\d{1,5}(-\d{0,5})?(, ?\d{1,5}(-\d{0,5})?){0,99}$/, { error: 'expected pages and ranges, such as 1-3,7' })
    .optional()
    .describe('Pages to read, such as 1-3,7; all by default'),
  pages: z.boolean().optional().describe('Return the Markdown of each page in `pages` too'),
  pageMarkers: z
    .boolean()
    .optional()
    .describe('Begin each page of the Markdown but the first with a rule and `<!-- page N -->`'),
  blocks: noBlocks,
});
const parser = z.union([pdfParser, z.literal('pdf').transform((): z.output<typeof pdfParser> => ({ type: 'pdf' }))], {
  error({ input }) {
    const named = typeof input === 'object' && input !== null && 'type' in input ? input.type : input;
    return named === 'image'
      ? 'the parser "image" isn\'t supported: text in images isn\'t read; leave it out'
      : 'expected the parser "pdf", by name or as an object with "type"';
  },
});

const tags = z.array(selector).max(200);
const age = z.int({ error: 'expected milliseconds, 0 or more' }).min(0);

/** The fields of scrapeOptions (specification, "Active crawl"); times are in milliseconds. */
export const scrapeOptionsShape = {
  formats: z
    .array(format)
    .max(20)
    .default([{ type: 'markdown' }])
    .describe(
      `What the document contains: ${formatNames.join(', ')}, by name or as an object with options; default markdown`,
    ),
  onlyMainContent: z.boolean().default(true).describe('Exclude navigation, headers, footers and the like'),
  onlyCleanContent: z.boolean().default(false).describe('Keep only the text of the article'),
  includeTags: tags.optional().describe('Keep only elements that match these CSS selectors'),
  excludeTags: tags.optional().describe('Remove elements that match these CSS selectors'),
  maxAge: age
    .optional()
    .describe('Maximum age of a cached page in milliseconds; 0, the default, always fetches the page'),
  minAge: age.optional().describe('Use only the cache, with a page at least this many milliseconds old'),
  headers: headers.optional().describe('Headers sent with the request for the page'),
  waitFor: wait.default(0).describe('Milliseconds to wait after the page has loaded'),
  mobile: z.boolean().default(false).describe('Emulate a mobile phone'),
  skipTlsVerification: z
    .boolean()
    .optional()
    .describe('Accept any certificate; true unless headers, actions or a profile are given'),
  timeout: wholeNumber(limits.scrapeTimeout, 'milliseconds')
    .optional()
    .describe('Timeout of the whole scrape in milliseconds'),
  fastMode: z.boolean().default(false).describe('Do not render the page in a browser unless other options require it'),
  parsers: z
    .array(parser)
    .max(10)
    .default([{ type: 'pdf' }])
    .describe('File types that are converted to text; default pdf'),
  actions: z
    .array(scrapeAction)
    .max(limits.scrapeActions)
    .optional()
    .describe(
      'Actions on the page before it is read, in order: wait, click, write, press, scroll, screenshot, scrape, executeJavascript, pdf. Those of a crawl or batch run on every page',
    ),
  location: z
    .strictObject({
      country: z
        .string()
        .regex(/^([A-Za-z]{2}|us-generic)$/, { error: 'expected a country code of two letters' })
        .optional(),
      languages: z
        .array(z.string().regex(/^[A-Za-z0-9-]{1,35}$/, { error: 'expected a language tag, such as de-AT' }))
        .max(20)
        .optional(),
    })
    .optional()
    .describe('Country and languages to request the page in'),
  removeBase64Images: z.boolean().default(true).describe('Remove images that are embedded as base64'),
  blockAds: z.boolean().default(true).describe('Block advertisements'),
  proxy: z
    .enum(['basic', 'stealth', 'enhanced', 'auto'])
    .default('auto')
    .describe('Kind of proxy to fetch the page through'),
  storeInCache: z.boolean().default(true).describe('Store the page in the cache for later scrapes'),
  lockdown: z.boolean().default(false).describe('Use only the cache; nothing is fetched'),
  profile: profile.optional().describe('Browser profile, also for interact on this scrape'),
  redactPII: refused(
    "redactPII isn't supported: personal data can't be recognized reliably on this machine; redact the document yourself",
  ),
} as const;

interface TimedOptions {
  waitFor: number;
  timeout?: number | undefined;
  actions?: ScrapeAction[] | undefined;
}

/** Checks the rules between fields of scrapeOptions, for `superRefine`. */
export function checkTimes(options: TimedOptions, context: z.core.$RefinementCtx): void {
  const { waitFor, timeout, actions = [] } = options;
  if (timeout !== undefined && waitFor > timeout / 2) {
    context.addIssue({ code: 'custom', path: ['waitFor'], message: 'waitFor must not exceed half of timeout' });
  }
  const waits = actions.reduce((sum, action) => sum + (action.type === 'wait' ? (action.milliseconds ?? 1000) : 0), 0);
  if (waits > limits.scrapeWait.max) {
    const seconds = limits.scrapeWait.max / 1000;
    context.addIssue({
      code: 'custom',
      path: ['actions'],
      message: `the waits add up to more than ${seconds} seconds`,
    });
  }
}

/** For requests whose pages are not to be stored; see docs/scraping.md. */
export const zeroDataRetention = z
  .boolean()
  .optional()
  .describe('Store nothing of the request beyond its response; jobs are deleted an hour after their end');

interface StoringOptions {
  formats?: readonly Format[] | undefined;
  profile?: { saveChanges?: boolean | undefined } | undefined;
}

/** Checks that options store nothing if `zeroDataRetention` is set, for `superRefine`. */
export function checkRetention(
  retention: boolean | undefined,
  { formats = [], profile: used }: StoringOptions,
  context: z.core.$RefinementCtx,
): void {
  if (retention !== true) return;
  const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['zeroDataRetention'], message });
  if (formats.some(({ type }) => type === 'changeTracking')) {
    refuse("can't be used with the format changeTracking, which stores each version of a page");
  }
  if (used && used.saveChanges !== false) {
    refuse("can't be used with a profile that saves changes; set its saveChanges to false");
  }
}

/** Options of a scrape. */
export const scrapeOptions = z.strictObject(scrapeOptionsShape).superRefine(checkTimes);

/** Options of the scrapes of a crawl. */
export const crawlScrapeOptions = z
  .strictObject({
    ...scrapeOptionsShape,
    storeInCache: z
      .boolean()
      .optional()
      .describe('Store the pages in the cache for later scrapes, by default only with maxAge'),
  })
  .superRefine(checkTimes);
export type ScrapeOptions = z.output<typeof crawlScrapeOptions>;

/** Options of a scrape as servers report them; all are optional. */
export const shownScrapeOptions = responseBody({
  formats: z.array(z.unknown()).nullish(),
  onlyMainContent: z.boolean().nullish(),
  onlyCleanContent: z.boolean().nullish(),
  includeTags: z.array(z.string()).nullish(),
  excludeTags: z.array(z.string()).nullish(),
  maxAge: z.number().nullish(),
  minAge: z.number().nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
  waitFor: z.number().nullish(),
  mobile: z.boolean().nullish(),
  skipTlsVerification: z.boolean().nullish(),
  timeout: z.number().nullish().describe('Timeout of the whole scrape in milliseconds'),
  parsers: z.array(z.unknown()).nullish(),
  actions: z.array(z.looseObject({ type: z.string(), milliseconds: z.number().nullish() })).nullish(),
  location: z.looseObject({ country: z.string().nullish(), languages: z.array(z.string()).nullish() }).nullish(),
  removeBase64Images: z.boolean().nullish(),
  blockAds: z.boolean().nullish(),
  proxy: z.string().nullish(),
  storeInCache: z.boolean().nullish(),
  lockdown: z.boolean().nullish(),
  profile: z.looseObject({ name: z.string(), saveChanges: z.boolean().nullish() }).nullish(),
});

/** Body of POST /v2/scrape. */
export const scrapeBody = requestBody({
  // First: requests with it have no URL.
  alexandria: refused("alexandria isn't supported: this service reads pages and has no tools of providers"),
  url: webUrl.describe('Page to scrape'),
  ...scrapeOptionsShape,
  zeroDataRetention,
}).superRefine((body, context) => {
  checkTimes(body, context);
  checkRetention(body.zeroDataRetention, body, context);
});
export type ScrapeBody = z.output<typeof scrapeBody>;

/** Response of POST /v2/scrape and GET /v2/scrape/{id}. */
export const scrapeResult = apiResponse({ data: document });
