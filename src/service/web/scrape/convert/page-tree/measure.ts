import { type Measures, nothing, type PageElement } from './page-tree.ts';

/** Elements that don't begin a new line; every other one ends the run of text before it. */
const inline = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math mi mn mo mrow msup msub q rp rt ruby s samp small source span strike strong sub sup time tt u var wbr picture'.split(
    ' ',
  ),
);
/** A run of text this long is a paragraph, or from the shorter length on if it has a sentence's end in it. */
const paragraph = { length: 120, sentenceLength: 45, linkShare: 0.4 };

interface Run {
  text: number;
  linked: number;
  sentences: number;
}

/** Measures what an element and all in it contain. */
export function measure(element: PageElement): void {
  const run: Run = { text: 0, linked: 0, sentences: 0 };
  measureIn(element, run, false);
  endRun(element, run);
}

function measureIn(element: PageElement, run: Run, inLink: boolean): void {
  const has: Measures = { ...nothing };
  element.has = has;
  const isBlock = !inline.has(element.name);
  const { children } = element;
  if (children.length > 0) element.texts ??= children.map((child) => (typeof child === 'string' ? lengthOf(child) : 0));
  for (let at = 0; at < children.length; at++) {
    const child = children[at] as PageElement | string;
    if (typeof child === 'string') {
      addText(element.texts?.[at] ?? 0, run, inLink);
      continue;
    }
    if (child.leftOut !== '' || child.name === 'textarea' || child.name === 'select') continue;
    const isBlockChild = !inline.has(child.name);
    if (isBlockChild) endRun(element, run);
    const isLink = child.name === 'a' && !isContact(child) && !(isHeading(element.name) && isOwnAnchor(child));
    measureIn(child, run, inLink || isLink);
    if (isBlockChild) endRun(child, run);
    add(has, child.has);
    if (isLink) has.links++;
    else if (child.name === 'img') has.images++;
    else if (isHeading(child.name)) {
      has.headings++;
      if (isLinkedHeading(child)) has.linkedHeadings++;
    }
    if (child.name === 'h1' || child.name === 'main') has.marks++;
  }
  if (isBlock) endRun(element, run);
}

/** An address or a number to call, which a page says rather than leads to. */
export function isContact({ attributes: { href = '' } }: PageElement): boolean {
  return /^(tel:|mailto:[^?])/i.test(href);
}

/** Whether a heading leads elsewhere than to itself. */
export function isLinkedHeading({ has }: PageElement): boolean {
  return has.linked > 0;
}

/** Whether a link in a heading leads to the page itself. */
function isOwnAnchor({ attributes: { href } }: PageElement): boolean {
  return href?.startsWith('#') === true;
}

/** Whether an element doesn't begin a new line. */
export function isInline(name: string): boolean {
  return inline.has(name);
}

export function isHeading(name: string): boolean {
  return name.length === 2 && name[0] === 'h' && name > 'h0' && name < 'h7';
}

/** What elements contain together. */
export function sumOf(elements: readonly PageElement[], what: keyof Measures): number {
  return elements.reduce((sum, { has }) => sum + has[what], 0);
}

function add(to: Measures, from: Measures): void {
  to.text += from.text;
  to.linked += from.linked;
  to.prose += from.prose;
  to.paragraphs += from.paragraphs;
  to.links += from.links;
  to.images += from.images;
  to.headings += from.headings;
  to.linkedHeadings += from.linkedHeadings;
  to.marks += from.marks;
}

function endRun({ name, has }: PageElement, run: Run): void {
  if (run.text === 0) return;
  has.text += run.text;
  has.linked += run.linked;
  const isLong = run.text >= paragraph.length || (run.text >= paragraph.sentenceLength && run.sentences > 0);
  if (isLong && run.linked < run.text * paragraph.linkShare && !isHeading(name)) {
    has.prose += run.text;
    has.paragraphs++;
  }
  run.text = 0;
  run.linked = 0;
  run.sentences = 0;
}

/** A text's length and number of sentences are kept in one number: a page is measured several times. */
const sentencesUpTo = 2 ** 20;

function addText(measured: number, run: Run, inLink: boolean): void {
  const length = Math.floor(measured / sentencesUpTo);
  run.text += length;
  run.sentences += measured % sentencesUpTo;
  if (inLink) run.linked += length;
}

function lengthOf(text: string): number {
  let length = 0;
  let sentences = 0;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 160) {
      if (last === 46 || last === 33 || last === 63) sentences++;
    } else if (code >= 0x3040 && code <= 0xd7ff) length += 3;
    else if (code === 0x3002) sentences++;
    else length++;
    last = code;
  }
  if (last === 46 || last === 33 || last === 63) sentences++;
  return length * sentencesUpTo + Math.min(sentences, sentencesUpTo - 1);
}
