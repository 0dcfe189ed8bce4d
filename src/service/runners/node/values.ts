import { inspect, types } from 'node:util';
import { limits } from '../../../contract/limits.ts';
import { cutText } from '../output.ts';

/** Nesting from which a value is no longer taken for plain data. */
const deepest = 200;

/**
 * A value as text: a string as itself, other plain data as JSON, an image in bytes as a data: URL, anything else as
 * `util.inspect` shows it. Undefined gives nothing. Never throws, and is cut at the limit of results.
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
    if (isPlain(value, deepest, new Set())) return JSON.stringify(value);
  } catch {
    // A getter that throws, say: not plain after all.
  }
  return inspectSafely(value);
}

/** `util.inspect` that does not throw, whatever the value's own ways of being shown do. */
export function inspectSafely(value: unknown): string {
  try {
    return inspect(value);
  } catch {
    try {
      return inspect(value, { customInspect: false });
    } catch {
      return `[${typeof value} that cannot be shown]`;
    }
  }
}

/** Whether JSON holds the value without loss. */
function isPlain(value: unknown, depth: number, above: Set<unknown>): boolean {
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
  if (depth === 0 || above.has(value) || types.isProxy(value) || 'toJSON' in value) return false;
  const members = plainMembers(value);
  if (!members) return false;
  above.add(value);
  const plain = members.every((member) => isPlain(member, depth - 1, above));
  above.delete(value);
  return plain;
}

/** The members of an array without holes or of an object without a class; undefined for any other object. */
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

/** Cut at a whole base64 group, an image that is too large still shows its upper part. */
function dataUrl(type: string, bytes: Uint8Array): { text: string; truncated: boolean } {
  const prefix = `data:${type};base64,`;
  const room = Math.floor((limits.output - prefix.length) / 4) * 3;
  const kept = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, room));
  return { text: prefix + kept.toString('base64'), truncated: kept.length < bytes.byteLength };
}
