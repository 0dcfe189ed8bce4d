import Papa from 'papaparse';
import { withoutHidden } from '../../../contract/shorten.ts';

/** Text that a spreadsheet may run as a formula, by what it begins with (OWASP, "CSV Injection"). Negative numbers can't. */
const formula = /^(?!-\d+(?:[.,]\d+)*(?:e[+-]?\d+)?%?$)[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/i;

/** Whether a spreadsheet may take a character in a cell for the separator of cells: what follows would begin one. */
const hasSeparator = (value: unknown) => typeof value === 'string' && /[;\t]/.test(value);

/**
 * Returns rows as CSV (RFC 4180). Lists and objects are written as JSON, and text that looks like a formula after an apostrophe;
 * characters that control a terminal or hide text are left out.
 */
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) =>
    row.map((value) => {
      const written = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
      return typeof written === 'string' ? withoutHidden(written) : written;
    }),
  );
  if (cells.length === 0) return '';
  return `${Papa.unparse(cells, { escapeFormulae: formula, quotes: hasSeparator, newline: '\r\n' })}\r\n`;
}
