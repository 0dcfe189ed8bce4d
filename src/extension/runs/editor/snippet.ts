import * as nodeModule from 'node:module';
import * as l10n from '@vscode/l10n';
import type { Remedy } from '../../connection/remedies/remedies.ts';
import { messageOf } from '../../ui/text/text.ts';
import { type Cell, cellAt, cellName, cellText, findCells, linesOf } from './cells.ts';

/** A position in a text, 0-based. */
export interface Position {
  line: number;
  character: number;
}

/** Code to run, and its position in its document. */
export interface Snippet {
  /** The text exactly as in the document, with the indentation of its first line. */
  text: string;
  start: Position;
  /** Last line of code in the document. The result is shown after it. */
  lastLine: number;
  /** Such as "hello.js", "cell open" or "lines 3–7". */
  title: string;
  /** The code is a cell: its result stays until the cell changes. */
  isCell?: true;
}

/** The name and text of a document. */
export interface SourceFile {
  name: string;
  text: string;
}

export interface Selection {
  start: Position;
  end: Position;
}

/** Returns the whole file as a snippet. */
export function wholeFile(file: SourceFile): Snippet {
  return snippet(file.text, { line: 0, character: 0 }, file.name);
}

/** Returns the selection, else the cell at the cursor, else the file. */
export function selectionOrCell(file: SourceFile, selection: Selection): Snippet {
  const lines = linesOf(file.text);
  const { start, end } = selection;
  if (start.line !== end.line || start.character !== end.character) {
    const before = (lines[start.line] ?? '').slice(0, start.character);
    // Lines from their first letter on are whole lines: code that follows is indented as they are.
    const from = before.trim() === '' ? { line: start.line, character: 0 } : start;
    return snippet(between(lines, from, end), from, selectionName(lines, selection));
  }
  const cell = cellAt(lines, start.line);
  return cell ? cellSnippet(lines, cell) : wholeFile(file);
}

/** Returns all cells of a file, in order. */
export function cellSnippets(file: SourceFile): Snippet[] {
  const lines = linesOf(file.text);
  return findCells(lines).map((cell) => cellSnippet(lines, cell));
}

function cellSnippet(lines: readonly string[], cell: Cell): Snippet {
  const start = { line: cell.startLine, character: 0 };
  return { ...snippet(cellText(lines, cell), start, cellName(cell)), isCell: true };
}

/** Names the lines of which something is selected: a selection of whole lines ends at the start of the next one. */
function selectionName(lines: readonly string[], { start, end }: Selection): string {
  const skipsFirst =
    start.line < end.line && start.character >= (lines[start.line]?.length ?? 0) && start.character > 0;
  const first = start.line + (skipsFirst ? 1 : 0);
  const last = end.line - (first < end.line && end.character === 0 ? 1 : 0);
  return first === last ? l10n.t('line {0}', first + 1) : l10n.t('lines {0}–{1}', first + 1, last + 1);
}

function between(lines: readonly string[], start: Position, end: Position): string {
  const part = lines.slice(start.line, end.line + 1);
  const last = part.length - 1;
  part[last] = (part[last] ?? '').slice(0, end.character);
  part[0] = (part[0] ?? '').slice(start.character);
  return part.join('\n');
}

function snippet(text: string, start: Position, title: string): Snippet {
  const lines = linesOf(text);
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return { text, start, lastLine: start.line + Math.max(0, last), title };
}

/** An error that is found before code is sent. The position is in the snippet. */
export class SnippetError extends Error {
  override name = 'SnippetError';
  readonly position: Position | undefined;
  /** What lets the code run. */
  readonly remedy: Remedy | undefined;

  constructor(message: string, position: Position | undefined, remedy?: Remedy) {
    super(message);
    this.position = position;
    this.remedy = remedy;
  }
}

/** Whether code in a language has text, but no statement. */
export function hasOnlyComments(text: string, language: string): boolean {
  const isScript = language === 'node';
  let rest = text.trim();
  if (rest === '') return false;
  if (isScript) rest = rest.replace(/^#!.*/, '').trimStart();
  while (rest !== '') {
    const isBlock = isScript && rest.startsWith('/*');
    if (!isBlock && !rest.startsWith(isScript ? '//' : '#')) return false;
    const end = isBlock ? rest.indexOf('*/', 2) : rest.search(/[\n\r]|$/);
    if (end === -1) return false;
    rest = rest.slice(end + (isBlock ? 2 : 0)).trimStart();
  }
  return true;
}

/**
 * Returns the code to send for a text in a VS Code language. TypeScript types become blanks, which keeps positions; Python
 * loses its common indentation.
 */
export function codeToSend(text: string, languageId: string): string {
  if (languageId === 'python') return withoutIndentation(text);
  if (languageId !== 'typescript') return text;
  // Missing in a Node.js that was built without it.
  const strip = nodeModule.stripTypeScriptTypes as typeof nodeModule.stripTypeScriptTypes | undefined;
  if (!strip)
    throw new SnippetError(
      l10n.t("This version of VS Code can't strip TypeScript types. Run JavaScript instead."),
      undefined,
    );
  try {
    return withoutWarnings(() => strip(text, { mode: 'strip' }));
  } catch (error) {
    throw new SnippetError(withAdvice(`TypeScript: ${messageOf(error).trim()}`), positionInStack(error));
  }
}

/** Says what to write instead of syntax that is more than types. */
function withAdvice(message: string): string {
  if (!/not supported in strip-only mode/.test(message)) return message;
  if (/\benum\b/.test(message)) {
    const instead = 'const Size = { Small: 0, Large: 1 } as const';
    return l10n.t("TypeScript: Enums can't run, because types are removed, not compiled. Use an object: {0}.", instead);
  }
  if (/parameter property/.test(message))
    return l10n.t(
      "TypeScript: Parameter properties can't run, because types are removed, not compiled. Declare a field and assign it in the constructor.",
    );
  if (/namespace/.test(message))
    return l10n.t("TypeScript: Namespaces can't run, because types are removed, not compiled. Use an object instead.");
  return message;
}

/** Node.js shows the position at the top of the stack: `:LINE`, the source line, then carets under the column. */
function positionInStack(error: unknown): Position | undefined {
  const head = /^[^\n]*:(\d+)\n(?:.*\n)*?([ \t]*)\^+\s*\n/.exec((error as Error).stack ?? '');
  if (!head) return undefined;
  return { line: Number(head[1]) - 1, character: head[2]?.length ?? 0 };
}

/** Suppresses the ExperimentalWarning of the first use. */
function withoutWarnings<Value>(use: () => Value): Value {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return use();
  } finally {
    process.emitWarning = emitWarning;
  }
}

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
