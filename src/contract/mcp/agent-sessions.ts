import * as z from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { characters, dateTime, ownResponse, requestBody, responseBody } from '../fields.ts';
import { sessionParams } from '../sessions/sessions.ts';

/** What an agent must ask a person for. */
export const permitKinds = ['host', 'download', 'password', 'code', 'upload'] as const;
export type PermitKind = (typeof permitKinds)[number];

/** What a person answers: allow it this time, allow the like of it until the session ends, or deny it. */
export const permitAnswers = ['once', 'session', 'deny'] as const;
export type PermitAnswer = (typeof permitAnswers)[number];

/** Something that an agent waits to be allowed. */
export const permitRequest = responseBody({
  id: z.string(),
  kind: z
    .string()
    .describe(
      `What it wants: ${permitKinds.join(', ')}. host: use a host that its key doesn't allow; download: save a file; password: submit a form with a password; code: run code; upload: give files of this machine to a page`,
    ),
  agent: z.string().describe('Name of the agent'),
  sessionId: z.string().nullish().describe('The session; null for a call without one, such as a scrape'),
  host: z.string().describe('The host that it is about; empty for code'),
  detail: z.string().describe('The URL, the name of the file, the paths of files or the code'),
  createdAt: dateTime,
  expiresAt: dateTime.describe('When it counts as denied'),
});
export type PermitRequest = z.output<typeof permitRequest>;

/** A session that an agent has used. */
export const agentSession = responseBody({
  sessionId: z.string(),
  agent: z.string().describe('Name of the agent that used it last'),
  acting: z.boolean().describe('Whether the agent is using it now'),
  paused: z.boolean().describe('Whether agents wait until a person hands the session back'),
  controlled: z.boolean().describe('Whether a person is in control of it in a live view'),
  actions: z.number().describe('How many recorded actions there are'),
});
export type AgentSession = z.output<typeof agentSession>;

/** What agents do, as windows show it. */
export const agentState = { sessions: z.array(agentSession), requests: z.array(permitRequest) };

/** A run of an agent's code: sent to windows when it starts, and with its result when it ends. */
export const agentRun = z.object({
  runId: z.string(),
  sessionId: z.string(),
  agent: z.string(),
  language: z.string(),
  code: z.string(),
  /** How it ended: an execution result. */
  result: z.looseObject({}).optional(),
});
export type AgentRun = z.output<typeof agentRun>;

/** The endpoints with which a person steers agents, which only the embedded service has. */
export const agentSessionEndpoints = {
  listAgentSessions: endpoint('GET', '/embedded/agent-sessions', {
    summary: 'List the open sessions that agents have used, and what agents wait to be allowed',
    response: ownResponse({ ...agentState }),
  }),
  pauseAgent: endpoint('POST', '/embedded/agent-sessions/:sessionId/pause', {
    summary: 'Pause the agents in a session, or hand it back to them',
    params: sessionParams,
    body: requestBody({ paused: z.boolean().describe('false: agents continue') }),
    response: ownResponse({ ...agentSession.shape }),
    errors: { 404: 'No agent has used the session, or it has ended' },
  }),
  getAgentSnippet: endpoint('GET', '/embedded/agent-sessions/:sessionId/snippet', {
    summary: 'Get what agents did in a session as a Playwright script',
    params: sessionParams,
    response: ownResponse({ code: z.string(), actions: z.number() }),
    errors: { 404: 'No agent has used the session, or it has ended' },
  }),
  answerPermitRequest: endpoint('POST', '/embedded/permit-requests/:requestId', {
    summary: 'Allow or deny what an agent waits for',
    params: z.object({ requestId: characters({ min: 1, max: 100 }).describe('ID of the request') }),
    body: requestBody({
      answer: z
        .enum(permitAnswers)
        .describe('once: this time; session: also the like of it, for the same host, until the session ends; deny'),
    }),
    response: ownResponse({}),
    errors: { 404: 'The agent is no longer waiting' },
  }),
} as const;
