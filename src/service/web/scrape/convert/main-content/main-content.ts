import type { Product } from '../../../../../contract/scrape/product.ts';
import { isLinkedHeading, measure } from '../page-tree/measure.ts';
import { all, isMain, lettersOf, type Measures, type PageElement, textOf } from '../page-tree/page-tree.ts';
import { dropBeside } from './beside.ts';
import { pruneEnds, sectionsAfter } from './ends.ts';
import { markBoilerplate, occasional, restore } from './marks.ts';
import { commentsProse, kindOf, type PageKind } from './page-kind.ts';
import { withMissingParts } from './product.ts';
import { dropMenus, dropRelated, dropRepeated, dropReviews, type IsOwn, pruned, pruneText } from './prune.ts';
import { innermost } from './structures.ts';
import { titleAndLead, titleOf, withTitle } from './title.ts';

export { markBoilerplate, markOccasional, minMost } from './marks.ts';
export { isLoginForm, visitorsProse } from './page-kind.ts';
export { productOf } from './product.ts';

/** What is known of a page besides its elements. */
interface Known {
  types: ReadonlySet<string>;
  /** What it is called, also with the name of the site. */
  names: readonly string[];
  product: Product | undefined;
  /** Whether it is a further part of another page. */
  isPart: boolean;
  isOwn: IsOwn;
  /** Whether a link, as written, leads to a place on the page. */
  isHere: (href: string) => boolean;
  /** Whether a link, as written, leads to the home page of the site from another page. */
  isHome: (href: string) => boolean;
}

/** Chooses the content of a page, which is measured with all that is in it: what is kept, in order. */
export function chooseContent(root: PageElement, known: Known, textOnly: boolean): PageElement[] {
  const { types, product, isPart } = known;
  const whole = root.has;
  markBoilerplate(root);
  measure(root);
  takeBack(root, whole);
  const kind = textOnly
    ? 'text'
    : kindOf(root, declaredRegion(root), innermost(root, regionShare), types, product !== undefined, isPart);
  const text = kind === 'text' && root.has.paragraphs > 0 ? textOfPage(root, known) : undefined;
  let content = text ?? partOfPage(root, kind, known);
  for (const each of content) measure(each);
  if (whole.text > 0 && content.every(({ has }) => has.text === 0)) {
    // Whatever the rules say, a page with text isn't empty.
    restore(root, (why) => !occasional.has(why));
    content = [root];
  }
  return kind === 'product' && product ? withMissingParts(product, content) : content;
}

/** The title, lead and paragraphs of a page that is a text; undefined if too much of it would go. */
function textOfPage(root: PageElement, { names, isOwn, isHere, isHome }: Known): PageElement[] | undefined {
  const inner = innermost(root, regionShare);
  const { title, own } = titleOf(root, inner, names, isHome);
  const region = own ? withTitle(inner, own) : inner;
  pruneText(region, isOwn);
  if (!isPlain(root)) {
    pruneEnds(region, own);
    dropBeside(region, isHere);
  }
  if (region.has.prose >= root.has.prose * 0.5)
    return [...titleAndLead(root, region, title), region, ...sectionsAfter(region)];
  restore(root, (why) => pruned.has(why));
  return undefined;
}

/** The part of a page that is no text, without what belongs to no page of its kind, below the page's title. */
function partOfPage(root: PageElement, kind: PageKind, { names, isOwn, isHome }: Known): PageElement[] {
  if (kind === 'thread') restore(root, (why) => why === 'comments');
  const region = declaredRegion(root);
  if (kind !== 'page' && kind !== 'thread') dropReviews(region);
  dropRelated(region);
  dropMenus(region, kind === 'thread' ? longestTitle : longestName);
  if (kind === 'product') {
    // Parts of a description that its tabs and buttons unfold.
    restore(region, (why) => why === 'folded');
    pruneText(region, isOwn);
  } else measure(region);
  if (kind !== 'text') dropRepeated(region, kind);
  if (kind === 'thread') return withThreadTitle(root, region, names, isHome);
  const { title } = titleOf(root, region, names, isHome);
  const isMissing = kind === 'page' && title && !isLinkedHeading(title);
  return isMissing && region !== root ? [...titleAndLead(root, region, title), region] : [region];
}

/** A thread below its title, also from a bar of the page around it or what is left out. */
function withThreadTitle(
  root: PageElement,
  region: PageElement,
  names: readonly string[],
  isHome: Known['isHome'],
): PageElement[] {
  const { own } = titleOf(root, root, names, isHome);
  if (own === undefined) return [region];
  const letters = lettersOf(textOf(own));
  const inRegion = all(region, ({ name }) => name === 'h1').filter((each) => lettersOf(textOf(each)) === letters);
  // A bar that stays in view repeats it.
  if (inRegion.length > 0 && !inRegion.includes(own)) return [region];
  const first = { ...own, leftOut: '' };
  own.leftOut = 'title';
  measure(region);
  return [first, region];
}

/**
 * Takes marks back if almost nothing is left of all that a page has, also beside its links: the rules mistook the content for
 * boilerplate. Names mislead more often than elements do; a page with almost no text is about its comments.
 */
function takeBack(root: PageElement, whole: Measures): void {
  for (const kept of [new Set([...occasional, 'comments', 'element']), new Set([...occasional, 'comments'])]) {
    const { text, linked } = root.has;
    const unlinked = text - linked + commentsProse(root);
    if (text >= whole.text * leastShare || unlinked >= (whole.text - whole.linked) * leastShare) break;
    restore(root, (why) => !kept.has(why));
  }
  if (root.has.text >= Math.min(minText, whole.text * leastShare)) return;
  restore(root, (why) => why === 'comments');
}

/** Share of the prose that the region of a text has. */
const regionShare = 0.8;
/** Share of a page's text that its content has at least. */
const leastShare = 0.1;
/** Characters of text from which a page can be a text with comments. */
const minText = 200;
/** Characters that links of menus have on average at most, and in threads the titles of others. */
const longestName = 20;
const longestTitle = 60;

/** Whether no name on a page says that it has other parts than its content. */
function isPlain({ children }: PageElement): boolean {
  return children.every((child) => typeof child === 'string' || (!telling.has(child.leftOut) && isPlain(child)));
}

const telling = new Set(['boilerplate', 'element', 'comments', 'form', 'dialog']);

/** The page's `main`, or its only article, if it has enough of the text. */
function declaredRegion(root: PageElement): PageElement {
  const mains = all(root, isMain).sort((a, b) => b.has.text - a.has.text);
  if (mains[0]) return mains[0].has.text >= root.has.text * 0.4 ? mains[0] : root;
  const [article, other] = all(root, ({ name }) => name === 'article');
  return article && !other && article.has.text >= root.has.text * 0.6 ? article : root;
}
