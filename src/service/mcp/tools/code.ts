import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { describeRun } from '../../../answers/run-text.ts';
import { runIdHeader } from '../../../contract/embedded.ts';
import { languages } from '../../../contract/execution.ts';
import { limits } from '../../../contract/limits.ts';
import type { Api } from '../api.ts';
import { working } from './progress.ts';
import { type AgentSessions, shortId } from './sessions.ts';
import { acts, sessionField, type Tool, tool } from './tool.ts';

/** The tool that runs code. */
export function codeTool(api: Api, sessions: AgentSessions): Tool {
  return tool({
    title: 'Run code in a session',
    description:
      'Run code in a session: node or python with Playwright (page, context and browser are ready; variables stay until the session ends), or bash with agent-browser. The value of the last expression is the result. Runs as the user, not sandboxed.',
    schema: z.strictObject({
      code: z.string().min(1).max(limits.code.max),
      language: z.enum(languages).optional().describe('default node'),
      timeout: z.int().min(limits.runTimeout.min).max(limits.runTimeout.max).optional().describe('Seconds, default 30'),
      session: sessionField,
    }),
    example: { code: "await page.goto('https://example.com'); await page.title()" },
    hints: acts,
    async run({ code, language = 'node', timeout = limits.runTimeout.default, session: given }, call) {
      const { agent, signal } = call;
      const session = await sessions.find(agent, given, { open: true });
      const request = { params: { sessionId: session.id }, body: { code, language, timeout } };
      const context = { caller: agent.caller, signal, headers: { [runIdHeader]: randomUUID() } };
      const result = await working(call, 'Running', api('executeInBrowserSession', request, context));
      const id = agent.runs.add({ sessionId: session.id, language, code, result });
      const { summary, text } = describeRun(result);
      return {
        text: `${summary} Run ${id} in session ${shortId(session.id)}.`,
        ...(text && { content: { name: 'output', text } }),
      };
    },
  });
}
