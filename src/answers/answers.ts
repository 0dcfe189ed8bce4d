import { shorten } from '../contract/shorten.ts';
import type { Answer, ContentBlock, ToolResult } from './answer.ts';
import { dataBlock } from './data-block.ts';
import { type Redact, redactInTurns } from './redaction.ts';

/** The answers to one agent or language model. Those that are long are kept, so that it can read them part by part. */
export type Answers = ReturnType<typeof createAnswers>;

/** Maximum number of characters of a part: about 3,000 tokens. */
export const partLength = 10_000;
/** Maximum number of matching lines that are shown. */
const matchLimit = 40;
/** Maximum number of characters of a matching line that are shown. */
const matchLength = 300;
/** Characters that are searched before others get their turn. */
const searchedAtOnce = 256 * 1024;

/** There is no such answer, or no such part of it. Its message is the service's own. */
export class MissingAnswer extends Error {
  override name = 'MissingAnswer';
}

export interface AnswersOptions {
  /** Name of the tool that reads on in a long answer, with `answer` and `part` or `find`. */
  readOn: string;
  /** Prefix of the IDs of long answers. */
  prefix: string;
  /** Maximum number of characters that are kept; the oldest answers are forgotten first. */
  keptLength: number;
}

export function createAnswers(redact: Redact, { readOn, prefix, keptLength }: AnswersOptions) {
  const kept = new Map<string, { name: string; text: string }>();
  let total = 0;
  let last = 0;

  function keep(name: string, text: string): string {
    const id = `${prefix}${++last}`;
    kept.set(id, { name, text });
    total += text.length;
    for (const [oldest, { text: forgotten }] of kept) {
      if (total <= keptLength || oldest === id) break;
      kept.delete(oldest);
      total -= forgotten.length;
    }
    return id;
  }

  /** Writes an answer, or its first part. */
  async function write({ text, content, images = [], next }: Answer): Promise<ToolResult> {
    const blocks: ContentBlock[] = [];
    const sentences: string[] = [];
    if (text) sentences.push(redact(text));
    if (content) {
      const safe = await redactInTurns(redact, content.text);
      const first = endOfPart(safe, 0);
      sentences.push(dataBlock(`untrusted ${content.name}`, safe.slice(0, first)));
      if (first < safe.length) {
        // What `slice` returns would keep the whole text in memory.
        const short = safe.length > keptLength ? structuredClone(safe.slice(0, keptLength)) : safe;
        const id = keep(content.name, short);
        const more = `{"answer":"${id}","part":2}, or find in it: {"answer":"${id}","find":"words"}`;
        const cut = short.length < safe.length ? ' The end was cut off.' : '';
        sentences.push(`Part 1 of ${partsOf(short).length}. Read on: ${readOn} ${more}.${cut}`);
      }
    }
    if (next) sentences.push(redact(next));
    if (sentences.length > 0) blocks.push({ type: 'text', text: sentences.join('\n') });
    for (const image of images) {
      const [, mimeType = 'image/png', data = ''] = /^data:([\w/+.-]+);base64,(.*)$/s.exec(image) ?? [];
      if (data) blocks.push({ type: 'image', data, mimeType });
    }
    return { content: blocks };
  }

  return {
    write,
    /** Characters that are kept. */
    get length(): number {
      return total;
    },
    /** Forgets all that is kept. */
    forget(): void {
      kept.clear();
      total = 0;
    },
    /** Returns content as it may be given out. */
    plain: (content: string): Promise<string> => redactInTurns(redact, content),
    /** Writes an error; `said` is what others say about it, such as a page. */
    writeError: async (message: string, said?: string): Promise<ToolResult> => ({
      ...(await write({ text: message, ...(said !== undefined && { content: { name: 'problem', text: said } }) })),
      isError: true,
    }),
    /** Returns a part of a kept answer, from 1, or the lines in it that contain words. Rejects with a MissingAnswer. */
    async read(
      id: string,
      { part = 1, find }: { part?: number | undefined; find?: string | undefined },
    ): Promise<Answer> {
      const answer = kept.get(id);
      if (!answer) {
        throw new MissingAnswer(
          `There is no answer "${shorten(id, 20)}": it may be too old. Call the tool that returned it again.`,
        );
      }
      const { name, text } = answer;
      const starts = partsOf(text);
      if (find !== undefined) return await found(name, text, starts, find);
      const start = starts[part - 1];
      if (start === undefined)
        throw new MissingAnswer(`${id} has ${starts.length} parts: send "part" from 1 to ${starts.length}.`);
      const next =
        part < starts.length ? `Next: ${readOn} {"answer":"${id}","part":${part + 1}}.` : 'This is the last part.';
      return {
        text: `Part ${part} of ${starts.length}.`,
        content: { name, text: text.slice(start, starts[part] ?? text.length) },
        next,
      };
    },
  };
}

/** Returns the lines that contain words, each with the number of its part: of a long line, each part in which they begin. */
async function found(name: string, text: string, starts: readonly number[], find: string): Promise<Answer> {
  const words = new RegExp(find.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'), 'giu');
  const matches: string[] = [];
  let count = 0;
  let part = 0;
  /** Where the line and the part of the last match end. */
  let end = 0;
  for (let from = 0; from < text.length; from += searchedAtOnce) {
    if (from > 0) await new Promise(setImmediate);
    // Words may begin in one slice and end in the next.
    for (const match of text.slice(from, from + searchedAtOnce + 2 * find.length).matchAll(words)) {
      const index = from + match.index;
      if (index < end || match.index >= searchedAtOnce) continue;
      while (part + 1 < starts.length && (starts[part + 1] ?? 0) <= index) part++;
      const next = starts[part + 1] ?? text.length;
      if (++count <= matchLimit) matches.push(`${part + 1}: ${aroundMatch(text, index)}`);
      const lineEnd = text.slice(index + match[0].length, next).indexOf('\n');
      end = lineEnd === -1 ? next : index + match[0].length + lineEnd;
    }
  }
  if (count === 0) return { text: 'No line contains that.' };
  const shown = count > matchLimit ? ` The first ${matchLimit} are shown.` : '';
  return {
    text: `${count} ${count === 1 ? 'line contains' : 'lines contain'} that, each after the number of its part.${shown}`,
    content: { name, text: matches.join('\n') },
  };
}

/** Returns what is shown of the line of a match. */
function aroundMatch(text: string, index: number): string {
  const before = text.slice(Math.max(0, index - matchLength / 2), index);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const [rest = ''] = text.slice(index, index + matchLength - line.length).split('\n', 1);
  // A limit may be within a character.
  return (line + rest).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').trim();
}

/** Returns where the parts of a text start. */
function partsOf(text: string): number[] {
  const starts = [0];
  for (let end = endOfPart(text, 0); end < text.length; end = endOfPart(text, end)) starts.push(end);
  return starts;
}

/** Returns where a part that starts at `from` ends: after a line, if one ends in its second half, and never within a character. */
function endOfPart(text: string, from: number): number {
  const end = from + partLength;
  if (end >= text.length) return text.length;
  const half = from + partLength / 2;
  const line = text.slice(half, end).lastIndexOf('\n');
  if (line !== -1) return half + line + 1;
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}
