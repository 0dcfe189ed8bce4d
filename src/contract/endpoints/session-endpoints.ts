import * as execution from '../sessions/execution.ts';
import * as sessions from '../sessions/sessions.ts';
import { noBrowser } from './common.ts';
import { endpoint } from './endpoint.ts';

/** Browser sessions, and code execution in them. */
export const sessionEndpoints = {
  createBrowserSession: endpoint({
    method: 'POST',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'Create a browser session',
    section: 'POST /v2/browser',
    body: sessions.createSessionBody,
    response: sessions.createdSession,
    errors: {
      402: 'Not enough credits for the whole ttl',
      409: 'Another session is writing to this profile',
      429: 'The limit of concurrent sessions is reached',
      502: 'The browser did not start',
      503: noBrowser,
    },
    respondsWithin: 90,
  }),
  listBrowserSessions: endpoint({
    method: 'GET',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'List browser sessions, newest first',
    section: 'GET /v2/browser',
    query: sessions.listSessionsQuery,
    response: sessions.sessionList,
    errors: {},
  }),
  executeInBrowserSession: endpoint({
    method: 'POST',
    path: '/v2/browser/:sessionId/execute',
    aliases: ['/v2/interact/:sessionId/execute'],
    summary: 'Run code in a browser session',
    section: 'POST /v2/browser/{sessionId}/execute',
    params: sessions.sessionParams,
    body: execution.executeBody,
    response: execution.executionResult,
    errors: {
      403: 'The session belongs to another team',
      404: 'Session not found',
      410: 'The session was destroyed',
      503: noBrowser,
    },
    respondsWithin: 'run timeout',
  }),
  deleteBrowserSession: endpoint({
    method: 'DELETE',
    path: '/v2/browser/:sessionId',
    aliases: ['/v2/interact/:sessionId'],
    summary: 'Destroy a browser session',
    section: 'DELETE /v2/browser/{sessionId}',
    params: sessions.sessionParams,
    response: sessions.deletedSession,
    errors: { 403: 'The session belongs to another team', 404: 'Session not found' },
  }),
  deleteBrowserSessionByBody: endpoint({
    method: 'DELETE',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'Destroy the browser session named in the body',
    section: 'DELETE /v2/browser/{sessionId}',
    body: sessions.deleteSessionBody,
    response: sessions.deletedSession,
    errors: { 403: 'The session belongs to another team', 404: 'Session not found' },
  }),
} as const;
