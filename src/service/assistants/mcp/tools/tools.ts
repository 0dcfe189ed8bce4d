import * as z from 'zod';
import type { Answer, ToolResult } from '../../../../answers/answer.ts';
import { addScheme } from '../../../../contract/addresses.ts';
import type { Sessions } from '../../../browsers/sessions/sessions.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AddressPolicy } from '../../../platform/network/address-policy/address-policy.ts';
import type { AgentKeys } from '../../../platform/team/agent-keys.ts';
import { hostOf } from '../../steering/hosts.ts';
import type { Steering } from '../../steering/steering.ts';
import { adviceFor } from '../advice.ts';
import type { Api } from '../api.ts';
import { agentJobTools } from './agent-jobs.ts';
import { codeTool } from './code.ts';
import { crawlTools } from './crawls.ts';
import { docsTools } from './docs.ts';
import { pageTools } from './page/page.ts';
import { trafficTools } from './page/traffic.ts';
import { createSaving } from './save.ts';
import { createAgentSessions, sessionTools } from './sessions.ts';
import { checkArguments, parametersOf, reads, type Tool, type ToolCall, tool } from './tool.ts';
import { searchTool, webTools } from './web.ts';

/** A tool as the protocol lists it. */
export type ListedTool = ReturnType<typeof listedTool>;

/** All tools. */
export type Tools = ReturnType<typeof createTools>;

export interface ToolsParts {
  api: Api;
  sessions: Sessions;
  policy: AddressPolicy;
  steering: Steering;
  agentKeys: Pick<AgentKeys, 'usedUp' | 'use'>;
  /** Whether agents may have files of this machine read. */
  readsFiles: boolean;
  /** Where agents' answers are saved. */
  files: string;
}

export function createTools({ api, sessions, policy, steering, agentKeys, readsFiles, files }: ToolsParts) {
  const saving = createSaving(readsFiles ? files : undefined);
  const ofAgents = createAgentSessions(sessions);
  const tools: Readonly<Record<string, Tool>> = {
    ...pageTools(ofAgents, policy, steering, readsFiles),
    ...trafficTools(ofAgents),
    run_code: codeTool(ofAgents, steering),
    ...sessionTools(sessions, ofAgents, steering),
    search: searchTool(api),
    ...webTools(api, readsFiles),
    ...docsTools(api, steering),
    ...crawlTools(api),
    ...agentJobTools(api),
    read_more: readMore,
  };
  let listed: ListedTool[] | undefined;

  /**
   * Does what a tool does, and counts it toward the budget of the agent's key. Throws a ServiceError for the agent if that is
   * used up and the tool costs any.
   */
  async function withinBudget(name: string, { hints }: Tool, call: ToolCall, work: () => Promise<Answer>) {
    const { caller } = call.agent;
    const isFree = ending.has(name) || (hints.readOnlyHint && !hints.openWorldHint);
    const usedUp = isFree ? undefined : agentKeys.usedUp(caller);
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
      agentKeys.use(caller, { ms, ...(name === 'run_code' && { runs: 1 }) });
    }
  }

  return {
    list(): ListedTool[] {
      listed ??= Object.entries(tools).map(([name, each]) => saving.describe(listedTool(name, each)));
      return listed;
    },
    has: (name: string): boolean => Object.hasOwn(tools, name),
    /** Calls a tool. What goes wrong is a result that says what to do, never an exception. */
    async call(name: string, args: unknown, given: Omit<ToolCall, 'notes' | 'waitedMs'>): Promise<ToolResult> {
      const call: ToolCall = { ...given, notes: [], waitedMs: 0 };
      const { answers } = call.agent;
      const found = tools[name] as Tool;
      try {
        const { args: own, file } = saving.take(name, args);
        const checked = checkArguments(name, found, own);
        const answer = await withinBudget(name, found, call, async () => {
          if (!('session' in found.schema.shape)) await permitHosts(steering, name, checked, call);
          return await found.run(checked, call);
        });
        const shown = file === undefined ? answer : await saving.write(file, answer, call.agent);
        return await answers.write({ ...shown, text: [...call.notes, shown.text].filter(Boolean).join('\n') });
      } catch (error) {
        if (call.signal.aborted) throw error;
        const { message, said } = adviceFor(error);
        return await answers.writeError(message, said);
      }
    },
  };
}

function listedTool(name: string, tool: Tool) {
  const { title, description, hints: annotations } = tool;
  return { name, title, description, inputSchema: parametersOf(tool), annotations };
}

/** Lets an agent read URLs without a session only on hosts that its key allows, or that the user does. */
async function permitHosts(steering: Steering, name: string, args: Record<string, unknown>, call: ToolCall) {
  // The service's own agent goes wherever its task leads.
  if (name === 'agent_start')
    await steering.permit({ kind: 'host', host: 'any host', detail: String(args.prompt) }, call);
  const urls = [args.url, ...(Array.isArray(args.urls) ? args.urls : [])];
  for (const url of urls) {
    const detail = typeof url === 'string' ? addScheme(url.trim()) : '';
    const host = hostOf(detail);
    if (host) await steering.permit({ kind: 'host', host, detail }, call);
  }
}

const readMore = tool({
  title: 'Read on in a long answer',
  description: 'Read another part of a long answer, or find words in it.',
  schema: z.strictObject({
    answer: z.string().min(1).max(20).describe('ID from the answer, such as a3'),
    part: z.int().min(1).optional(),
    find: z.string().min(1).max(200).optional().describe('Only lines that contain this'),
  }),
  example: { answer: 'a3', part: 2 },
  hints: reads,
  run: async ({ answer, part, find }, { agent }) => agent.answers.read(answer, { part, find }),
});

/** Tools that end what costs something. */
const ending = new Set(['session_close']);
