import * as execution from '../sessions/execution.ts';
import * as sessions from '../sessions/sessions.ts';
import * as traffic from '../sessions/traffic.ts';
import { endpoint, noBrowser, sessionErrors } from './endpoint.ts';

const { 403: othersSession, 404: noSession } = sessionErrors;

/** Browser sessions, and code execution in them; their console and network aren't in the published specification. */
export const sessionEndpoints = {
  createBrowserSession: endpoint('POST', '/v2/browser', {
    aliases: ['/v2/interact'],
    summary: 'Create a browser session',
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
  listBrowserSessions: endpoint('GET', '/v2/browser', {
    aliases: ['/v2/interact'],
    summary: 'List browser sessions, newest first',
    query: sessions.listSessionsQuery,
    response: sessions.sessionList,
  }),
  executeInBrowserSession: endpoint('POST', '/v2/browser/:sessionId/execute', {
    aliases: ['/v2/interact/:sessionId/execute'],
    summary: 'Run code in a browser session',
    params: sessions.sessionParams,
    body: execution.executeBody,
    response: execution.executionResult,
    errors: { ...sessionErrors, 503: noBrowser },
    respondsWithin: 'run timeout',
  }),
  deleteBrowserSession: endpoint('DELETE', '/v2/browser/:sessionId', {
    aliases: ['/v2/interact/:sessionId'],
    summary: 'Destroy a browser session',
    params: sessions.sessionParams,
    response: sessions.deletedSession,
    errors: { 403: othersSession, 404: noSession },
  }),
  deleteBrowserSessionByBody: endpoint('DELETE', '/v2/browser', {
    aliases: ['/v2/interact'],
    summary: 'Destroy the browser session named in the body',
    body: sessions.deleteSessionBody,
    response: sessions.deletedSession,
    errors: { 403: othersSession, 404: noSession },
  }),
  listConsole: endpoint('GET', '/v2/browser/:sessionId/console', {
    aliases: ['/v2/interact/:sessionId/console'],
    summary: 'List what the pages of a session have logged, oldest first',
    params: sessions.sessionParams,
    query: traffic.consoleQuery,
    response: traffic.consoleList,
    errors: sessionErrors,
  }),
  listNetwork: endpoint('GET', '/v2/browser/:sessionId/network', {
    aliases: ['/v2/interact/:sessionId/network'],
    summary: 'List the requests of the pages of a session, oldest first',
    params: sessions.sessionParams,
    query: traffic.networkQuery,
    response: traffic.networkList,
    errors: sessionErrors,
  }),
  readNetworkRequest: endpoint('GET', '/v2/browser/:sessionId/network/:requestId', {
    aliases: ['/v2/interact/:sessionId/network/:requestId'],
    summary: 'Get a request of a session with headers, timing and bodies',
    params: traffic.networkParams,
    query: traffic.secretsQuery,
    response: traffic.networkExchange,
    errors: { ...sessionErrors, 404: 'Session not found, or the request is no longer kept' },
  }),
  exportNetwork: endpoint('GET', '/v2/browser/:sessionId/network.har', {
    aliases: ['/v2/interact/:sessionId/network.har'],
    summary: 'Get the requests of a session as an HTTP archive',
    params: sessions.sessionParams,
    query: traffic.secretsQuery,
    response: traffic.httpArchive,
    errors: sessionErrors,
  }),
} as const;
