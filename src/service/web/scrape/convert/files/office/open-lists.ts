import type { Element, ParentNode } from 'domhandler';
import { wrapped } from '../html.ts';
import { attributeOf, countOf, elementsOf, nameOf } from '../xml.ts';

/** Returns the levels, from 1, on which lists of each style are numbered, and the first number of each. */
function numberedLevels(styles: ParentNode | undefined): [style: string, levels: Map<number, number>][] {
  return elementsOf(styles, 'list-style').map((style) => {
    const levels = elementsOf(style, 'list-level-style-number');
    // A level without a format shows no number.
    const shown = levels.filter((level) => attributeOf(level, 'num-format') !== '');
    const numbers = shown.map((level) => [countOf(level, 'level'), countOf(level, 'start-value')] as const);
    return [attributeOf(style, 'name') ?? '', new Map(numbers)];
  });
}

/**
 * Returns a function that writes the lists of an OpenDocument file, whose numbers may go on in later ones.
 * @param blocks writes what is in an item
 */
export function listWriter(
  styles: readonly (ParentNode | undefined)[],
  blocks: (parent: ParentNode) => string,
): (list: Element) => string {
  const numbered = new Map(styles.flatMap(numberedLevels));
  /** The style of the list that is open, and how deep lists are nested. */
  const lists = { style: '', depth: 0 };
  /** The number of the last item of each list, by its id, and by its style and level. */
  const last = new Map<string, number>();

  /** A list in a list has the style of the outer one. */
  return (element) => {
    const outer = { ...lists };
    lists.style = attributeOf(element, 'style-name') ?? lists.style;
    lists.depth++;
    const kind = `${lists.style}/${lists.depth}`;
    const first = numbered.get(lists.style)?.get(lists.depth);
    const id = attributeOf(element, 'id');
    const goesOn = attributeOf(element, 'continue-numbering') === 'true' ? last.get(kind) : undefined;
    let number = last.get(attributeOf(element, 'continue-list') ?? '') ?? goesOn ?? (first ?? 1) - 1;
    let html = '';
    let shown = 0;
    for (const item of elementsOf(element, 'list-item')) {
      const content = blocks(item);
      const parts = elementsOf(item);
      // It only says how deep the inner list is.
      if (parts.length > 0 && parts.every((part) => nameOf(part) === 'list')) {
        html += content;
        continue;
      }
      const written = attributeOf(item, 'start-value');
      number = written === undefined ? number + 1 : countOf(item, 'start-value');
      if (content.trim() === '') continue;
      html +=
        first === undefined || number === ++shown ? `<li>${content}</li>` : `<li value="${number}">${content}</li>`;
      shown = number;
    }
    for (const key of [kind, id]) if (key !== undefined) last.set(key, number);
    Object.assign(lists, outer);
    return elementsOf(element, 'list-header').map(blocks).join('') + wrapped(first === undefined ? 'ul' : 'ol', html);
  };
}
