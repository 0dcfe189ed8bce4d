import { isHeading } from '../page-tree/measure.ts';
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
  if (!hides(root)) return parts;
  const declared = new Set<string>();
  const named = new Set<string>();
  const withId: PageElement[] = [];
  (function visit(element: PageElement, isInForm: boolean) {
    const children = elementsIn(element);
    for (const child of children) {
      const { name, attributes } = child;
      if (attributes.id) withId.push(child);
      if (unfolds(child)) declared.add(attributes['aria-controls'] ?? '');
      for (const each of namedBy(attributes)) named.add(each);
      visit(child, isInForm || name === 'form');
    }
    // What a form hides are messages.
    if (!isInForm && children.some((child) => isHidden(child) && hasText(child)))
      for (const each of openedIn(element)) parts.add(each);
  })(root, false);
  for (const part of withId) {
    const { id = '' } = part.attributes;
    if (declared.has(id) || (named.has(id) && hasText(part))) parts.add(part);
  }
  return parts;
}

function hides({ children }: PageElement): boolean {
  return children.some(
    (child) =>
      typeof child !== 'string' && child.leftOut === '' && child.has.text > 0 && (isHidden(child) || hides(child)),
  );
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

/** Whether a link opens a part of the page, by itself or in what does: it says what this is about. */
export function isToggle({ attributes, parent }: PageElement): boolean {
  const { 'data-toggle': toggle, 'data-bs-toggle': other = toggle, href } = attributes;
  if (href === undefined) return parent?.attributes['aria-expanded'] !== undefined;
  return other === 'collapse' && href.startsWith('#');
}

function isOverPage({ href: _, ...attributes }: Attributes): boolean {
  return Object.entries(attributes).some(([key, value]) => overPage.test(key) || overPage.test(value));
}

/** Whether a hidden part has more than messages and controls: mostly paragraphs. */
export function hasText({ has }: PageElement): boolean {
  return has.prose > has.text * 0.5;
}

/**
 * Returns the hidden parts in a box that open there: each below a label that has nothing else below it, and those of several
 * that are alike of which one is shown.
 */
function openedIn(box: PageElement): PageElement[] {
  if (box.children.some((child) => typeof child === 'string' && child.trim() !== '')) return [];
  const children = elementsIn(box).filter(({ has }) => has.text > 0);
  const labelled = children.filter((_, at) => {
    const [label, next, nextPart] = [children[at - 1], children[at + 1], children[at + 2]];
    if (!label || !isLabel(label)) return false;
    return !next || (buildOf(next) === buildOf(label) && nextPart !== undefined && isHidden(nextPart));
  });
  const panels = [...Map.groupBy(children, buildOf)].flatMap(([kind, alike]) => {
    const [shown, other] = alike.filter((each) => !isHidden(each));
    if (!shown || other || !kind.includes('.') || !hasText(shown)) return [];
    const isTemplate = templatesOf(shown);
    return alike.filter((each) => !isTemplate(each));
  });
  return [...labelled, ...panels].filter((part) => isHidden(part) && part.name !== 'p' && hasText(part));
}

/** Names in the place of text: `{{title}}`, `${title}`, `[[title]]`, `<%= title %>`. */
const placeholder = /\{\{[^{}]{1,80}\}\}|\$\{[^{}]{1,80}\}|\[\[[^[\]]{1,80}\]\]|(?:<|&lt;)%[^%]{1,80}%/;

/** Tells templates of a box that is shown: hidden ones with names in the place of text, or that say nothing of their own. */
function templatesOf(shown: PageElement): (box: PageElement) => boolean {
  const words = (element: PageElement) =>
    textOf(element)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const said = new Set(words(shown));
  return (box) => hasPlaceholders(box) || words(box).every((word) => said.has(word));
}

/** Examples in code aren't to be filled in. */
function hasPlaceholders({ name, children }: PageElement): boolean {
  if (name === 'pre' || name === 'code') return false;
  return children.some((child) => (typeof child === 'string' ? placeholder.test(child) : hasPlaceholders(child)));
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
