import type { Product } from '../../../../contract/scrape/product.ts';
import type { ScrapeDocument } from '../../../../contract/scrape/scrape.ts';
import type { MoreButton } from '../../../browsers/page/next-rows.ts';
import { type PageReading, readPage } from './content/content.ts';
import type { ChoiceForm, PostedPages } from './notes/choice-forms.ts';
import type { PageMetadata } from './notes/page-metadata.ts';
import type { BrowserNeed } from './notes/page-scripts.ts';
import { subjectTypes } from './notes/subjects.ts';
import { placeStreamedParts } from './page-tree/streamed-parts.ts';
import { selectTags } from './selectors/tree-selectors.ts';
import { type Wording, wordingOf } from './wording.ts';

/** Options of a conversion. */
export interface ConvertOptions {
  /** The page's URL. */
  url: string;
  /** The page's encoding, which is that of its bytes only as it was fetched. */
  encoding?: string | undefined;
  onlyMainContent: boolean;
  onlyCleanContent: boolean;
  includeTags?: readonly string[] | undefined;
  excludeTags?: readonly string[] | undefined;
  removeBase64Images: boolean;
  /** Whether to produce these formats, which are expensive. */
  markdown: boolean;
  html: boolean;
  /** Whether to return the product of its structured data. */
  product?: boolean;
  /** Whether to produce a sketch, to compare a fetched page with a rendered one. */
  sketch?: boolean;
  /** Whether to return what the content says, to compare pages with each other. */
  wording?: boolean;
  /** Whether to return where the items of a list lead. */
  listed?: boolean;
  /** Whether to return the types of what the page is about. */
  subjects?: boolean;
}

/** What tells pages alike and what rendering changes: the text of its content, and how many links and images it has. */
export interface PageSketch {
  text: string;
  links: number;
  images: number;
  /** What the page's scripts and frames are, without the data in them. */
  scripts: string;
  /** Where scripts may put content, without what differs from page to page. */
  places: string[];
}

/** A converted page, from which a document is made. */
export interface ConvertedPage {
  markdown?: string;
  html?: string;
  /** Links and images of the content. */
  contentLinks: string[];
  images: string[];
  /** Links of the whole page. */
  links: string[];
  /** Its feeds, if it declares some. */
  feeds?: string[] | undefined;
  metadata: PageMetadata;
  refresh?: string | undefined;
  /** What the content needs from a browser. */
  need: BrowserNeed;
  moreButton?: MoreButton | undefined;
  nextButton?: MoreButton | undefined;
  choices?: ChoiceForm | undefined;
  posted?: PostedPages | undefined;
  /** Whether it is mainly a login. */
  isLogin?: boolean;
  /** Whether reading stopped because the page is nested too deeply. */
  isCut?: boolean;
  /** Characters of text in the content. */
  length?: number;
  product?: Product;
  /** If requested and the page needs a browser: what rendering it could change. */
  sketch?: PageSketch;
  /** If requested: what its content says. */
  wording?: Wording;
  /** If requested: links of the items of its content, if that is a list. */
  listed?: string[];
  /** If requested: the types of what it is about. */
  subjects?: string[];
  /** What its main content leaves out. */
  leftOut?: ScrapeDocument['leftOut'];
  warning?: string;
}

/** Share of a page's paragraphs from which their absence is reported. */
const reportedShare = 0.5;

/** Converts a page. Throws an InvalidSelector. */
export function convertPage(page: string, options: ConvertOptions): ConvertedPage {
  // In HTML, unlike XML, a CDATA section ends at the first ">", as any unknown declaration does.
  const { source, include, exclude } = selectTags(
    placeStreamedParts(page.replaceAll('<![CDATA[', '<!x[CDATA[')),
    options.includeTags,
    options.excludeTags,
  );
  const extent = options.onlyCleanContent ? 'text' : options.onlyMainContent ? 'main' : 'all';
  const { url, encoding, removeBase64Images } = options;
  const reading = readPage(source, { url, encoding, extent, include, exclude, removeBase64Images });
  const content = reading.write(options.markdown ? 'markdown' : options.html ? 'html' : 'text');
  const { writing, metadata, links, feeds, refresh, scripts, buttons, forms } = reading.notes;
  const result: ConvertedPage = {
    contentLinks: content.links,
    images: content.images,
    links: [...links],
    feeds: feeds.length > 0 ? feeds : undefined,
    metadata: { ...writing, ...metadata },
    refresh,
    length: reading.keptText,
    need: scripts.need,
    moreButton: buttons.more,
    nextButton: buttons.next,
    choices: forms.first(links),
    posted: forms.posted(links),
    isCut: reading.cut,
    isLogin: reading.isLogin,
    leftOut: reading.leftOut,
  };
  const { signature } = scripts;
  const isSketched = options.sketch && signature !== '';
  const compared = isSketched || options.wording ? reading.write('text').text : '';
  if (isSketched) {
    result.sketch = {
      text: textOf(compared),
      links: content.links.length,
      images: content.images.length,
      scripts: signature,
      places: reading.places(),
    };
  }
  if (options.wording) result.wording = wordingOf(compared, url);
  if (options.listed) result.listed = reading.listed();
  if (options.subjects) {
    const { linkedData, microdata, types } = reading.notes;
    result.subjects = subjectTypes(linkedData, microdata, types);
  }
  if (options.markdown) result.markdown = content.text;
  if (options.html) result.html = options.markdown ? reading.write('html').text : content.text;
  if (options.product && reading.product) result.product = reading.product;
  const warning = warningsOf(reading, options, include !== undefined).join(' ');
  if (warning !== '') result.warning = warning;
  return result;
}

function warningsOf(reading: PageReading, { product, markdown, html }: ConvertOptions, selected: boolean): string[] {
  const warnings: string[] = [];
  // Pages for the same reason have the same sentence.
  if (reading.leftOutShare > reportedShare && !selected)
    warnings.push(
      "More than half of the text in the page's paragraphs isn't part of its main content. Set onlyMainContent to false to get all of it.",
    );
  else if (reading.isWithoutVisitors && !selected && (markdown || html))
    warnings.push(
      "The page has a part for comments or reviews that isn't in its main content. Set onlyMainContent to false to get it.",
    );
  if (reading.notes.drawings.saySomething && !selected && (markdown || html))
    warnings.push(
      'The page has drawings (SVG), such as charts or diagrams, whose words aren\'t part of its text. The format "screenshot" shows them.',
    );
  if (reading.notes.linkedData.some((data) => notFree.test(data)))
    warnings.push(
      "The site says that this page isn't free to read, so a part of its text may be missing. To read it as a subscriber, set a profile that is logged in.",
    );
  if (product && !reading.product)
    warnings.push(
      'No product found: the page has no schema.org data for a single product. Use the format "json" instead.',
    );
  return warnings;
}

/** How schema.org data says that a page is for subscribers. */
const notFree = /"isAccessibleForFree"\s*:\s*"?false\b/i;

const inlineTags = /<\/?(a|abbr|b|bdi|cite|code|em|font|i|kbd|mark|q|s|small|span|strong|sub|sup|time|u|var)\b[^>]*>/gi;

/** Returns the text of a page's content. Elements that don't break lines don't break words. */
function textOf(html: string): string {
  return html.replace(inlineTags, '').replace(/<[^>]*>/g, ' ');
}
