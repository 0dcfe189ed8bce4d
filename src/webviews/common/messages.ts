/**
 * Messages between a webview and the extension. Each view has a table of requests, which the extension answers, and a map
 * of events from the extension, which have no answer.
 */
export type EventMap = object;

/** Returns whether a value from a page is as expected. */
export type Check<Value> = (value: unknown) => value is Value;
export type Checked<Of> = Of extends Check<infer Value> ? Value : never;

/** The requests of a view: by name, the check of what is sent with them. */
export type RequestTable = Readonly<Record<string, Check<unknown>>>;

export type ToView<Events extends EventMap> =
  | { [Name in keyof Events]: { kind: 'event'; name: Name; params: Events[Name] } }[keyof Events]
  | { kind: 'answer'; id: number }
  | { kind: 'failure'; id: number; message: string };

export type ToExtension = { kind: 'ready' } | { kind: 'request'; id: number; name: string; params: unknown };

/** Returns the message if it is a valid message from a view, else undefined. */
export function readToExtension(message: unknown): ToExtension | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { kind, id, name, params } = message as Record<string, unknown>;
  if (kind === 'ready') return { kind };
  if (kind !== 'request' || typeof name !== 'string' || !Number.isSafeInteger(id)) return undefined;
  return { kind, id: id as number, name, params };
}

/** Checks for an object with these fields; it may have others. */
export function fields<Shape extends RequestTable>(
  shape: Shape,
): Check<{ [Name in keyof Shape]: Checked<Shape[Name]> }> {
  return (value): value is { [Name in keyof Shape]: Checked<Shape[Name]> } =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(shape).every(([name, check]) => check(fieldOf(value, name)));
}

export function list<Value>(check: Check<Value>): Check<Value[]> {
  return (value): value is Value[] => Array.isArray(value) && value.every(check);
}

export function oneOf<Value>(values: readonly Value[]): Check<Value> {
  return (value): value is Value => values.includes(value as Value);
}

export function text(maxLength: number): Check<string> {
  return (value): value is string => typeof value === 'string' && value.length <= maxLength;
}

/** Checks for a value that may be missing. */
export function optional<Value>(check: Check<Value>): Check<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || check(value);
}

export const isText = text(Number.POSITIVE_INFINITY);
export const isNumber: Check<number> = (value): value is number => Number.isFinite(value);
export const isBoolean: Check<boolean> = (value) => typeof value === 'boolean';
export const isBytes: Check<ArrayBuffer> = (value) => value instanceof ArrayBuffer;

/** Returns a field of an object's own; undefined if there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
