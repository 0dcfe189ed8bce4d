import { inserted, insertions } from './names.ts';

/**
 * Returns the column in the original of a position in the edited text; undefined before its first character. Lines are the
 * same. All are 1-based.
 */
export type Columns = (line: number, column: number) => number | undefined;

/** Edits of a text that keep all lines. */
export type Edits = ReturnType<typeof createEdits>;

const parts = new RegExp(`${insertions.source}|\\r\\n|[\\n\\r\\u2028\\u2029]`, 'g');
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
  const moves: { line: number; end: number; length: number; back: number }[] = [];
  let [line, start, end] = [1, 0, 0];
  for (const { 0: found, 1: piece, index } of edited.matchAll(parts)) {
    // V8 states the call of `(0, name)` at what follows it. It is at the name.
    const back = piece === ')' ? index - end : 0;
    end = index + found.length;
    if (piece !== undefined) moves.push({ line, end: end - start, length: found.length, back });
    else [line, start] = [line + 1, end];
  }
  const lead = leading.exec(edited)?.[0].length ?? 0;
  return (at, column) => {
    if (at === 1 && column <= lead) return undefined;
    const before = moves.filter((move) => move.line === at && move.end < column);
    const last = before.at(-1);
    return before.reduce((rest, { length }) => rest - length, column) - (last?.end === column - 1 ? last.back : 0);
  };
}

/** Replaces all characters except line breaks with spaces. */
function blank(code: string): string {
  return code.replace(/[^\n\r\u2028\u2029]/g, ' ');
}
