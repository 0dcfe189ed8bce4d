import { isHeading } from '../page-tree/measure.ts';
import { elementsIn, lettersOf, type PageElement, some, textOf } from '../page-tree/page-tree.ts';

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

const admonition =
  /\b(note|tip|warning|caution|danger|info|important|admonition|callout|alert|hint|example|version(added|changed|removed)|deprecated)\b/i;
/** Names count only on containers: a `code` or `span` element with class "menu" isn't a menu. */
const containers = words(`div section ul ol aside header footer nav form table p dialog figure iframe center`);
const anchorNames =
  /(^|\s)(anchor|headerlink|header-anchor|hash-link|heading-anchor|anchorjs-link|anchor-link|headinglink)(\s|$)/;

/** Returns whether an element is boilerplate, to be left out with its content. */
export function isBoilerplate(element: PageElement, inMain: boolean, inQuote: boolean): boolean {
  const { role } = element.attributes;
  switch (element.name) {
    case 'nav':
    case 'dialog':
    case 'menu':
      return true;
    case 'aside':
      return !inMain || !(isQuoteOrNote(element) || isAdmonition(element));
    case 'header':
      return !inMain && element.parent?.name !== 'section';
    case 'footer':
      return !inQuote;
    case 'main':
    case 'article':
    case 'body':
    case 'html':
      return false;
  }
  if (role === 'main') return false;
  if (role !== undefined && roles.has(role)) return true;
  // A menu of dishes, unlike one of links, has headings.
  const isText = element.has.links === 0 && element.has.headings > 0;
  return containers.has(element.name) && isNamed(element, (name) => isBoilerplateName(name, inMain, isText));
}

/** Whether an element is named as a note of a text. */
export function isAdmonition({ attributes: { class: classes, role } }: PageElement): boolean {
  return admonition.test(`${classes} ${role}`);
}

/** An aside of a text: a quote, or noted sentences. */
function isQuoteOrNote(element: PageElement): boolean {
  const { has } = element;
  const isNote = has.prose >= has.text * 0.5;
  return has.headings === 0 && (isNote || some(element, ({ name }) => name === 'blockquote'));
}

/** Whether a class of an element passes a test, or its id, unless this only repeats its heading, as that of a section about "cookies" does. */
function isNamed(element: PageElement, test: (name: string) => boolean): boolean {
  const { class: classes, id } = element.attributes;
  if (classes?.split(/\s+/).some(test)) return true;
  if (id === undefined || !test(id)) return false;
  const [heading] = elementsIn(element);
  return heading === undefined || !isHeading(heading.name) || lettersOf(textOf(heading)) !== lettersOf(id);
}

function isBoilerplateName(name: string, inMain: boolean, isText: boolean): boolean {
  const lower = name.toLowerCase();
  if (names.has(lower) || (!inMain && outsideOnly.has(lower))) return true;
  return [name, name.replace(/([a-z])([A-Z])/g, '$1-$2')].some(
    (written) => tellingParts.test(written) || (!isText && menuParts.test(written)),
  );
}

/** Returns whether an element is a dialog, such as one that asks for consent. */
export function isDialog(element: PageElement): boolean {
  const { name, attributes } = element;
  if (name === 'dialog' || attributes.role === 'dialog' || attributes.role === 'alertdialog') return true;
  return containers.has(name) && isNamed(element, (each) => dialogNames.test(each));
}

/** Returns whether an element holds what readers wrote below a text. */
export function isComments(element: PageElement): boolean {
  const { name } = element;
  if (!containers.has(name) && name !== 'li' && name !== 'article') return false;
  return isNamed(element, (each) => commentNames.test(each));
}

/** Returns whether an element is a form control. */
export function isControl(name: string): boolean {
  return controls.has(name);
}

/** Returns whether an element is invisible. A hidden tab is content: its visitors can open it. */
export function isHidden(element: PageElement): boolean {
  return element.attributes.role !== 'tabpanel' && isConcealed(element);
}

/** Returns whether an element isn't shown at first. */
export function isConcealed({ name, attributes }: PageElement): boolean {
  const { hidden, style } = attributes;
  if (hidden !== undefined && hidden !== 'until-found') return true;
  if (style !== undefined && /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)) return true;
  // Pages set aria-hidden on all their content while a dialog is open: trust it only on small elements.
  return attributes['aria-hidden'] === 'true' && (name === 'a' || name === 'span' || name === 'i');
}

/** Returns whether an element isn't part of the text that it stands in. */
export function isBesideText(element: PageElement): boolean {
  return (containers.has(element.name) || element.name === 'span') && isNamed(element, (each) => besideText.has(each));
}

/** Returns whether an element is a heading's anchor link. Some sites make all of a heading a link to itself. */
export function isAnchor(element: PageElement): boolean {
  const { name, attributes, parent = element } = element;
  return name === 'a' && anchorNames.test(attributes.class ?? '') && textOf(element).trim() !== textOf(parent).trim();
}
