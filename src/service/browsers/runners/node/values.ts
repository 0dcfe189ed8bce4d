import { type InspectOptions, inspect, types } from 'node:util';
import { limits } from '../../../../contract/limits.ts';
import type { ResultMessage } from '../messages.ts';
import { cutText } from '../output.ts';

const maxDepth = 200;
/** Maximum values within a value that `util.inspect` shows whole. */
const maxInspected = 100_000;

const imageHeads = { png: /^\x89PNG\r\n.\n/s, jpeg: /^\xff\xd8\xff/, gif: /^GIF8/, webp: /^RIFF.{4}WEBP/s };

export type ResultText = { text: string } & Pick<ResultMessage, 'size' | 'rows'>;

/**
 * Converts a value to text: a string unchanged, other plain data as JSON, the bytes of an image as a data: URL, anything else
 * with `util.inspect`. Returns undefined for undefined. Never throws. Truncates at the limit, in bytes.
 */
export function resultText(value: unknown, limit: number = limits.output): ResultText | undefined {
  if (value === undefined) return undefined;
  const image = types.isUint8Array(value) && imageText(value, limit);
  if (image) return image;
  const text = show(value);
  const cut = cutText(text, limit);
  const rows = types.isProxy(value) || !Array.isArray(value) ? {} : { rows: value.length };
  return { text: cut.text, ...rows, ...(cut.truncated && { size: Buffer.byteLength(text) }) };
}

function show(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    if (isPlain(value, new Set(), false)) return JSON.stringify(value);
  } catch {
    // Not plain, for example because of a getter that throws, or too large for a string.
  }
  const all = { depth: maxDepth, maxArrayLength: Number.POSITIVE_INFINITY, maxStringLength: Number.POSITIVE_INFINITY };
  return inspectSafely(value, hasMoreNodesThan(maxInspected, value) ? {} : all);
}

/** Calls `util.inspect` without throwing, even if the value's custom inspection throws. */
export function inspectSafely(value: unknown, options: InspectOptions = {}): string {
  try {
    return inspect(value, options);
  } catch {
    try {
      return inspect(value, { ...options, customInspect: false });
    } catch {
      return `[${typeof value} that can't be displayed]`;
    }
  }
}

/** Whether a value holds more than `limit` values, however often it holds the same one. Calls none of its code. */
function hasMoreNodesThan(limit: number, value: unknown): boolean {
  const pending = [value];
  for (let count = 0; pending.length > 0; ) {
    if (++count + pending.length > limit) return true;
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || types.isProxy(next) || ArrayBuffer.isView(next)) continue;
    if (Array.isArray(next) && next.length > limit) return true;
    for (const member of membersOf(next)) pending.push(member);
  }
  return false;
}

/** Returns the members of an object, and those in a list, map or set. Calls none of its code. */
export function* membersOf(value: object): Iterable<unknown> {
  if (types.isMap(value)) for (const entry of Map.prototype.entries.call(value)) yield* entry;
  else if (types.isSet(value)) yield* Set.prototype.values.call(value);
  for (const key of Array.isArray(value) ? Array.prototype.keys.call(value) : Reflect.ownKeys(value)) {
    const member = Object.getOwnPropertyDescriptor(value, key);
    // A hole counts: a sparse list may have billions.
    if (!member) yield undefined;
    else if (member.enumerable && 'value' in member) yield member.value;
  }
}

/**
 * Whether JSON can represent the value without loss. In a list, dates and objects with undefined members count as well, so
 * that rows read from a page stay a table. Throws if it is nested too deep for JSON.
 */
function isPlain(value: unknown, ancestors: Set<unknown>, inList: boolean): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  if (ancestors.has(value) || types.isProxy(value)) return false;
  if (inList && types.isDate(value)) return isPlainDate(value);
  if ('toJSON' in value) return false;
  const members = plainMembers(value);
  if (!members) return false;
  ancestors.add(value);
  const isList = Array.isArray(value);
  const plain = members.every(
    (member) => (member === undefined && inList && !isList) || isPlain(member, ancestors, inList || isList),
  );
  ancestors.delete(value);
  return plain;
}

function isPlainDate(value: Date): boolean {
  const isOwnKind = Object.getPrototypeOf(value) === Date.prototype && Reflect.ownKeys(value).length === 0;
  return isOwnKind && !Number.isNaN(Date.prototype.getTime.call(value));
}

/** Returns the members of a dense array or a plain object, or undefined for any other object. */
function plainMembers(value: object): unknown[] | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value))
    return prototype === Array.prototype && Reflect.ownKeys(value).length === value.length + 1 ? value : undefined;
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const members: unknown[] = [];
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key === 'symbol' || !descriptor?.enumerable || !('value' in descriptor)) return undefined;
    members.push(descriptor.value);
  }
  return members;
}

/** Returns the data: URL of an image's bytes, cut at a whole base64 group, so that the upper part is still shown. */
function imageText(bytes: Uint8Array, limit: number): ResultText | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  const type = Object.entries(imageHeads).find(([, start]) => start.test(head))?.[0];
  if (type === undefined) return undefined;
  const prefix = `data:image/${type};base64,`;
  const maxBytes = Math.floor((limit - prefix.length) / 4) * 3;
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, maxBytes));
  const size = prefix.length + Math.ceil(bytes.byteLength / 3) * 4;
  return { text: prefix + kept.toString('base64'), ...(kept.length < bytes.byteLength && { size }) };
}
