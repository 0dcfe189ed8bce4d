import { createTurn } from './async.ts';
import { joined } from './large-json.ts';

/** Bytes that are parsed at once. */
const mostAtOnce = 64 * 1024;
/** Levels of lists and objects that are each larger than what is parsed at once. */
const maxDepth = 1000;

const [quote, backslash, comma, colon, letterU] = [0x22, 0x5c, 0x2c, 0x3a, 0x75];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isSpace = (code: number | undefined) => code === 0x20 || (code !== undefined && code >= 0x09 && code <= 0x0d);

/**
 * Returns the value of JSON in UTF-8, however large it is. It is read in short turns, so that nothing else waits for all of it.
 * Rejects if it isn't valid.
 * @param longest characters from which on texts are cut
 */
export async function readLargeJson(pieces: readonly Buffer[], longest = Number.POSITIVE_INFINITY): Promise<unknown> {
  const [first = Buffer.alloc(0), ...others] = pieces;
  const bytes = others.length === 0 ? first : await joined(pieces);
  const turn = createTurn();
  let at = 0;

  const parse = (from: number, to: number, [before, after] = ['', '']) =>
    JSON.parse(before + bytes.toString('utf8', from, to) + after);
  const malformed = () => new SyntaxError(`The JSON isn't valid at byte ${at}.`);

  function skipSpace(): number | undefined {
    while (isSpace(bytes[at])) at++;
    return bytes[at];
  }

  /** Returns where a text ends in which `from` is; from `to` on, where a part of it may end. */
  function endOfText(from: number, to: number): number {
    let next = from;
    while (next < to && bytes[next] !== quote) {
      if (bytes[next] === backslash) next += bytes[next + 1] === letterU ? 6 : 2;
      else next++;
    }
    // Not within a character.
    while (next < bytes.length && ((bytes[next] as number) & 0xc0) === 0x80) next++;
    return Math.min(next, bytes.length);
  }

  /** Returns where the last of the items ends that are whole within the next bytes: at a comma, or at the end of what has them. */
  function endOfItems(): number {
    const to = Math.min(at + mostAtOnce, bytes.length);
    let end = at;
    let depth = 0;
    for (let next = at; next < to; next++) {
      const code = bytes[next];
      if (code === quote) next = endOfText(next + 1, to);
      else if (code === openArray || code === openObject) depth++;
      else if (depth === 0 && code === comma) end = next;
      else if (code === closeArray || code === closeObject) {
        if (depth === 0) return next;
        depth--;
      }
    }
    return end;
  }

  async function readText(): Promise<string> {
    let text = '';
    for (at++; bytes[at] !== quote; ) {
      if (at >= bytes.length) throw malformed();
      if (turn.isOver) await turn.end();
      const part = bytes.subarray(at, at + mostAtOnce);
      const [ends, escapes] = [part.indexOf(quote), part.indexOf(backslash)];
      const plain = at + (ends === -1 ? part.length : ends);
      const isPlain = escapes === -1 || (ends !== -1 && ends < escapes);
      const end = endOfText(isPlain ? plain : at + escapes, at + part.length);
      if (text.length < longest) text += parse(at, end, ['"', '"']);
      at = end;
    }
    at++;
    return text;
  }

  async function readItems(depth: number): Promise<unknown> {
    const isList = bytes[at] === openArray;
    const close = isList ? closeArray : closeObject;
    const around: [string, string] = isList ? ['[', ']'] : ['{', '}'];
    const list: unknown[] = [];
    const entries: [string, unknown][] = [];
    at++;
    for (let isFirst = true; ; isFirst = false) {
      if (turn.isOver) await turn.end();
      const isEmpty = skipSpace() === close;
      if (isEmpty && !isFirst) throw malformed();
      const end = endOfItems();
      if (end > at) {
        const items = parse(at, end, around);
        if (isList) for (const item of items) list.push(item);
        else for (const key in items) entries.push([key, items[key]]);
        at = end;
      } else if (!isEmpty && isList) list.push(await readValue(depth));
      else if (!isEmpty) {
        const name = await readText();
        if (skipSpace() !== colon) throw malformed();
        at++;
        entries.push([name, await readValue(depth)]);
      }
      const next = skipSpace();
      at++;
      if (next === close) return isList ? list : Object.fromEntries(entries);
      if (next !== comma) throw malformed();
    }
  }

  async function readValue(depth: number): Promise<unknown> {
    const code = skipSpace();
    if (depth > maxDepth) throw new SyntaxError(`The JSON is nested deeper than ${maxDepth} levels.`);
    if (code === quote) return await readText();
    if (code === openArray || code === openObject) return await readItems(depth + 1);
    const start = at;
    while (at < bytes.length && !isSpace(bytes[at]) && ![comma, closeArray, closeObject].includes(bytes[at] as number))
      at++;
    return parse(start, at);
  }

  const value = await readValue(0);
  if (skipSpace() !== undefined) throw malformed();
  return value;
}
