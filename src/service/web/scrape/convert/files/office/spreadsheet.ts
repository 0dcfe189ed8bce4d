import type { ParentNode } from 'domhandler';
import { Parser } from 'htmlparser2';
import type { Archive } from '../archive.ts';
import { UnreadableFile } from '../file-errors.ts';
import type { FileReading } from '../files.ts';
import { type SheetCell, sheetsHtml } from '../html.ts';
import { elementAt, elementsOf, nameOf, textOf } from '../xml.ts';
import { type CellFormat, cellFormats } from './cell-formats.ts';
import { coreProperties, partOf, relationshipsOf, unreadWarnings } from './properties.ts';

/** Maximum number of cells with content that are read of one sheet. */
const maxCells = 1_000_000;
/** Maximum number of rows that one link goes over. */
const maxLinked = 10_000;

/**
 * Reads the sheets of an Excel workbook as tables; formulas become their stored results. Throws an UnreadableFile.
 * @param main the name of its main part
 */
export function readSpreadsheet(archive: Archive, main: string): FileReading {
  const workbook = elementAt(archive.xml(main), 'workbook');
  if (!workbook) throw new UnreadableFile('The workbook is damaged: it has no list of sheets.');
  const relations = relationshipsOf(archive, main);
  const part = (kind: string) => archive.xml(partOf(relations, main, kind));
  const strings = sharedStrings(part('sharedStrings'));
  const startsIn1904 = /^(1|true)$/.test(elementAt(workbook, 'workbookPr')?.attribs.date1904 ?? '');
  const format = cellFormats(part('styles'), startsIn1904);
  const sheets = elementsOf(elementAt(workbook, 'sheets'), 'sheet').flatMap(({ attribs }) => {
    const { type, target = '' } = relations.get(attribs['r:id'] ?? '') ?? {};
    // Charts have sheets of their own.
    const content = type === 'worksheet' ? archive.text(target) : undefined;
    if (content === undefined) return [];
    const links = relationshipsOf(archive, target);
    const urlOf = (id: string) => links.get(id)?.target;
    return [{ name: attribs.name ?? '', ...readSheet(content, { strings, format, urlOf }) }];
  });
  const { html, warnings } = sheetsHtml(sheets);
  return { html, metadata: coreProperties(archive), warnings: [...unreadWarnings(archive), ...warnings] };
}

function sharedStrings(xml: ParentNode): string[] {
  return elementsOf(elementsOf(xml)[0], 'si').map((item) =>
    elementsOf(item)
      .map((part) => {
        const name = nameOf(part);
        if (name === 't') return unescaped(textOf(part));
        // Phonetic readings are siblings of the runs of text.
        return name === 'r' ? unescaped(elementsOf(part, 't').map(textOf).join('')) : '';
      })
      .join(''),
  );
}

/** Replaces characters that XML can't have, as Office writes them: `_x000D_`. */
function unescaped(text: string): string {
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

interface Cell {
  type: string;
  style: number;
  /** Its stored value, or the result of its formula; undefined if nothing is stored. */
  value: string | undefined;
  formula: string;
}

interface Workbook {
  strings: readonly string[];
  format: CellFormat;
  /** Returns the URL of a relationship of the sheet. */
  urlOf(id: string): string | undefined;
}

/** Reads a sheet in one pass, without building a tree: sheets have millions of elements. */
function readSheet(xml: string, { strings, format, urlOf }: Workbook) {
  const rows: SheetCell[][] = [];
  /** Rows with text, by their numbers. */
  const numbered = new Map<number, SheetCell[]>();
  let row: SheetCell[] = [];
  let number = 0;
  let column = -1;
  let cells = 0;
  let cut = false;
  let cell: Cell | undefined;
  let into: 'value' | 'formula' | undefined;

  function shown({ type, style, value, formula }: Cell): string {
    // An empty text is a result; programs that don't calculate store an empty number.
    if (value === undefined || (value === '' && type !== 'str'))
      return labelOf(formula) ?? (formula === '' ? '' : `=${formula}`);
    if (type === 's') return format(strings[Number(value)] ?? '', style);
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (type === 'd') return value.replace(/T(?:00:00(?::00(?:\.0*)?)?Z?$)?/, (time) => (time === 'T' ? ' ' : ''));
    if (type !== 'n') return type === 'e' ? value : format(unescaped(value), style);
    const number = Number(value);
    return value.trim() === '' || !Number.isFinite(number) ? value : format(number, style);
  }

  /** Cells that a link goes over, such as `A1:B2`. */
  function link(reference: string, url: string | undefined): void {
    const [from = '', to = from] = reference.split(':');
    const last = Math.min(rowOf(to), rowOf(from) + maxLinked);
    for (let at = rowOf(from); at <= last; at++) {
      const cells = numbered.get(at) ?? [];
      const end = Math.min(columnOf(to) ?? 0, cells.length - 1);
      for (let column = columnOf(from) ?? 0; column <= end; column++) {
        const text = cells[column];
        if (url !== undefined && typeof text === 'string') cells[column] = { text, url };
      }
    }
  }

  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = tag.slice(tag.indexOf(':') + 1);
        if (name === 'row') {
          row = [];
          column = -1;
          number = Number(attributes.r) || number + 1;
        } else if (name === 'hyperlink') {
          const id = Object.keys(attributes).find((each) => each.endsWith(':id'));
          link(attributes.ref ?? '', id && urlOf(attributes[id] ?? ''));
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
            const [, url] = /^HYPERLINK\("([^"]+)"/i.exec(cell.formula) ?? [];
            row[column] = url === undefined ? text : { text, url };
            cells++;
          }
          cell = undefined;
        } else if (name === 'row' && row.length > 0) {
          rows.push(row);
          numbered.set(number, row);
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

/** Returns what a formula shows that is only a link. */
function labelOf(formula: string): string | undefined {
  return /^HYPERLINK\("[^"]*",\s*"([^"]+)"\)$/i.exec(formula)?.[1];
}

/** Returns the number of a cell's column, from 0: 27 for `AB12`. Excel has 16,384 columns. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return column < 16_384 ? column : undefined;
}

function rowOf(reference: string): number {
  return Number(/\d+$/.exec(reference)?.[0] ?? 0);
}
