import * as z from 'zod';
import { describeIssues } from '../../contract/errors.ts';
import { jsonIn } from '../../contract/lenient-texts.ts';
import { shorten } from '../../contract/shorten.ts';
import type { ToolCall, ToolDescription } from '../platform/language-model/language-model.ts';

/** What a language model is told of a tool that it may call. */
interface ModelTool {
  description: string;
  schema: z.ZodObject;
}

type Tools<Tool> = Readonly<Record<string, Tool>>;

/** Describes tools as models expect it. */
export function describeTools(tools: Tools<ModelTool>): ToolDescription[] {
  return Object.entries(tools).map(([name, { description, schema }]) => {
    const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>;
    return { name, description, parameters };
  });
}

/** Returns the tool that a model calls, with its arguments, or what to tell the model if there is none or they are wrong. */
export function readCall<Tool extends ModelTool>(
  { name, arguments: text }: ToolCall,
  tools: Tools<Tool>,
): { tool: Tool; args: Record<string, unknown> } | string {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool) return `There is no tool "${shorten(name, 60)}". Tools: ${Object.keys(tools).join(', ')}.`;
  const args = jsonIn(text || '{}');
  if (args === undefined) return 'The arguments are not JSON.';
  const parsed = tool.schema.safeParse(args);
  return parsed.success ? { tool, args: parsed.data } : `Invalid arguments: ${describeIssues(parsed.error.issues)}`;
}
