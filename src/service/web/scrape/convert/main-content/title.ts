import { isShown } from '../page-tree/image-urls.ts';
import { isHeading, sumOf } from '../page-tree/measure.ts';
import { all, around, elementsIn, isList, lettersOf, type PageElement, some, textOf } from '../page-tree/page-tree.ts';
import { isOwnHeading } from './ends.ts';
import { signs } from './page-kind.ts';

/** Letters by which a title is recognized. */
const comparedLetters = 40;
/** Characters of a line that can be a lead, though it isn't long enough for a paragraph, and of a heading. */
const minLead = { line: 60, heading: 20 };

/**
 * The title of a text, the lead below it and a picture beside them, as far as they are outside the region that has almost all
 * of it. The title can be in what isn't content otherwise, such as a list of what leads to the page: it is what the page is
 * called.
 */
export function titleAndLead(root: PageElement, region: PageElement, title: PageElement | undefined): PageElement[] {
  if (title === undefined) return leadBeside(region);
  const [aroundTitle, aroundRegion] = [new Set(around(title)), new Set(around(region))];
  if (aroundTitle.has(region)) return [];
  const found: PageElement[] = [];
  const shown = new Set(imagesIn(region).map(({ attributes }) => attributes.src));
  let isAbove = true;
  let isBelow = false;
  (function visit(element: PageElement, isOut: boolean): void {
    const [isOfTitle, isOfRegion] = [aroundTitle.has(element), aroundRegion.has(element)];
    const isHead = () => !isOut && (isBelow ? isOfTitle || isOfRegion : isOfTitle && !isOfRegion);
    for (const child of element.children) {
      if (typeof child === 'string' || !isAbove) continue;
      if (child === region) isAbove = false;
      else if (child === title) isBelow = found.push(title) > 0;
      else if (aroundTitle.has(child)) visit(child, isOut || child.leftOut !== '');
      else if (child.leftOut !== '') continue;
      else if (isHead() && isCover(child, shown) && !found.some((each) => isCover(each))) found.push(child);
      else if (!isBelow || aroundRegion.has(child)) visit(child, isOut);
      else if (isLead(child, title)) found.push(child);
      else if (!isPicture(child)) visit(child, isOut);
    }
  })(root, false);
  return found.length > 0 ? found : leadBeside(region);
}

/**
 * The innermost part of a page with a region and the title below it: in another column, with what else that says, unless that
 * leads elsewhere.
 */
export function withTitle(region: PageElement, title: PageElement): PageElement {
  const column = [title, ...around(title)];
  const both = around(region).find((each) => column.includes(each));
  if (!both || column.includes(region)) return region;
  const parts = elementsIn(both);
  const own = parts.findIndex((part) => column.includes(part));
  const isBelow = own > parts.findIndex((part) => part === region || around(region).includes(part));
  const { has } = parts[own] ?? title;
  const leadsOn = has.linked > title.has.linked + (has.text - title.has.text) * 0.3;
  return isBelow && !leadsOn && column.every(({ leftOut }) => leftOut === '') ? both : region;
}

/**
 * The title of a text: the `h1` that says what the page is called, its `own`, else the first one that isn't left out, or another
 * heading above the text that does. A logo, which leads to the home page from others, is one only if it
 * is all that the page is called, as on a home page with other addresses, and no other heading says so.
 * @param names what the page is called, also with the name of its site
 */
export function titleOf(
  root: PageElement,
  region: PageElement,
  names: readonly string[],
  isHome: (href: string) => boolean,
): { title: PageElement | undefined; own: PageElement | undefined } {
  const letters = names.map((each) => lettersOf(each));
  let first: PageElement | undefined;
  let own: PageElement | undefined;
  let other: PageElement | undefined;
  let logo: PageElement | undefined;
  let isAbove = true;
  (function visit(element: PageElement, isLeftOut: boolean): void {
    for (const child of element.children) {
      if (typeof child === 'string' || child.leftOut === 'hidden') continue;
      if (child === region) isAbove = false;
      const isOut = isLeftOut || child.leftOut !== '';
      if (!isHeading(child.name)) visit(child, isOut);
      else if (isLogo(child)) {
        if (child.name === 'h1' && letters.includes(lettersOf(textOf(child)))) logo ??= child;
      } else if (child.name === 'h1') {
        if (!isOut) first ??= child;
        if (isCalled(child, letters)) own ??= child;
      } else if (isAbove && !isOut && isCalled(child, letters)) other ??= child;
    }
  })(root, false);
  if (!other) own ??= logo;
  return { title: own ?? first ?? other, own };
  function isLogo(heading: PageElement): boolean {
    const links = [...all(heading, ({ name }) => name === 'a'), ...around(heading)];
    const isToHome = ({ name, attributes: { href } }: PageElement) =>
      name === 'a' && href !== undefined && isHome(href);
    return heading.has.linked === heading.has.text && links.some(isToHome);
  }
}

