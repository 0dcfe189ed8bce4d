import { isContact, isHeading, isInline, measure, sumOf } from '../page-tree/measure.ts';
import { all, buildOf, elementsIn, lettersOf, type PageElement, some, textOf, walk } from '../page-tree/page-tree.ts';
import { isAdmonition, isConcealed } from './boilerplate.ts';
import { endsSentence, isFact, namedIn } from './ends.ts';
import { unfolds } from './openable.ts';
import { signs } from './page-kind.ts';
import { headingOf } from './prune.ts';
import { innermost, isStructural } from './structures.ts';
import { isPicture } from './title.ts';

/** Share of prose that a text has in one element, and this in its own paragraphs, if these are what it consists of. */
const flowShare = 0.6;
/** Share of the text up to which a box is beside it, and of the prose for all boxes among its paragraphs. */
const boxShare = { one: 0.25, all: 0.3 };
/** Share of the prose up to which what follows a text elsewhere doesn't continue it. */
const outerShare = 0.15;
/** Characters from which on a sentence that is no paragraph is more than a label. */
const minSentence = 45;

/** Elements that belong to the text in which they are. */
const parts = /^(h[1-6]|p|figure|img|table|pre|[uo]l|dl|math|blockquote|aside|header|details|hr|br)$/;

/**
 * Marks boxes beside a text whose paragraphs stand directly beside each other: what is about its author or for subscribers,
 * galleries, and notes of the site. Notes among the paragraphs are parts of the text, and so are several boxes that are alike,
 * those below a heading or button, and those with structures, sections or what visitors open.
 */
export function dropBeside(region: PageElement, isHere: (href: string) => boolean): void {
  const flow = innermost(region, flowShare);
  const children = elementsIn(flow);
  /** How many of them are built in the same way. */
  const alike = new Map<string, number>();
  for (const child of children) alike.set(buildOf(child), (alike.get(buildOf(child)) ?? 0) + 1);
  const paragraphs = children.filter(({ name }) => name === 'p');
  const inParagraphs = (test: (each: PageElement) => boolean) => paragraphs.flatMap((each) => all(each, test));
  /** Where its paragraphs lead on the page, such as to their notes, and to what these can lead back. */
  const targets = new Set(inParagraphs((each) => targetOf(each) !== '').map(targetOf));
  const ids = new Set(inParagraphs(({ attributes }) => !!attributes.id).map(({ attributes }) => attributes.id));
  if (paragraphs.length >= 3 && sumOf(paragraphs, 'prose') >= flow.has.prose * flowShare) {
    const last = children.findLastIndex(({ name }) => name === 'p');
    const named = namedIn(children);
    const boxes = new Set(
      children.filter((child, at) => !named.has(child) && !isLabel(children[at - 1]) && isBox(child)),
    );
    const within = children.slice(0, last).filter((child) => boxes.has(child) && child.has.headings === 0);
    const others = within.filter((child) => !isOfText(child));
    if (sumOf(others, 'prose') < flow.has.prose * boxShare.all) for (const box of others) box.leftOut = 'beside';
    for (const box of children.slice(last)) if (boxes.has(box)) box.leftOut = 'beside';
  }
  // What follows the text outside its element, unlike a part that is built as the text is.
  const siblings = flow === region || !flow.parent ? [] : elementsIn(flow.parent);
  const after = siblings.slice(siblings.indexOf(flow) + 1);
  const named = namedIn(after);
  for (const other of after) {
    const isPart = parts.test(other.name) || named.has(other) || buildOf(flow) === buildOf(other) || opens(other);
    if (!isPart && other.has.prose < region.has.prose * outerShare) other.leftOut = 'beside';
  }
  measure(region);

  /** The id to which a link within the page leads; empty: it leads elsewhere. */
  function targetOf({ attributes: { href = '' } }: PageElement): string {
    return href.includes('#') && isHere(href) ? href.slice(href.indexOf('#') + 1) : '';
  }

  /** Whether the text leads to an element or a part of it, which leads back or is called a note. */
  function isNote(box: PageElement): boolean {
    const isNamed = ({ attributes: { id = '', class: classes = '', role = '' } }: PageElement) =>
      [id, classes, role].some((name) => note.test(name));
    const leadsBack = (each: PageElement) => ids.has(targetOf(each));
    return (
      some(box, ({ attributes: { id = '' } }) => targets.has(id)) &&
      some(box, (each) => isNamed(each) || leadsBack(each))
    );
  }

  /** Whether a box among the paragraphs is a note: named so, or sentences that lead nowhere else; with nothing to fill in or press. */
  function isOfText(box: PageElement): boolean {
    const { text, prose, images } = box.has;
    if (text === 0 || images > 0) return false;
    const isNamed = isAdmonition(box);
    const isSentence = text >= minSentence && endsSentence(box) && !some(box, signs);
    if (!isNamed && prose < text * 0.5 && !isSentence) return false;
    let acts = false;
    // Also in parts that are left out by now.
    walk(box, (each) => {
      const isAsked = each.leftOut === 'control' && (each.name !== 'button' || lettersOf(textOf(each)) !== '');
      acts ||= each.name === 'form' || (!isNamed && (isAsked || leadsOn(each)));
    });
    return !acts;
  }

  function leadsOn(each: PageElement): boolean {
    return each.name === 'a' && !!each.attributes.href && targetOf(each) === '' && !isContact(each);
  }

  function isBox(child: PageElement): boolean {
    const { name, has } = child;
    if (parts.test(name) || headingOf(child) || isInline(name) || isPicture(child) || isFact(child)) return false;
    if (has.text >= flow.has.text * boxShare.one || has.headings - has.linkedHeadings > 1) return false;
    return !some(child, isStructural) && !isNote(child) && !opens(child) && (alike.get(buildOf(child)) ?? 0) < 2;
  }
}

/** Names of notes. */
const note = /(^|[-_ ])((foot|end|side)?notes?|fn)(?=[-_:. \d]|$)/i;

/** Whether an element is or has a part that visitors open. */
function opens(element: PageElement): boolean {
  return some(element, (each) => unfolds(each) || (each.has.prose > 0 && isConcealed(each)));
}

/** Whether an element says what the next one is. */
function isLabel(element: PageElement | undefined): boolean {
  return element !== undefined && (isHeading(element.name) || element.name === 'button');
}
