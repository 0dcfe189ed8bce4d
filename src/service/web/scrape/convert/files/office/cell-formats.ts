import type { ParentNode } from 'domhandler';
import { format, getFormatDateInfo, getFormatFromId } from 'numfmt';
import { elementAt, elementsOf } from '../xml.ts';

/** Returns a stored number or text as the cell shows it. @param style its number among the workbook's styles */
export type CellFormat = (value: number | string, style: number) => string;

type Format = (value: number | string) => string;

/** The last day that Excel knows: it shows no date for others. */
const lastDay = 2_958_465;
/** Characters of a format in Excel. A longer one could take long to read. */
const longestCode = 255;
const dayMs = 24 * 60 * 60 * 1000;
/** Days from day 0 of usual workbooks to that of old ones for Mac. */
const daysTo1904 = 1462;

/** Reads the number formats of a workbook's styles. @param startsIn1904 whether its day 0 is in 1904 */
export function cellFormats(styles: ParentNode, startsIn1904: boolean): CellFormat {
  const sheet = elementAt(styles, 'styleSheet');
  const custom = new Map(
    elementsOf(elementAt(sheet, 'numFmts'), 'numFmt').map(({ attribs }) => [
      Number(attribs.numFmtId),
      attribs.formatCode ?? '',
    ]),
  );
  const formats = elementsOf(elementAt(sheet, 'cellXfs'), 'xf').map(({ attribs }) => {
    const id = Number(attribs.numFmtId ?? 0);
    return formatOf(custom.get(id) ?? getFormatFromId(id) ?? '', startsIn1904 ? daysTo1904 : 0);
  });
  return (value, style) => (formats[style] ?? plain)(value);
}

/** Returns the format of a code such as `#,##0.00`. @param offset days from the usual day 0 to the workbook's */
function formatOf(code: string, offset: number): Format {
  if (/^(general|@)?$/i.test(code) || code.length > longestCode) return plain;
  const { year, month, day, hours, minutes, seconds } = getFormatDateInfo(code);
  const hasTime = hours || minutes || seconds;
  const hasDate = year || day || (month && !hasTime);
  // How dates are written depends on where Excel runs; a time of more than a day has its own format.
  if ((hasDate || hasTime) && !/\[[hms]+\]/i.test(code)) {
    const [, fraction = ''] = /s(\.0{1,3})/i.exec(code) ?? [];
    const iso = [hasDate && 'yyyy-mm-dd', hasTime && `hh:mm:ss${fraction}`].filter(Boolean).join(' ');
    return (value) => {
      if (typeof value === 'string' || value < 0 || value >= lastDay + 1) return plain(value);
      // A sum of hours can be a little less than a day.
      const days = Math.round(value * dayMs) / dayMs;
      return format(iso, hasDate ? days + offset : days);
    };
  }
  // A currency brings the language of its country, but no separators.
  const pattern = code.replaceAll(/\[\$([^\]-]*)-[^\]]*\]/g, (_, currency: string) => currency && `[$${currency}]`);
  // What a format hides isn't hidden from readers.
  return (value) =>
    format(pattern, value, { throws: false, invalid: '', overflow: '', dateErrorNumber: false }).trim() || plain(value);
}

/** Excel calculates with 15 significant digits. */
function plain(value: number | string): string {
  return typeof value === 'string' ? value : String(Number(value.toPrecision(15)));
}
