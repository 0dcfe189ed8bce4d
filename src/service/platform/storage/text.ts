import { createHash } from 'node:crypto';

/** Returns a text without NUL characters, which PostgreSQL can't store. */
export function plainText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

/** Parses the JSON of an object that was stored. Throws if it is anything else. */
export function storedObject<Value extends object>(text: string): Value {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('Expected an object.');
  return value as Value;
}

/** PostgreSQL's indexes hold no texts of more than 2,700 bytes. */
const longestKey = 1000;

/** Returns a text that is equal for equal texts and short enough for an index: itself, or a digest. */
export function indexable(text: string): string {
  if (text.length <= longestKey) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
