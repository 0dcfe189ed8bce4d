import { isHeading, isInline, measure, sumOf } from '../page-tree/measure.ts';
import { all, buildOf, elementsIn, nextIn, type PageElement, textOf } from '../page-tree/page-tree.ts';
import { isToggle, leads, unfolds } from './openable.ts';
import { cardGroups, type PageKind } from './page-kind.ts';
import { isWhole, isWholeList } from './structures.ts';

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
/** Characters that the title of a box has at most, and boxes that are alike. */
const longestTitle = 200;
const minAlike = 3;
/** Characters of prose in what leads from a text to another one. */
const maxTeaser = 500;

/** Whether a link, as written, leads to a page of the same site. */
export type IsOwn = (href: string) => boolean;

/** Marks what measures say isn't part of a text. */
export function pruneText(region: PageElement, isOwn: IsOwn): void {
  const whole = region.has.prose;
  visit(region);
  measure(region);

  function visit(element: PageElement, next?: PageElement, title?: PageElement): void {
    const children = elementsIn(element);
    const titles = titlesIn(children);
    for (const [at, child] of children.entries()) {
      if (isWhole(child) || inList.has(child.name) || isOwnList(children, at) || child === title) continue;
      if (isLinks(child, isOwn)) child.leftOut = 'links';
    }
    dropCards(children);
    for (const [at, child] of children.entries())
      if (child.leftOut === '' && child !== title && !isWhole(child) && !isWholeList(child) && !isOwnList(children, at))
        visit(child, nextIn(children, at), titles.get(child) ?? title);
    dropHeadings(element, next);
  }

  function dropCards(children: PageElement[]): void {
    for (const group of cardGroups(children, 3, maxTeaser)) {
      if (sumOf(group, 'prose') < whole * 0.4) for (const child of group) child.leftOut = 'cards';
    }
  }
}

/**
 * Returns what boxes that are alike begin with, by the box: a line that leads to what its text is about, as the title of a card does.
 * Boxes that only lead elsewhere have none.
 */
function titlesIn(children: readonly PageElement[]): ReadonlyMap<PageElement, PageElement> {
  const boxes = children.filter(({ has }) => has.prose > 0 && has.links > 0);
  const titles = new Map<PageElement, PageElement>();
  for (const alike of Map.groupBy(boxes, buildOf).values()) {
    if (alike.length < minAlike) continue;
    const found = alike.flatMap((box) => {
      const title = firstLine(box);
      return title ? [[box, title] as const] : [];
    });
    if (found.length === alike.length) for (const [box, title] of found) titles.set(box, title);
  }
  return titles;
}

/** The first part of a box, if it has one link and no paragraphs, and the box has others. */
function firstLine(box: PageElement): PageElement | undefined {
  const [first] = elementsIn(box).filter(({ has }) => has.text > 0);
  if (!first || box.children.some((child) => typeof child === 'string' && child.trim() !== '')) return undefined;
  if (first.has.text === box.has.text) return firstLine(first);
  return first.has.links === 1 && first.has.prose === 0 && first.has.text <= longestTitle ? first : undefined;
}

/** Whether most of an element's text leads elsewhere. What has the title is judged part by part. */
function isLinks(element: PageElement, isOwn: IsOwn): boolean {
  const { name, has } = element;
  if (
    has.marks > 0 ||
    unfolds(element) ||
    has.links === 0 ||
    has.linked < has.text * 0.5 ||
    has.prose >= has.text * 0.1
  )
    return false;
  if (all(element, (each) => each.name === 'a').every(isToggle)) return false;
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
  return !isSaid(after) && (introduces.test(label) || !isSaid(label));
}

/** Marks headings of which all that is below them is left out. */
function dropHeadings(element: PageElement, following: PageElement | undefined): void {
  // An element can have only the heading of what follows it.
  const isHead = headingOf(element) !== undefined && following?.has.headings === 0 && following.has.text > 0;
  let below: 'nothing' | 'left out' | 'kept' = isHead ? 'kept' : 'nothing';
  let next = '';
  for (const child of element.children.toReversed()) {
    const level = (typeof child === 'object' && headingOf(child)?.name) || '';
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

/** The heading that an element is, or that is alone in it. */
export function headingOf(element: PageElement): PageElement | undefined {
  return alone(element, ({ name }) => isHeading(name));
}

function alone(element: PageElement, test: (each: PageElement) => boolean): PageElement | undefined {
  if (test(element)) return element;
  const { has, children } = element;
  const inner = children.find((child) => typeof child !== 'string' && child.has.text === has.text);
  return typeof inner === 'object' && has.text > 0 ? alone(inner, test) : undefined;
}

const lists = /^([uo]l|dl|table)$/;
/** How a line ends that says what follows. */
const introduces = /:\P{L}*$/u;

/** Whether a child is a list, also alone in a box, that the heading or line above it names, and doesn't announce as something else. */
function isOwnList(children: readonly PageElement[], at: number): boolean {
  if (!alone(children[at] as PageElement, ({ name }) => lists.test(name))) return false;
  let above = children[--at];
  while (above?.name === 'p' && !introduces.test(textOf(above))) above = children[--at];
  const label = above?.name === 'p' ? above : above && headingOf(above);
  return label !== undefined && !announces(label);
}

/** Whether a heading announces related things. The title says what the page itself is about. */
export function announces(heading: PageElement, hasText = true): boolean {
  if (heading.name === 'h1') return false;
  const title = textOf(heading).trim();
  return related.test(title) || (hasText && selected.test(title));
}

/** Parts of lists, which aren't judged one by one. */
const inList = new Set(['li', 'dt', 'dd']);

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
