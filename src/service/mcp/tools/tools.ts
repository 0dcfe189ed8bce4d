import * as z from 'zod';
import type { ToolResult } from '../../../answers/answer.ts';
import type { AddressPolicy } from '../../fetch/address-policy/address-policy.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { adviceFor } from '../answers/advice.ts';
import type { Api } from '../api.ts';
import { agentJobTools } from './agent-jobs.ts';
import { codeTool } from './code.ts';
import { crawlTools } from './crawls.ts';
import { pageTools } from './page.ts';
import { searchTool } from './search.ts';
import { createAgentSessions, sessionTools } from './sessions.ts';
import { checkArguments, parametersOf, reads, type Tool, type ToolCall, type ToolHints, tool } from './tool.ts';
import { webTools } from './web.ts';

/** A tool as the protocol lists it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations: ToolHints & { title: string };
}

/** All tools. */
export interface Tools {
  list(): ListedTool[];
  has(name: string): boolean;
  /** Calls a tool. What goes wrong is a result that says what to do, never an exception. */
  call(name: string, args: unknown, call: ToolCall): Promise<ToolResult>;
}

export interface ToolsParts {
  api: Api;
  sessions: Sessions;
  policy: AddressPolicy;
}

export function createTools({ api, sessions, policy }: ToolsParts): Tools {
  const ofAgents = createAgentSessions(sessions);
  const tools: Readonly<Record<string, Tool>> = {
    ...pageTools(ofAgents, policy),
    run_code: codeTool(api, ofAgents),
    ...sessionTools(sessions, ofAgents),
    search: searchTool(api),
    ...webTools(api),
    ...crawlTools(api),
    ...agentJobTools(api),
    read_more: readMore,
  };
  let listed: ListedTool[] | undefined;
  return {
    list() {
      listed ??= Object.entries(tools).map(([name, each]) => ({
        name,
        title: each.title,
        description: each.description,
        inputSchema: parametersOf(each),
        annotations: { title: each.title, ...each.hints },
      }));
      return listed;
    },
    has: (name) => Object.hasOwn(tools, name),
    async call(name, args, call) {
      const { answers } = call.agent;
      const found = tools[name] as Tool;
      try {
        return answers.write(await found.run(checkArguments(name, found, args), call));
      } catch (error) {
        if (call.signal.aborted) throw error;
        const { message, said } = adviceFor(error);
        return answers.writeError(message, said);
      }
    },
  };
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
