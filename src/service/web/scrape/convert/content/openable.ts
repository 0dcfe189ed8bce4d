import { isHidden } from './boilerplate.ts';
import { isHeading } from './measure.ts';
import { type Attributes, all, buildOf, elementsIn, isTabByName, type PageElement, some, textOf } from './page-tree.ts';

/** Characters that a label has at most: any, and one that is a heading or button, such as a question. */
const longestLabel = { any: 60, heading: 200 };
const headings = new Set(['dt', 'button', 'summary']);
/** Attributes that name the part which a click shows. Those of templates have other names. */
const naming = /^(aria-controls|href|data-(bs-|uk-)?(target|toggle|tab|panel|collapse|accordion|href))$/;
/** How what opens over the page is named by what opens it. */
const overPage = /(^|[\s:_-])(modal|popup|dialog|lightbox|fancybox|offcanvas)([\s:_-]|$)/i;
/** How names of labels that open what is below them begin, and those of the boxes around both. */
const opening = /(^|[\s_-])(tab|toggle|accordion|collaps|expand|faq|question|spoiler)/i;

/** Returns the parts of a page that its visitors can open if they are hidden: what names them or stands around them says so. */
export function openableParts(root: PageElement): ReadonlySet<PageElement> {
  const parts = new Set<PageElement>();
  if (!hides(root)) return parts;
  const declared = new Set<string>();
  const named = new Set<string>();
  const withId: PageElement[] = [];
  const opened: Opened[] = [];
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
    if (!isInForm && children.some((child) => isOff(child) && hasText(child)))
      for (const each of openedIn(element)) opened.push(each);
  })(root, false);
  for (const [kind, alike] of Map.groupBy(opened, (each) => each.kind))
    if (kind === '' || alike.length > 1) for (const { part } of alike) parts.add(part);
  for (const part of withId) {
    const { id = '' } = part.attributes;
    if (declared.has(id) || (named.has(id) && hasText(part))) parts.add(part);
  }
  return parts;
}

function hides({ children }: PageElement): boolean {
  return children.some(
    (child) =>
      typeof child !== 'string' && child.leftOut === '' && child.has.text > 0 && (isOff(child) || hides(child)),
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

function isOverPage({ href: _, ...attributes }: Attributes): boolean {
  return Object.entries(attributes).some(([key, value]) => overPage.test(key) || overPage.test(value));
}

/** Whether a hidden part has more than messages and controls: mostly paragraphs. */
export function hasText({ has }: PageElement): boolean {
  return has.prose > has.text * 0.5;
}

function isOff({ name, attributes }: PageElement): boolean {
  return isHidden(name, attributes);
}

interface Opened {
  part: PageElement;
  /** What it is if only others like it on the page tell that it opens; otherwise empty. */
  kind: string;
}

/**
 * Returns the hidden parts in a box that open there: each below a label that has nothing else below it, and those of several
 * that are alike of which one is shown.
 */
function openedIn(box: PageElement): Opened[] {
  if (box.children.some((child) => typeof child === 'string' && child.trim() !== '')) return [];
  const children = elementsIn(box).filter(({ has }) => has.text > 0);
  const labelled = children.flatMap((part, at) => {
    const [label, next, nextPart] = [children[at - 1], children[at + 1], children[at + 2]];
    if (!label || !isOff(part) || part.name === 'p' || !isLabel(label)) return [];
    if (next && !(buildOf(next) === buildOf(label) && nextPart !== undefined && isOff(nextPart))) return [];
    return [{ part, kind: isOpening(label, box) ? '' : `${buildOf(label)} ${buildOf(part)}` }];
  });
  const panels = [...Map.groupBy(children, buildOf)].flatMap(([kind, alike]) => {
    const [shown, other] = alike.filter((each) => !isOff(each));
    if (!shown || other || !kind.includes('.') || !hasText(shown)) return [];
    return alike.filter((each) => isOff(each) && !isTemplate(each, shown));
  });
  return [...labelled, ...panels.map((part) => ({ part, kind: '' }))].filter(({ part }) => hasText(part));
}

/** Names in the place of text: `{{title}}`, `${title}`, `[[title]]`, `<%= title %>`. */
const placeholder = /\{\{[^{}]{1,80}\}\}|\$\{[^{}]{1,80}\}|\[\[[^[\]]{1,80}\]\]|(?:<|&lt;)%[^%]{1,80}%/g;

/** Whether a hidden box is a template of one that is shown: it has names in the place of text, or says nothing of its own. */
function isTemplate(box: PageElement, shown: PageElement): boolean {
  const words = (element: PageElement) =>
    textOf(element)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const said = new Set(words(shown));
  return (hasPlaceholders(box) && !hasPlaceholders(shown)) || words(box).every((word) => said.has(word));
}

/** Whether an element has placeholders that aren't examples in code. */
function hasPlaceholders(element: PageElement): boolean {
  const countIn = (part: PageElement) => textOf(part).match(placeholder)?.length ?? 0;
  const inCode = all(element, ({ name }) => name === 'pre' || name === 'code').map(countIn);
  return countIn(element) > inCode.reduce((sum, count) => sum + count, 0);
}

/** Whether a label is there for a click. Below others, a message can be hidden, such as one of thanks. */
function isOpening(label: PageElement, box: PageElement): boolean {
  const isControl = ({ name, attributes: { role, tabindex, onclick } }: PageElement) =>
    headings.has(name) || name === 'a' || (role ?? tabindex ?? onclick) !== undefined;
  return (
    some(label, isControl) ||
    /\?\s*$/.test(textOf(label)) ||
    [label, box].some(({ attributes: { class: classes = '' } }) => opening.test(classes))
  );
}

function isLabel(element: PageElement): boolean {
  const { name, has } = element;
  const isNamed = has.headings > 0 || isHeading(name) || headings.has(name);
  if (isOff(element) || has.text > (isNamed ? longestLabel.heading : longestLabel.any)) return false;
  const isSentence = has.prose > 0 || /[.!:]\s*$/.test(textOf(element));
  return (isNamed || !isSentence) && !some(element, leads);
}

/** Whether an element is a link to another page. */
function leads({ name, attributes }: PageElement): boolean {
  return name === 'a' && !isTabByName(attributes) && !/^(#|javascript:|$)/i.test(attributes.href ?? '');
}
