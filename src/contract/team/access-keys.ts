import { agentKeyPrefix } from '../mcp/mcp.ts';

/** What a stored key opens: the Model Context Protocol server for an agent, the API for a team, or the metrics. */
export const keyKinds = ['agent', 'team', 'metrics'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** How the keys of each kind start. */
export const keyPrefixes: Readonly<Record<KeyKind, string>> = {
  agent: agentKeyPrefix,
  team: 'wdk-',
  metrics: 'wdm-',
};
