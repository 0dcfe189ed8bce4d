import { linesOf } from './cells.ts';

/** A line of Python. */
interface Line {
  text: string;
  /** What it begins in. Only the whitespace before a statement has a meaning. */
  start: 'statement' | 'expression' | 'string';
  /** Its text before a comment. */
  code: string;
}

/**
 * Removes the indentation that all statements of a Python selection have, so that a part of a block can run. Strings of
 * several lines stay as they are.
 */
export function withoutIndentation(code: string): string {
  const lines = readLines(code);
  const statements = lines.filter(({ start, code: text }) => start === 'statement' && text.trim() !== '');
  const indents = statements.map(({ text }) => indentOf(text));
  const common = indents.reduce(commonPrefix, indents[0] ?? '');
  if (common === '') return code;
  return lines
    .map(({ start, text }) => (start === 'string' ? text : text.slice(commonPrefix(common, indentOf(text)).length)))
    .join('\n');
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function commonPrefix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

function readLines(text: string): Line[] {
  let quote = '';
  let depth = 0;
  let isContinued = false;
  return linesOf(text).map((line) => {
    const start = quote !== '' ? 'string' : depth > 0 || isContinued ? 'expression' : 'statement';
    let code = line;
    isContinued = false;
    for (const { 0: token, index } of line.matchAll(/\\.?|"""|'''|["'#()[\]{}]/g)) {
      if (token.startsWith('\\')) isContinued = token === '\\';
      else if (quote !== '') quote = token === quote ? '' : quote;
      else if (/["']/.test(token)) quote = token;
      else if (token === '#') {
        code = line.slice(0, index);
        break;
      } else depth = Math.max(0, depth + ('([{'.includes(token) ? 1 : -1));
    }
    // A string in single quotes ends with its line, unless a backslash continues it.
    if (quote.length === 1 && !isContinued) quote = '';
    return { text: line, start, code };
  });
}
