/** Edits of a text that keep all lines and, if the replacement isn't longer, all columns. */
export interface Edits {
  /** Replaces `start` to `end` with text, padded with spaces. Keeps line breaks. */
  replace(start: number, end: number, text: string): void;
  apply(): string;
}

export function createEdits(code: string): Edits {
  const edits: { start: number; end: number; text: string }[] = [];
  return {
    replace(start, end, text) {
      edits.push({
        start,
        end,
        text: text + blank(code.slice(start + text.length, Math.max(end, start + text.length))),
      });
    },
    apply() {
      let result = '';
      let at = 0;
      for (const { start, end, text } of edits.sort((one, other) => one.start - other.start)) {
        result += code.slice(at, start) + text;
        at = end;
      }
      return result + code.slice(at);
    },
  };
}

/** Replaces all characters except line breaks with spaces. */
export function blank(code: string): string {
  return code.replace(/[^\n\r\u2028\u2029]/g, ' ');
}
