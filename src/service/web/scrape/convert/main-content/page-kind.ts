import { isHeading, isLinkedHeading, measure, sumOf } from '../page-tree/measure.ts';
import { all, buildOf, elementsIn, type PageElement, some, walk } from '../page-tree/page-tree.ts';
import { isHidden } from './boilerplate.ts';

/** What kind of page it is; `page`: another one. */
export type PageKind = 'text' | 'thread' | 'product' | 'list' | 'page';

/** Characters of prose up to which a page with more in its comments is about these. */
const shortText = 1500;
/** Share of a page's text that makes it a list if it is in cards, and a text if it is prose. */
const minCardShare = 0.65;
/** Share of text in cards up to which comments can be what a page is about. */
const maxCardShare = 0.3;
const minProseShare = 0.6;

/**
 * Returns what kind of page it is, from what it declares and what the pass measured.
 * @param region what the page declares as its content
 * @param isPart whether it is a further part of another page, by its URL
 * @param text the element that has almost all of its prose: links beside that say nothing about what the page is
 */
export function kindOf(
  root: PageElement,
  region: PageElement,
  text: PageElement,
  types: ReadonlySet<string>,
  hasProduct: boolean,
  isPart: boolean,
): PageKind {
  // What it is a part of is on the first page.
  if (isPart && commentsProse(root) > 0) return 'thread';
  const declares = (pattern: RegExp) => [...types].some((type) => pattern.test(type));
  const isArticle = declares(/^((?!Tech)\w*Article|BlogPosting|Report)$/);
  if (isArticle) return 'text';
  if (declares(/^(DiscussionForumPosting|QAPage|UserComments)$/)) return 'thread';
  // What customers wrote about a product looks like posts.
  if (hasProduct || declares(/^(product\.item|og:product)$/)) return 'product';
  if (declares(/^(CollectionPage|ItemList|product\.group)$/)) return 'list';
  const { prose } = root.has;
  const inCards = cardShare(region);
  const isAboutComments = prose < shortText && inCards <= maxCardShare && commentsProse(root) > prose;
  if ((isAboutComments || postsProse(root) > prose * minProseShare) && !types.has('article')) return 'thread';
  if (inCards > minCardShare) return 'list';
  // Some shops call all of their pages a product.
  if (types.has('product')) return 'product';
  // What has as many headings that lead elsewhere as paragraphs is teasers of other texts.
  const isText = text.has.prose > text.has.text * minProseShare && text.has.linkedHeadings < text.has.paragraphs;
  return isText && text.has.prose >= (root.has.text - root.has.linked) * 0.5 ? 'text' : 'page';
}

/** Characters of prose in what readers wrote below a text. */
export function commentsProse(element: PageElement): number {
  let sum = 0;
  walk(element, ({ leftOut, has }) => {
    if (leftOut === 'comments') sum += has.prose;
    return leftOut === '';
  });
  return sum;
}

const isForm = ({ name }: PageElement) => name === 'form';

/** Characters of prose that visitors wrote and that is left out, without that of forms. */
export function visitorsProse(root: PageElement): number {
  let sum = 0;
  walk(root, (each) => {
    const isTheirs = /^(comments|reviews)$/.test(each.leftOut) && !isForm(each);
    if (isTheirs) {
      measure(each);
      sum += each.has.prose - sumOf(all(each, isForm), 'prose');
    }
    return isTheirs || each.leftOut === '';
  });
  return sum;
}

/**
 * Prose of what looks like posts: siblings that are alike, with one heading at most, each with its time or author. Two are
 * enough if each has its own number and address.
 */
function postsProse(element: PageElement): number {
  const children = elementsIn(element);
  const posts = children.filter((child) => child.has.text > 0 && child.has.headings < 2);
  const threads = [...Map.groupBy(posts, buildOf).values()]
    .filter((alike) => alike.some(({ has }) => has.paragraphs > 0))
    .map((alike) => alike.filter((each) => some(each, signs)))
    .filter((alike) => alike.length >= 3 || (alike.length === 2 && alike.every(hasAddress)));
  const own = threads.map((alike) => sumOf(alike, 'prose'));
  const inner = own.length > 0 ? [] : children.filter(({ has }) => has.paragraphs > 0).map(postsProse);
  return Math.max(0, ...own, ...inner);
}

