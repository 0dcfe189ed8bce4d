import { inserted } from './names.ts';

/**
 * Returns the column in the original of a position in the edited text; undefined before its first character. Lines are the
 * same. All are 1-based.
 */
export type Columns = (line: number, column: number) => number | undefined;

/** Edits of a text that keep all lines. */
export type Edits = ReturnType<typeof createEdits>;

const lineBreak = /\r\n|[\n\r\u2028\u2029]/g;

export function createEdits(code: string) {
  const edits: { start: number; end: number; text: string; next?: number | undefined }[] = [];
  return {
    /** Replaces `start` to `end` with text that is no longer, padded with spaces. Keeps line breaks. */
    replace: (start: number, end: number, text: string): void =>
      void edits.push({ start, end, text: text + blank(code.slice(start + text.length, end)) }),
    /**
     * Inserts text after what was inserted at the same place before. `next` is the position in the original that errors state
     * for the character after it.
     */
    insert: (at: number, text: string, next?: number): void =>
      void edits.push({ start: at, end: at, text: inserted.start + text + inserted.end, next }),
    apply(): { code: string; columns: Columns } {
      let result = '';
      let at = 0;
      let line = 1;
      let lineStart = 0;
      const shifts: Shift[] = [];
      let by = 0;
      const lead = edits.reduce((sum, { end, text }) => sum + (end === 0 ? text.length : 0), 0);
      const add = (text: string) => {
        for (const { index, 0: found } of text.matchAll(lineBreak)) {
          line++;
          lineStart = result.length + index + found.length;
          by = 0;
        }
        result += text;
      };
      for (const { start, end, text, next = end } of edits.sort((one, other) => one.start - other.start)) {
        add(code.slice(at, start) + text);
        at = end;
        if (end > start) continue;
        by += text.length;
        const column = result.length - lineStart + 1;
        shifts.push({ line, column, by: by + end - next }, { line, column: column + 1, by });
      }
      add(code.slice(at));
      return { code: result, columns: columnsBy(shifts, lead) };
    },
  };
}

/** From a column on, until the next one of its line, how far the text moved right. */
interface Shift {
  line: number;
  column: number;
  by: number;
}

/** Apart from the edits, so that it doesn't keep the code in memory. */
function columnsBy(shifts: readonly Shift[], lead: number): Columns {
  return (line, column) => {
    if (line === 1 && column <= lead) return undefined;
    return column - (shifts.findLast((shift) => shift.line === line && shift.column <= column)?.by ?? 0);
  };
}

/** Replaces all characters except line breaks with spaces. */
function blank(code: string): string {
  return code.replace(/[^\n\r\u2028\u2029]/g, ' ');
}
