import { isHeading, isInline, isLinkedHeading, measure, sumOf } from '../page-tree/measure.ts';
import { all, around, buildOf, elementsIn, type PageElement, some, textOf, walk } from '../page-tree/page-tree.ts';
import { unfolds } from './openable.ts';
import { announces, headingOf } from './prune.ts';
import { hasFewLinks, isMostlyStructure, isStructure, isWhole, isWholeList } from './structures.ts';

/**
 * Marks what stands before the first and after the last paragraph of a text, except headings, pictures and what is below a
 * heading of the text's own or with its title.
 */
export function pruneEnds(region: PageElement, title: PageElement | undefined): void {
  const titled = new Set(title && [title, ...around(title)]);
  const leaves: PageElement[] = [];
  collect(region);
  const first = leaves.findIndex(({ has }) => has.paragraphs > 0);
  const last = leaves.findLastIndex(({ has }) => has.paragraphs > 0);
  if (first === -1) return;
  const named = namedIn(leaves);
  const isOfItems = partOfItems(leaves[first] as PageElement);
  for (const element of leaves.slice(0, first)) if (!isOfItems(element)) dropHead(element);
  const items = itemOf(leaves[last] as PageElement)?.others;
  // A heading goes with all that is below it.
  let above = '';
  for (const element of leaves.slice(last + 1).toReversed()) {
    const isKept = isHeading(element.name)
      ? element.name < above
      : items?.has(element) ||
        named.has(element) ||
        (titled.has(element) && tells(element)) ||
        keeps(element) ||
        isNote(element);
    if (!isKept) element.leftOut = 'tail';
    else if (element.has.text + element.has.images > 0) above = isHeading(element.name) ? element.name : 'h7';
  }
  measure(region);
  /** Leaves what would be kept outside of a box, unless that leads elsewhere. */
  function dropHead(element: PageElement): void {
    const { has, children } = element;
    if (keeps(element) || (named.has(element) && has.links + has.images === 0)) return;
    const hasTitle = titled.has(element);
    const leadsElsewhere = has.headings > 0 ? has.linkedHeadings > 0 : has.links > 0 || has.images > 0;
    const inner =
      hasTitle || children.every((child) => typeof child !== 'string' || child.trim() === '')
        ? elementsIn(element)
        : [];
    if ((leadsElsewhere && !hasTitle) || inner.length === 0) element.leftOut = 'head';
    else inner.forEach(dropHead);
  }
  function keeps(element: PageElement): boolean {
    return (
      isHeading(element.name) ||
      isSection(element) ||
      /^(figure|img|table|pre|ul|ol|dl|math|blockquote|details|button)$/.test(element.name) ||
      (element.name === 'p' && element.has.linked <= element.has.text * 0.5) ||
      (element.has.text === 0 && element.has.images > 0) ||
      some(element, unfolds) ||
      isFact(element) ||
      (isMostlyStructure(element) && hasFewLinks(element))
    );
  }
  function collect(element: PageElement): void {
    const ofLines = inWords(element);
    for (const child of elementsIn(element)) {
      if (ofLines.has(child)) continue;
      if (child.has.paragraphs > 0 && child.name !== 'p' && !isWhole(child)) {
        if (!isWholeList(child) && elementsIn(child).some(({ has }) => has.paragraphs > 0)) collect(child);
        else leaves.push(child);
      } else if (!keeps(child) && some(child, isStructure)) collect(child);
      // A section with nothing but its heading is empty.
      else leaves.push((child.name !== 'section' && headingOf(child)) || child);
    }
  }
}

/** Elements that can be the items of a text, such as questions with their answers, and those of frameworks. */
const itemNames = /^(div|section|article|details|[a-z]\w*-[\w-]+)$/;

interface Item {
  element: PageElement;
  /** Siblings that are built in the same way, and have paragraphs or begin alike. */
  others: ReadonlySet<PageElement>;
}

/** Returns the item of a text that a paragraph is in; undefined if no other one beside it has paragraphs. */
function itemOf(paragraph: PageElement): Item | undefined {
  for (const element of [paragraph, ...around(paragraph)]) {
    const build = buildOf(element);
    if (!itemNames.test(element.name) || build === 'div' || !element.parent) continue;
    const alike = elementsIn(element.parent).filter((each) => each !== element && buildOf(each) === build);
    if (!alike.some(({ has }) => has.paragraphs > 0)) continue;
    const start = startOf(element);
    const beginsAlike = (each: PageElement) => start !== '' && startOf(each) === start;
    return { element, others: new Set(alike.filter((each) => each.has.paragraphs > 0 || beginsAlike(each))) };
  }
  return undefined;
}

/** How the first two parts of an item are built; empty: it doesn't have two. */
function startOf(item: PageElement): string {
  const [first, second] = elementsIn(item);
  return first && second ? `${buildOf(first)} ${buildOf(second)}` : '';
}

