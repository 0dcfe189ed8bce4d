import { type PageReading, type ReadOptions, readPage } from './content/content.ts';
import type { PageMetadata } from './content/page-metadata.ts';
import { findArticle, maxSearchedLength } from './content/readability.ts';
import { type MarkdownConverter, mdream } from './markdown.ts';
import { selectTags } from './selectors/tree-selectors.ts';

/** Options of a conversion. */
export interface ConvertOptions {
  /** The page's URL. */
  url: string;
  onlyMainContent: boolean;
  onlyCleanContent: boolean;
  includeTags?: readonly string[] | undefined;
  excludeTags?: readonly string[] | undefined;
  removeBase64Images: boolean;
  /** Whether to produce these formats, which are expensive. */
  markdown: boolean;
  html: boolean;
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
  metadata: PageMetadata;
  refresh?: string | undefined;
  shell: boolean;
  warning?: string;
}

/** Characters of text from which a page without structure is searched for its article. */
const minSearchedText = 1500;
/** Maximum number of elements of a page that is searched for its article. */
const maxSearchedElements = 20_000;
/** Share of a page's text that its content must have; with less, the rules were too strict. */
const minKeptShare = 0.1;

/** Converts a page. Throws an InvalidSelector. */
export function convertPage(
  page: string,
  options: ConvertOptions,
  converter: MarkdownConverter = mdream,
): ConvertedPage {
  const { source, include, exclude } = selectTags(page, options.includeTags, options.excludeTags);
  const common = { url: options.url, include, exclude, removeBase64Images: options.removeBase64Images };
  const shape = options.html && !options.markdown ? 'html' : 'markdown';
  const content = findContent(source, { ...common, shape, strictness: 'names' }, options);
  const { reading } = content;
  const result: ConvertedPage = {
    contentLinks: reading.keptLinks,
    images: reading.keptImages,
    links: content.whole.links,
    metadata: content.whole.metadata,
    refresh: content.whole.refresh,
    shell: content.whole.shell,
  };
  if (options.markdown) result.markdown = converter.convert(reading.html);
  if (options.html) {
    const asHtml = () => readPage(content.source, { ...content.options, shape: 'html' }).html;
    result.html = shape === 'html' ? reading.html : asHtml();
  }
  if (content.whole.cut) result.warning = 'The page is nested too deeply: elements below 2,000 levels were left out.';
  return result;
}

interface Content {
  /** The HTML that the content was read from, and the options it was read with. */
  source: string;
  options: ReadOptions;
  reading: PageReading;
  /** The first reading of the whole page. */
  whole: PageReading;
}

function findContent(source: string, options: ReadOptions, requested: ConvertOptions): Content {
  if (!requested.onlyMainContent && !requested.onlyCleanContent) {
    const lenient = { ...options, strictness: 'nothing' } as const;
    const reading = readPage(source, lenient);
    return { source, options: lenient, reading, whole: reading };
  }
  const whole = readPage(source, options);
  const first: Content = { source, options, reading: whole, whole };
  if (options.include) return first;
  if ((requested.onlyCleanContent || (!whole.structured && whole.menus)) && isWorthSearching(source, whole)) {
    const found = readArticle(first);
    if (found) return found;
  }
  // If almost nothing is left, the rules mistook the content for boilerplate.
  for (const strictness of ['elements', 'nothing'] as const) {
    if (whole.keptText >= whole.allText * minKeptShare || !requested.onlyMainContent) return first;
    const lessStrict = { ...options, strictness };
    const reading = readPage(source, lessStrict);
    if (reading.keptText >= whole.allText * minKeptShare) return { source, options: lessStrict, reading, whole };
  }
  return first;
}

/** Short pages are all content, and the search is too slow for huge ones. */
function isWorthSearching(source: string, { allText, elements, cut }: PageReading): boolean {
  return allText >= minSearchedText && elements <= maxSearchedElements && source.length <= maxSearchedLength && !cut;
}

function readArticle({ source, options, whole }: Content): Content | undefined {
  const article = findArticle(source, options.url);
  if (article === undefined) return undefined;
  const onlyElements = { ...options, strictness: 'elements' } as const;
  const reading = readPage(article, onlyElements);
  return reading.keptText < whole.allText * minKeptShare
    ? undefined
    : { source: article, options: onlyElements, reading, whole };
}
