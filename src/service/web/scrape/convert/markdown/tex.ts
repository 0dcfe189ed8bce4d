import { elementsIn, type PageElement } from '../content/page-tree.ts';

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
