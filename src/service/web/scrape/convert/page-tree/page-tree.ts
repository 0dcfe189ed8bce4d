import { Parser } from 'htmlparser2';
import type { PageNotes } from '../notes/notes.ts';
import type { Matcher } from '../selectors/selectors.ts';

export type Attributes = Readonly<Record<string, string>>;

/** An element of a page, or of a part of one. */
export interface PageElement {
  readonly name: string;
  attributes: Attributes;
  readonly parent: PageElement | undefined;
  readonly children: (PageElement | string)[];
  /** Why it isn't content; empty: nothing says so. */
  leftOut: string;
  /** What is in it, without the elements that are left out. */
  has: Measures;
  /** What its own texts measure. */
  texts: readonly number[] | undefined;
}

/** What an element contains. Lengths are in characters without white space; one of Chinese, Japanese or Korean counts as three. */
export interface Measures {
  text: number;
  /** Text in links. */
  linked: number;
  /** Text of paragraphs: runs of text that are long enough to be sentences and mostly not links. */
  prose: number;
  paragraphs: number;
  links: number;
  images: number;
  headings: number;
  /** Headings that lead elsewhere. */
  linkedHeadings: number;
  /** Elements that mark the content: `h1` and `main`. */
  marks: number;
}

/** Browsers nest no deeper than 512 elements. */
export const maxDepth = 2000;
/** Elements that are never content, including what they contain. */
const neverShown = new Set(
  'head title meta link base param script style template noembed noframes iframe frame object embed applet canvas svg audio video'.split(
    ' ',
  ),
);

/** Elements whose content is the text between their tags, whatever it looks like; shown as `pre` is, with which they belong. */
const rawNames = new Set(['xmp', 'plaintext']);
const pictureNames = new Set(['img', 'amp-img', 'noscript']);

/** Reads a page's elements and text in one pass, in time linear in its length. Text keeps its character references. */
export function readTree(source: string, notes: PageNotes, exclude: Matcher | undefined) {
  const root = elementOf('');
  let current = root;
  let depth = 0;
  /** Depth of the element being left out; 0: none. */
  let leftOutAt = 0;
  /** Whether reading stopped because the page is nested too deeply. */
  let cut = false;
  /** Whether the text is that of an element in which nothing is markup. */
  let isRaw = false;
  /** Its images, and what is for browsers without scripts. */
  const pictures: PageElement[] = [];
  /** Its formulas: `math` elements, and those that scripts hold as TeX. */
  const formulas: PageElement[] = [];
  /** What may be the labels of tabs. */
  const switches: PageElement[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth++;
        if (depth > maxDepth) {
          cut = true;
          return parser.pause();
        }
        notes.open(name, attributes, depth);
        if (leftOutAt > 0) return;
        const isTex = isTexScript(name, attributes);
        if ((neverShown.has(name) && !isTex) || exclude?.(name, attributes)) {
          leftOutAt = depth;
          return;
        }
        isRaw = rawNames.has(name);
        const element = elementOf(isTex ? 'math' : isRaw || name === 'listing' ? 'pre' : name, attributes, current);
        if (pictureNames.has(name)) pictures.push(element);
        if (element.name === 'math') formulas.push(element);
        if (isSwitch(name, attributes)) switches.push(element);
        current.children.push(element);
        current = element;
      },
      onclosetag() {
        notes.close(depth);
        isRaw = false;
        if (depth === leftOutAt) leftOutAt = 0;
        else if (leftOutAt === 0 && current.parent !== undefined) {
          nameOption(current);
          current = current.parent;
        }
        depth--;
      },
      ontext(text) {
        notes.text(text);
        if (leftOutAt === 0)
          current.children.push(isRaw ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text);
      },
    },
    { decodeEntities: false },
  );
  parser.write(source);
  if (!cut) parser.end();
  return { root, pictures, formulas, switches, cut };
}

/** Gives an option without a text, such as a color to choose, the name that it is read out by. */
function nameOption({ attributes: { role, 'aria-label': label }, children }: PageElement): void {
  if ((role !== 'option' && role !== 'radio') || !label) return;
  const isEmpty = children.every(
    (child) => isBlank(child) || (typeof child === 'object' && child.children.length === 0),
  );
  if (isEmpty) children.push(label);
}

