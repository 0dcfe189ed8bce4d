import type { Element, ParentNode } from 'domhandler';
import { attributeOf, descendants, elementAt, elementsOf, valOf } from '../xml.ts';

/** The numbers of the items of a Word document, which it has in its paragraphs only by the list that they are of. */
export type WordLists = ReturnType<typeof createWordLists>;

interface Level {
  start: number;
  format: string;
}

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
      levels[at] = { start, format: valOf(elementAt(level, 'numFmt')) };
      const style = valOf(elementAt(level, 'pStyle'));
      if (style !== '') ofStyle.set(style, { list: id, level: at });
    }
    lists.set(id, levels);
    links.set(id, valOf(elementAt(each, 'numStyleLink')));
  }
  const numbers = new Map(elementsOf(root, 'num').map((each) => [attributeOf(each, 'numId') ?? '', each]));
  const numberOfStyle = new Map(
    descendants(styles, 'style').map((style) => [
      attributeOf(style, 'styleId') ?? '',
      valOf(elementAt(style, 'pPr', 'numPr', 'numId')),
    ]),
  );
  /** The last number of each level of a list. */
  const counts = new Map<string, number[]>();
  /** Lists that have started anew, and on which level. */
  const started = new Set<string>();
  /** What the items above show on each level: their number if nothing is written; 0: a bullet. */
  let shown: number[] = [];

  function listOf(number: string): string {
    const list = valOf(elementAt(numbers.get(number), 'abstractNumId'));
    const other = numberOfStyle.get(links.get(list) ?? '');
    return other === undefined || other === number ? list : valOf(elementAt(numbers.get(other), 'abstractNumId'));
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
    own.length = level + 1;
    return levels[level]?.format === 'bullet' ? undefined : own[level];
  }

  /** Ends the lists that are shown. What follows has a list of its own, whose numbers may go on. */
  function interrupt(): void {
    shown = [];
  }

  return {
    interrupt,
    /**
     * Takes the next paragraph. Returns the mark to write into it: its number, where it isn't the one after that of the item above.
     * @returns undefined: it isn't an item
     */
    take(properties: Element | undefined, style: string, isEmpty: boolean): string | undefined {
      const numPr = elementAt(properties, 'numPr');
      const number = valOf(elementAt(numPr, 'numId'));
      const written = elementAt(numPr, 'ilvl');
      const found =
        (written && number !== '') || !ofStyle.has(style)
          ? { list: listOf(number), level: Number(valOf(written) || 0) }
          : ofStyle.get(style);
      if (!found || (lists.get(found.list)?.[found.level]?.format ?? 'none') === 'none') {
        if (!isEmpty) interrupt();
        return undefined;
      }
      const { list, level } = found;
      const own = count(list, level, number);
      // Empty items aren't shown, but count.
      if (isEmpty) return '';
      const next = (shown[level] ?? 0) + 1;
      shown[level] = own ?? 0;
      shown.length = level + 1;
      return own === undefined || own === next ? '' : `\ufdd0${own}\ufdd1`;
    },
  };
}

/** Makes the marks in items their numbers. Others, as in headings, are left out. */
export function withNumbers(html: string): string {
  return html.replaceAll(/<li>\ufdd0(\d+)\ufdd1/g, '<li value="$1">').replaceAll(marked, '');
}
