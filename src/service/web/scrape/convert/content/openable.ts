import {
  type Attributes,
  buildOf,
  elementsIn,
  isTabByName,
  type PageElement,
  some,
  textOf,
} from '../page-tree/page-tree.ts';
import { isHidden } from './boilerplate.ts';
import { isHeading } from './measure.ts';

/** Characters that a label has at most: any, and one that is a heading or button, such as a question. */
const longestLabel = { any: 60, heading: 200 };
const headings = new Set(['dt', 'button', 'summary']);
/** Attributes that name the part which a click shows. Those of templates have other names. */
const naming = /^(aria-controls|href|data-(bs-|uk-)?(target|toggle|tab|panel|collapse|accordion|href))$/;
/** How what opens over the page is named by what opens it. */
const overPage = /(^|[\s:_-])(modal|popup|dialog|lightbox|fancybox|offcanvas)([\s:_-]|$)/i;

/** Returns the parts of a page that its visitors can open if they are hidden: what names them or stands around them says so. */
export function openableParts(root: PageElement): ReadonlySet<PageElement> {
  const parts = new Set<PageElement>();
  if (!some(root, (each) => each.has.text > 0 && isHidden(each))) return parts;
  const declared = new Set<string>();
  const named = new Set<string>();
  const withId: PageElement[] = [];
  (function visit(element: PageElement) {
    const children = elementsIn(element);
    for (const child of children) {
      const { attributes } = child;
      if (attributes.id) withId.push(child);
      if (unfolds(child)) declared.add(attributes['aria-controls'] ?? '');
      for (const each of namedBy(attributes)) named.add(each);
      visit(child);
    }
    for (const each of openedIn(element)) parts.add(each);
  })(root);
  for (const part of withId) {
    const { id = '' } = part.attributes;
    if (declared.has(id) || (named.has(id) && hasText(part))) parts.add(part);
  }
  return parts;
}

/** Returns the ids of what a click on an element shows, as far as that isn't over the page. */
function namedBy(attributes: Attributes): string[] {
  const ids: string[] = [];
  for (const key in attributes) {
    const value = attributes[key] ?? '';
    if (!naming.test(key) || (key === 'href' && !value.startsWith('#'))) continue;
    if (value !== '' && value !== '#') ids.push(value.replace(/^#/, ''));
  }
  return ids.length === 0 || isOverPage(attributes) ? [] : ids;
}

/** Whether an element declares a part of the page that it shows, as a button does. */
export function unfolds({ attributes }: PageElement): boolean {
  const { 'aria-controls': part, 'aria-expanded': expanded } = attributes;
  return part !== undefined && expanded !== undefined && !isOverPage(attributes);
}

function isOverPage({ href: _, ...attributes }: Attributes): boolean {
  return Object.entries(attributes).some(([key, value]) => overPage.test(key) || overPage.test(value));
}

/** Whether a hidden part has more than messages and controls: mostly paragraphs. */
export function hasText({ has }: PageElement): boolean {
  return has.prose > has.text * 0.5;
}

/** Returns the hidden parts in a box that open there: each below a label that has nothing else below it. */
function openedIn(box: PageElement): PageElement[] {
  if (box.children.some((child) => typeof child === 'string' && child.trim() !== '')) return [];
  const children = elementsIn(box).filter(({ has }) => has.text > 0);
  return children.filter((part, at) => {
    if (!isHidden(part) || part.name === 'p' || !hasText(part)) return false;
    const [label, next, nextPart] = [children[at - 1], children[at + 1], children[at + 2]];
    if (!label || !isLabel(label)) return false;
    return !next || (buildOf(next) === buildOf(label) && nextPart !== undefined && isHidden(nextPart));
  });
}

function isLabel(element: PageElement): boolean {
  const { name, has } = element;
  const isNamed = has.headings > 0 || isHeading(name) || headings.has(name);
  if (isHidden(element) || has.text > (isNamed ? longestLabel.heading : longestLabel.any)) return false;
  const isSentence = has.prose > 0 || /[.!:]\s*$/.test(textOf(element));
  return (isNamed || !isSentence) && !some(element, leads);
}

/** Whether an element is a link to another page. */
export function leads({ name, attributes }: PageElement): boolean {
  return name === 'a' && !isTabByName(attributes) && !/^(#|javascript:|$)/i.test(attributes.href ?? '');
}
