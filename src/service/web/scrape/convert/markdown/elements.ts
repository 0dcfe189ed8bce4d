import { decodeHTML } from 'entities';
import { elementsIn, type PageElement } from '../content/page-tree.ts';
import { blocks } from './block-names.ts';
import { isLineNumber } from './code.ts';

/** How deep an element is searched for blocks. */
const searchedDepth = 3;

export function decoded(text: string | undefined): string | undefined {
  return text?.includes('&') ? decodeHTML(text) : text;
}

export function numberOf(written: string | undefined): number | undefined {
  const number = Number.parseInt(written ?? '', 10);
  return Number.isFinite(number) ? number : undefined;
}

/** Whether an element has nothing in it, not even something that is left out. */
export function isEmpty({ children }: PageElement): boolean {
  return children.every((child) => typeof child === 'string' && child.trim() === '');
}

export function hasParagraph({ children }: PageElement): boolean {
  return children.some((child) => typeof child !== 'string' && child.name === 'p' && child.leftOut === '');
}

export function hasBlock(element: PageElement, depth = searchedDepth): boolean {
  return elementsIn(element).some(
    (child) =>
      blocks.has(child.name) || isBlockByStyle(child.attributes.style) || (depth > 0 && hasBlock(child, depth - 1)),
  );
}

export function isBlockByStyle(style: string | undefined): boolean {
  return style !== undefined && /(^|;)\s*display\s*:\s*(block|flex|grid|table|list-item)\s*(;|$|!)/i.test(style);
}

/** The link that code is all in. */
export function linkIn(element: PageElement): PageElement | undefined {
  const [only, ...others] = element.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  if (only === undefined || typeof only === 'string' || others.length > 0) return undefined;
  return only.name === 'a' ? only : linkIn(only);
}

/** Whether a table lays out code: a line in each row, beside its number. */
export function isCodeTable(table: PageElement): boolean {
  const rows = table.children.flatMap((part) =>
    typeof part === 'string' ? [] : part.name === 'tr' ? [part] : part.children,
  );
  const cells = rows.flatMap((row) =>
    typeof row === 'string' || row.name !== 'tr' ? [] : [row.children.filter((each) => typeof each !== 'string')],
  );
  return (
    cells.length > 0 && cells.every(([first, second]) => first && second && isLineNumber(first) && !hasPre(second))
  );
}

export function hasPre(element: PageElement, depth = searchedDepth): boolean {
  return elementsIn(element).some((child) => child.name === 'pre' || (depth > 0 && hasPre(child, depth - 1)));
}

/** Returns the TeX that MathML was made from, as its source text. */
export function texOf(element: PageElement): string | undefined {
  for (const child of elementsIn(element)) {
    if (child.name === 'annotation' && child.attributes.encoding === 'application/x-tex')
      return child.children
        .filter((each) => typeof each === 'string')
        .join('')
        .trim();
    const inner = texOf(child);
    if (inner !== undefined) return inner;
  }
  return element.name === 'math' ? element.attributes.alttext : undefined;
}
