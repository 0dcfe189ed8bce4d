import Papa from 'papaparse';

/** Text that a spreadsheet would run as a formula. A list item, such as "- tea", and a negative number aren't. */
const formula = /^(?!-\d+(?:\.\d+)?$)(?:[=@\t\r]|[+-](?! ))/;

/** Returns rows as CSV (RFC 4180). Lists and objects are written as JSON, and text that looks like a formula after an apostrophe. */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) =>
    row.map((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value)),
  );
  return cells.length === 0 ? '' : `${Papa.unparse(cells, { escapeFormulae: formula, newline: '\r\n' })}\r\n`;
}
