import { decodeHTML } from 'entities';
import { elementsIn, type PageElement } from '../page-tree/page-tree.ts';
import { isDataTable, rowsOf } from '../page-tree/tables.ts';

/** Elements that begin and end a line. */
export const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
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

export function isBlock({ name, attributes: { style } }: PageElement): boolean {
  if (blocks.has(name)) return true;
  return style !== undefined && /(^|;)\s*display\s*:\s*(block|flex|grid|table|list-item)\s*(;|$|!)/i.test(style);
}

/** Whether an element's own style has line feeds break lines; undefined if it doesn't say. */
export function lineKeeping({ attributes: { style } }: PageElement): boolean | undefined {
  if (style === undefined) return undefined;
  const [, value = ''] =
    [...style.matchAll(/(?:^|;)\s*white-space\s*:\s*(normal|nowrap|pre|break-spaces)\b/gi)].at(-1) ?? [];
  return value === '' ? undefined : /^(?:pre|break)/i.test(value);
}

/** What an element's own style is called in Markdown. */
const styles = {
  strong: [/(?:^|;)\s*font-weight\s*:\s*([^;!]+)/gi, /^(bold|bolder|[6-9]\d\d)\s*$/i],
  em: [/(?:^|;)\s*font-style\s*:\s*([^;!]+)/gi, /^(italic|oblique)/i],
  del: [/(?:^|;)\s*text-decoration(?:-line)?\s*:\s*([^;!]+)/gi, /\bline-through\b/i],
} as const;
/** Elements that mean nothing but their style. */
const plain: ReadonlySet<string> = new Set(['span', 'font']);

/** The marks that the style of an element without a meaning of its own gives its text. */
export function styledMarks(element: PageElement): (keyof typeof styles)[] {
  if (element.attributes.style === undefined || !plain.has(element.name)) return [];
  return (['strong', 'em', 'del'] as const).filter((kind) => hasStyle(element, kind));
}

/** Whether an element's own style gives its text a mark, or takes it; undefined if it doesn't say. */
export function hasStyle({ attributes: { style } }: PageElement, kind: string): boolean | undefined {
  if (style === undefined || !Object.hasOwn(styles, kind)) return undefined;
  const [property, value] = styles[kind as keyof typeof styles];
  const written = [...style.matchAll(property)].at(-1)?.[1];
  return written === undefined || /\bvar\(/i.test(written) ? undefined : value.test(written);
}

export function hasBlock(element: PageElement): boolean {
  return holds(element, isBlock);
}

/** Whether a link is around what isn't the lines of a card: code, a table of several rows, or nothing but a list. */
export function keepsForm(link: PageElement): boolean {
  return holds(link, (child) => {
    if (child.name === 'table') return isDataTable(child) && rowsOf(child).length > 1;
    return child.name === 'pre' || (child.has.text === link.has.text && /^[uo]l$/.test(child.name) && hasItem(child));
  });
}

export function hasItem(element: PageElement): boolean {
  return elementsIn(element).some(({ name }) => name === 'li');
}

export function hasPre(element: PageElement): boolean {
  return holds(element, ({ name }) => name === 'pre');
}

function holds(element: PageElement, test: (child: PageElement) => boolean, depth = searchedDepth): boolean {
  return elementsIn(element).some((child) => test(child) || (depth > 0 && holds(child, test, depth - 1)));
}

/** The link that code is all in. */
export function linkIn(element: PageElement): PageElement | undefined {
  const [only, ...others] = element.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  if (only === undefined || typeof only === 'string' || others.length > 0) return undefined;
  return only.name === 'a' ? only : linkIn(only);
}
