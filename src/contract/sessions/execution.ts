import * as z from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { characters, ownResponse, requestBody, responseBody, wholeNumber } from '../fields.ts';
import { limits } from '../limits.ts';
import { urls } from './sessions.ts';

export const languages = ['python', 'node', 'bash'] as const;
export type Language = (typeof languages)[number];

export const language = z
  .enum(languages, { error: `expected one of ${languages.join(', ')}` })
  .describe('Language of the code; bash is for agent-browser commands');
export const code = characters(limits.code).describe('Code to run');
export const timeout = wholeNumber(limits.runTimeout, 'seconds').describe('Seconds until the run is killed');

/** Body of POST /v2/browser/{sessionId}/execute. */
export const executeBody = requestBody({
  code,
  language: language.default('node'),
  timeout: timeout.default(limits.runTimeout.default),
});

const streams = {
  stdout: z.string().nullish().describe('Standard output'),
  result: z
    .string()
    .nullish()
    .describe('Value of the last expression as text; without a value, the trimmed standard output'),
  stderr: z.string().nullish().describe('Standard error'),
  exitCode: z.int().nullish().describe('0 means success'),
  killed: z.boolean().nullish().describe('True when the run was stopped by its timeout or was canceled'),
  error: z.string().nullish().describe('Error message; absent on success'),
  truncated: z.boolean().nullish().describe('True when a stream or the result was truncated at its limit'),
};

/** Response of execute (specification, "Code execution result"). */
export const executionResult = responseBody({
  success: z.boolean().nullish().describe('Whether the code was executed; also true if the code failed: check error'),
  ...streams,
});

/** Body of POST /v2/scrape/{jobId}/interact: code or prompt, not both. */
export const interactBody = requestBody({
  code: code.optional(),
  prompt: characters(limits.prompt).optional().describe('Task in natural language for an agent'),
  language: language.default('node'),
  timeout: timeout.default(limits.runTimeout.default),
})
  .superRefine((body, context) => {
    if ((body.code === undefined) === (body.prompt === undefined)) {
      context.addIssue({ code: 'custom', message: "Either 'code' or 'prompt' must be provided, and not both." });
    }
  })
  .meta({ oneOf: [{ required: ['code'] }, { required: ['prompt'] }] });

/** Response of interact. */
export const interactionResult = responseBody({
  success: z.boolean().nullish().describe('Whether the execution completed without errors'),
  sessionId: z.string().nullish().describe('The browser session of the scrape job'),
  ...urls,
  output: z.string().nullish().describe('Final answer of the agent; present only with a prompt'),
  ...streams,
});

export type ExecuteBody = z.output<typeof executeBody>;
export type ExecutionResult = z.output<typeof executionResult>;
export type InteractBody = z.output<typeof interactBody>;
export type InteractionResult = z.output<typeof interactionResult>;

/**
 * On execute and interact, together with the run's ID: the run is a window's own. Its limit is the value, in seconds or
 * `none`, instead of `timeout`. It goes on if the window disconnects, and a result or output that is cut is kept whole for a while.
 */
export const runLimitHeader = 'x-webdata-run-limit';

/** Returns a limit in seconds as the value of the header. */
export function encodeRunLimit(seconds: number): string {
  return Number.isFinite(seconds) ? String(seconds) : 'none';
}

/** Reads the header. Returns seconds, Infinity for none, or undefined if it is malformed. */
export function parseRunLimit(value: string): number | undefined {
  if (value === 'none') return Number.POSITIVE_INFINITY;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return seconds >= limits.ownRunLimit.min && seconds <= limits.ownRunLimit.max ? seconds : undefined;
}

/** The parts of a run that may be cut. */
export const cutParts = ['result', 'stdout', 'stderr'] as const;
export type CutPart = (typeof cutParts)[number];

const params = z.object({ runId: z.string().min(1).max(100) });
const errors = { 404: 'The team has no such run, or it is no longer kept' };

/** The runs of windows, by the ID that the window gave them. */
export const keptRunEndpoints = {
  awaitRun: endpoint('GET', '/embedded/runs/:runId', {
    summary: 'Wait for a run whose window has disconnected, and return its outcome',
    params,
    response: interactionResult,
    errors,
  }),
  stopRun: endpoint('POST', '/embedded/runs/:runId/stop', {
    summary: "Stop a window's run",
    params,
    body: requestBody({}),
    response: ownResponse({}),
    errors,
  }),
  readWholeResult: endpoint('GET', '/embedded/runs/:runId/result', {
    summary: "Get the whole result or output of a window's run, if the response was cut off",
    params,
    query: z.object({ part: z.enum(cutParts).default('result') }),
    response: ownResponse({ result: z.string() }),
    errors,
  }),
} as const;
