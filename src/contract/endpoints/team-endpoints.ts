import * as docsSearch from '../docs-search/docs-search.ts';
import * as team from '../team/team.ts';
import { jobParams } from './common.ts';
import { endpoint } from './endpoint.ts';

/** Activity and usage of a team, and questions about the service. */
export const teamEndpoints = {
  listActivity: endpoint('GET', '/v2/team/activity', {
    summary: 'List the requests of the last 24 hours',
    query: team.activityQuery,
    response: team.activityPage,
  }),
  getTokenUsage: endpoint('GET', '/v2/team/token-usage/historical', {
    summary: 'Report token usage month by month',
    query: team.usageQuery,
    response: team.tokenUsage,
  }),
  getCreditUsage: endpoint('GET', '/v2/team/credit-usage', {
    summary: 'Report the remaining credits of the month',
    response: team.creditUsage,
  }),
  getCreditHistory: endpoint('GET', '/v2/team/credit-usage/historical', {
    summary: 'Report credit usage month by month',
    query: team.usageQuery,
    response: team.creditHistory,
  }),
  getTokenBalance: endpoint('GET', '/v2/team/token-usage', {
    summary: 'Report the remaining tokens of the month',
    response: team.tokenBalance,
  }),
  getQueueStatus: endpoint('GET', '/v2/team/queue-status', {
    summary: 'Report the number of running and waiting crawls and batches',
    response: team.queueStatus,
  }),
  checkConcurrency: endpoint('GET', '/v2/concurrency-check', {
    summary: 'Report the number of pages being fetched',
    response: team.concurrency,
  }),
  submitFeedback: endpoint('POST', '/v2/feedback', {
    summary: 'Store feedback on a result, for whoever runs the service',
    body: team.feedbackBody,
    response: team.feedbackAnswer,
    errors: { 404: 'The team made no such request in the last 24 hours' },
  }),
  submitSearchFeedback: endpoint('POST', '/v2/search/:jobId/feedback', {
    summary: 'Store feedback on a search, for whoever runs the service',
    params: jobParams,
    body: team.searchFeedbackBody,
    response: team.feedbackAnswer,
    errors: { 404: 'The team made no such request in the last 24 hours' },
  }),
  searchDocs: endpoint('POST', '/v2/support/docs-search', {
    summary: 'Answer a question from the reference texts',
    body: docsSearch.docsSearchBody,
    response: docsSearch.docsAnswer,
    errors: { 503: 'There are no reference texts to answer from' },
    respondsWithin: 65,
  }),
  askSupport: endpoint('POST', '/v2/support/ask', {
    summary: 'Answer a question from the reference texts, as a support agent would',
    body: docsSearch.docsSearchBody,
    response: docsSearch.supportAnswer,
    errors: { 503: 'There are no reference texts to answer from' },
    respondsWithin: 65,
  }),
} as const;
