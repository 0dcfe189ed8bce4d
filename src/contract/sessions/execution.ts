import * as z from 'zod';
import { characters, requestBody, responseBody, wholeNumber } from '../fields.ts';
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
