import { cardGroups } from './cards.ts';
import { isHeading } from './measure.ts';
import { elementsIn, type PageElement, textOf } from './page-tree.ts';
import { isDataTable } from './tables.ts';

/** Marks that measures made, unlike elements and names. */
export const pruned = new Set(['links', 'cards', 'related', 'head', 'tail']);

const related =
  /^(related|recommended|read (more|next|also)|more (from|on|in|stories|news|like|articles|posts|about|by)|you (may|might) (also )?(like|enjoy|be interested)|also (read|on)|see also|what to read next|up next|share|follow|subscribe|sign up|newsletter|comments?|leave a|join the|about the author|tags?:?$|filed under|further reading|keep reading|don.t miss|around the web|sponsored|advertisement)(?![\p{L}\p{N}])/iu;
/** Related things where a page has a text that they can be related to; elsewhere, what the page consists of. */
const selected =
  /^(latest|recent|popular|trending|most (read|popular|viewed)|topics|similar|featured)(?![\p{L}\p{N}])/iu;
/** Share of prose below which a page has no such text. */
const minProseShare = 0.3;

/** Marks what measures say isn't part of a text. */
export function pruneText(region: PageElement): void {
  const whole = region.has.prose;
  visit(region);

  function visit(element: PageElement): void {
    const children = elementsIn(element);
    for (const [at, child] of children.entries()) {
      const { has, name } = child;
      if (isWhole(child) || inList.has(name) || isOwnList(children, at)) continue;
      if (
        // What has the title is judged part by part.
        has.marks === 0 &&
        has.links > 0 &&
        has.linked >= has.text * 0.5 &&
        has.prose < has.text * 0.1 &&
        name !== 'a' &&
        name !== 'p' &&
        name !== 'span'
      ) {
        child.leftOut = 'links';
      }
    }
    dropCards(children);
    for (const [at, child] of children.entries())
      if (child.leftOut === '' && !isWhole(child) && !isOwnList(children, at)) visit(child);
  }

  function dropCards(children: PageElement[]): void {
    for (const group of cardGroups(children, 3)) {
      const prose = group.reduce((sum, { has }) => sum + has.prose, 0);
      if (prose < whole * 0.4) for (const child of group) child.leftOut = 'cards';
    }
  }
}

const lists = /^([uo]l|dl|table)$/;

/** Whether a child is a list that the heading above it names, and doesn't announce as something else. */
function isOwnList(children: readonly PageElement[], at: number): boolean {
  if (!lists.test(children[at]?.name ?? '')) return false;
  let above = children[--at];
  while (above?.name === 'p') above = children[--at];
  return above !== undefined && isHeading(above.name) && above.has.links === 0 && !announces(above);
}

/** Whether a heading announces related things. The title says what the page itself is about. */
function announces(heading: PageElement, hasText = true): boolean {
  if (heading.name === 'h1') return false;
  const title = textOf(heading).trim();
  return related.test(title) || (hasText && selected.test(title));
}

/** Parts of lists, which aren't judged one by one. */
const inList = new Set(['li', 'dt', 'dd']);

/** A heading, code, or a table of data, whose cells aren't judged one by one. */
function isWhole(element: PageElement): boolean {
  return isHeading(element.name) || element.name === 'pre' || (element.name === 'table' && isDataTable(element));
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

/** Marks paragraphs that are on the page already, as in carousels and in versions for other screens. */
export function dropRepeated(element: PageElement, seen = new Set<string>()): void {
  for (const child of elementsIn(element)) {
    if (child.has.prose >= 60 && child.has.paragraphs === 1 && child.has.prose === child.has.text) {
      const text = textOf(child).replace(/\s+/g, ' ').trim();
      if (seen.has(text)) child.leftOut = 'repeated';
      seen.add(text);
    } else if (child.has.prose > 0) dropRepeated(child, seen);
  }
}

/** Marks blocks of short links, as in menus: of fewer characters than `longest` on average. */
export function dropMenus(region: PageElement, longest = 20): void {
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
  const text = menus.reduce((sum, { has }) => sum + has.text, 0);
  if (text < region.has.text * 0.5) for (const menu of menus) menu.leftOut = 'menu';
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
  const first = children.findIndex(
    (child) => child.leftOut === '' && isHeading(child.name) && announces(child, hasText),
  );
  if (first === -1) return;
  const rest = children.slice(first + 1);
  const next = rest.findIndex(({ name }) => isHeading(name));
  const section = [children[first], ...(next === -1 ? rest : rest.slice(0, next))].filter((c) => c !== undefined);
  const sum = (of: 'prose' | 'text' | 'linked') => section.reduce((total, { has }) => total + has[of], 0);
  // A heading of the text itself can begin with the same words.
  const isEmpty = sum('prose') === 0 && !section.some(({ name }) => lists.test(name));
  const leadsElsewhere = isEmpty || sum('linked') >= sum('text') * 0.3;
  if (leadsElsewhere && sum('prose') < whole * 0.3) for (const child of section) child.leftOut = 'related';
}

/** Marks what stands before the first and after the last paragraph of a text, except headings and pictures. */
export function pruneEnds(region: PageElement): void {
  const leaves: { element: PageElement; prose: boolean }[] = [];
  collect(region);
  const first = leaves.findIndex(({ prose }) => prose);
  const last = leaves.findLastIndex(({ prose }) => prose);
  if (first === -1) return;
  for (const { element } of leaves.slice(0, first)) dropHead(element);
  // A heading goes with all that is below it.
  let below: 'none' | 'left out' | 'kept' = 'none';
  for (const { element } of leaves.slice(last + 1).toReversed()) {
    const isKept = isHeading(element.name) ? below === 'kept' : keeps(element);
    if (!isKept) element.leftOut = 'tail';
    if (!isKept && below === 'none') below = 'left out';
    else if (isKept && !isHeading(element.name)) below = 'kept';
  }
  /** Leaves the headings in it, unless they lead elsewhere. */
  function dropHead(element: PageElement): void {
    if (keeps(element)) return;
    if (element.has.headings === 0 || element.has.linkedHeadings > 0) element.leftOut = 'head';
    else elementsIn(element).forEach(dropHead);
  }
  function keeps(element: PageElement): boolean {
    return (
      isHeading(element.name) ||
      /^(figure|img|table|pre|ul|ol|dl|math|blockquote)$/.test(element.name) ||
      (element.name === 'p' && element.has.linked <= element.has.text * 0.5) ||
      (element.has.text === 0 && element.has.images > 0)
    );
  }
  function collect(element: PageElement): void {
    for (const child of elementsIn(element)) {
      if (child.has.paragraphs > 0 && child.name !== 'p' && !isWhole(child)) {
        if (elementsIn(child).some(({ has }) => has.paragraphs > 0)) collect(child);
        else leaves.push({ element: child, prose: true });
      } else leaves.push({ element: child, prose: child.has.paragraphs > 0 });
    }
  }
}
