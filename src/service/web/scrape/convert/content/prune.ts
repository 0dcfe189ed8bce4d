import { all, around, elementsIn, isList, nextIn, type PageElement, some, textOf } from '../page-tree/page-tree.ts';
import { isHeading, isInline, isLinkedHeading, measure, sumOf } from './measure.ts';
import { leads, unfolds } from './openable.ts';
import { cardGroups, type PageKind, signs } from './page-kind.ts';
import { isDataTable } from './tables.ts';

/** Marks that measures made, unlike elements and names. */
export const pruned = new Set(['links', 'cards', 'related', 'head', 'tail', 'beside']);

const related =
  /^(related|recommended|read (more|next|also)|more (from|on|in|stories|news|like|articles|posts|about|by)|you (may|might) (also )?(like|enjoy|be interested)|also (read|on)|see also|what to read next|up next|share|follow|subscribe|sign up|newsletter|comments?|leave a|(add|post|write) a (comment|reply)|discover more|join the|about the author|tags?:?$|filed under|further reading|keep reading|don.t miss|around the web|sponsored|advertisement)(?![\p{L}\p{N}])/iu;
/** Related things where a page has a text that they can be related to; elsewhere, what the page consists of. */
const selected =
  /^(latest|recent|popular|trending|most (read|popular|viewed)|topics|similar|featured)(?![\p{L}\p{N}])/iu;
/** Share of prose below which a page has no such text. */
const minProseShare = 0.3;

/** Characters that the title of another page has at least. */
const minTitle = 25;
/** Characters of prose in what leads from a text to another one. */
const maxTeaser = 500;

/** Whether a link, as written, leads to a page of the same site. */
export type IsOwn = (href: string) => boolean;

/** Marks what measures say isn't part of a text. */
export function pruneText(region: PageElement, isOwn: IsOwn): void {
  const whole = region.has.prose;
  visit(region);
  measure(region);

  function visit(element: PageElement, next?: PageElement): void {
    const children = elementsIn(element);
    for (const [at, child] of children.entries()) {
      if (isWhole(child) || inList.has(child.name) || isOwnList(children, at)) continue;
      if (isLinks(child, isOwn)) child.leftOut = 'links';
    }
    dropCards(children);
    for (const [at, child] of children.entries())
      if (child.leftOut === '' && !isWhole(child) && !isOwnList(children, at)) visit(child, nextIn(children, at));
    dropHeadings(element, next);
  }

  function dropCards(children: PageElement[]): void {
    for (const group of cardGroups(children, 3, maxTeaser)) {
      if (sumOf(group, 'prose') < whole * 0.4) for (const child of group) child.leftOut = 'cards';
    }
  }
}

/** Whether most of an element's text leads elsewhere. What has the title is judged part by part. */
function isLinks(element: PageElement, isOwn: IsOwn): boolean {
  const { name, has } = element;
  if (has.marks > 0 || has.links === 0 || has.linked < has.text * 0.5 || has.prose >= has.text * 0.1) return false;
  return name === 'p' ? isAnnouncement(element, isOwn) : name !== 'a' && name !== 'span';
}

