import * as z from 'zod';
import type { Answer } from '../../../../answers/answer.ts';
import type { Answers } from '../../../../answers/answers.ts';
import { describeIssues } from '../../../../contract/errors.ts';
import type { DrivenState } from '../../../browsers/page/driver/driver.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Caller } from '../../../platform/http/keys.ts';
import type { SteeredCall } from '../../steering/steering.ts';
import type { KeptRuns } from '../runs.ts';

/** What is known about an agent that is connected. */
export interface Agent {
  readonly caller: Caller;
  readonly answers: Answers;
  readonly runs: KeptRuns;
  /** The browser session that its calls use unless they name another one. */
  session?: string | undefined;
  /** What it has last seen of the page of each session. */
  readonly seen: Map<string, { url: string; outline: string }>;
  /** What it has chosen in each session, such as a tab. */
  readonly driven: Map<string, DrivenState>;
}

/** How far a call is. */
export interface Progress {
  progress: number;
  total?: number;
  message: string;
}

/** A call of a tool. */
export interface ToolCall extends SteeredCall {
  agent: Agent;
  /** Aborts when the agent cancels the call or disconnects, or the service stops. */
  signal: AbortSignal;
  /** Tells the agent how far the call is, if it wants to know. */
  report(progress: Progress): void;
}

/** What a tool may do, for clients that ask the person before some calls. */
export interface ToolHints {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  openWorldHint: boolean;
}

/** A tool, as agents see it. */
export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  title: string;
  /** What it does and when to use it, in few words: every agent reads it at the start. */
  description: string;
  schema: Schema;
  /** Valid arguments, shown when those of a call are invalid. */
  example: z.input<Schema>;
  hints: ToolHints;
  run(args: z.output<Schema>, call: ToolCall): Promise<Answer>;
}

/** Defines a tool whose arguments have the types of its schema. */
export function tool<Schema extends z.ZodObject>(definition: Tool<Schema>): Tool {
  return definition as unknown as Tool;
}

/** Only reads, and only what the service has. */
export const reads: ToolHints = { readOnlyHint: true, openWorldHint: false };
/** Only reads, from the web. */
export const readsWeb: ToolHints = { readOnlyHint: true, openWorldHint: true };
/** Changes only what the agent itself uses. */
export const steers: ToolHints = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
/** Has the service get something from the web, which changes nothing there. */
export const fetches: ToolHints = { ...steers, openWorldHint: true };
/** Acts in a browser, where anything can follow. */
export const acts: ToolHints = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };

/** Checks the arguments of a call. Throws a ServiceError that says what was expected, with an example. */
export function checkArguments(name: string, { schema, example }: Tool, args: unknown): Record<string, unknown> {
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const fields = Object.keys(schema.shape);
  const known = fields.length > 0 ? ` Its arguments: ${fields.join(', ')}.` : ' It has no arguments.';
  const unknownField = parsed.error.issues.some(({ code }) => code === 'unrecognized_keys');
  throw new ServiceError(
    400,
    `Invalid arguments for ${name}: ${describeIssues(parsed.error.issues)}.${unknownField ? known : ''} Send, for example: ${JSON.stringify(example)}`,
  );
}

/** Limits that few calls would break: an error tells those that do. */
const unsaid = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'propertyNames'] as const;

/** Returns a tool's arguments as JSON Schema, without most limits: every agent reads it, and calls are checked. */
export function parametersOf({ schema }: Tool): Record<string, unknown> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      for (const limit of unsaid) delete jsonSchema[limit];
      if (Number(jsonSchema.maximum) > 1000) delete jsonSchema.maximum;
    },
  }) as Record<string, unknown>;
  return parameters;
}

/** The browser session of a call. */
export const sessionField = z.string().min(4).max(200).optional().describe('Its ID; default: your own');