/**
 * Tells parts that belong to a text as the item of its first paragraph does: items before that, such as a question with a short
 * answer, and what the item has before the paragraph, if others have parts that are built in the same way.
 */
function partOfItems(paragraph: PageElement): (part: PageElement) => boolean {
  const item = itemOf(paragraph);
  if (!item) return () => false;
  const { element, others } = item;
  const own = new Set<PageElement>();
  walk(element, (each) => own.add(each));
  const builds = new Set<string>();
  for (const each of others) noteHead(each, builds);
  return (part) => others.has(part) || (own.has(part) && builds.has(buildOf(part)));
}

/** Notes how what an item has above its first paragraph is built. Returns whether it has one. */
function noteHead(element: PageElement, builds: Set<string>): boolean {
  for (const child of elementsIn(element)) {
    const isParagraph = child.has.paragraphs > 0 && !elementsIn(child).some(({ has }) => has.paragraphs > 0);
    if (isParagraph) return true;
    if (child.has.paragraphs === 0) builds.add(buildOf(child));
    if (noteHead(child, builds)) return true;
  }
  return false;
}

/** The inline children of an element that are in lines with words of its own beside them. */
function inWords({ children }: PageElement): Set<PageElement> {
  const found: PageElement[] = [];
  let line: PageElement[] = [];
  let hasWords = false;
  for (const child of [...children, undefined]) {
    if (typeof child === 'string') hasWords ||= /\p{L}/u.test(child);
    else if (child && isInline(child.name)) line.push(child);
    else {
      if (hasWords) found.push(...line);
      line = [];
      hasWords = false;
    }
  }
  return new Set(found);
}

/** An amount of money, from one time of day to another, or a number to call. */
const fact =
  /\p{Sc}\s?\d|\d\s?\p{Sc}|\d:\d\d\s*([ap]\.?m\.?)?\s*[-\u2013\u2014]\s*\d+(:\d\d|\s*[ap]\.?m)|\d\s*[ap]\.?m\.?\s*[-\u2013\u2014]\s*\d|(^|[^\d.])\+\d[\d ().-]{7,}\d/iu;
/** Characters of a line that has one. */
const maxFact = 80;

/** Whether an element is a line that leads nowhere, with a price, opening hours or a number to call. */
export function isFact(element: PageElement): boolean {
  if (element.name === 'a' || element.has.links + element.has.images > 0) return false;
  if (elementsIn(element).some(({ name }) => !isInline(name))) return false;
  const text = textOf(element).trim();
  return text.length <= maxFact && fact.test(text);
}

/** Headings of the text's own with what stands below them in the same element, with no paragraph between, and leads nowhere. */
export function namedIn(parts: readonly PageElement[]): Set<PageElement> {
  const named = new Set<PageElement>();
  let heading: PageElement | undefined;
  for (const part of parts) {
    if (isHeading(part.name) || part.has.paragraphs > 0) heading = isOwnHeading(part) ? part : undefined;
    else if (heading && heading.parent === part.parent && tells(part)) named.add(heading).add(part);
  }
  return named;
}

/** What follows a text in the element around it, below headings of the text's own. */
export function sectionsAfter(region: PageElement): PageElement[] {
  const siblings = region.parent ? elementsIn(region.parent) : [];
  return [...namedIn(siblings.slice(siblings.indexOf(region) + 1))];
}

/** A box that begins with a heading of the text's own. */
function isSection(box: PageElement): boolean {
  const [first] = elementsIn(box);
  return first !== undefined && isOwnHeading(first) && box.has.text > first.has.text && tells(box);
}

/** Whether an element is a heading below the title that leads nowhere, and announces nothing else. */
export function isOwnHeading(element: PageElement): boolean {
  return isHeading(element.name) && element.name !== 'h1' && !isLinkedHeading(element) && !announces(element);
}

/** Whether most of what an element says leads nowhere. */
function tells({ has }: PageElement): boolean {
  return has.linked < has.text * 0.3;
}

/** Whether a box, such as a frame of the page, has nothing but whole sentences in paragraphs. */
function isNote(box: PageElement): boolean {
  const paragraphs = all(box, ({ name }) => name === 'p');
  if (paragraphs.length === 0 || box.has.links + box.has.images > 0) return false;
  return sumOf(paragraphs, 'text') === box.has.text && paragraphs.every(endsSentence);
}

/** Whether the last thing that an element says is a whole sentence. */
export function endsSentence(element: PageElement): boolean {
  return /(\p{Sentence_Terminal}|\u2026|&hellip;)([\p{Pe}\p{Pf}\p{Pi}"'\s]|&#?\w+;)*$/u.test(textOf(element));
}
