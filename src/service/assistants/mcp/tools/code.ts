import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { describeRun } from '../../../../answers/texts.ts';
import { limits } from '../../../../contract/limits.ts';
import type { PermitKind } from '../../../../contract/mcp/agent-sessions.ts';
import { languages } from '../../../../contract/sessions/execution.ts';
import type { CdpEvents } from '../../../browsers/chrome/protocol.ts';
import { watchPasswords } from '../../../browsers/page/password-watch.ts';
import type { BrowserHost } from '../../../browsers/sessions/host.ts';
import { messageOf } from '../../../platform/errors.ts';
import { hostOf } from '../../steering/hosts.ts';
import type { Steering } from '../../steering/steering.ts';
import { deleteFile } from './downloads.ts';
import { working } from './progress.ts';
import { type AgentSessions, shortId } from './sessions.ts';
import { acts, sessionField, type Tool, type ToolCall, tool } from './tool.ts';

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
      const id = agent.runs.add({ language, code, result });
      const { summary, text } = describeRun(result);
      return {
        text: `${summary} Run ${id} in session ${shortId(session.id)}.`,
        ...(text && { content: { name: 'output', text } }),
      };
    },
  });
}

/** What code of an agent does in the browser that the user must allow. */
export function createCodeWatch(steering: Steering, sessionId: string, call: ToolCall) {
  const { caller } = call.agent;
  const downloads: Promise<void>[] = [];
  /** Whether the rules of the agent's key leave something of a kind to the user. */
  const mustAsk = (kind: PermitKind) => !steering.permits({ kind, sessionId, host: '', detail: '' }, caller);

  async function keep(host: BrowserHost, begun: CdpEvents['Browser.downloadWillBegin']): Promise<void> {
    const { guid: id, url, suggestedFilename: name } = begun;
    const from = hostOf(url) ?? hostOf(host.tabs.list().at(-1)?.url ?? '') ?? '';
    try {
      await steering.permit({ kind: 'download', sessionId, host: from, detail: name }, call);
    } catch (error) {
      await host.client.send('Browser.cancelDownload', { guid: id }).catch(() => undefined);
      await deleteFile({ id, name }, host.downloads);
      call.notes.push(`A download was deleted. ${messageOf(error)}`);
    }
  }

  return {
    /** Runs the code. Requests that send a password wait for the user. */
    async during<Result>(host: BrowserHost, run: () => Promise<Result>): Promise<Result> {
      const stopDownloads = mustAsk('download')
        ? host.client.on('Browser.downloadWillBegin', (params) => void downloads.push(keep(host, params)))
        : () => undefined;
      const stopPasswords = mustAsk('password')
        ? await watchPasswords({
            client: host.client,
            tabs: host.tabs,
            async allow(url) {
              try {
                await steering.permit({ kind: 'password', sessionId, host: hostOf(url) ?? '', detail: url }, call);
                return true;
              } catch (error) {
                call.notes.push(messageOf(error));
                return false;
              }
            },
          })
        : async () => undefined;
      try {
        return await run();
      } finally {
        await stopPasswords();
        stopDownloads();
      }
    },
    /** Waits for the user's answers about downloads, and deletes what they don't allow. Notes what was denied. */
    finish: async (): Promise<void> => void (await Promise.all(downloads)),
  };
}
