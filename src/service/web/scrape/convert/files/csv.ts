import Papa from 'papaparse';
import { decodeText } from '../../../../platform/network/charset.ts';
import type { FileReading } from './files.ts';
import { tableOf } from './html.ts';

/** Maximum number of rows that are parsed. */
const maxRows = 500_000;

/** The line by which Excel names the separator. */
const separatorLine = /^"?sep=([^\r\n])"?[ \t]*(?:\r\n?|\n|$)/i;

/** Blanks between a separator and the quote that begins a value: within quotes, another quote would be doubled or the last one. */
const blanksBeforeQuotes = /([,;|]) +"(?=[^",;|\r\n])/g;

/** Reads a table of values separated by commas, semicolons or tabs, whichever the file uses or names. */
export function readCsv(file: Uint8Array, contentType: string | undefined): FileReading {
  const source = decodeText(file, charsetOf(file) ?? contentType).replace(/^\uFEFF/, '');
  const [line = '', separator] = separatorLine.exec(source) ?? [];
  const { data } = Papa.parse<string[]>(source.slice(line.length).replaceAll(blanksBeforeQuotes, '$1"'), {
    skipEmptyLines: 'greedy',
    preview: maxRows + 1,
    ...(separator !== undefined && { delimiter: separator }),
  });
  const { html, leftOut } = tableOf(data.slice(0, maxRows));
  const warnings = leftOut > 0 || data.length > maxRows ? ['The table is too large: its last rows were left out.'] : [];
  return { html, metadata: {}, warnings };
}

/** UTF-16 without a byte order mark: a table begins with a letter of ASCII. */
function charsetOf([first, second]: Uint8Array): string | undefined {
  if (first === 0 || second === 0) return `text/csv; charset=utf-16${first === 0 ? 'be' : 'le'}`;
  return undefined;
}
