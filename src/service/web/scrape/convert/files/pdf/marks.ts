import type { Line } from './lines.ts';

/** The mark at the start of a list's item. */
export interface Mark {
  kind: 'bullet' | 'dash' | 'number' | 'section' | 'letter' | 'roman';
  /** Number of the item; 0 for bullets. */
  value: number;
  /** What encloses the number, such as `.` or `()`; of a section such as `1.2`, the numbers before its last one. */
  style: string;
  /** Characters of the line that it takes. */
  length: number;
}

const bullet =
  /^[\u2022\u25e6\u25aa\u25ab\u25a0\u25a1\u00b7\u2023\u25b8\u25ba\u27a2\u25cf\u25cb\u2043\u2219\u2751\u2713\u2714\u30fb\uf0a7\uf0b7\uf0d8\uf0fc]\s*(?=\S|$)/;
const dash = /^[-\u2013*]\s+(?=\S)/;
const bareNumber = /^\d{1,3}$/;
const number = /^(\(?)(\d{1,3})([.)]|\.\))(?=\s+\S|$)\s*/;
const section = /^((?:\d{1,3}\.)+)(\d{1,3})\.?(?=\s+\S)\s*/;
const letter = /^(\(?)([a-zA-Z])([.)])(?=\s+\S|$)\s*/;
const roman = /^(\(?)([ivx]{1,5}|[IVX]{1,5})([.)])(?=\s+\S|$)\s*/;

/** Whether a text starts with the bullet of an item. */
export function isBullet(text: string): boolean {
  return bullet.test(text);
}

/** Returns the marks that a line may start with: `i.` is a number and a letter. */
export function marksOf(line: Pick<Line, 'text' | 'marked' | 'head'>): Mark[] {
  const { text, head = '' } = line;
  if (line.marked) return [{ kind: 'bullet', value: 0, style: '', length: 0 }];
  const [bulleted] = bullet.exec(text) ?? [];
  if (bulleted !== undefined) return [{ kind: 'bullet', value: 0, style: '', length: bulleted.length }];
  const [dashed] = dash.exec(text) ?? [];
  if (dashed !== undefined) return [{ kind: 'dash', value: 0, style: text[0] ?? '', length: dashed.length }];
  // Fonts of symbols have bullets in the place of letters, and white space may tell a number from its text.
  const alone = { length: head.length + 1, style: ' ' };
  if (bareNumber.test(head)) return [{ kind: 'number', value: Number(head), ...alone }];
  const found: Mark[] = head.length === 1 ? [{ kind: 'dash', value: 0, ...alone, style: head }] : [];
  const take = (kind: Mark['kind'], pattern: RegExp, numberOf: (written: string) => number) => {
    const [all = '', open = '', written = '', close = ''] = pattern.exec(text) ?? [];
    if (all !== '') found.push({ kind, value: numberOf(written), style: open + close, length: all.length });
  };
  take('number', number, Number);
  const [all = '', outer = '', last] = section.exec(text) ?? [];
  if (all !== '') found.push({ kind: 'section', value: Number(last), style: outer, length: all.length });
  take('roman', roman, romanValue);
  take('letter', letter, (written) => written.toLowerCase().charCodeAt(0) - 96);
  return found;
}

export function romanValue(written: string): number {
  const values = [...written.toLowerCase()].map((each) => ({ i: 1, v: 5, x: 10, l: 50, c: 100 })[each] ?? 0);
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0);
}

/** Whether texts are nothing but the marks of a list's items. @param bare whether they may be numbers or one letter that repeats, too */
export function areMarks(texts: readonly string[], bare: boolean): boolean {
  const [first = ''] = texts;
  if (bare && texts.every((text, index) => bareNumber.test(text) && Number(text) === Number(first) + index))
    return true;
  if (bare && /^\P{N}$/u.test(first) && texts.every((text) => text === first)) return true;
  if (texts.every(isSection)) return texts.slice(1).every((text, index) => follows(texts[index] ?? '', text));
  return texts.every((text) =>
    marksOf({ text: `${text} x`, marked: false, head: undefined }).some(({ length }) => length > text.length),
  );
}

/** Whether a text is the number of a section, or a decimal number. */
export function isSection(text: string): boolean {
  return section.test(`${text} x`);
}

/** Whether a section is the next one, or the first one in it: `1.2`, `1.3` and `1.3.1`, `2.1`. */
function follows(before: string, after: string): boolean {
  const [some, others] = [before, after].map((text) => text.split('.').filter(Boolean).map(Number)) as [
    number[],
    number[],
  ];
  const at = others.findIndex((part, index) => part !== some[index]);
  return others[at] === (some[at] ?? 0) + 1 && others.slice(at + 1).every((part) => part === 1);
}
