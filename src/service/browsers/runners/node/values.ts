import { type InspectOptions, inspect, types } from 'node:util';
import { limits } from '../../../../contract/limits.ts';
import { cutText } from '../output.ts';

const maxDepth = 200;
/** Maximum values within a value that `util.inspect` shows whole. */
const maxInspected = 100_000;

const imageHeads = { png: /^\x89PNG\r\n.\n/s, jpeg: /^\xff\xd8\xff/, gif: /^GIF8/, webp: /^RIFF.{4}WEBP/s };

export interface ResultText {
  text: string;
  /** Bytes of the text before it was truncated. Absent if it wasn't. */
  size?: number;
  /** Members of the value, if it is a list. */
  rows?: number;
}

/**
 * Converts a value to text: a string unchanged, other plain data as JSON, the bytes of an image as a data: URL, anything else
 * with `util.inspect`. Returns undefined for undefined. Never throws. Truncates at the limit, in bytes.
 */
export function resultText(value: unknown, limit: number = limits.output): ResultText | undefined {
  if (value === undefined) return undefined;
  const image = types.isUint8Array(value) ? imageUrl(value) : '';
  const text = image || show(value);
  // A whole base64 group, so that the upper part of a large image is still shown.
  const cut = cutText(text, image ? limit - ((limit - image.indexOf(',') - 1) % 4) : limit);
  const rows = types.isProxy(value) || !Array.isArray(value) ? {} : { rows: value.length };
  return { text: cut.text, ...rows, ...(cut.truncated && { size: Buffer.byteLength(text) }) };
}

function show(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return jsonOf(value);
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
    if (member?.enumerable && 'value' in member) yield member.value;
  }
}

/**
 * Returns a value as JSON. Throws if that would lose something. In a list, dates and objects with undefined members count as
 * well, so that rows read from a page stay a table.
 */
function jsonOf(value: unknown): string {
  const listed = new Set<unknown>();
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, json: unknown) {
    const member = this[key];
    const isListed = Array.isArray(this) || listed.has(this);
    if (!isPlain(member) && !(isListed && (isPlainDate(member) || (member === undefined && !Array.isArray(this)))))
      throw new TypeError('JSON would lose something');
    if (isListed && typeof member === 'object') listed.add(member);
    return json;
  });
}

/** Whether JSON can represent a value without loss, as far as it depends on the value itself. Calls none of its code. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null)
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  if (types.isProxy(value) || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const keys = Reflect.ownKeys(value);
  if (Array.isArray(value)) return keys.length === value.length + 1 && prototype === Array.prototype;
  return (
    (prototype === Object.prototype || prototype === null) &&
    keys.every((key) => {
      const member = Object.getOwnPropertyDescriptor(value, key);
      return typeof key === 'string' && member?.enumerable && 'value' in member;
    })
  );
}

function isPlainDate(value: unknown): boolean {
  if (!types.isDate(value) || types.isProxy(value) || Reflect.ownKeys(value).length > 0) return false;
  return Object.getPrototypeOf(value) === Date.prototype && !Number.isNaN(Date.prototype.getTime.call(value));
}

/** Returns the data: URL of an image's bytes; an empty text for others. */
function imageUrl(bytes: Uint8Array): string {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = data.toString('latin1', 0, 12);
  const type = Object.entries(imageHeads).find(([, start]) => start.test(head))?.[0];
  return type === undefined ? '' : `data:image/${type};base64,${data.toString('base64')}`;
}
