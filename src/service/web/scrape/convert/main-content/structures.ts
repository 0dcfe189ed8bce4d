import { isHeading, sumOf } from '../page-tree/measure.ts';
import { all, elementsIn, isList, type PageElement, textOf } from '../page-tree/page-tree.ts';
import { isDataTable } from '../page-tree/tables.ts';

/** Code, or a table of data, whose cells aren't judged one by one. */
export function isStructure(element: PageElement): boolean {
  return element.name === 'pre' || (element.name === 'table' && isDataTable(element));
}

/** A list whose items aren't judged one by one, unlike pictures of a gallery and teasers. */
export function isWholeList(element: PageElement): boolean {
  return isList(element) && element.has.images === 0;
}

/** Whether an element brings structure into a box. */
export function isStructural(element: PageElement): boolean {
  return isWholeList(element) || isStructure(element) || /^(blockquote|figure|math)$/.test(element.name);
}

/** Whether a box is mostly structure, with its labels. */
export function isMostlyStructure(box: PageElement): boolean {
  return sumOf(all(box, isOfSeveral), 'text') > box.has.text * 0.5;
}

/** Whether an element is a structure: no list of a single item, which is a notice, nor of bare numbers, which are counts. */
function isOfSeveral(element: PageElement): boolean {
  if (!isList(element)) return isStructural(element);
  const items = all(element, ({ name }) => name === 'li' || name === 'dd');
  const isCount = items.every((item) => !/\p{L}/u.test(textOf(item)));
  return isStructural(element) && !isCount && elementsIn(element).length > 1;
}

/** Whether less than 30% of a box's text is links, of which numbers to call are some: a menu has more. */
export function hasFewLinks(box: PageElement): boolean {
  const links = all(box, ({ name }) => name === 'a');
  return links.map((each) => textOf(each)).join('').length < box.has.text * 0.3;
}

/**
 * The smallest element that has a share of an element's prose. It isn't a list, quote or other structure, nor in one: what
 * stands beside that belongs to the same text.
 */
export function innermost(element: PageElement, share: number): PageElement {
  const inner = elementsIn(element).find(({ has }) => has.paragraphs > 1 && has.prose >= element.has.prose * share);
  const isPart = inner === undefined || isStructure(inner) || /^(p|[uo]l|dl|blockquote|figure)$/.test(inner.name);
  return isPart ? element : innermost(inner, share);
}

/** Whether an element isn't judged part by part: a heading, code, or a table of data. */
export function isWhole(element: PageElement): boolean {
  return isHeading(element.name) || isStructure(element);
}
