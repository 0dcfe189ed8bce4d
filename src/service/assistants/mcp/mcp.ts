import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import packageJson from '../../../../package.json' with { type: 'json' };
import { createRedact } from '../../../answers/redaction.ts';
import type { Sessions } from '../../browsers/sessions/sessions.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { AgentKeys } from '../../platform/team/agent-keys.ts';
import type { Steering } from '../steering/steering.ts';
import { createApi } from './api.ts';
import { type Connections, createConnections } from './connections.ts';
import { fillPrompt, listPrompts } from './prompts.ts';
import { createResources } from './resources.ts';
import { createTools } from './tools/tools.ts';

/** The service's abilities as tools for agents, in the Model Context Protocol. */
export interface Mcp extends Connections {}

export interface McpParts {
  handlers: Partial<Handlers>;
  sessions: Sessions;
  policy: AddressPolicy;
  steering: Steering;
  agentKeys: Pick<AgentKeys, 'usedUp' | 'use'>;
  /** The API keys and other secrets of the service, which no answer contains. More can be added. */
  keys: readonly string[];
  /** The node of a fleet that connections belong to. */
  node: string | undefined;
  /** Returns the URL of the service in links. */
  baseUrl(): string;
  /** Whether agents may have files of this machine parsed. */
  readsFiles: boolean;
  /** Where agents' answers are saved. */
  files: string;
  clock: Clock;
}

// In the built service `import.meta.dirname` is dist/, where the protocol is bundled.
const protocol = import.meta.dirname.endsWith('mcp')
  ? join(import.meta.dirname, 'protocol', 'protocol.ts')
  : join(import.meta.dirname, 'mcp-protocol.cjs');

export function createMcp({
  handlers,
  sessions,
  policy,
  steering,
  agentKeys,
  keys,
  node,
  baseUrl,
  readsFiles,
  files,
  clock,
}: McpParts): Mcp {
  const api = createApi(handlers, baseUrl);
  const redact = createRedact(keys);
  const stopping = new AbortController();
  const connections = createConnections({
    tools: createTools({ api, sessions, policy, steering, agentKeys, readsFiles, files }),
    resources: createResources(api, redact),
    prompts: { list: listPrompts, fill: fillPrompt },
    redact,
    version: packageJson.version,
    node,
    stopping: stopping.signal,
    clock,
    load: () => import(pathToFileURL(protocol).href),
  });
  return {
    ...connections,
    async close() {
      stopping.abort(new Error('The service is stopping.'));
      await connections.close();
    },
  };
}
