/** A longer paragraph is not prose. The limit also bounds the cost of the patterns below. */
const longestInline = 8_000;

/** Characters that hide or reorder text: Unicode tags, bidi controls, zero-width marks, control characters. */
const invisible =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Converts inline Markdown to text that is safe to show anywhere. Code spans and words stay; link targets, images, HTML
 * and invisible characters are removed. The result cannot be parsed as a link again.
 */
export function plainText(markdown: string): string {
  return codeSpans(markdown.slice(0, longestInline))
    .map(({ text, isCode }) => (isCode ? `\`${text.replaceAll('`', "'")}\`` : withoutMarkup(text)))
    .join('')
    .replace(invisible, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Splits a text into prose and code spans, which start and end with the same number of backticks. */
function codeSpans(markdown: string): { text: string; isCode: boolean }[] {
  const runs = [...markdown.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  const parts: { text: string; isCode: boolean }[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at];
    const end = runs.findIndex(({ length }, index) => index > at && length === open?.length);
    const close = runs[end];
    if (!open || !close) continue;
    const text = markdown.slice(open.index + open.length, close.index).trim();
    parts.push({ text: markdown.slice(from, open.index), isCode: false });
    if (text) parts.push({ text, isCode: true });
    from = close.index + close.length;
    at = end;
  }
  return [...parts, { text: markdown.slice(from), isCode: false }];
}

function withoutMarkup(text: string): string {
  return text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/!\[[^\][\n]*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\][\n]*\])?/g, ' ')
    .replace(/\[([^\][\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\][\n]*\])/g, '$1')
    .replace(/<[a-z][a-z0-9+.-]*:[^<>\s]*>/gi, ' ')
    .replace(/<\/?[a-z!?][^<>]*>/gi, ' ')
    .replace(/(?<![\p{L}\p{N}])(?:\*\*|__)(?=\S)|(?<=\S)(?:\*\*|__)(?![\p{L}\p{N}])/gu, '')
    .replace(/(?<![\p{L}\p{N}*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\p{L}\p{N}*])/gu, '')
    .replace(/(?<![\p{L}\p{N}_])_(?=[^\s_])|(?<=[^\s_])_(?![\p{L}\p{N}_])/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\](?=[([:])/g, '] ')
    .replace(/<(?=[a-z/!?])/gi, '‹');
}

/** Makes a block of code safe to show: no control characters other than tabs and line breaks. */
export function plainCode(code: string): string {
  return code.replace(/\r\n?/g, '\n').replace(invisible, (character) => (/[\n\t]/.test(character) ? character : '�'));
}
