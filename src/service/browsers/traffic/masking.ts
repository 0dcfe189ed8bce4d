import type { Turn } from '../../platform/async.ts';

/** What stands for a secret. */
export const mask = '•••';

const secretHeader = /^(?:proxy-)?authorization$|cookie|token|api-?key|secret|password/i;
/** What names of secrets contain. */
const word = /passw|passphrase|kennwort|secret|token|api_?key|(?<![a-z])(?:pwd|pass)(?![a-z])/gi;
/** What a word depends on: the longest one, and a character after it. */
const wordEnd = 11;
/** The rest of a name around such a word, with what precedes it. Bounded: a page decides what is read, and must not make it slow. */
const nameStart = /(^|name="|["&?])[^"&=?\s]{0,60}$/i;
const nameEnd = /[^"&=?\s]{0,60}/y;
const nameStartLength = 60 + 'name="'.length;
/** What stands between a name and its value: in a form, in JSON and in parts. Then comes the value. */
const inForm = [/=/y, /[^&#]+/y] as const;
const inJson = [/"\s*:\s*"/y, /(?:[^"\\]+|\\.)+/y] as const;
const inParts = [/"(?:\r\n[^\r]{1,500}){0,10}\r\n\r\n/y, /[^\r]+/y] as const;
const inside: Record<string, readonly (readonly [RegExp, RegExp])[]> = { '"': [inJson], 'name="': [inJson, inParts] };
/** Characters that are looked through at once. */
const stretch = 64 * 1024;

/** A type and not an interface, so that it may have further fields in responses. */
export type Header = {
  name: string;
  value: string;
};

/** Masks what logs a person in: the header stays, so that one sees that it was sent. */
export async function maskHeaders(headers: readonly Header[], turn: Turn): Promise<Header[]> {
  const masked: Header[] = [];
  for (const { name, value } of headers) {
    const isUrl = /^(?:location|referer)$/i.test(name);
    masked.push({ name, value: secretHeader.test(name) ? mask : isUrl ? await maskUrl(value, turn) : value });
  }
  return masked;
}

/** Masks passwords and tokens in a body: of a form, in JSON or in parts. A long one is read in short turns. */
export async function maskText(text: string, turn: Turn): Promise<string> {
  let safe = '';
  for (const part of maskedParts(text)) {
    safe += part;
    if (turn.isOver) await turn.end();
  }
  return safe;
}

/** Masks passwords and tokens in a URL. A page makes as many, and as long ones, as it likes. */
export async function maskUrl(url: string, turn: Turn): Promise<string> {
  return await maskText(url.replace(/^(\w+:\/\/)[^/?#@]*@/, `$1${mask}@`), turn);
}

/** Returns a text part by part, some of them empty, with a mask in place of each secret. */
function* maskedParts(text: string): Iterable<string> {
  let done = 0;
  for (let at = 0; at < text.length; ) {
    const from = Math.max(0, at - 1);
    word.lastIndex = at - from;
    const hit = word.exec(text.slice(from, at + stretch + wordEnd));
    const found = hit ? from + hit.index : text.length;
    if (!hit || found >= at + stretch) at += stretch;
    else {
      const [, before] = nameStart.exec(text.slice(Math.max(0, found - nameStartLength), found)) ?? [];
      at = found + hit[0].length;
      const named = endOf(nameEnd, text, at) ?? at;
      for (const [between, value] of before === undefined ? [] : (inside[before.toLowerCase()] ?? [inForm])) {
        const start = endOf(between, text, named);
        const end = start === undefined ? undefined : endOf(value, text, start);
        if (end === undefined) continue;
        yield text.slice(done, start) + mask;
        done = at = end;
        break;
      }
    }
    const isDone = at - done >= stretch || at >= text.length;
    yield isDone ? text.slice(done, at) : '';
    if (isDone) done = at;
  }
}

/** Returns where a match ends that begins at a place; undefined if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
