import { createContext, Script } from 'node:vm';
import * as z from 'zod';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../errors.ts';
import { lazy } from '../lazy.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Milliseconds of processor time that a check may take: alternatives of alternatives double it with each level. */
const mostMs = 250;
/** How long a check may run at a time: on a busy machine, most of that isn't its own. It begins anew then. */
const attemptMs = 100;
const bounds = lazy(() => ({ context: createContext({ work: undefined }), script: new Script('work()') }));

/** Returns what some work on a caller's schema returns. Throws if that takes too long. */
function inTime<Result>(work: () => Result): Result {
  const { context, script } = bounds();
  const started = process.cpuUsage();
  for (;;) {
    context.work = work;
    try {
      return script.runInContext(context, { timeout: attemptMs });
    } catch (error) {
      const { user, system } = process.cpuUsage(started);
      const isOver = (user + system) / 1000 > mostMs;
      if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT' || isOver) throw error;
    } finally {
      context.work = undefined;
    }
  }
}

/** Describes how a value violates a JSON Schema; returns undefined if it's valid or the schema is unsupported, or takes too long. */
export function schemaProblem(schema: Schema, value: unknown): string | undefined {
  try {
    const checked = inTime(() => z.fromJSONSchema(withoutPatterns(schema) as Schema).safeParse(value));
    if (checked.success) return undefined;
    return checked.error.issues
      .slice(0, 3)
      .map(({ path, message }) => `${shorten(path.join('.'), 100) || 'the value'}: ${shorten(message)}`)
      .join('; ');
  } catch {
    return undefined;
  }
}

/** Returns why values can't be checked against a JSON Schema; undefined if they can. */
export function unusableSchema(schema: Schema): string | undefined {
  try {
    inTime(() => z.fromJSONSchema(withoutPatterns(schema) as Schema));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Returns a copy of a value without properties that are null. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, withoutNulls(field)]),
  );
}

/** Removes regular expressions from a schema: a caller's could backtrack indefinitely. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, part]) => !(name === 'pattern' && typeof part === 'string') && name !== 'patternProperties')
      .map(([name, part]) => [name, withoutPatterns(part)]),
  );
}
