/** A part of a file that starts at a `// %%` or `# %%` line. Lines are 0-based; `endLine` is the last line of the cell. */
export interface Cell {
  startLine: number;
  endLine: number;
  /** Text after the marker, or an empty string. */
  title: string;
  /** 0-based index among the cells of the file; -1 for the lines before the first marker. */
  index: number;
}

const marker = /^\s*(?:\/\/|#)\s*%%(.*)$/;

/** Returns the cells of a file, in order. Lines before the first marker aren't in a cell. */
export function findCells(lines: readonly string[]): Cell[] {
  const cells: Cell[] = [];
  for (const [line, text] of lines.entries()) {
    const title = marker.exec(text)?.[1];
    if (title === undefined) continue;
    const last = cells.at(-1);
    if (last) last.endLine = line - 1;
    cells.push({ startLine: line, endLine: lines.length - 1, title: title.trim(), index: cells.length });
  }
  return cells;
}

/** Returns the cell at a line. The lines before the first marker count as a cell. */
export function cellAt(lines: readonly string[], line: number): Cell | undefined {
  const cells = findCells(lines);
  const first = cells[0];
  if (!first) return undefined;
  if (line < first.startLine) return { startLine: 0, endLine: first.startLine - 1, title: '', index: -1 };
  return cells.findLast((cell) => cell.startLine <= line);
}

/** Returns the name of a cell to show. */
export function cellName(cell: Cell): string {
  if (cell.title) return `cell ${cell.title}`;
  return cell.index < 0 ? 'first lines' : `cell ${cell.index + 1}`;
}
