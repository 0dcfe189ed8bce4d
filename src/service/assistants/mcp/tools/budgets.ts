import { ServiceError } from '../../../platform/errors.ts';
import type { AgentKeys } from '../../../platform/team/agent-keys.ts';
import type { Tool, ToolCall } from './tool.ts';

/** Tools that end what costs something. */
const ending = new Set(['session_close']);

/** Keeps agents within the budgets of their keys. */
export function createBudgets(keys: Pick<AgentKeys, 'usedUp' | 'use'>) {
  return {
    /** Does what a tool does, and counts it. Throws a ServiceError for the agent if its budget is used up and the tool costs any. */
    async within<Result>(name: string, { hints }: Tool, call: ToolCall, work: () => Promise<Result>): Promise<Result> {
      const { caller } = call.agent;
      const isFree = ending.has(name) || (hints.readOnlyHint && !hints.openWorldHint);
      const usedUp = isFree ? undefined : keys.usedUp(caller);
      if (usedUp) {
        throw new ServiceError(
          403,
          `Not done: the budget of this agent is used up (${usedUp}). Next: tell the user, who can raise it or reset its usage with "Manage Agent Keys…" in VS Code. page_snapshot, crawl_status and read_more still work.`,
        );
      }
      const started = performance.now();
      try {
        return await work();
      } finally {
        const ms = Math.max(0, performance.now() - started - call.waitedMs);
        keys.use(caller, { ms, ...(name === 'run_code' && { runs: 1 }) });
      }
    },
  };
}
