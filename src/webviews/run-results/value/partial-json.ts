import { jsonIn } from '../../../contract/lenient-texts.ts';

/** A JSON value, perhaps read from a text that was cut. */
export interface ReadJson {
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
