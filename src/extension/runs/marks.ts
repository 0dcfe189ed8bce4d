/** A change of a document, as VS Code reports it: the replaced lines (0-based) and the text put there. */
export interface LineChange {
  startLine: number;
  startCharacter: number;
  endLine: number;
  text: string;
}

/**
 * Where a line is after a change: its new number, or undefined when the line itself was edited or went away.
 * A line break typed behind the text of a line leaves it in place; one typed before it moves it down.
 */
export function followLine(line: number, lineLength: number, change: LineChange): number | undefined {
  const added = change.text.split(/\r\n|\r|\n/).length - 1;
  const moved = added - (change.endLine - change.startLine);
  if (change.endLine < line) return line + moved;
  if (change.startLine > line) return line;
  const behind = change.startLine === line && change.startCharacter >= lineLength;
  if (behind && /^(?:\r\n|\r|\n)/.test(change.text)) return line;
  const before = change.endLine === line && change.startCharacter === 0 && change.startLine === change.endLine;
  if (before && /(?:\r\n|\r|\n)$/.test(change.text)) return line + moved;
  return undefined;
}
