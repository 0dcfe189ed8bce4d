import { readJson } from './partial-json.ts';
import { type Table, tableOf } from './table-model.ts';

/** How to show a result. */
export type ValueModel =
  | { kind: 'text' }
  | { kind: 'image'; source: string }
  | { kind: 'html' }
  /** `table` is set for a list of objects or of lists. `cut` is true if the end of the value is missing. */
  | { kind: 'json'; value: object; table?: Table; isLarge: boolean; cut: boolean };

/** Values that are shown without virtual rows. */
export const maxNodes = 200;
const imagePattern = /^data:image\/(?:png|jpeg|gif|webp|bmp|avif);base64,[A-Za-z0-9+/=\s]+$/;
const htmlPattern =
  /^\s*(?:<!doctype html|<(?:html|head|body|main|section|article|div|table|ul|ol|p|h[1-6]|svg|form|a|span)\b[^<]*>)/i;

/** Returns how to show a result: as an image, a table, a tree, HTML source or plain text. */
export function valueModel(text: string, mayBeCut = false): ValueModel {
  if (text.startsWith('data:image/'))
    return imagePattern.test(text) ? { kind: 'image', source: text } : { kind: 'text' };
  if (htmlPattern.test(text.slice(0, 2000)) && /<\/\w+\s*>|\/>/.test(text)) return { kind: 'html' };
  if (!/^\s*[[{]/.test(text)) return { kind: 'text' };
  const read = readJson(text, mayBeCut);
  if (!read || typeof read.value !== 'object' || read.value === null) return { kind: 'text' };
  const { value, cut } = read;
  if (Object.keys(value).length === 0) return { kind: 'text' };
  return { kind: 'json', value, table: tableOf(value), isLarge: countNodes(value, maxNodes + 1) > maxNodes, cut };
}

/** Counts the values in a JSON value, itself included. Stops at `limit`. */
function countNodes(value: unknown, limit: number): number {
  let count = 0;
  const pending = [value];
  while (pending.length > 0 && count < limit) {
    const next = pending.pop();
    count++;
    if (typeof next !== 'object' || next === null) continue;
    const members: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (members.length > limit) return limit;
    pending.push(...members);
  }
  return count;
}
