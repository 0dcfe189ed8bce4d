import * as z from 'zod';
import { describePage, type PageDriver, PageProblem } from '../../../browsers/page/driver/driver.ts';
import { scriptValue } from '../../../browsers/page/script.ts';
import { messageOf } from '../../../platform/errors.ts';
import type { ToolCall } from '../../../platform/language-model/language-model.ts';
import { lazy } from '../../../platform/lazy.ts';
import { describeTools, readCall } from '../../model-tools.ts';
import { type ActionKind, pageActions } from '../../page-actions/page-actions.ts';

const ref = z.string().min(1).max(40).describe('Ref of an element in the last snapshot, such as e12');

interface Tool<Schema extends z.ZodObject> {
  description: string;
  schema: Schema;
  run(page: PageDriver, args: z.output<Schema>): Promise<string>;
}

function tool<Schema extends z.ZodObject>(definition: Tool<Schema>): Tool<z.ZodObject> {
  return definition as unknown as Tool<z.ZodObject>;
}

/** A tool that acts on the page and returns a new snapshot. */
function acting<Schema extends z.ZodObject>(
  description: string,
  schema: Schema,
  act: (page: PageDriver, args: z.output<Schema>) => Promise<void>,
) {
  return tool({
    description,
    schema,
    run: async (page, args) => {
      await act(page, args);
      return await snapshot(page);
    },
  });
}

/** Maximum number of characters of a snapshot; longer ones are truncated, with a note. */
const snapshotLimit = 40_000;

/** Describes the page, with a reference for each element that can be acted on. */
export async function snapshot(page: PageDriver): Promise<string> {
  const text = describePage(await page.view());
  if (text.length <= snapshotLimit) return text;
  return `${text.slice(0, snapshotLimit)}\n… (truncated; read the text of an element)`;
}

/** What agents do on pages, without what a person would have to be asked about. */
const shared = Object.entries(pageActions)
  .filter(([, { asks }]: [string, ActionKind]) => !asks)
  .map(([name, { description, schema, plan }]: [string, ActionKind]) => [
    name,
    tool({
      description,
      schema,
      async run(page, args) {
        const said = await plan(args).work(page);
        return [said, await snapshot(page)].filter(Boolean).join('\n');
      },
    }),
  ]);

/** All that the model can do. Nothing on a page can add to it. */
const tools: Readonly<Record<string, Tool<z.ZodObject>>> = {
  snapshot: acting('Look at the page again', z.object({}), async () => undefined),
  ...Object.fromEntries(shared),
  scroll: acting('Scroll the page', z.object({ direction: z.enum(['up', 'down']) }), async (page, args) => {
    const factor = args.direction === 'up' ? -0.9 : 0.9;
    await page.evaluate(`scrollBy({ top: ${factor} * innerHeight, behavior: 'instant' })`);
  }),
  run_javascript: tool({
    description: 'Run JavaScript in the page and get its value',
    schema: z.object({ code: z.string().max(20_000) }),
    run: async (page, args) => String(await page.evaluate(expressionOf(args.code))),
  }),
  read_text: tool({
    description: 'Read the text of an element, or of the whole page',
    schema: z.object({ ref: ref.optional() }),
    run: (page, args) => page.readText(args.ref),
  }),
};

/** The tool that finishes the task; its answer is the output. */
const finish = tool({
  description: 'Finish the task with an answer',
  schema: z.object({ answer: z.string().describe('The result of the task, or why it cannot be done') }),
  run: async (_page, { answer }) => answer,
});

const allTools = { ...tools, finish };

/** The tools as described to the model. */
export const toolDescriptions = lazy(() => describeTools(allTools));

/** Maximum number of characters of a tool's result. */
const maxResultLength = 20_000;

/** The outcome of a tool call. A call that can't be carried out is a result for the model, not an exception. */
export type ToolOutcome = { kind: 'result'; text: string; ok: boolean } | { kind: 'finished'; answer: string };

/** Carries out a tool call of the model. Never rejects. */
export async function carryOut(call: ToolCall, page: PageDriver): Promise<ToolOutcome> {
  const failed = (text: string) => ({ kind: 'result', ok: false, text }) as const;
  const read = readCall<Tool<z.ZodObject>>(call, allTools);
  if (typeof read === 'string') return failed(read);
  try {
    const text = await read.tool.run(page, read.args);
    if (read.tool === finish) return { kind: 'finished', answer: text };
    return {
      kind: 'result',
      ok: true,
      text: text.length > maxResultLength ? `${text.slice(0, maxResultLength)}\n… (truncated)` : text,
    };
  } catch (error) {
    const said = error instanceof PageProblem ? error.said : undefined;
    return failed([messageOf(error), said].filter(Boolean).join(' '));
  }
}

/** Returns an expression that runs code and has its value as text. */
function expressionOf(code: string): string {
  return `(async () => { const value = await ${scriptValue(code)}; return typeof value === 'string' ? value : JSON.stringify(value) ?? String(value); })()`;
}
