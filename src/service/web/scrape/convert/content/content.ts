import { isFurtherPart } from '../../list-parts.ts';
import { isLoginPath, isLoginTitle } from '../../login-words.ts';
import {
  chooseContent,
  isLoginForm,
  markBoilerplate,
  markOccasional,
  minMost,
  productOf,
  visitorsProse,
} from '../main-content/main-content.ts';
import { writeMarkdown } from '../markdown/markdown.ts';
import { takeNotes } from '../notes/notes.ts';
import { collectUrls } from '../page-tree/content-urls.ts';
import { completeFormulas } from '../page-tree/formulas.ts';
import { completeImages } from '../page-tree/images.ts';
import { measure, sumOf } from '../page-tree/measure.ts';
import { type PageElement, readTree, walk } from '../page-tree/page-tree.ts';
import { labelTabs } from '../page-tree/tabs.ts';
import { createPageUrls } from '../page-tree/urls.ts';
import type { Matcher } from '../selectors/selectors.ts';
import { leftOutOf } from './left-out.ts';
import { listedLinks } from './listed-links.ts';
import { placesOf } from './page-places.ts';
import { writeHtml } from './write-html.ts';

/** Options of reading a page. */
export interface ReadOptions {
  /** Base URL for relative URLs. */
  url: string;
  encoding?: string | undefined;
  /** `all`: the whole page. `main`: its main content. `text`: of any page, only its article. */
  extent: 'all' | 'main' | 'text';
  include?: Matcher | undefined;
  exclude?: Matcher | undefined;
  removeBase64Images: boolean;
}

/** The result of reading a page. */
export type PageReading = ReturnType<typeof readPage>;

/** Reads a page in one pass, and chooses its content from what the pass measured. */
export function readPage(source: string, { url, encoding, extent, include, exclude, removeBase64Images }: ReadOptions) {
  const urls = createPageUrls(url, encoding);
  const notes = takeNotes(urls);
  const { root, pictures, formulas, switches, cut } = readTree(source, notes, exclude);
  completeImages(pictures);
  completeFormulas(formulas);
  labelTabs(root, switches);
  measure(root);
  const isAllInDialog = markOccasional(root, extent !== 'all');
  measure(root);
  const all = root.has;
  const product = productOf(notes.linkedData, notes.microdata, urls, urls.link(url) ?? '');
  let content = [root];
  if (include) {
    content = outermost(root, include);
    if (extent !== 'all') for (const each of content) markBoilerplate(each);
    for (const each of content) measure(each);
  } else if (extent !== 'all') {
    const { types, metadata } = notes;
    const names = [metadata.ogTitle, metadata.title].flatMap((name) => name ?? []);
    // A copy of a page, such as one in an archive or a file, leads to the site that it names as its own.
    const addresses = [url, metadata.canonical, metadata.ogUrl].flatMap((address) => address ?? []);
    const sites = new Set(addresses.map((address) => siteOf(urls.resolve(address))));
    const isOwn = (href: string) => sites.has(siteOf(urls.resolve(href)));
    const placeless = (href: string) => urls.resolve(href)?.href.split('#')[0];
    const isHere = (href: string) => href.startsWith('#') || (url !== '' && placeless(href) === placeless(url));
    const isHome = (href: string) => isOwn(href) && !isHere(href) && /^[^/]*\/\/[^/]*\/$/.test(placeless(href) ?? '');
    content = chooseContent(
      root,
      { types, names, product, isPart: isFurtherPart(url), isOwn, isHere, isHome },
      extent === 'text',
    );
  }
  /** Characters of text in the content. */
  const keptText = sumOf(content, 'text');
  const keptProse = sumOf(content, 'prose');
  return {
    /**
     * Writes the content, with its absolute http(s) links and images.
     * @param shape `text`: HTML with nothing but elements and images, to compare what pages say
     */
    write(shape: 'markdown' | 'html' | 'text') {
      const found = collectUrls(urls, removeBase64Images);
      const text = shape === 'markdown' ? writeMarkdown(content, found) : writeHtml(content, found, shape === 'text');
      return { text, links: unique(found.links), images: unique(found.images) };
    },
    keptText,
    /**
     * Share of the page's paragraphs that isn't in the content. A page has none if only a dialog over it has some, or if all they
     * say is a line, as in a footer.
     */
    leftOutShare: all.prose - keptProse < minMost || isAllInDialog ? 0 : 1 - keptProse / all.prose,
    /** Whether it has comments or reviews, with more than a line or a time, that aren't in its main content. */
    isWithoutVisitors: extent === 'main' && (visitorsProse(root) >= minMost || hasDatedVisitors(root)),
    /** What its main content leaves out, unless parts were selected. */
    leftOut: extent === 'main' && !include ? leftOutOf(root, content) : undefined,
    notes,
    product,
    /** Returns absolute http(s) links of the items of its content, if that is a list. */
    listed: (): string[] => unique(listedLinks(content).flatMap((href) => urls.link(href) ?? [])),
    /** Returns where its scripts may put content. To be called before the content is written. */
    places: (): string[] => [...placesOf(root), ...notes.scripts.data],
    /** Whether it is mainly a login. */
    isLogin: isLoginForm(
      root,
      keptText,
      isLoginTitle(String(notes.metadata.title)) || isLoginPath(URL.parse(url)?.pathname ?? ''),
    ),
    cut,
  };
}

/** Whether comments or reviews that are left out have a time, as one has that somebody wrote, however short it is. */
function hasDatedVisitors(root: PageElement): boolean {
  let isDated = false;
  walk(root, (each) => {
    const isTheirs = /^(comments|reviews)$/.test(each.leftOut);
    if (isTheirs)
      walk(each, ({ name }) => {
        isDated ||= name === 'time';
      });
    return !isTheirs && each.leftOut === '';
  });
  return isDated;
}

/** The elements that match, without those inside one. */
function outermost(root: PageElement, matches: Matcher): PageElement[] {
  const found: PageElement[] = [];
  walk(root, (each) => {
    const isFound = matches(each.name, each.attributes);
    if (isFound) found.push(each);
    return !isFound;
  });
  return found;
}

/** The host of a page, with or without `www`. */
function siteOf(url: URL | undefined): string | undefined {
  return url?.host.replace(/^www\./, '');
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
