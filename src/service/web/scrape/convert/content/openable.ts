import { isHidden } from './boilerplate.ts';
import { isHeading } from './measure.ts';
import { all, elementsIn, isTabByName, type PageElement, textOf } from './page-tree.ts';

/** Characters that a label has at most: any, and one that is a heading or button, such as a question. */
const longestLabel = { any: 60, heading: 200 };
const headings = new Set(['dt', 'button', 'summary']);
/** Attributes that name the part which a click shows. Those of dialogs and templates have other names. */
const naming = /^(aria-controls|href|data-(bs-|uk-)?(target|toggle|tab|panel|collapse|accordion|href))$/;
/** What classes say of a part that is shown or hidden by now, and of its place. */
const states =
  /^((is|has|js|ui)-)?(active|selected|current|shown?|open(ed)?|visible|in|fade|hid(e|den)|closed?|collapsed?|first|last)$/i;

/** Returns the parts of a page that its visitors can open if they are hidden: what names them or stands around them says so. */
export function openableParts(root: PageElement): ReadonlySet<PageElement> {
  const parts = new Set<PageElement>();
  const declared = new Set<string>();
  const named = new Set<string>();
  const withId: PageElement[] = [];
  (function visit(element: PageElement, isInForm: boolean) {
    const children = elementsIn(element);
    for (const child of children) {
      const { name, attributes } = child;
      const { id, 'aria-controls': controlled, 'aria-expanded': expanded } = attributes;
      if (id) withId.push(child);
      if (controlled !== undefined && expanded !== undefined) declared.add(controlled);
      for (const key in attributes) if (naming.test(key)) named.add((attributes[key] ?? '').replace(/^#/, ''));
      visit(child, isInForm || name === 'form');
    }
    // What a form hides are messages.
    if (!isInForm && children.some((child) => isOff(child) && hasText(child)))
      for (const part of openedIn(element)) parts.add(part);
  })(root, false);
  for (const part of withId) {
    const { id = '' } = part.attributes;
    if (declared.has(id) || (named.has(id) && hasText(part))) parts.add(part);
  }
  return parts;
}

/** Whether a hidden part has more than messages and controls: mostly paragraphs. */
export function hasText({ has }: PageElement): boolean {
  return has.prose > has.text * 0.5;
}

function isOff({ name, attributes }: PageElement): boolean {
  return isHidden(name, attributes);
}

/**
 * Returns the hidden parts in a box that open there: each below a label that has nothing else below it, and those of several
 * that are alike of which one is shown.
 */
function openedIn(box: PageElement): PageElement[] {
  if (box.children.some((child) => typeof child === 'string' && child.trim() !== '')) return [];
  const children = elementsIn(box).filter(({ has }) => has.text > 0);
  const labelled = children.filter((part, at) => {
    const [label, next, nextPart] = [children[at - 1], children[at + 1], children[at + 2]];
    if (!label || !isOff(part) || part.name === 'p' || !isLabel(label)) return false;
    return !next || (kindOf(next) === kindOf(label) && nextPart !== undefined && isOff(nextPart));
  });
  const panels = [...Map.groupBy(children, kindOf)].flatMap(([kind, alike]) => {
    const shown = alike.filter((each) => !isOff(each));
    return kind.includes('.') && shown.length === 1 && shown.every(hasText) ? alike.filter(isOff) : [];
  });
  return [...labelled, ...panels].filter(hasText);
}

function isLabel(element: PageElement): boolean {
  const { name, has } = element;
  const isNamed = has.headings > 0 || isHeading(name) || headings.has(name);
  if (isOff(element) || has.text > (isNamed ? longestLabel.heading : longestLabel.any)) return false;
  const isSentence = has.prose > 0 || /[.!:]\s*$/.test(textOf(element));
  return (isNamed || !isSentence) && !leads(element) && !all(element, leads).length;
}

/** Whether an element is a link to another page. */
function leads({ name, attributes }: PageElement): boolean {
  return name === 'a' && !isTabByName(attributes) && !/^(#|javascript:|$)/i.test(attributes.href ?? '');
}

/** What elements are, whatever their state is. */
function kindOf({ name, attributes: { class: classes = '' } }: PageElement): string {
  const own = classes.split(/\s+/).filter((each) => each !== '' && !states.test(each));
  return [name, ...own.sort()].join('.');
}
