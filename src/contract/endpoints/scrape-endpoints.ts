import * as z from 'zod';
import * as execution from '../execution.ts';
import { responseBody } from '../fields.ts';
import { limits } from '../limits.ts';
import * as scrape from '../scrape.ts';
import { jobParams } from './common.ts';
import { endpoint } from './endpoint.ts';

/** Scrapes, and going on with their pages. */
export const scrapeEndpoints = {
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
} as const;
