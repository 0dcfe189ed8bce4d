import { dropBeside } from './beside.ts';
import { keepMarked, markBoilerplate, occasional } from './marks.ts';
import { measure } from './measure.ts';
import { commentsProse, kindOf, type PageKind } from './page-kind.ts';
import { all, elementsIn, isMain, type Measures, type PageElement } from './page-tree.ts';
import { dropMenus, dropRelated, dropReviews, type IsOwn, pruned, pruneEnds, pruneText } from './prune.ts';
import { titleAndLead } from './title.ts';

interface Choice {
  /** What is kept, in order, without what is marked as left out. */
  content: PageElement[];
  kind: PageKind;
}

/** What is known of a page besides its elements. */
interface Known {
  types: ReadonlySet<string>;
  /** What it is called, also with the name of the site. */
  names: readonly string[];
  hasProduct: boolean;
  isOwn: IsOwn;
}

/** Chooses the content of a page, which is measured with all that is in it. */
export function chooseContent(
  root: PageElement,
  { types, names, hasProduct, isOwn }: Known,
  textOnly: boolean,
): Choice {
  const all = root.has;
  markBoilerplate(root);
  measure(root);
  takeBack(root, all);
  const declared = declaredRegion(root);
  const kind = textOnly ? 'text' : kindOf(root, declared, proseRegion(root), types, hasProduct);
  if (kind === 'thread') {
    keepMarked(root, (why) => why === 'comments');
    measure(root);
    const region = declaredRegion(root);
    dropRelated(region);
    dropMenus(region, longestTitle);
    return { content: [region], kind };
  }
  if (kind === 'text' && root.has.paragraphs > 0) {
    const region = proseRegion(root);
    pruneText(region, isOwn);
    measure(region);
    if (!isPlain(root)) {
      pruneEnds(region);
      measure(region);
      dropBeside(region);
    }
    measure(region);
    if (region.has.prose >= root.has.prose * 0.5) {
      return { content: [...titleAndLead(root, region, names), region], kind };
    }
    // Too much went: this is no single text.
    keepMarked(root, (why) => pruned.has(why));
    measure(root);
  }
  if (kind !== 'page') dropReviews(declared);
  dropRelated(declared);
  dropMenus(declared);
  if (kind === 'product') {
    // Parts of a description that its tabs and buttons unfold.
    keepMarked(declared, (why) => why === 'folded');
    measure(declared);
    pruneText(declared, isOwn);
    measure(declared);
    if (declared.has.text === 0) keepMarked(declared, (why) => pruned.has(why));
  }
  return { content: [declared], kind };
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
    keepMarked(root, (why) => !kept.has(why));
    measure(root);
  }
  if (root.has.text >= Math.min(minText, whole.text * leastShare)) return;
  keepMarked(root, (why) => why === 'comments');
  measure(root);
}

/** Share of a page's text that its content has at least. */
const leastShare = 0.1;
/** Characters of text from which a page can be a text with comments. */
const minText = 200;
/** Characters that the titles of other threads have on average. */
const longestTitle = 60;

/** Whether nothing on a page says that it has other parts than its content: neither names nor menus. */
function isPlain({ children, has }: PageElement): boolean {
  if (has.links >= menuLinks && has.linked >= has.text * 0.8) return false;
  return children.every((child) => typeof child === 'string' || (!telling.has(child.leftOut) && isPlain(child)));
}

const menuLinks = 4;
const telling = new Set(['boilerplate', 'element', 'comments', 'form', 'dialog']);

/** The page's `main`, or its only article, if it has enough of the text. */
export function declaredRegion(root: PageElement): PageElement {
  const mains = all(root, isMain).sort((a, b) => b.has.text - a.has.text);
  if (mains[0]) return mains[0].has.text >= root.has.text * 0.4 ? mains[0] : root;
  const articles = all(root, (e) => e.name === 'article');
  const [article] = articles;
  return article && articles.length === 1 && article.has.text >= root.has.text * 0.6 ? article : root;
}

/** Share of the prose that the region of a text has. */
const regionShare = 0.8;

const lists = new Set(['ul', 'ol', 'dl']);

/** The smallest element that has almost all of the prose. A list isn't one: what stands beside it belongs to the same text. */
export function proseRegion(root: PageElement): PageElement {
  let region = root;
  for (;;) {
    const inner = elementsIn(region).find(({ has }) => has.prose >= region.has.prose * regionShare);
    if (!inner || inner.has.paragraphs < 2 || inner.name === 'p' || lists.has(inner.name)) return region;
    region = inner;
  }
}
