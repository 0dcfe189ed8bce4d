import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import packageJson from '../../../../package.json' with { type: 'json' };
import { createRedact } from '../../../answers/redaction.ts';
import type { Clock } from '../../platform/clock.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import { createApi } from './api.ts';
import { type Connections, createConnections } from './connections.ts';
import { fillPrompt, listPrompts } from './prompts.ts';
import { createResources } from './resources.ts';
import { createTools, type ToolsParts } from './tools/tools.ts';

/** The service's abilities as tools for agents, in the Model Context Protocol. */
export type Mcp = Connections;

export interface McpParts extends Omit<ToolsParts, 'api'> {
  handlers: Partial<Handlers>;
  /** The API keys and other secrets of the service, which no answer contains. More can be added. */
  keys: readonly string[];
  /** The node of a fleet that connections belong to. */
  node: string | undefined;
  /** Returns the URL of the service in links. */
  baseUrl(): string;
  clock: Clock;
}

// In the built service `import.meta.dirname` is dist/, where the protocol is bundled.
const protocol = import.meta.dirname.endsWith('mcp')
  ? join(import.meta.dirname, 'protocol', 'protocol.ts')
  : join(import.meta.dirname, 'mcp-protocol.cjs');

export function createMcp({ handlers, keys, node, baseUrl, clock, ...parts }: McpParts): Mcp {
  const api = createApi(handlers, baseUrl);
  const redact = createRedact(keys);
  const stopping = new AbortController();
  const connections = createConnections({
    tools: createTools({ api, ...parts }),
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
      stopping.abort(new ServiceError(503, 'The service is stopping.'));
      await connections.close();
    },
  };
}
