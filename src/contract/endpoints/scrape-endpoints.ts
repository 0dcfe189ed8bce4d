import * as z from 'zod';
import { apiResponse } from '../fields.ts';
import { limits } from '../limits.ts';
import { parseBody } from '../scrape/parse.ts';
import * as scrape from '../scrape/scrape.ts';
import * as execution from '../sessions/execution.ts';
import { endpoint, jobParams } from './endpoint.ts';

/** Scrapes, and interaction with their pages. */
export const scrapeEndpoints = {
  scrape: endpoint('POST', '/v2/scrape', {
    summary: 'Scrape a page, in the requested formats',
    body: scrape.scrapeBody,
    response: scrape.scrapeResult,
    errors: {
      402: 'Not enough credits for the page',
      404: 'The page is not in the cache, and only the cache was allowed',
      408: 'The page did not load within the timeout',
      500: 'The page could not be scraped; the code says why',
      503: 'Chrome or, for json, a language model is missing; the message says what to do',
    },
    respondsWithin: limits.scrapeTimeout.max / 1000 + 15,
  }),
  parseFile: endpoint('POST', '/v2/parse', {
    summary: 'Parse a file, uploaded or from a URL',
    body: parseBody,
    takesFile: true,
    response: scrape.scrapeResult,
    errors: {
      400: 'The file is empty, damaged, encrypted or not supported; the message says why',
      402: 'Not enough credits for the file',
      404: 'The file at the URL is not in the cache, and only the cache was allowed',
      408: 'The file was not read within the timeout',
      413: `The file is larger than ${limits.parsedFile / 1024 / 1024} MiB`,
      500: 'The file could not be fetched or read; the code says why',
      503: 'For json, a language model is missing; the message says what to do',
    },
    respondsWithin: limits.scrapeTimeout.max / 1000 + 15,
  }),
  getScrape: endpoint('GET', '/v2/scrape/:jobId', {
    summary: 'Get the document of an earlier scrape',
    params: jobParams,
    response: scrape.scrapeResult,
    errors: { 403: 'The scrape belongs to a different team', 404: 'Scrape not found' },
  }),
  interactWithScrape: endpoint('POST', '/v2/scrape/:jobId/interact', {
    summary: 'Interact with the page of a scrape, with code or a prompt',
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
    respondsWithin: 'run timeout',
  }),
  stopInteraction: endpoint('DELETE', '/v2/scrape/:jobId/interact', {
    summary: 'Stop the browser session of a scrape',
    params: jobParams,
    response: apiResponse({ sessionDurationMs: z.number().nullish(), creditsBilled: z.number().nullish() }),
    errors: { 403: 'The scrape job belongs to a different team', 404: 'No interaction was started for this job' },
  }),
} as const;
