import * as z from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { characters, dateTime, ownResponse, requestBody, responseBody, wholeNumber } from '../fields.ts';
import { agentKeyPrefix } from './mcp.ts';

const name = characters({ min: 1, max: 60 });

const hostPattern = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i;

/** What an agent may do without asking, and how much of it. */
export const agentRules = z.strictObject({
  hosts: z
    .array(
      characters({ min: 1, max: 260 }).regex(hostPattern, {
        error: 'expected a host such as example.com, *.example.com or localhost:3000',
      }),
    )
    .max(200)
    .nullable()
    .default(null)
    .describe(
      'Hosts that it may use without asking, such as example.com, *.example.com or localhost:3000; null: all. With a list it also asks before it runs code',
    ),
  downloads: z.enum(['ask', 'allow']).default('ask').describe('Whether it asks before it keeps a download'),
  passwords: z
    .enum(['ask', 'allow'])
    .default('ask')
    .describe('Whether it asks before it submits a form with a password'),
  uploads: z
    .array(characters({ min: 1, max: 4096 }))
    .max(100)
    .nullable()
    .default(null)
    .describe('Folders, as absolute paths, whose files it may give to pages after asking each time; null: all'),
  runs: wholeNumber({ min: 0, max: 1_000_000 })
    .nullable()
    .default(null)
    .describe('How many times it may run code; null: no limit'),
  minutes: wholeNumber({ min: 0, max: 1_000_000 }, 'minutes')
    .nullable()
    .default(null)
    .describe('How many minutes its calls may take in total; null: no limit'),
  credits: wholeNumber({ min: 0, max: 1_000_000_000 })
    .nullable()
    .default(null)
    .describe('How many credits it may spend; null: no limit'),
});
export type AgentRules = z.output<typeof agentRules>;

/** What an agent has used of its budget. */
export const agentUse = z.looseObject({ runs: z.number(), minutes: z.number(), credits: z.number() });

/** A key with which one agent reaches the Model Context Protocol server, and nothing else. */
export const agentKey = responseBody({
  id: z.string(),
  name: z.string().describe('What the key is for, such as the name of a coding agent'),
  createdAt: dateTime,
  lastUsedAt: dateTime.nullish().describe('When a coding agent last connected with it, to the minute'),
  rules: z.looseObject(agentRules.shape).optional().describe('What the agent may do without asking, and its budget'),
  used: agentUse.optional().describe('What it has used of its budget'),
});
export type AgentKey = z.output<typeof agentKey>;

/** The endpoints for the keys of agents, which only the embedded service has. */
export const agentKeyEndpoints = {
  listAgentKeys: endpoint('GET', '/embedded/agent-keys', {
    summary: 'List agent keys, newest first',
    response: ownResponse({ keys: z.array(agentKey) }),
  }),
  createAgentKey: endpoint('POST', '/embedded/agent-keys', {
    summary: 'Create an agent key, which gives access to the Model Context Protocol server only',
    body: requestBody({
      name: name.describe('What the key is for, such as the name of a coding agent'),
      key: characters({ min: 1, max: 100 })
        .regex(new RegExp(`^${agentKeyPrefix}[A-Za-z0-9_-]{43}$`), {
          error: `expected ${agentKeyPrefix} and 43 characters`,
        })
        .optional()
        .describe('A key that you have made. One that exists already is returned as it is'),
    }),
    response: ownResponse({ ...agentKey.shape, key: z.string().describe('The key. It is returned only once') }),
    errors: { 409: 'The team has the maximum number of keys', 410: 'The key was revoked' },
  }),
  setAgentRules: endpoint('POST', '/embedded/agent-keys/:keyId/rules', {
    summary: 'Set what an agent may do without asking, and its budget',
    params: z.object({ keyId: characters({ min: 1, max: 100 }).describe('ID of the key') }),
    body: requestBody({
      rules: agentRules.describe('All rules; those left out get their defaults'),
      reset: z.boolean().default(false).describe('Whether the budget starts again from zero'),
    }),
    response: ownResponse({ ...agentKey.shape }),
    errors: { 404: 'Key not found' },
  }),
  revokeAgentKey: endpoint('DELETE', '/embedded/agent-keys/:keyId', {
    summary: 'Revoke an agent key, which ends its connections',
    params: z.object({ keyId: characters({ min: 1, max: 100 }).describe('ID of the key') }),
    response: ownResponse({}),
    errors: { 404: 'Key not found' },
  }),
} as const;
