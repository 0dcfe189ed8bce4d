import { isBesideCode, isLineNumber } from '../markdown/code.ts';
import { isHeading, measure } from '../page-tree/measure.ts';
import {
  all,
  elementsIn,
  isMain,
  type Measures,
  nextIn,
  type PageElement,
  some,
  walk,
} from '../page-tree/page-tree.ts';
import { isAnchor, isBesideText, isBoilerplate, isComments, isControl, isDialog, isHidden } from './boilerplate.ts';
import { hasText, openableParts } from './openable.ts';

/** Less prose than this, in characters, is never what a page is about. */
export const minMost = 200;

/** Elements that say more about their content than a name does. */
const elements = new Set(['nav', 'footer', 'header', 'aside', 'dialog', 'menu']);

/** Marks of what a page shows only sometimes. */
export const occasional: ReadonlySet<string> = new Set(['noscript', 'dialog']);

/** Where an element is. */
interface Place {
  /** Inside `main` or `article`. */
  inMain: boolean;
  inQuote: boolean;
  inHeading: boolean;
}

/** Marks what elements and names say isn't content. The page is measured, with all of it. */
export function markBoilerplate(root: PageElement): void {
  const { prose, marks, text, linked } = root.has;
  const mainText = Math.max(0, ...all(root, isMain).map(({ has }) => has.text - has.linked));
  const openable = openableParts(root);
  visit(root, { inMain: false, inQuote: false, inHeading: false });
  function visit(element: PageElement, around: Place): void {
    for (const [at, child] of element.children.entries()) {
      if (typeof child === 'string') continue;
      const { name } = child;
      if (isCode(child)) {
        markBesideCode(child);
        continue;
      }
      if (child.leftOut !== '') continue;
      const place = { ...around, inQuote: around.inQuote || name === 'blockquote' };
      const why = reason(child, place, () => isOpenable(nextIn(element.children, at)));
      const isBeside = !place.inMain && (why === 'element' || why === 'boilerplate') && isBesideContent(child);
      child.leftOut = why === 'comments' || isBeside || !isMost(child.has, why) ? why : '';
      if (child.leftOut !== '' && child.leftOut !== 'comments') continue;
      place.inMain ||= name === 'article' || isMain(child);
      place.inHeading ||= isHeading(name) || name === 'dt' || name === 'summary';
      visit(child, place);
    }
  }
  /**
   * Half of the paragraphs, or two thirds if the title is elsewhere. With the title, or without paragraphs, text beside links
   * says more than a name, too.
   */
  function isMost(has: Measures, why: string): boolean {
    const share = has.marks > 0 || marks === 0 ? 0.5 : 0.65;
    const isShare = (own: number, whole: number) => own >= Math.max(minMost, whole * share);
    // A banner with the title is its head, unless it leads elsewhere.
    if (why === 'boilerplate' && has.marks === 1 && has.headings > 0 && has.linked < has.text * 0.5) return true;
    const isNamed = why === 'boilerplate' && (has.marks > 0 || prose < minMost);
    return isShare(has.prose, prose) || (isNamed && isShare(has.text - has.linked, text - linked));
  }
  /** Beside a `main` with text, and at the foot of a page, there is no content, however long. */
  function isBesideContent(element: PageElement): boolean {
    return element.name === 'footer' || (mainText >= minMost && !some(element, isMain));
  }
  /** A part that visitors can open, or the box around it. */
  function isOpenable(element: PageElement | undefined): boolean {
    if (!element) return false;
    if (openable.has(element)) return true;
    const [child, ...others] = elementsIn(element);
    return others.length === 0 && isOpenable(child);
  }
  function reason(element: PageElement, { inMain, inQuote, inHeading }: Place, opensNext: () => boolean): string {
    const { name } = element;
    if (isComments(element)) return 'comments';
    if (isBoilerplate(element, inMain, inQuote)) return elements.has(name) ? 'element' : 'boilerplate';
    if (name === 'form' && asks(element)) return 'form';
    if (isCheckbox(element)) return '';
    if (isControl(name))
      return name === 'button' && (isHeadingButton(element, inHeading) || opensNext()) ? '' : 'control';
    if (isHidden(element) && !isOpenable(element)) return hasText(element) ? 'folded' : 'hidden';
    const isDecoration = isAnchor(element) || isBesideText(element) || isLineNumber(element);
    return isDecoration ? 'decoration' : '';
  }
}

/** In code, names tell what a highlighter found, not what a part of the page is. */
function isCode({ name }: PageElement): boolean {
  return name === 'pre' || name === 'code';
}

function markBesideCode(code: PageElement): void {
  walk(code, (each) => {
    if (!isBesideCode(each)) return true;
    each.leftOut = 'control';
    return false;
  });
}

/** Takes back the marks with these reasons, and measures what an element has then. */
export function restore(element: PageElement, which: (why: string) => boolean): void {
  walk(element, (each) => {
    if (which(each.leftOut)) each.leftOut = '';
  });
  measure(element);
}

/**
 * Marks what a page shows only sometimes, unless it has nothing else: dialogs, and what is for browsers without scripts.
 * Returns whether all paragraphs are in a dialog.
 */
export function markOccasional(root: PageElement, dialogs: boolean): boolean {
  const whole = root.has.prose;
  let isAllInDialog = false;
  walk(root, (each) => {
    const { name, has } = each;
    const isOver = dialogs && has.marks === 0 && isDialog(each);
    const isFallback = name === 'noscript' && has.prose < Math.max(minMost, whole / 2);
    const isMarked = isFallback || (isOver && (has.prose === 0 || has.prose < whole));
    if (isMarked) each.leftOut = isFallback ? 'noscript' : 'dialog';
    else isAllInDialog ||= isOver;
    return !isMarked;
  });
  return isAllInDialog;
}

/** A form that asks for a text or for who its reader is, unlike one that only chooses or searches. */
function asks({ children }: PageElement, depth = 12): boolean {
  return children.some((child) => {
    if (typeof child === 'string' || depth === 0) return false;
    const { name, attributes } = child;
    return (
      name === 'textarea' ||
      (name === 'input' && /^(email|password|tel)$/i.test(attributes.type ?? '')) ||
      asks(child, depth - 1)
    );
  });
}

/** What an item of a list of tasks begins with. */
function isCheckbox({ name, attributes, parent }: PageElement): boolean {
  return name === 'input' && attributes.type === 'checkbox' && (parent?.name === 'li' || parent?.parent?.name === 'li');
}

/** A button that opens a part of the text has its heading: it says more than an action does. */
function isHeadingButton({ attributes, has }: PageElement, inHeading: boolean): boolean {
  return inHeading || has.headings > 0 || (attributes['aria-expanded'] !== undefined && has.text >= 8);
}
