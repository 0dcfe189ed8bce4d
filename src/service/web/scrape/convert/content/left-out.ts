import { decodeHTML } from 'entities';
import { isHeading, sumOf } from '../page-tree/measure.ts';
import { all, around, type PageElement, textOf } from '../page-tree/page-tree.ts';

/** Marks of what the page doesn't show, or what is in the content at another place. */
const unseen = new Set(['hidden', 'folded', 'noscript', 'title']);
/** Parts that are named, each with text beside links of so many characters, and by so much of what it says. */
const named = { parts: 5, text: 40, length: 60 };

/**
 * Returns the share of a page's text that isn't in its content, from 0 to 1, and how the longest parts of it begin. Links that are
 * left out don't count: they are those of menus. Undefined if the content has all that the page says.
 */
export function leftOutOf(root: PageElement, content: readonly PageElement[]) {
  const kept = new Set(content);
  const aroundKept = new Set(content.flatMap(around));
  const parts: PageElement[] = [];
  visit(root, kept.has(root));
  function visit({ children }: PageElement, isKept: boolean): void {
    for (const child of children) {
      if (typeof child === 'string' || unseen.has(child.leftOut)) continue;
      if (kept.has(child)) visit(child, true);
      else if (aroundKept.has(child) || (isKept && child.leftOut === '')) visit(child, isKept);
      else parts.push(child);
    }
  }
  const long = parts.filter((part) => ownText([part]) >= named.text).sort((a, b) => ownText([b]) - ownText([a]));
  if (long.length === 0) return undefined;
  const names = new Set(long.slice(0, named.parts).flatMap((part) => nameOf(part) || []));
  const text = ownText(parts);
  return { share: Math.round((100 * text) / (text + sumOf(content, 'text'))) / 100, parts: [...names] };
}

/** Characters of text beside links. */
function ownText(elements: readonly PageElement[]): number {
  return sumOf(elements, 'text') - sumOf(elements, 'linked');
}

/** The heading of a part, or how it begins. */
function nameOf(part: PageElement): string {
  const headings = all(part, ({ name, has }) => isHeading(name) && has.text > 0);
  const text = decodeHTML(textOf(headings[0] ?? part, ' '))
    .trim()
    .replace(/\s+/g, ' ');
  const characters = [...text.slice(0, 2 * (named.length + 1))];
  return characters.length > named.length
    ? `${characters
        .slice(0, named.length - 1)
        .join('')
        .trim()}…`
    : text;
}
