import { cardGroups } from './cards.ts';
import { elementsIn, type PageElement } from './page-tree.ts';

/** What kind of page it is; `page`: another one. */
export type PageKind = 'text' | 'thread' | 'product' | 'list' | 'page';

/** Characters of prose up to which a page with more in its comments is about these. */
const shortText = 1500;
/** Share of a page's text that makes it a list if it is in cards, and a text if it is prose. */
const minCardShare = 0.65;
/** Share of text in cards up to which comments can be what a page is about. */
const maxCardShare = 0.3;
const minProseShare = { declared: 0.5, other: 0.6 };

/**
 * Returns what kind of page it is, from what it declares and what the pass measured.
 * @param region what the page declares as its content
 * @param text the element that has almost all of its prose: links beside that say nothing about what the page is
 */
export function kindOf(
  root: PageElement,
  region: PageElement,
  text: PageElement,
  types: ReadonlySet<string>,
  hasProduct: boolean,
): PageKind {
  const declares = (pattern: RegExp) => [...types].some((type) => pattern.test(type));
  const isArticle = declares(/^((?!Tech)\w*Article|BlogPosting|Report)$/);
  if (isArticle) return 'text';
  if (declares(/^(DiscussionForumPosting|QAPage|UserComments)$/)) return 'thread';
  // What customers wrote about a product looks like posts.
  if (hasProduct || declares(/^(product|product\.item|og:product)$/)) return 'product';
  if (declares(/^(CollectionPage|ItemList|product\.group)$/)) return 'list';
  const { prose } = root.has;
  const inCards = cardShare(region);
  const isAboutComments = prose < shortText && inCards <= maxCardShare && commentsProse(root) > prose;
  if ((isAboutComments || postsProse(root) > prose * 0.6) && !types.has('article')) return 'thread';
  if (inCards > minCardShare) return 'list';
  const isText = text.has.prose > text.has.text * (types.has('article') ? minProseShare.declared : minProseShare.other);
  return isText && text.has.prose >= (root.has.text - root.has.linked) * 0.5 ? 'text' : 'page';
}

/** Characters of prose in what readers wrote below a text. */
export function commentsProse(element: PageElement): number {
  let sum = 0;
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if (child.leftOut === 'comments') sum += child.has.prose;
    else if (child.leftOut === '') sum += commentsProse(child);
  }
  return sum;
}

/** Text of what looks like posts: siblings that are alike, of prose without headings, each with its time or author. */
function postsProse(element: PageElement): number {
  const children = elementsIn(element);
  const posts = children.filter((child) => child.has.paragraphs > 0 && child.has.headings < 2 && signed(child));
  const first = posts[0]?.attributes.class?.split(/\s+/)[0];
  const alike = posts.filter(
    (child) => child.name === posts[0]?.name && child.attributes.class?.split(/\s+/)[0] === first,
  );
  if (alike.length >= 3) return alike.reduce((sum, { has }) => sum + has.prose, 0);
  let most = 0;
  for (const child of children) if (child.has.paragraphs >= 3) most = Math.max(most, postsProse(child));
  return most;
}

const signature = /(^|[-_ ])(author|user(name)?|poster|posted|postdetails|member)([-_ ]|$)/i;

/** Whether an author or time is in an element, not deep in it. */
function signed(element: PageElement, depth = 8): boolean {
  return (
    depth > 0 &&
    elementsIn(element).some(
      (child) =>
        child.name === 'time' ||
        signature.test(child.attributes.class ?? '') ||
        signature.test(child.attributes.itemprop ?? '') ||
        signed(child, depth - 1),
    )
  );
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
