import { type InspectOptions, inspect, types } from 'node:util';
import { limits } from '../../../../contract/limits.ts';
import { cutText } from '../output.ts';

const maxDepth = 200;
/** Maximum values within a value that `util.inspect` shows whole. */
const maxInspected = 100_000;

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
  if (types.isUint8Array(value)) {
    const image = imageType(value);
    if (image) return dataUrl(image, value, limit);
  }
  const text = show(value);
  const cut = cutText(text, limit);
  const rows = types.isProxy(value) || !Array.isArray(value) ? {} : { rows: value.length };
  return { text: cut.text, ...rows, ...(cut.truncated && { size: Buffer.byteLength(text) }) };
}

function show(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    if (isPlain(value, maxDepth, new Set(), false)) return JSON.stringify(value);
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
 * Whether JSON can represent the value without loss. In a list, dates and objects with undefined members count as well, so
 * that rows read from a page stay a table.
 */
function isPlain(value: unknown, depth: number, ancestors: Set<unknown>, inList: boolean): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      if (value === null) return true;
      break;
    default:
      return false;
  }
  if (depth === 0 || ancestors.has(value) || types.isProxy(value)) return false;
  if (inList && types.isDate(value)) return isPlainDate(value);
  if ('toJSON' in value) return false;
  const members = plainMembers(value);
  if (!members) return false;
  ancestors.add(value);
  const isList = Array.isArray(value);
  const plain = members.every(
    (member) => (member === undefined && inList && !isList) || isPlain(member, depth - 1, ancestors, inList || isList),
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
  const keys = Reflect.ownKeys(value);
  if (Array.isArray(value)) {
    return keys.length === value.length + 1 && Object.getPrototypeOf(value) === Array.prototype ? value : undefined;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const members: unknown[] = [];
  for (const key of keys) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key === 'symbol' || !descriptor?.enumerable || !('value' in descriptor)) return undefined;
    members.push(descriptor.value);
  }
  return members;
}

function imageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}

/** Truncates at a whole base64 group, so that the upper part of a large image is still shown. */
function dataUrl(type: string, bytes: Uint8Array, limit: number): ResultText {
  const prefix = `data:${type};base64,`;
  const maxBytes = Math.floor((limit - prefix.length) / 4) * 3;
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, maxBytes));
  const size = prefix.length + Math.ceil(bytes.byteLength / 3) * 4;
  return { text: prefix + kept.toString('base64'), ...(kept.length < bytes.byteLength && { size }) };
}
