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
