import { type Attributes, all, type PageElement } from '../page-tree/page-tree.ts';

/** The context of an element in the page. */
export interface Surroundings {
  /** Inside `main` or `article`. */
  inMain: boolean;
  inQuote: boolean;
  /** It has headings, and no links: a menu of dishes is content, one of links isn't. */
  isText: boolean;
}

const words = (text: string) => new Set(text.trim().split(/\s+/));

const roles = words(
  `banner navigation contentinfo complementary search dialog alertdialog menu menubar toolbar tooltip`,
);
/** Form controls, which have no content to read. */
const controls = words(`button select textarea input datalist meter progress clipboard-copy`);

/** Class names and ids that sites commonly use for boilerplate, matched in full. */
const names = words(`
  nav nav-bar main-nav site-nav primary-nav top-nav topnav sidenav side-nav mobile-nav page-nav offcanvas hamburger
  site-header global-header page-header-nav masthead topbar top-bar header-bar colophon side-bar pagination pager prev-next
  share sharing share-buttons share-bar social social-media social-links social-share social-icons sharedaddy addtoany
  ad ads advertising ad-container ad-slot adsbygoogle sponsored sponsor-box overlay signup-form mailing-list
  related related-posts related-articles related-content recommended recommendations read-next you-may-also-like more-stories
  skip-link skip-to-content skip-nav search-form search-box searchbox site-search back-to-top scroll-to-top noprint
  signature post-signature header-anchor
`);
/** Those of what isn't part of the text that it stands in: for screen readers, and to edit a section of a wiki. */
const besideText = words('sr-only visually-hidden screen-reader-text mw-editsection');
/** Parts of names of dialogs. */
const dialogNames = /(^|[\s_-])(modal|popup|lightbox|cookies?|consent|gdpr|onetrust|cmplz)([\s_-]|$)/i;
/** How names of what readers wrote below a text begin. */
const commentNames = /(^|[-_])comments?([-_]|$)|^commentlist$|^respond$|disqus/i;
/** Names that count as boilerplate only outside `main` and `article`. */
const outsideOnly = words(`header page-header top bottom side widgets widget-area toolbar`);
/** Parts of names that tell of boilerplate wherever they are. */
const tellingParts =
  /(^|[-_])(footer|newsletters?|breadcrumbs?|advert(s|isements?)?|sidebar|promo|banner|subscribe|navigation|navbar)([-_]|$)/i;
const menuParts = /(^|[-_])menu([-_]|$)/i;

const admonition = /\b(note|tip|warning|caution|danger|info|important|admonition|callout|alert|hint|example)\b/i;
/** Names count only on containers: a `code` or `span` element with class "menu" isn't a menu. */
const containers = words(`div section ul ol aside header footer nav form table p dialog figure iframe center`);
const anchorNames =
  /(^|\s)(anchor|headerlink|header-anchor|hash-link|heading-anchor|anchorjs-link|anchor-link|headinglink)(\s|$)/;

/** Returns whether an element is boilerplate, to be left out with its content. */
export function isBoilerplate(name: string, attributes: Attributes, where: Surroundings): boolean {
  switch (name) {
    case 'nav':
    case 'dialog':
    case 'menu':
      return true;
    case 'aside':
      return !where.inMain || !admonition.test(`${attributes.class} ${attributes.role}`);
    case 'header':
      return !where.inMain;
    case 'footer':
      return !where.inQuote;
    case 'main':
    case 'article':
    case 'body':
    case 'html':
      return false;
  }
  const { role } = attributes;
  if (role === 'main') return false;
  if (role !== undefined && roles.has(role)) return true;
  return containers.has(name) && tokensOf(attributes).some((token) => isBoilerplateName(token, where));
}

/** What an element is called. */
function tokensOf({ class: classes, id }: Attributes): string[] {
  const tokens = classes ? classes.split(/\s+/) : [];
  return id ? [id, ...tokens] : tokens;
}

function isBoilerplateName(token: string, where: Surroundings): boolean {
  const lower = token.toLowerCase();
  if (names.has(lower) || (!where.inMain && outsideOnly.has(lower))) return true;
  return [token, token.replace(/([a-z])([A-Z])/g, '$1-$2')].some(
    (written) => tellingParts.test(written) || (!where.isText && menuParts.test(written)),
  );
}

/** Returns whether an element is a dialog, such as one that asks for consent. */
export function isDialog(name: string, { class: classes = '', id = '', role }: Attributes): boolean {
  if (name === 'dialog' || role === 'dialog' || role === 'alertdialog') return true;
  return containers.has(name) && dialogNames.test(`${id} ${classes}`);
}

/** Returns whether an element holds what readers wrote below a text. */
export function isComments(name: string, attributes: Attributes): boolean {
  if (!containers.has(name) && name !== 'li' && name !== 'article') return false;
  return tokensOf(attributes).some((token) => commentNames.test(token));
}

/** Returns whether an element is a form control. */
export function isControl(name: string): boolean {
  return controls.has(name);
}

/** Returns whether an element is invisible. A hidden tab is content: its visitors can open it. */
export function isHidden(name: string, attributes: Attributes): boolean {
  return attributes.role !== 'tabpanel' && isConcealed(name, attributes);
}

/** Returns whether an element isn't shown at first. */
export function isConcealed(name: string, attributes: Attributes): boolean {
  if (attributes.hidden !== undefined && attributes.hidden !== 'until-found') return true;
  const { style } = attributes;
  if (style !== undefined && /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)) return true;
  // Pages set aria-hidden on all their content while a dialog is open: trust it only on small elements.
  return attributes['aria-hidden'] === 'true' && (name === 'a' || name === 'span' || name === 'i');
}

/** Returns whether an element isn't part of the text that it stands in. */
export function isBesideText(name: string, attributes: Attributes): boolean {
  return (containers.has(name) || name === 'span') && tokensOf(attributes).some((token) => besideText.has(token));
}

/** Returns whether an element is a heading's anchor link. */
export function isAnchor(name: string, { class: classes = '' }: Attributes): boolean {
  return name === 'a' && anchorNames.test(classes);
}

/** Parts of names of lists of languages. */
const languageNames = /(^|[_-])(lang(uage)?s?|interlanguage|interwiki|locales?|translations?)([_-]|$)/i;
/** Text beside the links of a menu, such as its label, in characters. */
const longestLabel = 30;
const longestName = 15;

/** Whether an element only leads to the same page in other languages: links, with no more than a label. */
export function isLanguageMenu(element: PageElement): boolean {
  const { name, attributes, has } = element;
  if (has.links < 2 || has.prose > 0 || has.headings > 0 || has.text - has.linked > longestLabel) return false;
  if (/^(table|t[hdr]|tbody|thead)$/.test(name)) return false;
  if (tokensOf(attributes).some((token) => languageNames.test(token))) return true;
  const links = all(element, ({ name }) => name === 'a');
  const languages = new Set(links.map(({ attributes: { hreflang, lang } }) => hreflang ?? lang));
  return !languages.has(undefined) && languages.size > 1 && has.linked <= links.length * longestName;
}
