import * as z from 'zod';
import { addScheme, endSlashes, parseUrl } from './addresses.ts';
import { endpoint } from './endpoints/endpoint.ts';
import { apiResponse, characters, refused, requestBody, responseBody, wholeNumber } from './fields.ts';
import { limits } from './limits.ts';
import { scrapeOptions } from './scrape/scrape.ts';

/** Where results come from; each is a list of its own in the response. */
export const searchSources = ['web', 'news', 'images'] as const;
export type SearchSource = (typeof searchSources)[number];

/** Kinds of site that a search can be limited to. */
export const searchCategories = ['github', 'research', 'pdf'] as const;
export type SearchCategory = (typeof searchCategories)[number];

const sourceError = `expected a source: ${searchSources.join(', ')}, by name or as an object with "type"`;
const tbs = z
  .string({ error: 'expected a time range, such as qdr:w' })
  .max(200)
  .optional()
  .describe('Age of the results: qdr:d, qdr:w, qdr:m or qdr:y for the last day, week, month or year');
const location = characters({ min: 1, max: 200 })
  .optional()
  .describe(
    'Country to search in: a name such as Germany, or just a code such as DE; a place before the name, as in Munich, Germany, is ignored',
  );
const source = z.union(
  [
    z.strictObject({ type: z.enum(searchSources), tbs, location }),
    z.enum(searchSources).transform((type): SourceChoice => ({ type })),
  ],
  { error: sourceError },
);
/** A source, with the time range and location of its own if it has them. */
export type SourceChoice = { type: SearchSource; tbs?: string | undefined; location?: string | undefined };

const categoryError = `expected a category: ${searchCategories.join(', ')}, by name or as an object with "type"; others, such as developer, need an index that this service doesn't have`;
const category = z.union(
  [
    z.strictObject({ type: z.enum(searchCategories) }).transform(({ type }): SearchCategory => type),
    z.enum(searchCategories),
  ],
  { error: categoryError },
);

const hostName = /^(?=.{1,253}$)[\p{L}\p{N}_-]{1,63}(?:\.[\p{L}\p{N}_-]{1,63})*$/u;
const hostError = 'expected a host name without a scheme or path, such as example.com';
const isAscii = (text: string) => /^[\x21-\x7e]*$/.test(text);

/** Returns an internationalized host name as it is in the URLs of results: bücher.example as xn--bcher-kva.example. */
function asciiHost(host: string): string {
  return isAscii(host) ? host : (URL.parse(`http://${host}`)?.hostname ?? host);
}

/** Hosts that results are limited to. */
export const domains = z
  .array(
    z
      .string()
      .overwrite((text) => text.trim().toLowerCase())
      .regex(hostName, { error: hostError, abort: true })
      .overwrite(asciiHost)
      .refine((text) => isAscii(text), { error: hostError }),
  )
  .max(limits.searchDomains, { error: `expected at most ${limits.searchDomains} domains` });

const notAnswerable = "enterprise isn't supported: this service can't control what the search engine stores";

/** Body of POST /v2/search. Fields that this service can't honor are refused by name. */
export const searchBody = requestBody({
  query: characters(limits.searchQuery)
    .refine((text) => text.trim() !== '', { error: 'expected words to search for' })
    .describe('What to search for; the search engine may support operators, such as site:example.com'),
  limit: wholeNumber(limits.searchResults)
    .default(limits.searchResults.default)
    .describe(`Maximum number of results of each source, default ${limits.searchResults.default}`),
  sources: z
    .array(source, { error: sourceError })
    .min(1, { error: sourceError })
    .max(10)
    .default([{ type: 'web' }])
    .describe(`Which results to list: ${searchSources.join(', ')}; default web`),
  categories: z
    .array(category, { error: categoryError })
    .max(10)
    .optional()
    .describe(`Kinds of web result to limit the search to: ${searchCategories.join(', ')}`),
  includeDomains: domains.optional().describe('Only results of these hosts and their subdomains'),
  excludeDomains: domains.optional().describe('No results of these hosts and their subdomains'),
  tbs,
  location,
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, { error: 'expected a two-letter country code, such as de' })
    .optional()
    .describe('Country to search in, as a two-letter code'),
  lang: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/, { error: 'expected a language code, such as de' })
    .optional()
    .describe('Language of the results'),
  ignoreInvalidURLs: z.boolean().default(false).describe('Leave out results whose URL this service cannot scrape'),
  timeout: wholeNumber({ min: 1, max: limits.scrapeTimeout.max }, 'milliseconds')
    .default(limits.searchTimeout)
    .describe(`Timeout of the search and its scrapes in milliseconds, default ${limits.searchTimeout}`),
  scrapeOptions: scrapeOptions
    .optional()
    .describe('Scrape each result with these options and add its content; without it, results are only listed'),
  asyncScraping: refused("asyncScraping isn't supported: results are scraped before the response is sent"),
  enterprise: z
    .array(z.literal('default', { error: notAnswerable }), { error: notAnswerable })
    .optional()
    .describe('Other values are not supported'),
  filter: refused("filter isn't supported: write operators into the query"),
}).superRefine(({ includeDomains = [], excludeDomains = [] }, context) => {
  if (includeDomains.length === 0 || excludeDomains.length === 0) return;
  context.addIssue({
    code: 'custom',
    path: ['excludeDomains'],
    message: 'includeDomains and excludeDomains cannot both be specified',
  });
});
export type SearchBody = z.output<typeof searchBody>;

