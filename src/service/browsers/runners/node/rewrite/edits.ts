/**
 * Returns the column in the original of a position in the edited text; undefined before its first character. Lines are the
 * same. All are 1-based.
 */
export type Columns = (line: number, column: number) => number | undefined;

/** Edits of a text that keep all lines. */
export type Edits = ReturnType<typeof createEdits>;

const lineBreak = /\r\n|[\n\r\u2028\u2029]/g;

export function createEdits(code: string) {
  const edits: { start: number; end: number; text: string; next: number | undefined }[] = [];
  return {
    /**
     * Replaces `start` to `end` with text, padded with spaces. Keeps line breaks. `next` is the position in the original that
     * errors state for the character after it.
     */
    replace(start: number, end: number, text: string, next?: number): void {
      const padded = text + blank(code.slice(start + text.length, Math.max(end, start + text.length)));
      edits.push({ start, end, text: padded, next });
    },
    /** Inserts text after what was inserted at the same place before. */
    insert: (at: number, text: string): void => void edits.push({ start: at, end: at, text, next: undefined }),
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
      for (const { start, end, text, next } of edits.sort((one, other) => one.start - other.start)) {
        add(code.slice(at, start));
        // What stays of the original, such as the name in a callee.
        const kept = end > start ? text.indexOf(code.slice(start, end)) : 0;
        if (kept > 0) shifts.push({ line, column: result.length - lineStart + kept + 1, by: by + kept });
        add(text);
        at = end;
        if (text.length === end - start) continue;
        by += text.length - (end - start);
        const column = result.length - lineStart + 1;
        if (next !== undefined) shifts.push({ line, column, by: by + end - next });
        shifts.push({ line, column: next === undefined ? column : column + 1, by });
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
