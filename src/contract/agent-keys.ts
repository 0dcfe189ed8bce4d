import * as z from 'zod';
import type { Endpoint } from './endpoints.ts';
import { characters, dateTime, requestBody, responseBody } from './fields.ts';

/** Every key of an agent starts with this. */
export const agentKeyPrefix = 'wda-';

const name = characters({ min: 1, max: 60 });

/** A key with which one agent reaches the Model Context Protocol server, and nothing else. */
export const agentKey = responseBody({
  id: z.string(),
  name: z.string().meta({ description: 'What the key is for, such as the name of a coding agent' }),
  createdAt: dateTime,
  lastUsedAt: dateTime.nullish().meta({ description: 'When a coding agent last connected with it, to the minute' }),
});
export type AgentKey = z.output<typeof agentKey>;

/** The endpoints for the keys of agents, which only the embedded service has. */
export const agentKeyEndpoints = {
  listAgentKeys: {
    method: 'GET',
    path: '/embedded/agent-keys',
    summary: 'List agent keys, newest first',
    section: 'embedded',
    response: responseBody({ success: z.boolean(), keys: z.array(agentKey) }),
    errors: {},
  },
  createAgentKey: {
    method: 'POST',
    path: '/embedded/agent-keys',
    summary: 'Create an agent key, which opens the Model Context Protocol server only',
    section: 'embedded',
    body: requestBody({ name: name.meta({ description: 'What the key is for, such as the name of a coding agent' }) }),
    response: responseBody({
      success: z.boolean(),
      ...agentKey.shape,
      key: z.string().meta({ description: 'The key. It is returned only once' }),
    }),
    errors: { 409: 'The team has the maximum number of keys' },
  },
  revokeAgentKey: {
    method: 'DELETE',
    path: '/embedded/agent-keys/:keyId',
    summary: 'Revoke an agent key: its connections end at once',
    section: 'embedded',
    params: z.object({ keyId: characters({ min: 1, max: 100 }).meta({ description: 'ID of the key' }) }),
    response: responseBody({ success: z.boolean() }),
    errors: { 404: 'Key not found' },
  },
} as const satisfies Record<string, Endpoint>;
