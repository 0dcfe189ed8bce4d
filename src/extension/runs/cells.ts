/** A part of a file that starts at a `// %%` or `# %%` line. Lines are 0-based; `endLine` is the last line of the cell. */
export interface Cell {
  startLine: number;
  endLine: number;
  /** Text behind the marker, "" where there is none. */
  title: string;
  /** 0-based number among the cells of the file. */
  index: number;
}

const marker = /^\s*(?:\/\/|#)\s*%%(.*)$/;

/** The cells of a file, in order. Lines before the first marker belong to no cell. */
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

/** The cell at a line; before the first marker, the lines above it count as a cell of their own. */
export function cellAt(lines: readonly string[], line: number): Cell | undefined {
  const cells = findCells(lines);
  const first = cells[0];
  if (!first) return undefined;
  if (line < first.startLine) return { startLine: 0, endLine: first.startLine - 1, title: '', index: -1 };
  return cells.findLast((cell) => cell.startLine <= line);
}

/** How a cell is called in lists. */
export function cellName(cell: Cell): string {
  if (cell.title) return `cell ${cell.title}`;
  return cell.index < 0 ? 'first lines' : `cell ${cell.index + 1}`;
}
