import { inspect, types } from 'node:util';
import { limits } from '../../../contract/limits.ts';
import { cutText } from '../output.ts';

/** Maximum nesting of plain data. */
const maxDepth = 200;

/**
 * Converts a value to text: a string unchanged, other plain data as JSON, the bytes of an image as a data: URL, anything else
 * with `util.inspect`. Returns undefined for undefined. Never throws. Truncates at the limit of results.
 */
export function resultText(value: unknown): { text: string; truncated: boolean } | undefined {
  if (value === undefined) return undefined;
  if (types.isUint8Array(value)) {
    const image = imageType(value);
    if (image) return dataUrl(image, value);
  }
  return cutText(show(value), limits.output);
}

function show(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    if (isPlain(value, maxDepth, new Set())) return JSON.stringify(value);
  } catch {
    // Not plain, for example because of a getter that throws.
  }
  return inspectSafely(value);
}

/** Calls `util.inspect` without throwing, even if the value's custom inspection throws. */
export function inspectSafely(value: unknown): string {
  try {
    return inspect(value);
  } catch {
    try {
      return inspect(value, { customInspect: false });
    } catch {
      return `[${typeof value} that can't be displayed]`;
    }
  }
}

/** Whether JSON can represent the value without loss. */
function isPlain(value: unknown, depth: number, ancestors: Set<unknown>): boolean {
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
  if (depth === 0 || ancestors.has(value) || types.isProxy(value) || 'toJSON' in value) return false;
  const members = plainMembers(value);
  if (!members) return false;
  ancestors.add(value);
  const plain = members.every((member) => isPlain(member, depth - 1, ancestors));
  ancestors.delete(value);
  return plain;
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
function dataUrl(type: string, bytes: Uint8Array): { text: string; truncated: boolean } {
  const prefix = `data:${type};base64,`;
  const maxBytes = Math.floor((limits.output - prefix.length) / 4) * 3;
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, maxBytes));
  return { text: prefix + kept.toString('base64'), truncated: kept.length < bytes.byteLength };
}