/** Whether a line between the paragraphs of a text has only the title of another page of the site, maybe after a label. */
function isAnnouncement(line: PageElement, isOwn: IsOwn): boolean {
  const { has, parent } = line;
  const [link] = all(line, leads);
  if (!link || has.images > 0 || has.linked < minTitle || !isOwn(link.attributes.href ?? '') || !parent?.has.prose)
    return false;
  // An address is given, not a title.
  if (/^\s*(https?:|www\.)/.test(textOf(link))) return false;
  const isSaid = (text: string) => /[\p{L}\p{N}]/u.test(text);
  const [label = '', after = ''] = textOf(line)
    .split(textOf(link))
    .map((text) => text.replace(/&#?\w+;/g, ' '));
  return !isSaid(after) && (/:\P{L}*$/u.test(label) || !isSaid(label));
}

/** Marks headings of which all that is below them is left out. */
function dropHeadings(element: PageElement, following: PageElement | undefined): void {
  // An element can have only the heading of what follows it.
  const isHead = levelOf(element) !== '' && following?.has.headings === 0 && following.has.text > 0;
  let below: 'nothing' | 'left out' | 'kept' = isHead ? 'kept' : 'nothing';
  let next = '';
  for (const child of element.children.toReversed()) {
    const level = typeof child === 'string' ? '' : levelOf(child);
    if (typeof child === 'string') below = child.trim() === '' ? below : 'kept';
    else if (child.leftOut !== '') below = below === 'nothing' && !unseen.has(child.leftOut) ? 'left out' : below;
    else if (level !== '') {
      if (below === 'left out' && level > 'h1' && level >= next) child.leftOut = 'related';
      else next = level;
      below = child.leftOut === '' ? 'nothing' : 'left out';
    } else if (child.has.text > 0 || child.has.images > 0) below = 'kept';
  }
}

/** Why parts that readers don't see are left out: headings say nothing of them. */
const unseen = new Set(['hidden', 'folded', 'decoration', 'control', 'noscript', 'dialog']);

/** The level of a heading, also alone in a box; empty: it is none. */
function levelOf({ name, has, children }: PageElement): string {
  if (isHeading(name) || has.headings !== 1) return isHeading(name) ? name : '';
  const inner = children.find((child) => typeof child !== 'string' && child.has.text === has.text);
  return typeof inner === 'object' ? levelOf(inner) : '';
}

const lists = /^([uo]l|dl|table)$/;

/** Whether a child is a list that the heading above it names, and doesn't announce as something else. */
function isOwnList(children: readonly PageElement[], at: number): boolean {
  if (!lists.test(children[at]?.name ?? '')) return false;
  let above = children[--at];
  while (above?.name === 'p') above = children[--at];
  return above !== undefined && isHeading(above.name) && !announces(above);
}

/** Whether a heading announces related things. The title says what the page itself is about. */
function announces(heading: PageElement, hasText = true): boolean {
  if (heading.name === 'h1') return false;
  const title = textOf(heading).trim();
  return related.test(title) || (hasText && selected.test(title));
}

/** Parts of lists, which aren't judged one by one. */
const inList = new Set(['li', 'dt', 'dd']);

/** Code, or a table of data, whose cells aren't judged one by one. */
function isStructure(element: PageElement): boolean {
  return element.name === 'pre' || (element.name === 'table' && isDataTable(element));
}

/** Whether an element brings structure into a box. The pictures of a gallery are often in a list. */
export function isStructural(element: PageElement): boolean {
  if (isList(element)) return element.has.images === 0;
  return isStructure(element) || /^(blockquote|figure|math)$/.test(element.name);
}

/** Whether a box is mostly structure, with its labels. */
function isMostlyStructure(box: PageElement, test = isStructure): boolean {
  return sumOf(all(box, test), 'text') > box.has.text * 0.5;
}

/** Whether an element is a structure: no list of a single item, which is a notice, nor of bare numbers, which are counts. */
function isOfSeveral(element: PageElement): boolean {
  if (!isList(element)) return isStructural(element);
  const items = all(element, ({ name }) => name === 'li' || name === 'dd');
  const isCount = items.every((item) => !/\p{L}/u.test(textOf(item)));
  return isStructural(element) && !isCount && elementsIn(element).length > 1;
}

/** Whether less than 30% of a box is links; numbers to call are some where they are a menu. */
function hasFewLinks(box: PageElement): boolean {
  const links = all(box, ({ name }) => name === 'a');
  return links.map(textOf).join('').length < box.has.text * 0.3;
}

/**
 * The smallest element that has a share of an element's prose. It isn't a list, quote or other structure, nor in one: what
 * stands beside that belongs to the same text.
 */
export function innermost(element: PageElement, share: number): PageElement {
  const inner = elementsIn(element).find(({ has }) => has.paragraphs > 1 && has.prose >= element.has.prose * share);
  const isPart = inner === undefined || isStructure(inner) || /^(p|[uo]l|dl|blockquote|figure)$/.test(inner.name);
  return isPart ? element : innermost(inner, share);
}

function isWhole(element: PageElement): boolean {
  return isHeading(element.name) || isStructure(element);
}

/** Marks what customers wrote about a product. */
export function dropReviews(region: PageElement): void {
  for (const child of elementsIn(region)) {
    const { class: classes = '', id = '', itemprop = '' } = child.attributes;
    if (reviews.test(`${classes} ${id} ${itemprop}`) && child.has.prose < region.has.prose * 0.7)
      child.leftOut = 'reviews';
    else dropReviews(child);
  }
}

const reviews = /(^|[\s_-])(reviews?|testimonials?)($|[\s_-])/i;

/** Characters of a block that is recognized on the page: of a product, its name is there again beside a second button. */
const repeated = { least: 60, ofProduct: 20, most: 2000 };
/** How often the text of a page is compared at most, in blocks within each other. */
const maxDepth = 20;

/**
 * Marks blocks that are on the page already, as in carousels and in versions for other screens. Lists, tables and code can say the
 * same of several things, and so can what leads to several pages, and what is below several headings of a page of no other kind.
 */
export function dropRepeated(region: PageElement, kind: PageKind): void {
  const least = kind === 'product' ? repeated.ofProduct : repeated.least;
  /** Texts of blocks, and texts with where they lead. */
  const seen = new Set<string>();
  let left = region.has.text * maxDepth;
  // What a list says of one page, it can say of others.
  const isItem = ({ has }: PageElement) => kind === 'list' && has.linkedHeadings === 1;
  let heading = '';
  visit(region, false);
  function visit(element: PageElement, inList: boolean): void {
    for (const child of elementsIn(element)) {
      const { name, has } = child;
      if (kind === 'page' && isHeading(name)) heading = textOf(child).slice(0, repeated.most);
      if (has.text < least || name === 'pre' || isHeading(name)) continue;
      const isCompared = has.text <= Math.min(repeated.most, left) && !isInline(name);
      const text = isCompared && !(inList && has.paragraphs === 0) ? textOf(child).replace(/\s+/g, ' ').trim() : '';
      left -= text.length;
      const isList = lists.test(name);
      const targets = text === '' ? [] : all(child, leads).map(({ attributes: { href } }) => href);
      const under = has.headings > 0 ? '' : heading;
      const key = [text, under, ...targets].join('\n');
      if (seen.has(`${key}\n`)) child.leftOut = 'repeated';
      else if (!seen.has(text) && (!isList || kind !== 'page')) visit(child, inList || isList || isItem(child));
      if (text !== '') seen.add(text).add(`${key}\n`);
    }
  }
}

/** Marks blocks of short links, as in menus: of fewer characters than `longest` on average. */
export function dropMenus(region: PageElement, longest: number): void {
  const menus: PageElement[] = [];
  (function visit(element: PageElement) {
    const children = elementsIn(element);
    for (const [at, child] of children.entries()) {
      const { has } = child;
      const isMenu =
        !isOwnList(children, at) &&
        has.links >= 4 &&
        has.linked >= has.text * 0.8 &&
        has.images === 0 &&
        has.headings === 0 &&
        has.linked < has.links * longest;
      if (isMenu) menus.push(child);
      else if (!isWhole(child)) visit(child);
    }
  })(region);
  if (sumOf(menus, 'text') < region.has.text * 0.5) for (const menu of menus) menu.leftOut = 'menu';
}

/** Marks sections whose heading announces related things. */
export function dropRelated(region: PageElement): void {
  const { text, prose } = region.has;
  const hasText = prose >= text * minProseShare;
  (function visit(element: PageElement) {
    const children = elementsIn(element);
    dropAnnounced(children, text, hasText);
    for (const child of children) if (child.leftOut === '') visit(child);
  })(region);
}

function dropAnnounced(children: PageElement[], whole: number, hasText: boolean): void {
  const first = children.findIndex((child) => isHeading(child.name) && announces(child, hasText));
  if (first === -1) return;
  const next = children.findIndex(({ name }, at) => at > first && isHeading(name));
  const section = children.slice(first, next === -1 ? undefined : next);
  // A heading of the text itself can begin with the same words.
  const isEmpty = sumOf(section, 'prose') === 0 && !section.some(({ name }) => lists.test(name));
  const leadsElsewhere = isEmpty || sumOf(section, 'linked') >= sumOf(section, 'text') * 0.3;
  if (leadsElsewhere && sumOf(section, 'prose') < whole * 0.3) for (const child of section) child.leftOut = 'related';
}

/**
 * Marks what stands before the first and after the last paragraph of a text, except headings, pictures and what is below a
 * heading of the text's own or with its title.
 */
export function pruneEnds(region: PageElement, title: PageElement | undefined): void {
  const titled = new Set(title && [title, ...around(title)]);
  const leaves: PageElement[] = [];
  /** What says who wrote something, and what is directly before and after that. */
  const signed = new Set<PageElement | undefined>();
  collect(region);
  for (const [at, leaf] of leaves.entries())
    if (leaf.has.paragraphs === 0 && some(leaf, signs))
      signed
        .add(leaf)
        .add(leaves[at - 1])
        .add(leaves[at + 1]);
  const first = leaves.findIndex(({ has }) => has.paragraphs > 0);
  const last = leaves.findLastIndex(({ has }) => has.paragraphs > 0);
  if (first === -1) return;
  const named = namedIn(leaves);
  for (const element of leaves.slice(0, first)) dropHead(element);
  // A heading goes with all that is below it.
  let above = '';
  for (const element of leaves.slice(last + 1).toReversed()) {
    const isKept = isHeading(element.name)
      ? element.name < above
      : named.has(element) || (titled.has(element) && tells(element)) || keeps(element) || isNote(element);
    if (isKept) above = isHeading(element.name) ? element.name : 'h7';
    else element.leftOut = 'tail';
  }
  measure(region);
  /** Leaves what would be kept outside of a box, unless that leads elsewhere. */
  function dropHead(element: PageElement): void {
    const { has, children } = element;
    if (keeps(element) || (named.has(element) && has.links + has.images === 0)) return;
    const leadsElsewhere = has.headings > 0 ? has.linkedHeadings > 0 : has.links > 0 || has.images > 0;
    const inner = children.every((child) => typeof child !== 'string' || child.trim() === '')
      ? elementsIn(element)
      : [];
    if (leadsElsewhere || inner.length === 0) element.leftOut = 'head';
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
      isMostlyStructure(element) ||
      (!signed.has(element) && isMostlyStructure(element, isOfSeveral) && hasFewLinks(element))
    );
  }
  function collect(element: PageElement): void {
    const ofLines = inWords(element);
    for (const child of elementsIn(element)) {
      if (ofLines.has(child)) continue;
      if (child.has.paragraphs > 0 && child.name !== 'p' && !isWhole(child)) {
        // The items of a list are judged one by one only where they are teasers with pictures.
        const isWholeList = isList(child) && child.has.images === 0;
        if (!isWholeList && elementsIn(child).some(({ has }) => has.paragraphs > 0)) collect(child);
        else leaves.push(child);
      } else if (!keeps(child) && some(child, isStructure)) collect(child);
      else leaves.push(child);
    }
  }
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
  return sumOf(paragraphs, 'text') === box.has.text && paragraphs.every((each) => /[.!?\u3002]\s*$/.test(textOf(each)));
}
