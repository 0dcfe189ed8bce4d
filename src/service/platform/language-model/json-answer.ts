import { schemaProblem, withoutNulls } from './json-schema.ts';

/** JSON that a model answered with. */
export interface JsonAnswer {
  value: unknown;
  /** A problem to show to the user, such as how it violates the schema. */
  warning?: string;
}

/** Parses a model's answer and checks it against a JSON Schema; returns undefined if it isn't JSON. */
export function readJson(text: string, schema: Readonly<Record<string, unknown>> | undefined): JsonAnswer | undefined {
  const value = parseJson(text);
  return value === undefined ? undefined : checkedJson(value, schema);
}

/** Checks a value against a JSON Schema. Properties that are null are omitted if the schema doesn't allow null. */
export function checkedJson(value: unknown, schema: Readonly<Record<string, unknown>> | undefined): JsonAnswer {
  const problem = schema && schemaProblem(schema, value);
  if (schema === undefined || problem === undefined) return { value };
  const pruned = withoutNulls(value);
  if (schemaProblem(schema, pruned) === undefined) return { value: pruned };
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
