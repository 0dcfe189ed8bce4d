/** Changes to a text that leave every line and, where the replacement is as long, every column in place. */
export interface Edits {
  /** Puts text in place of `start` to `end`; filled up with spaces, line ends kept. */
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

/** As many spaces as there are characters; line ends stay. */
export function blank(code: string): string {
  return code.replace(/[^\n\r\u2028\u2029]/g, ' ');
}
