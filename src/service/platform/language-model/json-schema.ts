import { createContext, Script } from 'node:vm';
import * as z from 'zod';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../errors.ts';
import { lazy } from '../lazy.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Milliseconds of the processor that a check may take: alternatives of alternatives double its time with each level. */
const mostMs = 250;
/** Share of that from which it counts as taken: the clock and the processor's time are read one after the other. */
const leastShare = 0.8;
const bounds = lazy(() => ({ context: createContext({ work: undefined }), script: new Script('work()') }));

/** Returns what some work on a caller's schema returns. Throws if that takes too much of the processor. */
function inTime<Result>(work: () => Result): Result {
  const { context, script } = bounds();
  context.work = work;
  try {
    // A busy machine may have left it without the processor.
    for (let timeout = mostMs; ; timeout *= 2) {
      const before = process.threadCpuUsage();
      try {
        return script.runInContext(context, { timeout });
      } catch (error) {
        const { user, system } = process.threadCpuUsage(before);
        if (!isTimeout(error)) throw error;
        if ((user + system) / 1000 >= mostMs * leastShare) throw new Error('a check takes too long');
      }
    }
  } finally {
    context.work = undefined;
  }
}

/** The error is no instance of this context's class. */
const isTimeout = (error: unknown) => (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Describes how a value violates a JSON Schema; returns undefined if it's valid or the schema is unsupported, or takes too long. */
export function schemaProblem(schema: Schema, value: unknown): string | undefined {
  try {
    const checked = inTime(() => z.fromJSONSchema(withoutPatterns(schema)).safeParse(value));
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
    inTime(() => z.fromJSONSchema(withoutPatterns(schema)));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Returns a copy of a value without properties that are null. */
export function withoutNulls(value: unknown): unknown {
  return without(value, (_name, part) => part === null);
}

/** Removes regular expressions from a schema: a caller's could backtrack indefinitely. */
function withoutPatterns(schema: Schema): Schema {
  const isPattern = (name: string, part: unknown) =>
    (name === 'pattern' && typeof part === 'string') || name === 'patternProperties';
  return without(schema, isPattern) as Schema;
}

/** Returns a copy of a value without some properties of the objects in it. */
function without(value: unknown, isOut: (name: string, part: unknown) => boolean): unknown {
  if (Array.isArray(value)) return value.map((part) => without(part, isOut));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, part]) => !isOut(name, part));
  return Object.fromEntries(kept.map(([name, part]) => [name, without(part, isOut)]));
}
