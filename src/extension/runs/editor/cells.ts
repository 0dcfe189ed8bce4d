import * as l10n from '@vscode/l10n';

/** A part of a file that starts at a `// %%` or `# %%` line. Lines are 0-based; `endLine` is the last line of the cell. */
export interface Cell {
  startLine: number;
  endLine: number;
  /** Text after the marker, or an empty string. */
  title: string;
  /** 0-based index among the cells of the file. */
  index: number;
}

const marker = /^\s*(?:\/\/|#)\s*%%(.*)$/;
const anyMarker = /^[ \t]*(?:\/\/|#)[ \t]*%%/m;
const blankOrComment = /^\s*(?:$|\/\/|#|\/\*|\*)/;

/** Returns whether a file has cells. */
export function hasCells(text: string): boolean {
  return anyMarker.test(text);
}

/** The part of a document that finds its cells without copying it. */
interface Lines {
  lineCount: number;
  lineAt(line: number): { text: string };
}
/** An edit: the lines that were replaced, and the text that is there instead. */
interface Edit {
  range: { start: { line: number }; end: { line: number } };
  text: string;
}

/** Returns a line that starts a cell; undefined if there is none. */
export function findMarker(document: Lines): number | undefined {
  for (let line = 0; line < document.lineCount; line++) if (marker.test(document.lineAt(line).text)) return line;
  return undefined;
}

/**
 * Returns a line that starts a cell after edits, given one from before them. Only lines that were edited are read, as long as
 * the given one still starts a cell.
 */
export function trackMarker(document: Lines, known: number | undefined, edits: readonly Edit[]): number | undefined {
  /** How far edits above a line have moved it. */
  const movedBy = (line: number) =>
    edits
      .filter(({ range }) => range.end.line < line)
      .reduce((sum, { range, text }) => sum + newlines(text) - (range.end.line - range.start.line), 0);
  const startsCell = (line: number) => line < document.lineCount && marker.test(document.lineAt(line).text);
  if (known !== undefined) {
    const line = known + movedBy(known);
    return startsCell(line) ? line : findMarker(document);
  }
  for (const { range, text } of edits) {
    const first = range.start.line + movedBy(range.start.line);
    for (let line = first; line <= first + newlines(text); line++) if (startsCell(line)) return line;
  }
  return undefined;
}

function newlines(text: string): number {
  return linesOf(text).length - 1;
}

/** Returns the lines of a text, without their line breaks. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** Returns the cells of a file, in order. Code before the first marker is a cell too; a file without markers has none. */
export function findCells(lines: readonly string[]): Cell[] {
  const cells: Cell[] = [];
  for (const [line, text] of lines.entries()) {
    const title = marker.exec(text)?.[1];
    if (title === undefined) continue;
    const last = cells.at(-1);
    if (last) last.endLine = line - 1;
    else if (lines.slice(0, line).some((above) => !blankOrComment.test(above)))
      cells.push({ startLine: 0, endLine: line - 1, title: '', index: 0 });
    cells.push({ startLine: line, endLine: lines.length - 1, title: title.trim(), index: cells.length });
  }
  return cells;
}

/** Returns the cell at a line. Comments before the first cell count as part of it. */
export function cellAt(lines: readonly string[], line: number): Cell | undefined {
  const cells = findCells(lines);
  return cells.findLast((cell) => cell.startLine <= line) ?? cells[0];
}

/** Returns the text of a cell, with `\n` line breaks. */
export function cellText(lines: readonly string[], cell: Cell): string {
  return lines.slice(cell.startLine, cell.endLine + 1).join('\n');
}

/** Returns the name of a cell to show. */
export function cellName(cell: Cell): string {
  return cell.title ? l10n.t('cell {0}', cell.title) : l10n.t('cell {0}', cell.index + 1);
}
