import { currentAsker } from '../asker.ts';
import { messageOf } from '../errors.ts';
import { createLargeBodies } from '../http/large-bodies.ts';
import { lazy } from '../lazy.ts';
import { withoutNulls } from './json-schema.ts';

/** JSON that a model answered with. */
export interface JsonAnswer {
  value: unknown;
  /** A problem to show to the user, such as how it violates the schema. */
  warning?: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Schemas are checked in a thread of their own: each check may take a quarter of a second. */
const checks = lazy(() => createLargeBodies());
const problemOf = async (...checked: [schema: Schema, value?: unknown]) =>
  await checks().problemOf(currentAsker()?.team ?? '', ...checked);

/** Returns why values can't be checked against a JSON Schema; undefined if they can. */
export const whyUnusable = (schema: Schema): Promise<string | undefined> => problemOf(schema).catch(messageOf);

/** Parses a model's answer and checks it against a JSON Schema; returns undefined if it isn't JSON. */
export async function readJson(text: string, schema: Schema | undefined): Promise<JsonAnswer | undefined> {
  const value = parseJson(text);
  return value === undefined ? undefined : await checkedJson(value, schema);
}

/** Checks a value against a JSON Schema. Properties that are null are omitted if the schema doesn't allow null. */
export async function checkedJson(value: unknown, schema: Schema | undefined): Promise<JsonAnswer> {
  // Whatever can't be checked is accepted.
  const violation = async (of: unknown) => schema && (await problemOf(schema, of).catch(() => undefined));
  const problem = await violation(value);
  if (problem === undefined) return { value };
  const pruned = withoutNulls(value);
  if ((await violation(pruned)) === undefined) return { value: pruned };
  return { value, warning: `The JSON doesn't match its schema: ${problem}` };
}

/** Parses JSON, which models often wrap in a code fence; returns undefined if it isn't JSON. */
export function parseJson(text: string): unknown {
  // The value itself may have fences in its texts.
  const fenced = /```(?:json)?([\s\S]*?)```/.exec(text)?.[1];
  const toLastFence = /```(?:json)?([\s\S]*)```/.exec(text)?.[1];
  for (const candidate of [text, fenced, toLastFence]) {
    try {
      if (candidate !== undefined) return JSON.parse(candidate.trim());
    } catch {
      // The next may be JSON.
    }
  }
  return undefined;
}