export function elementOf(name: string, attributes: Attributes = {}, parent?: PageElement): PageElement {
  return { name, attributes, parent, children: [], leftOut: '', has: nothing, texts: undefined };
}

export const nothing: Measures = {
  text: 0,
  linked: 0,
  prose: 0,
  paragraphs: 0,
  links: 0,
  images: 0,
  headings: 0,
  linkedHeadings: 0,
  marks: 0,
};

/** The elements in an element, without those that are left out. */
export function elementsIn({ children }: PageElement): PageElement[] {
  return children.filter((child): child is PageElement => typeof child !== 'string' && child.leftOut === '');
}

/** The first element after a place among children that isn't left out. */
export function nextIn(children: PageElement['children'], at: number): PageElement | undefined {
  for (let place = at + 1; place < children.length; place++) {
    const child = children[place];
    if (typeof child === 'object' && child.leftOut === '') return child;
  }
  return undefined;
}

/** Whether a page declares that an element has its content. */
export function isMain({ name, attributes }: PageElement): boolean {
  return name === 'main' || attributes.role === 'main';
}

/** Whether a child is a text of white space. */
export function isBlank(child: PageElement | string | undefined): boolean {
  return typeof child === 'string' && child.trim() === '';
}

/** The text in an element, as written in the page, with `edge` where the elements in it begin and end. */
export function textOf(element: PageElement, edge = ''): string {
  let text = edge;
  for (const child of element.children)
    text += typeof child === 'string' ? child : child.leftOut === '' ? textOf(child, edge) : '';
  return text + edge;
}

/** The letters and digits of a text, without character references, in lower case, with `between` in the place of others. */
export function lettersOf(text: string, between = ''): string {
  return text
    .replace(/&#?\w+;/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, between);
}

/** The outermost elements in an element that match, without those that are left out. */
export function all(root: PageElement, test: (e: PageElement) => boolean, found: PageElement[] = []): PageElement[] {
  for (const child of elementsIn(root)) {
    if (test(child)) found.push(child);
    else all(child, test, found);
  }
  return found;
}

/** Visits all elements in an element in their order, also those that are left out; nothing in one for which `visit` returns false. */
export function walk({ children }: PageElement, visit: (element: PageElement) => unknown): void {
  for (const child of children) if (typeof child !== 'string' && visit(child) !== false) walk(child, visit);
}

/** Whether an element, or one in it that isn't left out, passes a test. */
export function some(element: PageElement, test: (e: PageElement) => boolean): boolean {
  return test(element) || elementsIn(element).some((child) => some(child, test));
}

/** The elements that an element is in, from the innermost. */
export function around({ parent }: PageElement): PageElement[] {
  const found: PageElement[] = [];
  for (let each = parent; each; each = each.parent) found.push(each);
  return found;
}

/** What classes say of a part that is shown or hidden by now, and of its place. */
const states =
  /^((is|has|js|ui)-)?(active|selected|current|shown?|open(ed)?|visible|in|fade|hid(e|den)|closed?|collapsed?|first|last)$/i;

/** How an element is built, whatever its state is: by its name and first class, after a dot if it has one. */
export function buildOf({ name, attributes: { class: classes = '' } }: PageElement): string {
  const own = classes.split(/\s+/).find((each) => each !== '' && !states.test(each));
  return own === undefined ? name : `${name}.${own}`;
}

export function isList({ name }: PageElement): boolean {
  return name === 'ul' || name === 'ol' || name === 'dl';
}

/** Whether a script holds the TeX of a formula, which a library shows in its place. */
function isTexScript(name: string, { type }: Attributes): boolean {
  return name === 'script' && type !== undefined && /^math\/tex\b/i.test(type);
}

/** What may choose a panel of tabs: no link to another page, and no button that unfolds a part of the text. */
function isSwitch(name: string, attributes: Attributes): boolean {
  if (name === 'label') return true;
  if (isTabByName(attributes)) return /^(#|javascript:|$)/i.test(attributes.href ?? '');
  return name === 'button' && attributes['aria-expanded'] === undefined;
}

/** Whether an element declares that it is a tab. */
export function isTabByName({ role, 'data-toggle': toggle, 'data-bs-toggle': other = toggle }: Attributes): boolean {
  return role === 'tab' || other === 'tab' || other === 'pill';
}
