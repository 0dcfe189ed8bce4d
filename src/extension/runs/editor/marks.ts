import type { RunRequest } from '../run-request.ts';
import { cellText, findCells } from './cells.ts';

/** What a run shows in its document. Lines are 0-based and tracked through edits. */
export interface Mark {
  document: string;
  request: RunRequest;
  firstLine: number;
  /** Last line of the code. */
  lastLine: number;
  /** Line at whose end the result or error is shown; undefined once that line was edited. */
  shownLine: number | undefined;
  /** Length of that line, which is constant while it is tracked. */
  shownLineLength: number;
  state: 'running' | 'ok' | 'failed';
  /** True while the code is a cell that differs from what ran. */
  stale: boolean;
  text: string;
  hover: string;
  /** The error, on the line where it occurred. */
  error?: { line: number; character: number; message: string };
}

/** Moves a mark with the lines of its document. */
export function trackChange(mark: Mark, change: LineChange): void {
  const before = mark.firstLine;
  const isHead = mark.request.snippet.isCell && before === 0 && !/^\s*(?:\/\/|#)\s*%%/.test(mark.request.snippet.text);
  // Code before the first marker starts at the top of the file, whatever is inserted there.
  if (!isHead) mark.firstLine = trackLine(before, 0, change) ?? before;
  mark.lastLine += mark.firstLine - before;
  if (mark.request.snippet.isCell) {
    // The lines of a cell keep their place in it. If one of them was edited, the cell is stale.
    if (mark.shownLine !== undefined) mark.shownLine += mark.firstLine - before;
    if (mark.error) mark.error.line += mark.firstLine - before;
    return;
  }
  if (mark.shownLine !== undefined) mark.shownLine = trackLine(mark.shownLine, mark.shownLineLength, change);
  if (mark.error && mark.shownLine !== undefined) mark.error.line = mark.shownLine;
}

/** Returns whether a cell's code is still what ran. Blank lines at its end don't count. Always true for other code. */
export function isUnchanged(mark: Mark, lines: readonly string[]): boolean {
  const { snippet } = mark.request;
  if (!snippet.isCell) return true;
  const cell = findCells(lines).find(({ startLine }) => startLine === mark.firstLine);
  return cell !== undefined && cellText(lines, cell).trimEnd() === snippet.text.trimEnd();
}

/**
 * Returns whether starting a run removes the mark of an earlier one: marks of the same code, and errors.
 * The results and errors of other cells stay.
 */
export function isReplacedBy(mark: Mark, { document, snippet }: RunRequest): boolean {
  if (mark.document !== document || mark.state === 'running') return false;
  if (mark.shownLine === undefined && !mark.error) return true;
  const overlaps = mark.lastLine >= snippet.start.line && mark.firstLine <= snippet.lastLine;
  return overlaps || (mark.state === 'failed' && !(snippet.isCell && mark.request.snippet.isCell));
}

/** A change of a document, as VS Code reports it: the replaced lines (0-based) and the new text. */
export interface LineChange {
  startLine: number;
  startCharacter: number;
  endLine: number;
  text: string;
}

/**
 * Returns the number of a line after a change, or undefined if the line itself was edited or deleted.
 * A line break typed after the line's text leaves the line in place; one typed before it moves the line down.
 */
export function trackLine(line: number, lineLength: number, change: LineChange): number | undefined {
  const added = change.text.split(/\r\n|\r|\n/).length - 1;
  const shift = added - (change.endLine - change.startLine);
  if (change.endLine < line) return line + shift;
  if (change.startLine > line) return line;
  const after = change.startLine === line && change.startCharacter >= lineLength;
  if (after && /^(?:\r\n|\r|\n)/.test(change.text)) return line;
  const before = change.endLine === line && change.startCharacter === 0 && change.startLine === change.endLine;
  if (before && /(?:\r\n|\r|\n)$/.test(change.text)) return line + shift;
  return undefined;
}
