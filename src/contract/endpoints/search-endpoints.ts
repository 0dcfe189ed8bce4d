import { limits } from '../limits.ts';
import { searchBody, searchResults } from '../search.ts';
import { endpoint } from './endpoint.ts';

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
