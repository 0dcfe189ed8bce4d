import * as nodeModule from 'node:module';
import { messageOf } from '../ui/text.ts';
import { cellAt, cellName, findCells } from './cells.ts';

/** A position in a document, 0-based as VS Code counts. */
export interface Place {
  line: number;
  character: number;
}

/** What is run: a text and where in its document it stands. */
export interface Snippet {
  /** The text as it stands in the document. */
  text: string;
  start: Place;
  /** The last line that holds code: its result is shown there. */
  lastLine: number;
  /** "hello.js", "cell open", "lines 3–7". */
  title: string;
}

/** A text file as far as runs need it. */
export interface SourceFile {
  name: string;
  text: string;
}

export interface Selection {
  start: Place;
  end: Place;
}

/** The whole file. */
export function wholeFile(file: SourceFile): Snippet {
  return snippet(file.text, { line: 0, character: 0 }, file.name);
}

/** The selection if there is one, else the cell at the cursor, else the file. */
export function selectionOrCell(file: SourceFile, selection: Selection): Snippet {
  const lines = file.text.split(/\r\n|\r|\n/);
  const { start, end } = selection;
  if (start.line !== end.line || start.character !== end.character) {
    const title = start.line === end.line ? `line ${start.line + 1}` : `lines ${start.line + 1}–${end.line + 1}`;
    return snippet(between(lines, start, end), start, title);
  }
  const cell = cellAt(lines, start.line);
  return cell ? cellSnippet(lines, cell) : wholeFile(file);
}

/** The cell whose marker stands at `line`; undefined when there is none any more. */
export function cellStartingAt(file: SourceFile, line: number): Snippet | undefined {
  const lines = file.text.split(/\r\n|\r|\n/);
  const cell = findCells(lines).find(({ startLine }) => startLine === line);
  return cell && cellSnippet(lines, cell);
}

function cellSnippet(
  lines: readonly string[],
  cell: { startLine: number; endLine: number; title: string; index: number },
) {
  const start = { line: cell.startLine, character: 0 };
  const end = { line: cell.endLine, character: lines[cell.endLine]?.length ?? 0 };
  return snippet(between(lines, start, end), start, cellName(cell));
}

function between(lines: readonly string[], start: Place, end: Place): string {
  const part = lines.slice(start.line, end.line + 1);
  const last = part.length - 1;
  part[last] = (part[last] ?? '').slice(0, end.character);
  part[0] = (part[0] ?? '').slice(start.character);
  return part.join('\n');
}

function snippet(text: string, start: Place, title: string): Snippet {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return { text, start, lastLine: start.line + Math.max(0, last), title };
}

/** TypeScript that cannot be run by leaving its types out; the position is within the text that was given, 0-based. */
export class TypeScriptError extends Error {
  override name = 'TypeScriptError';
  readonly place: Place | undefined;

  constructor(message: string, place: Place | undefined) {
    super(message);
    this.place = place;
  }
}

/** The code to send for a text of a VS Code language: TypeScript with blanks for its types, so that positions stay. */
export function codeToSend(text: string, languageId: string): string {
  if (languageId !== 'typescript') return text;
  // Absent in a Node built without it.
  const strip = nodeModule.stripTypeScriptTypes as typeof nodeModule.stripTypeScriptTypes | undefined;
  if (!strip)
    throw new TypeScriptError('The Node of this VS Code cannot strip types; run JavaScript instead.', undefined);
  try {
    return quietly(() => strip(text, { mode: 'strip' }));
  } catch (error) {
    throw new TypeScriptError(`TypeScript: ${messageOf(error).trim()}`, placeInStack(error));
  }
}

/** Node shows the place at the head of the stack: `:LINE`, the source, then carets under the column. */
function placeInStack(error: unknown): Place | undefined {
  const head = /^[^\n]*:(\d+)\n(?:.*\n)*?([ \t]*)\^+\s*\n/.exec((error as Error).stack ?? '');
  if (!head) return undefined;
  return { line: Number(head[1]) - 1, character: head[2]?.length ?? 0 };
}

/** The first use prints an ExperimentalWarning, which is no business of the person's. */
function quietly<Value>(use: () => Value): Value {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return use();
  } finally {
    process.emitWarning = emitWarning;
  }
}
