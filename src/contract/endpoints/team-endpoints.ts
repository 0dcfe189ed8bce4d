import * as docsSearch from '../docs-search/docs-search.ts';
import * as team from '../team/team.ts';
import { endpoint } from './endpoint.ts';

/** Activity and usage of a team, and questions about the service. */
export const teamEndpoints = {
  listActivity: endpoint({
    method: 'GET',
    path: '/v2/team/activity',
    summary: 'List the requests of the last 24 hours',
    section: 'GET /v2/team/activity',
    query: team.activityQuery,
    response: team.activityPage,
    errors: {},
  }),
  getTokenUsage: endpoint({
    method: 'GET',
    path: '/v2/team/token-usage/historical',
    summary: 'Report token usage month by month',
    section: 'GET /v2/team/token-usage/historical',
    query: team.usageQuery,
    response: team.tokenUsage,
    errors: {},
  }),
  getCreditUsage: endpoint({
    method: 'GET',
    path: '/v2/team/credit-usage',
    summary: 'Report the remaining credits of the month',
    section: 'GET /v2/team/token-usage/historical',
    response: team.creditUsage,
    errors: {},
  }),
  getCreditHistory: endpoint({
    method: 'GET',
    path: '/v2/team/credit-usage/historical',
    summary: 'Report credit usage month by month',
    section: 'GET /v2/team/token-usage/historical',
    query: team.usageQuery,
    response: team.creditHistory,
    errors: {},
  }),
  getTokenBalance: endpoint({
    method: 'GET',
    path: '/v2/team/token-usage',
    summary: 'Report the remaining tokens of the month',
    section: 'GET /v2/team/token-usage/historical',
    response: team.tokenBalance,
    errors: {},
  }),
  getQueueStatus: endpoint({
    method: 'GET',
    path: '/v2/team/queue-status',
    summary: 'Report the number of running and waiting crawls and batches',
    section: 'Crawl',
    response: team.queueStatus,
    errors: {},
  }),
  checkConcurrency: endpoint({
    method: 'GET',
    path: '/v2/concurrency-check',
    summary: 'Report the number of pages being fetched',
    section: 'Crawl',
    response: team.concurrency,
    errors: {},
  }),
  searchDocs: endpoint({
    method: 'POST',
    path: '/v2/support/docs-search',
    summary: 'Answer a question from the reference texts',
    section: 'POST /v2/support/docs-search',
    body: docsSearch.docsSearchBody,
    response: docsSearch.docsAnswer,
    errors: { 503: 'There are no reference texts to answer from' },
    respondsWithin: 65,
  }),
} as const;