/** Whether an element has an id with a number, as of a post, and a link to that. */
function hasAddress(element: PageElement): boolean {
  const number = /\d+$/.exec(element.attributes.id ?? '')?.[0];
  const isOwn = ({ name, attributes: { href = '' } }: PageElement) =>
    name === 'a' && /#[^#]*?(\d+)$/.exec(href)?.[1] === number;
  return number !== undefined && some(element, isOwn);
}

const author = /(^|[-_ ])(author|user(name)?|poster|posted|postdetails|member)([-_ ]|$)/i;

/** Whether an element says who wrote something, or when. */
export function signs({ name, attributes: { class: classes = '', itemprop = '' } }: PageElement): boolean {
  return name === 'time' || author.test(classes) || author.test(itemprop);
}

/** Share of the text that is in cards. */
function cardShare(region: PageElement): number {
  let inCards = 0;
  (function visit(element: PageElement) {
    const children = elementsIn(element);
    const cards = new Set(cardGroups(children, 4).flat());
    for (const child of children)
      if (cards.has(child)) inCards += child.has.text;
      else visit(child);
  })(region);
  return inCards / Math.max(1, region.has.text);
}

/** Characters of prose that a card can have. */
const maxCardProse = 300;
/** Share of a card's other text that leads elsewhere. */
const minLinkedShare = 0.5;

/**
 * Groups of siblings that are alike and lead elsewhere: what isn't prose in them is a picture or heading, mostly linked.
 * @param least siblings in a group
 * @param longest characters of prose in a card
 */
export function cardGroups(children: readonly PageElement[], least: number, longest = maxCardProse): PageElement[][] {
  const cards = children.filter((child) => child.leftOut === '' && isCard(child, longest));
  return [...Map.groupBy(cards, ({ name }) => name).values()].filter(({ length }) => length >= least);
}

function isCard({ name, has }: PageElement, longest: number): boolean {
  // The heading of a section, unlike that of a card, leads nowhere.
  const leads = has.headings > 0 ? has.linkedHeadings > 0 : has.images > 0;
  if (has.links === 0 || !leads || name === 'p' || name === 'figure') return false;
  return has.prose <= longest && has.linked >= (has.text - has.prose) * minLinkedShare;
}

/** Characters of text beside which a password field is still what a page is about. */
const maxText = 600;
/** Links after a password field up to which a page without headings can be about that: a login box has menus and lists below it. */
const maxLinks = 5;
/** What has a login on every page of a site. */
const aside = new Set(['header', 'nav', 'footer', 'aside', 'dialog', 'template', 'noscript']);
/** Why forms, which may be the content, aren't part of the text. */
const ofForms = new Set(['', 'form', 'control']);

/**
 * Whether a page is mainly a login: it asks for a password in its content, and says little else. Where a site has a login box on
 * each page, the heading comes below it.
 * @param text characters of its content
 * @param isNamed whether its title or URL says that it is one
 */
export function isLoginForm(root: PageElement, text: number, isNamed: boolean): boolean {
  const marks = text > maxText ? [] : loginMarks(root);
  const field = marks.lastIndexOf('input');
  if (field === -1 || isNamed) return field !== -1;
  const [highest] = marks.filter((name) => isHeading(name)).sort();
  return highest ? marks.indexOf(highest) < field : marks.length - field - 1 <= maxLinks;
}

/** Returns, in their order, password fields, headings that lead nowhere, and links, also those in menus that are left out. */
function loginMarks({ children }: PageElement, isContent = true, marks: string[] = []): string[] {
  for (const child of children) {
    if (typeof child === 'string' || aside.has(child.name) || isHidden(child)) continue;
    const { name, attributes, leftOut } = child;
    const isPart = isContent && ofForms.has(leftOut);
    const isField = name === 'input' && /^password$/i.test(attributes.type ?? '');
    const isMark = isField || (isHeading(name) && name < 'h4' && !isLinkedHeading(child));
    if (name === 'a' || (isPart && isMark)) marks.push(name);
    loginMarks(child, isPart, marks);
  }
  return marks;
}