const position = z.number().nullish().describe('Position in the list, from 1');
/** What scrapeOptions add to a result: the fields of the page's document. Those not named here pass through. */
const contents = {
  markdown: z.string().nullish().describe('With scrapeOptions: the content as Markdown'),
  metadata: responseBody({
    sourceURL: z.string().nullish().describe('The requested URL'),
    statusCode: z.number().nullish().describe('HTTP status of the page'),
    scrapeId: z.string().nullish().describe('The scrape job, for interact and retrieval'),
    error: z.string().nullish().describe('Why the page could not be scraped'),
  })
    .nullish()
    .describe('With scrapeOptions: metadata of the page'),
};

/** A web result. */
export const webResult = responseBody({
  url: z.string().describe('URL of the page'),
  title: z.string().nullish().describe('Title of the page'),
  description: z.string().nullish().describe('Excerpt from the page'),
  position,
  category: z.string().nullish().describe('The category of the request that found it'),
  ...contents,
});
/** A news result. */
export const newsResult = responseBody({
  url: z.string().describe('URL of the article'),
  title: z.string().nullish().describe('Title of the article'),
  snippet: z.string().nullish().describe('Excerpt from the article'),
  date: z.string().nullish().describe('When it was published'),
  imageUrl: z.string().nullish().describe('URL of its image'),
  position,
  ...contents,
});
/** An image result. */
export const imageResult = responseBody({
  url: z.string().describe('URL of the page with the image'),
  title: z.string().nullish().describe('Title of the image'),
  imageUrl: z.string().nullish().describe('URL of the image'),
  imageWidth: z.number().nullish().describe('Width in pixels'),
  imageHeight: z.number().nullish().describe('Height in pixels'),
  position,
  ...contents,
});

/** Response of POST /v2/search: a list of results for each requested source. */
export const searchResults = apiResponse({
  id: z.string().nullish().describe('Identifier of the search'),
  data: responseBody({
    web: z.array(webResult).nullish().describe('Web results'),
    news: z.array(newsResult).nullish().describe('News results'),
    images: z.array(imageResult).nullish().describe('Image results'),
  }),
  creditsUsed: z.number().nullish().describe('Credits used for the search and its scrapes'),
  warning: z.string().nullish().describe('Problems that did not fail the search'),
});
export type WebResult = z.output<typeof webResult>;

/**
 * Returns the base URL of a SearXNG server from what was entered: with a scheme, without a trailing `/search`. Undefined
 * if it isn't an http or https URL, or has a user name, which other programs could read.
 */
export function searchBaseUrl(text: string): string | undefined {
  const url = parseUrl(addScheme(text.trim()));
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  return `${url.origin}${url.pathname.replace(endSlashes, '').replace(/\/search$/, '')}`;
}

/** Web search. */
export const searchEndpoints = {
  searchWeb: endpoint('POST', '/v2/search', {
    summary: 'Search the web, and scrape the results if requested',
    body: searchBody,
    response: searchResults,
    errors: {
      402: 'Not enough credits for the search',
      408: 'The search engine did not answer within the timeout',
      502: 'The search engine failed; the message says why',
      503: 'No search engine is set up, or its settings prevent searches; the message says what to do',
    },
    respondsWithin: limits.scrapeTimeout.max / 1000 + 15,
  }),
} as const;
