import type { ParentNode } from 'domhandler';
import { Parser } from 'htmlparser2';
import type { Archive } from '../archive.ts';
import { UnreadableFile } from '../file-errors.ts';
import type { FileReading } from '../files.ts';
import { sheetsHtml } from '../html.ts';
import { elementAt, elementsOf, nameOf, textOf } from '../xml.ts';
import { cellFormats, type NumberFormat } from './cell-formats.ts';
import { coreProperties, relationshipsOf, unreadWarnings } from './properties.ts';

/** Maximum number of cells with content that are read of one sheet. */
const maxCells = 1_000_000;

/** Reads the sheets of an Excel workbook as tables; formulas become their stored results. Throws an UnreadableFile. */
export function readSpreadsheet(archive: Archive): FileReading {
  const workbook = elementAt(archive.xml('xl/workbook.xml'), 'workbook');
  if (!workbook) throw new UnreadableFile('The workbook is damaged: it has no list of sheets.');
  const relations = relationshipsOf(archive, 'xl/workbook.xml');
  const strings = sharedStrings(archive.xml('xl/sharedStrings.xml'));
  const startsIn1904 = /^(1|true)$/.test(elementAt(workbook, 'workbookPr')?.attribs.date1904 ?? '');
  const format = cellFormats(archive.xml('xl/styles.xml'), startsIn1904);
  const sheets = elementsOf(elementAt(workbook, 'sheets'), 'sheet').flatMap(({ attribs }) => {
    const target = relations.get(attribs['r:id'] ?? '')?.target;
    const content = target?.startsWith('xl/worksheets/') ? archive.text(target) : undefined;
    return content === undefined ? [] : [{ name: attribs.name ?? '', ...readSheet(content, strings, format) }];
  });
  const { html, warnings } = sheetsHtml(sheets);
  return { html, metadata: coreProperties(archive), warnings: [...unreadWarnings(archive), ...warnings] };
}

function sharedStrings(xml: ParentNode): string[] {
  return elementsOf(elementsOf(xml)[0], 'si').map((item) =>
    elementsOf(item)
      .map((part) => {
        const name = nameOf(part);
        if (name === 't') return textOf(part);
        // Phonetic readings are siblings of the runs of text.
        return name === 'r' ? elementsOf(part, 't').map(textOf).join('') : '';
      })
      .join(''),
  );
}

interface Cell {
  type: string;
  style: number;
  /** Its stored value, or the result of its formula; undefined if nothing is stored. */
  value: string | undefined;
  formula: string;
}

/** Reads a sheet in one pass, without building a tree: sheets have millions of elements. */
function readSheet(xml: string, strings: readonly string[], format: NumberFormat): { rows: string[][]; cut: boolean } {
  const rows: string[][] = [];
  let row: string[] = [];
  let column = -1;
  let cells = 0;
  let cut = false;
  let cell: Cell | undefined;
  let into: 'value' | 'formula' | undefined;

  function shown({ type, style, value, formula }: Cell): string {
    // An empty text is a result; programs that don't calculate store an empty number.
    if (value === undefined || (value === '' && type !== 'str')) return formula === '' ? '' : `=${formula}`;
    if (type === 's') return strings[Number(value)] ?? '';
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    return type === 'n' ? format(value, style) : value;
  }

  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = tag.slice(tag.indexOf(':') + 1);
        if (name === 'row') {
          row = [];
          column = -1;
        } else if (name === 'c') {
          column = columnOf(attributes.r) ?? column + 1;
          cell = { type: attributes.t ?? 'n', style: Number(attributes.s ?? 0), value: undefined, formula: '' };
        } else if (cell && (name === 'v' || name === 't')) {
          cell.value ??= '';
          into = 'value';
        } else if (cell && name === 'f') into = 'formula';
        else if (name === 'rPh') into = undefined;
      },
      ontext(text) {
        if (cell && into) cell[into] = (cell[into] ?? '') + text;
      },
      onclosetag(tag) {
        const name = tag.slice(tag.indexOf(':') + 1);
        if (name === 'v' || name === 't' || name === 'f') into = undefined;
        else if (name === 'c' && cell) {
          const text = shown(cell);
          if (text !== '') {
            row[column] = text;
            cells++;
          }
          cell = undefined;
        } else if (name === 'row' && row.length > 0) {
          rows.push(row);
          if (cells <= maxCells) return;
          cut = true;
          parser.pause();
        }
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  if (!cut) parser.end();
  return { rows, cut };
}

/** Returns the number of a cell's column, from 0: 27 for `AB12`. Excel has 16,384 columns. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return column < 16_384 ? column : undefined;
}

/** Returns whether a ZIP file holds a workbook in Excel's binary format. */
export function isBinaryWorkbook(archive: Archive): boolean {
  return archive.names.has('xl/workbook.bin');
}
