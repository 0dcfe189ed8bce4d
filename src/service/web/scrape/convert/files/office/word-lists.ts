import type { Element, ParentNode } from 'domhandler';
import { attributeOf, descendants, elementAt, elementsOf, valOf } from '../xml.ts';

/** The numbers of the items of a Word document, which it has in its paragraphs only by the list that they are of. */
export type WordLists = ReturnType<typeof createWordLists>;

interface Level {
  start: number;
  format: string;
  /** What is shown before the text, with `%1` for the number of the first level. */
  text: string;
  /** Whether its numbers go on after an item of an outer level. */
  goesOn: boolean;
}

/** An item of a list. */
export interface WordItem {
  /** The mark to write into it: its number, where it isn't the one after that of the item above. */
  mark: string;
  /** What Word shows before its text. */
  label: string;
  /** Its list and level, where only its style says so. */
  ofStyle: { number: string; level: number } | undefined;
}

/** How many styles one is based on. */
export const maxBases = 20;

const romans = Object.entries({
  m: 1000,
  cm: 900,
  d: 500,
  cd: 400,
  c: 100,
  xc: 90,
  l: 50,
  xl: 40,
  x: 10,
  ix: 9,
  v: 5,
  iv: 4,
  i: 1,
});

/** Noncharacters around a number in a text. */
const marked = /\ufdd0(\d+)\ufdd1/g;

export function createWordLists(numbering: ParentNode, styles: ParentNode) {
  const root = elementAt(numbering, 'numbering');
  const lists = new Map<string, Level[]>();
  const links = new Map<string, string>();
  const ofStyle = new Map<string, { list: string; level: number }>();
  for (const each of elementsOf(root, 'abstractNum')) {
    const id = attributeOf(each, 'abstractNumId') ?? '';
    const levels: Level[] = [];
    for (const level of elementsOf(each, 'lvl')) {
      const at = Number(attributeOf(level, 'ilvl') ?? 0);
      const start = Number(valOf(elementAt(level, 'start')) || 0);
      const [format, text, restart] = ['numFmt', 'lvlText', 'lvlRestart'].map((name) => valOf(elementAt(level, name)));
      levels[at] = { start, format: format ?? '', text: text ?? '', goesOn: restart === '0' };
      const style = valOf(elementAt(level, 'pStyle'));
      if (style !== '') ofStyle.set(style, { list: id, level: at });
    }
    lists.set(id, levels);
    links.set(id, valOf(elementAt(each, 'numStyleLink')));
  }
  const numbers = new Map(elementsOf(root, 'num').map((each) => [attributeOf(each, 'numId') ?? '', each]));
  const byId = new Map(descendants(styles, 'style').map((style) => [attributeOf(style, 'styleId') ?? '', style]));
  /** The last number of each level of a list. */
  const counts = new Map<string, number[]>();
  /** Lists that have started anew, and on which level. */
  const started = new Set<string>();
  /** What the items above show on each level: their number if nothing is written; 0: a bullet. */
  let shown: number[] = [];

  function listOf(number: string): string {
    const list = valOf(elementAt(numbers.get(number), 'abstractNumId'));
    const link = byId.get(links.get(list) ?? '');
    const other = link && valOf(elementAt(link, 'pPr', 'numPr', 'numId'));
    return other === undefined || other === number ? list : valOf(elementAt(numbers.get(other), 'abstractNumId'));
  }

  /** Returns the list that a style, or one that it is based on, puts its paragraphs in. */
  function numberingOf(id: string, depth = 0): { number: string; level: number } | undefined {
    const style = depth > maxBases ? undefined : byId.get(id);
    const numPr = elementAt(style, 'pPr', 'numPr');
    const number = valOf(elementAt(numPr, 'numId'));
    if (number !== '') return { number, level: ofStyle.get(id)?.level ?? Number(valOf(elementAt(numPr, 'ilvl')) || 0) };
    return style && numberingOf(valOf(elementAt(style, 'basedOn')), depth + 1);
  }

  /** Writes the numbers of an item and of those that it is in, such as `1.2`. */
  function labelOf(list: string, level: number): string {
    const levels = lists.get(list) ?? [];
    const { format, text } = levels[level] ?? { format: 'bullet', text: '' };
    if (format === 'bullet') return '';
    return text.replaceAll(/%([1-9])/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      return numeral(counts.get(list)?.[at] ?? levels[at]?.start ?? 1, levels[at]?.format ?? '');
    });
  }

  /** Returns the number of a paragraph; undefined if it has a bullet, or isn't an item. */
  function count(list: string, level: number, number: string): number | undefined {
    const levels = lists.get(list) ?? [];
    const own = counts.get(list) ?? [];
    counts.set(list, own);
    const override = elementsOf(numbers.get(number), 'lvlOverride').find(
      (each) => Number(attributeOf(each, 'ilvl')) === level,
    );
    const restart = elementAt(override, 'startOverride');
    if (restart && !started.has(`${number}/${level}`)) {
      started.add(`${number}/${level}`);
      own[level] = Number(valOf(restart)) - 1;
    }
    own[level] = (own[level] ?? (levels[level]?.start ?? 1) - 1) + 1;
    for (let inner = level + 1; inner < own.length; inner++) if (!levels[inner]?.goesOn) delete own[inner];
    return levels[level]?.format === 'bullet' ? undefined : own[level];
  }

  /** Ends the lists that are shown. What follows has a list of its own, whose numbers may go on. */
  function interrupt(): void {
    shown = [];
  }

  return {
    interrupt,
    /** Takes the next paragraph. Returns undefined if it isn't an item. */
    take(properties: Element | undefined, style: string, isEmpty: boolean): WordItem | undefined {
      const numPr = elementAt(properties, 'numPr');
      const byStyle = numPr ? undefined : numberingOf(style);
      const number = byStyle?.number ?? valOf(elementAt(numPr, 'numId'));
      const written = elementAt(numPr, 'ilvl');
      const level = byStyle?.level ?? Number(valOf(written) || 0);
      const found =
        byStyle || (written && number !== '')
          ? { list: listOf(number), level }
          : (ofStyle.get(style) ?? { list: listOf(number), level });
      if ((lists.get(found.list)?.[found.level]?.format ?? 'none') === 'none') {
        if (!isEmpty) interrupt();
        return undefined;
      }
      const own = count(found.list, found.level, number);
      const item = { label: labelOf(found.list, found.level), ofStyle: byStyle };
      // Empty items aren't shown, but count.
      if (isEmpty) return { ...item, mark: '' };
      const next = (shown[found.level] ?? 0) + 1;
      shown[found.level] = own ?? 0;
      shown.length = found.level + 1;
      return { ...item, mark: own === undefined || own === next ? '' : `\ufdd0${own}\ufdd1` };
    },
  };
}

/** Writes a number in one of Word's formats. */
function numeral(number: number, format: string): string {
  const cased = (text: string) => (format.startsWith('upper') ? text.toUpperCase() : text);
  if (number < 1 || number > 1000) return String(number);
  if (/Letter$/.test(format))
    return cased(String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26)));
  if (!/Roman$/.test(format)) return String(number);
  let [left, text] = [number, ''];
  for (const [letters, value] of romans) {
    text += letters.repeat(Math.floor(left / value));
    left %= value;
  }
  return cased(text);
}

/** Makes the marks in items their numbers. */
export function withNumbers(html: string): string {
  return html.replaceAll(/<li>\ufdd0(\d+)\ufdd1/g, '<li value="$1">').replaceAll(marked, '');
}
