import * as z from 'zod';
import { responseBody } from '../fields.ts';
import { changeTracking } from './change-tracking.ts';
import { product } from './product.ts';

/** How a page is read, and why. Servers other than the embedded service may leave it out. */
export const readingReasons = {
  noScripts: 'fetched: the page has no scripts',
  noContentScripts: 'fetched: its scripts are known to measure, advertise or ask for consent only',
  sameWithoutScripts: 'fetched: scripts changed nothing in the samples of its template',
  notHtml: 'fetched: the file is not a web page',
  errorStatus: 'fetched: the page of a job returned an error',
  fastMode: 'fetched: `fastMode`',
  renderingFailed: 'fetched: the browser failed, and `warning` says why',
  options: 'rendered: its options need a browser',
  scripts: 'rendered: its scripts may write content',
  frames: 'rendered: its frames may have content',
  sample: 'rendered: a sample, to compare it with the fetched page',
  unlikeSamples: 'rendered: it has places for content that the samples of its template lack',
  scriptsWriteContent: 'rendered: scripts changed the content of the samples of its template',
} as const;
export type ReadingReason = keyof typeof readingReasons;

/** Returns how a page was read that was read for this reason. */
export function readAsOf(because: string): string | undefined {
  return readingReasons[because as ReadingReason]?.split(':')[0];
}

/** Metadata of a document. */
export const documentMetadata = responseBody({
  title: z.string().nullish().describe('Title of the page'),
  description: z.string().nullish().describe('Description of the page'),
  language: z.string().nullish().describe('Language of the page'),
  url: z.string().nullish().describe('URL of the page, after redirects'),
  sourceURL: z.string().nullish().describe('The requested URL'),
  statusCode: z.number().nullish().describe('HTTP status of the page'),
  contentType: z.string().nullish().describe('Content type of the page'),
  error: z.string().nullish().describe('Why the page could not be scraped'),
  scrapeId: z.string().nullish().describe('The scrape job, for interact and retrieval'),
  numPages: z.number().nullish().describe('Number of pages of a PDF that were read'),
  totalPages: z.number().nullish().describe('Number of all pages of a PDF'),
  proxyUsed: z.string().nullish().describe('Kind of proxy that was used'),
  cacheState: z
    .string()
    .nullish()
    .describe(
      '`hit`, `revalidated` (too old, but the site says that it is unchanged) or `miss`; absent if the cache was not used',
    ),
  cachedAt: z.string().nullish().describe('When the cached page was fetched'),
  creditsUsed: z.number().nullish().describe('Credits used for the page'),
  concurrencyLimited: z
    .boolean()
    .nullish()
    .describe('True if the page waited for a tab, because all of them were in use'),
  concurrencyQueueDurationMs: z.number().nullish().describe('How long it waited, in milliseconds'),
  readAs: z.string().nullish().describe('`fetched` or `rendered` in a browser; not in the specification'),
  readBecause: z
    .string()
    .nullish()
    .describe(`Why it was read this way: ${Object.keys(readingReasons).join(', ')}; not in the specification`),
});

/** Something that a document lacks. */
const missingPart = responseBody({
  what: z.string().nullish().describe('What is missing, and why'),
  advice: z.string().nullish().describe('Which `actions` get it'),
  actions: z
    .array(responseBody({ type: z.string().nullish() }))
    .nullish()
    .describe('Those that load it into the page: scrape it again with them, and a longer `timeout`'),
});
export type MissingPart = z.output<typeof missingPart>;

/** A scraped page, with a field for each requested format. */
export const document = responseBody({
  markdown: z.string().nullish().describe('The content as Markdown'),
  html: z.string().nullish().describe('The content as HTML, from which the Markdown is made'),
  rawHtml: z.string().nullish().describe('The unmodified HTML of the page'),
  pages: z
    .array(responseBody({ pageNumber: z.number(), markdown: z.string() }))
    .nullish()
    .describe('Markdown of each page of a PDF, if the parser was asked for it'),
  rawBase64: z.string().nullish().describe('Bytes of a file for which no parser was requested'),
  links: z.array(z.string()).nullish().describe('URLs that the content links to'),
  images: z.array(z.string()).nullish().describe('URLs of the images in the content'),
  screenshot: z.string().nullish().describe('Screenshot as a data: URL'),
  product: product.nullish().describe('The product of the page, from its schema.org data'),
  json: z.unknown().optional().describe('Data that a language model extracted from the page, by schema or prompt'),
  attributes: z
    .array(responseBody({ selector: z.string(), attribute: z.string(), values: z.array(z.string()) }))
    .nullish()
    .describe('Values of the requested attributes, for each selector'),
  summary: z.string().nullish().describe('Summary of the page by a language model'),
  answer: z.string().nullish().describe("A language model's answer to the question of a query or question format"),
  highlights: z
    .string()
    .nullish()
    .describe('Passages of the page that a language model selected for the query of a highlights format'),
  changeTracking: changeTracking
    .nullish()
    .describe('How the page differs from the last version that this format stored'),
  actions: responseBody({
    screenshots: z.array(z.string()).nullish(),
    scrapes: z.array(responseBody({ url: z.string(), html: z.string() })).nullish(),
    javascriptReturns: z.array(responseBody({ type: z.string(), value: z.unknown() })).nullish(),
    pdfs: z.array(z.string()).nullish(),
  }).nullish(),
  warning: z.string().nullish().describe('What is missing from the document, and why'),
  missing: z
    .array(missingPart)
    .nullish()
    .describe(
      'What the page lacks, as `warning` says it, if a button or scrolling loads some of that; not in the specification',
    ),
  leftOut: responseBody({
    share: z
      .number()
      .nullish()
      .describe("Share of the page's text, from 0 to 1, without the links in what is left out"),
    parts: z.array(z.string()).nullish().describe('The headings of its longest parts, or how they begin'),
  })
    .nullish()
    .describe('What `onlyMainContent` leaves out of the page; not in the specification'),
  metadata: documentMetadata.nullish().describe('Metadata of the page'),
});
export type ScrapeDocument = z.output<typeof document>;
