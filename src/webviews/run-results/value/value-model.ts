import { jsonIn } from '../../../contract/lenient-texts.ts';
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

/** A JSON value, perhaps read from a text that was cut. */
interface ReadJson {
  value: unknown;
  /** True if the text ended before the value did. `value` then holds the members that were complete. */
  cut: boolean;
}

/** Reads JSON, also if its end was cut off. Returns undefined for other texts. */
export function readJson(text: string, mayBeCut: boolean): ReadJson | undefined {
  const whole = jsonIn(text);
  if (whole !== undefined) return { value: whole, cut: false };
  const closed = mayBeCut ? closeJson(text) : undefined;
  const value = closed === undefined ? undefined : jsonIn(closed);
  return value === undefined ? undefined : { value, cut: true };
}

/**
 * Closes the lists and objects of a text that was cut, after its last complete row: a member of the outermost list, else
 * the last complete member anywhere.
 */
function closeJson(text: string): string | undefined {
  const closers: string[] = [];
  let complete: { end: number; closers: string } | undefined;
  let outer: typeof complete;
  const isList = /^\s*\[/.test(text);
  const note = (end: number) => {
    complete = { end, closers: closers.toReversed().join('') };
    if (closers.length === 1) outer = complete;
  };
  // Strings, brackets and commas; everything else has no effect on the structure.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{},]/gs)) {
    if (token === '[' || token === '{') closers.push(token === '[' ? ']' : '}');
    else if (token === ']' || token === '}') {
      closers.pop();
      note(index + 1);
    } else if (token === ',') note(index);
  }
  const chosen = (isList && outer) || complete;
  return chosen && text.slice(0, chosen.end) + chosen.closers;
}
