import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Answer } from '../../../answers/answer.ts';
import { describeIssues } from '../../../contract/errors.ts';
import { label } from '../../ui/text/text.ts';
import { fenced, visibleText } from '../../ui/text/visible-text.ts';
import type { ChatToolParts } from '../chat-tools.ts';

/** What the user sees before a tool runs. */
export interface Prepared {
  /** What the tool is doing. */
  doing: string;
  /** What to ask first. Without it, the tool runs at once. */
  question?: { title: string; message: vscode.MarkdownString };
}

/** A tool for the language models of VS Code's chat. */
export interface ChatTool<Schema extends z.ZodObject = z.ZodObject> {
  schema: Schema;
  /** Valid input, shown when that of a call is invalid. */
  example: z.input<Schema>;
  prepare(input: z.output<Schema>): Prepared;
  run(input: z.output<Schema>, signal: AbortSignal): Promise<Answer>;
}

/** Defines a tool whose input has the types of its schema. */
export function chatTool<Schema extends z.ZodObject>(definition: ChatTool<Schema>): ChatTool {
  return definition as unknown as ChatTool;
}

/** What is wrong with a call, in the tool's own words: no part of it is from elsewhere. */
export class ToolProblem extends Error {
  override name = 'ToolProblem';
}

/** The input of any tool that reads on in a long answer. */
export const readingOn = z.strictObject({
  answer: z
    .string()
    .min(1)
    .max(20)
    .describe('ID of a long answer of this tool, to continue reading it. Send it only with "part" or "find".'),
  part: z.int().min(1).max(1_000_000).optional().describe('Number of the part of that answer, from 1'),
  find: z.string().min(1).max(200).optional().describe('Returns only the lines of that answer that contain this text'),
});
export type ReadingOn = z.output<typeof readingOn>;

/** What a call asks for: work, or another part of a long answer. */
export type Asked = { input: Record<string, unknown> } | { readOn: ReadingOn };

/** Checks the input of a call. Throws a ToolProblem that says what was expected, with an example. */
export function checkInput(name: string, { schema, example }: ChatTool, input: unknown): Asked {
  const readsOn = typeof input === 'object' && input !== null && 'answer' in input;
  const parsed = readsOn ? readingOn.safeParse(input) : schema.safeParse(input ?? {});
  if (!parsed.success) {
    const { issues } = parsed.error;
    const fields = Object.keys(readsOn ? readingOn.shape : schema.shape).join(', ');
    const known = issues.some(({ code }) => code === 'unrecognized_keys') ? ` Its fields: ${fields}.` : '';
    const sent = readsOn ? { answer: 'run1', part: 2 } : example;
    throw new ToolProblem(
      `Invalid input for ${name}: ${describeIssues(issues)}.${known} Send, for example: ${JSON.stringify(sent)}`,
    );
  }
  return readsOn ? { readOn: parsed.data as ReadingOn } : { input: parsed.data };
}

/** Returns the input of a tool as JSON Schema, as the manifest has it. Nothing is required: a call may read on instead. */
export function inputSchemaOf({ schema }: ChatTool): Record<string, unknown> {
  const all = z.strictObject({ ...schema.partial().shape, ...readingOn.partial().shape });
  const { $schema: _, ...rest } = z.toJSONSchema(all, { io: 'input' }) as Record<string, unknown>;
  return rest;
}

/**
 * Returns the question whether to do something with exactly this text. The text is in a block that it can't end, and its
 * invisible characters are shown.
 */
export function questionWith(
  title: string,
  { text, language = '', note }: { text: string; language?: string; note?: string },
): { title: string; message: vscode.MarkdownString } {
  const message = new vscode.MarkdownString(`${fenced(visibleText(text), language)}\n\n`);
  if (note) message.appendText(note);
  return { title, message };
}

/** Returns where a tool does its work. */
export function placeNote({ target }: ChatToolParts['connection']): string {
  return target.kind === 'embedded'
    ? l10n.t('Runs on this machine, in the embedded service.')
    : l10n.t('Runs on {0}.', label(target.host));
}
