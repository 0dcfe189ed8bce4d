import { inserted, insertions } from './names.ts';

/**
 * Returns the column in the original of a position in the edited text; undefined before its first character. Lines are the
 * same. All are 1-based.
 */
export type Columns = (line: number, column: number) => number | undefined;

/** Edits of a text that keep all lines. */
export type Edits = ReturnType<typeof createEdits>;

const lineBreak = /\r\n|[\n\r\u2028\u2029]/;
const leading = new RegExp(`^(?:${insertions.source})*`);

export function createEdits(code: string) {
  const edits: { start: number; end: number; text: string }[] = [];
  return {
    /** Replaces `start` to `end` with text that is no longer, padded with spaces. Keeps line breaks. */
    replace: (start: number, end: number, text: string): void =>
      void edits.push({ start, end, text: text + blank(code.slice(start + text.length, end)) }),
    /** Inserts text after what was inserted at the same place before. */
    insert: (at: number, text: string): void =>
      void edits.push({ start: at, end: at, text: inserted.start + text + inserted.end }),
    apply(): { code: string; columns: Columns } {
      let result = '';
      let at = 0;
      for (const { start, end, text } of edits.sort((one, other) => one.start - other.start)) {
        result += code.slice(at, start) + text;
        at = end;
      }
      result += code.slice(at);
      return { code: result, columns: columnsOf(result) };
    },
  };
}

/** Keeps where insertions are, but not the code in memory. */
function columnsOf(edited: string): Columns {
  const moves = edited.split(lineBreak).flatMap((text, line) => {
    let end = 0;
    return Array.from(text.matchAll(insertions), ({ 0: { length }, 1: piece, index }) => {
      // V8 states the call of `(0, name)` at what follows it. It is at the name.
      const back = piece === ')' ? index - end : 0;
      end = index + length;
      return { line: line + 1, end, length, back };
    });
  });
  const lead = leading.exec(edited)?.[0].length ?? 0;
  return (line, column) => {
    if (line === 1 && column <= lead) return undefined;
    const before = moves.filter((move) => move.line === line && move.end < column);
    const last = before.at(-1);
    return before.reduce((rest, { length }) => rest - length, column) - (last?.end === column - 1 ? last.back : 0);
  };
}

/** Replaces all characters except line breaks with spaces. */
function blank(code: string): string {
  return code.replace(/[^\n\r\u2028\u2029]/g, ' ');
}