/** Whether a name of the page is mostly this heading: the name of the site may be in it too. */
function isCalled(heading: PageElement, names: readonly string[]): boolean {
  const letters = lettersOf(textOf(heading));
  return names.some((name) => letters.length * 2 >= name.length && name.includes(letters.slice(0, comparedLetters)));
}

/** Whether an element says something about the text below it: in words that mostly aren't links, and not only in a part of it. */
function isLead(element: PageElement, title: PageElement): boolean {
  const { name, has } = element;
  if ((has.marks > 0 && name !== 'h1') || isPicture(element)) return false;
  const isLong = isHeading(name) ? isSubtitle(element, title) : name === 'p' && has.text >= minLead.line;
  if (has.paragraphs === 0 || isList(element) || name === 'table' || name === 'blockquote')
    return (isLong || has.paragraphs > 0) && has.linked < has.text * 0.3;
  return has.paragraphs > sumOf(elementsIn(element), 'paragraphs');
}

/** Whether a heading says something else than the title: a short one doesn't end with a colon or announce other things. */
function isSubtitle(heading: PageElement, title: PageElement): boolean {
  const letters = lettersOf(textOf(heading));
  if (letters === '' || lettersOf(textOf(title)).includes(letters)) return false;
  if (heading.has.text >= minLead.line) return true;
  if (heading.has.text < minLead.heading || /:\s*$/.test(textOf(heading))) return false;
  return heading.name === 'h1' || isOwnHeading(heading);
}

/** Whether an element is a picture, with no more than its caption below it. */
export function isPicture(element: PageElement): boolean {
  const { name, has } = element;
  return name === 'figure' || (name !== 'p' && has.images > 0 && has.paragraphs < 2 && beginsWithImage(element));
}

function beginsWithImage(element: PageElement): boolean {
  const first = elementsIn(element).find(({ name, has }) => name === 'img' || has.images > 0 || has.text > 0);
  return first !== undefined && (first.name === 'img' || (first.has.images > 0 && beginsWithImage(first)));
}

/** Pixels from which on a picture is more than an icon or its author's. */
const minCover = 100;
/** Names of other pictures, and of files of drawings. */
const noCover = /(^|[^a-z])(avatar|logo|icon)s?([^a-z]|$)|\.(gif|svg)$/i;

function imagesIn(element: PageElement): PageElement[] {
  return element.name === 'img' ? [element] : all(element, ({ name }) => name === 'img');
}

/**
 * Whether all that an element has is a picture that leads nowhere, and isn't small, of the author or of the site.
 * @param shown what the text shows itself
 */
function isCover(element: PageElement, shown?: ReadonlySet<string | undefined>): boolean {
  const { text, images, links } = element.has;
  const [image] = imagesIn(element);
  if (!image || element.name === 'a' || text + links > 0 || (images > 1 && image !== element)) return false;
  const { src, alt = '', class: classes = '', width = '', height = '', style = '' } = image.attributes;
  const file = src?.replace(/[?#].*$/s, '').replace(/^.*\//s, '') ?? '';
  const names = [alt, classes, element.attributes.class ?? '', file];
  if (!isShown(src) || shown?.has(src) || names.some((name) => noCover.test(name)) || some(element, signs))
    return false;
  const styled = [...style.matchAll(/(?<![\w-])(?:width|height)\s*:\s*([\d.]+px)/gi)].map(([, length = '']) => length);
  return ![width, height, ...styled].some((length) => Number.parseFloat(length) < minCover && !length.includes('%'));
}

/** The paragraphs and headings directly before a region. */
function leadBeside(region: PageElement): PageElement[] {
  const beside = region.parent ? elementsIn(region.parent) : [];
  return beside
    .slice(0, beside.indexOf(region))
    .filter(({ name, has }) => isHeading(name) || (has.prose > 0 && has.linked < has.text * 0.3));
}
