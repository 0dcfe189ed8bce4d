import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { describeRun } from '../../../../../answers/run-text.ts';
import { limits } from '../../../../../contract/limits.ts';
import { languages } from '../../../../../contract/sessions/execution.ts';
import { messageOf } from '../../../../platform/errors.ts';
import type { Steering } from '../../../steering/steering.ts';
import { working } from '../progress.ts';
import { type AgentSessions, shortId } from '../sessions.ts';
import { acts, sessionField, type Tool, tool } from '../tool.ts';
import { createCodeWatch } from './code-watch.ts';

/** The tool that runs code. */
export function codeTool(sessions: AgentSessions, steering: Steering): Tool {
  return tool({
    title: 'Run code in a session',
    description:
      'Run code in a session: node or python with Playwright (page, context and browser are ready; variables stay), or bash with agent-browser. The value of the last expression is the result. Runs as the user, not sandboxed.',
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
      await steering.permit({ kind: 'code', sessionId: session.id, host: '', detail: code }, call);
      const name = agent.caller.agent ?? agent.caller.keyLabel;
      const shown = { runId: randomUUID(), sessionId: session.id, agent: name, language, code };
      const watch = createCodeWatch(steering, session.id, call);
      let isShown = false;
      const acted = steering.act(session, call, { anyPage: false }, async (check) => {
        const run = session.execute(
          { code, language, timeout },
          {
            signal,
            runId: shown.runId,
            tab: () => agent.driven.get(session.id)?.tab,
            whileRunning(work, host) {
              check();
              isShown = true;
              steering.showRun(agent.caller.team, shown);
              return steering.running(session, () => watch.during(host, work));
            },
          },
        );
        return await working(call, 'Running', run);
      });
      const result = await acted.catch((error: unknown) => {
        const failed = { success: false, error: messageOf(error, 2000) };
        if (isShown) steering.showRun(agent.caller.team, { ...shown, result: failed });
        throw error;
      });
      steering.showRun(agent.caller.team, { ...shown, result });
      await watch.finish();
      // What failed would fail again.
      const succeeded = !result.killed && !result.error && (result.exitCode ?? 0) === 0;
      if (succeeded) steering.record(session.id, { kind: 'run', language, code });
      const id = agent.runs.add({ sessionId: session.id, language, code, result });
      const { summary, text } = describeRun(result);
      return {
        text: `${summary} Run ${id} in session ${shortId(session.id)}.`,
        ...(text && { content: { name: 'output', text } }),
      };
    },
  });
}
