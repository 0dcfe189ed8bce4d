import * as z from 'zod';
import type { Answer } from '../../../../answers/answer.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Api } from '../api.ts';
import { waitForJob } from './progress.ts';
import { fetches, steers, type Tool, type ToolCall, tool } from './tool.ts';

const seconds = z.int().min(0).max(300).optional().describe('Seconds to wait');

/** Tools that let the service's own agent, on the configured language model, gather data from the web. */
export function agentJobTools(api: Api): Record<string, Tool> {
  /** Waits for the end of a job, at most so many seconds. */
  async function awaited(jobId: string, forSeconds: number, call: ToolCall): Promise<Answer> {
    const { status, data, sources, error, warning } = await waitForJob(call, forSeconds, {
      look: () => api('getAgent', { params: { jobId } }, call),
      isRunning: (state) => state.status === 'processing',
      progressOf: (_state, passed) => ({
        progress: Math.round(passed),
        message: `Gathering: ${Math.round(passed)} s`,
      }),
    });
    const said = [
      error,
      warning,
      data !== undefined && JSON.stringify(data, null, 1),
      sources && JSON.stringify({ sources }),
    ];
    const text = said.filter(Boolean).join('\n');
    return {
      text: `Agent job ${jobId}: ${status}.`,
      ...(text && { content: { name: 'data', text } }),
      ...(status === 'processing' && { next: `Next: agent_status {"job":"${jobId}","wait":60}.` }),
    };
  }

  return {
    agent_start: tool({
      title: 'Let an agent gather data',
      description:
        "Let the user's language model search, read and browse for an answer as JSON with sources. Check it with agent_status.",
      schema: z.strictObject({
        prompt: z.string().min(1).max(limits.prompt.max).describe('What to find out'),
        urls: z
          .array(z.string().min(1).max(limits.url))
          .max(limits.agentUrls)
          .optional()
          .describe('Pages to start from'),
        schema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema that the data must match'),
        wait: seconds,
      }),
      example: { prompt: 'Prices of all plans', urls: ['https://example.com/pricing'], wait: 60 },
      hints: fetches,
      async run({ wait: forSeconds = 0, ...body }, call) {
        const { id } = await api('startAgent', { body }, call);
        return await awaited(id, forSeconds, call);
      },
    }),
    agent_status: tool({
      title: 'Check an agent job',
      description: 'Get the status and the data of an agent job; wait for its end, or cancel it.',
      schema: z.strictObject({
        job: z.string().min(1).max(100).describe('ID from agent_start'),
        wait: seconds,
        cancel: z.boolean().optional(),
      }),
      example: { job: '00000000-0000-4000-8000-000000000000', wait: 60 },
      hints: steers,
      async run({ job: jobId, wait: forSeconds = 0, cancel = false }, call) {
        if (cancel) {
          await api('cancelAgent', { params: { jobId } }, call);
          return { text: `Agent job ${jobId} is canceled.` };
        }
        return await awaited(jobId, forSeconds, call);
      },
    }),
  };
}
