import type { ParentNode } from 'domhandler';
import { elementAt, elementsOf } from '../xml.ts';

/** Returns a stored number as the cell shows it: a date, a percentage or the number itself. */
export type NumberFormat = (value: string, style: number) => string;

/** Writes a number. @param epoch day 0 of the workbook */
type Format = (number: number, epoch: number) => string;

const secondsIn = { h: 3600, m: 60, s: 1 };

const dayMs = 24 * 60 * 60 * 1000;
/** Excel's day 0, and that of workbooks from old versions for Mac. */
const epochs = { windows: Date.UTC(1899, 11, 30), mac: Date.UTC(1904, 0, 1) };
const percent: Format = (number) => `${plain(number * 100)}%`;
const date = dateFormat(0, 10);
const time = dateFormat(11, 19);
const dateAndTime = dateFormat(0, 19);
/** Numbers of Excel's built-in formats. */
const ownFormats: [from: number, to: number, Format][] = [
  [9, 10, percent],
  [14, 17, date],
  [18, 21, time],
  [22, 22, dateAndTime],
  [27, 36, date],
  [45, 45, time],
  [46, 46, durationFormat(['h', 'm', 's'])],
  [47, 47, time],
  [50, 58, date],
];

/** Reads the number formats of a workbook's styles. @param startsIn1904 whether its day 0 is in 1904 */
export function cellFormats(styles: ParentNode, startsIn1904: boolean): NumberFormat {
  const sheet = elementAt(styles, 'styleSheet');
  const custom = new Map(
    elementsOf(elementAt(sheet, 'numFmts'), 'numFmt').map(({ attribs }) => [
      Number(attribs.numFmtId),
      formatOf(attribs.formatCode ?? ''),
    ]),
  );
  const formats = elementsOf(elementAt(sheet, 'cellXfs'), 'xf').map(({ attribs }) => {
    const id = Number(attribs.numFmtId ?? 0);
    return custom.get(id) ?? ownFormats.find(([from, to]) => id >= from && id <= to)?.[2] ?? plain;
  });
  const epoch = startsIn1904 ? epochs.mac : epochs.windows;
  return (value, style) => {
    const number = Number(value);
    return value.trim() === '' || !Number.isFinite(number) ? value : (formats[style] ?? plain)(number, epoch);
  };
}

/** Writes a part of `2026-03-05 14:30:00`. */
function dateFormat(from: number, to: number): Format {
  return (number, epoch) => {
    // Excel takes 1900 for a leap year.
    const days = epoch === epochs.windows && number >= 1 && number < 60 ? number + 1 : number;
    const date = new Date(Math.round(epoch + days * dayMs));
    // Beyond the year 9999, or a negative number: Excel shows no date either.
    if (number < 0 || number > 2_958_466 || Number.isNaN(date.getTime())) return plain(number);
    return date.toISOString().replace('T', ' ').slice(from, to);
  };
}

/** Writes a time of more than a day, or of more than an hour in minutes, from its largest unit: `30:00` for a day and a quarter. */
function durationFormat(units: ('h' | 'm' | 's')[]): Format {
  return (days) => {
    let left = Math.abs(Math.round((days * dayMs) / 1000));
    const parts = units.map((unit, index) => {
      const count = Math.floor(left / secondsIn[unit]);
      left -= count * secondsIn[unit];
      return index === 0 ? String(count) : String(count).padStart(2, '0');
    });
    return (days < 0 ? '-' : '') + parts.join(':');
  };
}

/** Excel calculates with 15 significant digits. */
function plain(number: number): string {
  return String(Number(number.toPrecision(15)));
}

/** Returns a custom format by its code, such as `yyyy-mm-dd`. */
function formatOf(code: string): Format {
  const [, elapsed] = /\[(h+|m+|s+)\]/i.exec(code) ?? [];
  if (elapsed !== undefined) {
    const units = (['h', 'm', 's'] as const).slice('hms'.indexOf(elapsed.charAt(0).toLowerCase()));
    const rest = code
      .slice(code.indexOf(`[${elapsed}]`) + elapsed.length + 2)
      .replaceAll(/"[^"]*"|\\.|;.*/g, '')
      .toLowerCase();
    return durationFormat(units.filter((unit, index) => index === 0 || rest.includes(unit)));
  }
  const letters = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '').toLowerCase();
  if (letters.includes('%')) return percent;
  if (letters.includes('general')) return plain;
  const hasTime = /[hs]/.test(letters) || /am\/pm/.test(letters);
  const hasDate = /[yd]/.test(letters) || (/m/.test(letters) && !hasTime);
  if (hasDate) return hasTime ? dateAndTime : date;
  return hasTime ? time : unitFormat(code);
}

/** Writes what the format of positive numbers shows beside them. One that scales them has another unit. */
function unitFormat(code: string): Format {
  // Without blanks that are as wide as a character, or fill the cell.
  const shown = code.replaceAll(/("[^"]*"|\\.)|[_*]./g, '$1');
  const [, before, number = '', after] =
    /^((?:"[^"]*"|\\.|\[[^\]]*\]|[^0#?;"\\[])*)([0#?][0#?.,]*)([^;]*)/.exec(shown) ?? [];
  if (before === undefined || after === undefined || number.endsWith(',') || /[0#?]/.test(after)) return plain;
  const [start, end] = [literal(before).trimStart(), literal(after).trimEnd()];
  // A number that is an identifier has all its digits: `00042`.
  const digits = /^0+$/.test(number) ? number.length : 0;
  return (number) =>
    (number < 0 ? '-' : '') +
    start +
    plain(Math.abs(number)).replace(/^\d+$/, (all) => all.padStart(digits, '0')) +
    end;
}

/** The text of a part of a format: what is quoted or escaped, and signs of currencies. */
function literal(part: string): string {
  return [...part.matchAll(/"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|(\p{Sc})| /gu)]
    .map(([space, quoted, escaped, currency, sign]) => quoted ?? escaped ?? currency ?? sign ?? space)
    .join('');
}
