import Papa from 'papaparse';
import { decodeText } from '../../../../platform/network/charset.ts';
import type { FileReading } from './files.ts';
import { escaped, tableOf, wrapped } from './html.ts';

/** Maximum number of rows that are parsed. */
const maxRows = 500_000;

/** The line by which Excel names the separator. */
const separatorLine = /^"?sep=([^\r\n])"?[ \t]*(?:\r\n?|\n|$)/i;

/** The first lines, if they have a sign of comments and no separator: the names of columns and what these have may begin with that sign too. */
const commentLines = /^(?:#(?: [^"\t\r\n,;|]*)?[\r\n]+){1,50}/;

/** Blanks between a separator and the quote that begins a value: within quotes, another quote would be doubled or the last one. */
const blanksBeforeQuotes = /([,;|]) +"(?=[^",;|\r\n])/g;

/** Reads a table of values separated by commas, semicolons or tabs, whichever the file uses or names. */
export function readCsv(file: Uint8Array, contentType: string | undefined): FileReading {
  const source = decodeText(file, charsetOf(file) ?? contentType).replace(/^\uFEFF/, '');
  const [line = '', separator] = separatorLine.exec(source) ?? [];
  const text = source.slice(line.length);
  const [above = ''] = commentLines.exec(text) ?? [];
  const parse = (part: string) =>
    Papa.parse<string[]>(part.replaceAll(blanksBeforeQuotes, '$1"'), {
      skipEmptyLines: 'greedy',
      preview: maxRows + 1,
      delimiter: separator ?? '',
    }).data;
  let comments = above.trim().split(/[\r\n]+/);
  let data = parse(text.slice(above.length));
  // Above a single column, such a line may be its name.
  if (above !== '' && !(data.length > 0 && data.every((row) => row.length > 1))) {
    comments = [];
    data = parse(text);
  }
  const { html, leftOut } = tableOf(data.slice(0, maxRows));
  const warnings = leftOut > 0 || data.length > maxRows ? ['The table is too large: its last rows were left out.'] : [];
  return { html: wrapped('p', comments.map(escaped).join('<br>')) + html, metadata: {}, warnings };
}

/** UTF-16 without a byte order mark: a table begins with a letter of ASCII. */
function charsetOf([first, second]: Uint8Array): string | undefined {
  if (first === 0 || second === 0) return `text/csv; charset=utf-16${first === 0 ? 'be' : 'le'}`;
  return undefined;
}
