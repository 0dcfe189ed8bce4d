import { type PageReading, type ReadOptions, readPage } from './content/content.ts';
import type { PageMetadata } from './content/page-metadata.ts';
import { findArticle, longestSearched } from './content/readability.ts';
import { type MarkdownConverter, mdream } from './markdown.ts';
import { selectTags } from './selectors/tree-selectors.ts';

/** What is wanted of a page; times do not matter here. */
export interface ConvertOptions {
  /** Where the page was found. */
  url: string;
  onlyMainContent: boolean;
  onlyCleanContent: boolean;
  includeTags?: readonly string[] | undefined;
  excludeTags?: readonly string[] | undefined;
  removeBase64Images: boolean;
  /** Which of the costly formats are wanted. */
  markdown: boolean;
  html: boolean;
}

/** A page as documents are made of. */
export interface ConvertedPage {
  markdown?: string;
  html?: string;
  /** Links and pictures of the content. */
  contentLinks: string[];
  images: string[];
  /** Links of the whole page. */
  links: string[];
  metadata: PageMetadata;
  refresh?: string | undefined;
  shell: boolean;
  warning?: string;
}

/** A page without structure is searched for its article only if it has this much text. */
const worthSearching = 1500;
const mostSearched = 20_000;
const worthKeeping = 0.1;

/** Makes of a page what is wanted of it. Throws an InvalidSelector. */
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
  if (content.whole.cut)
    result.warning = 'The page is nested very deep; what lies deeper than 2,000 elements was left out.';
  return result;
}

interface Content {
  /** What the content was read from, and how. */
  source: string;
  options: ReadOptions;
  reading: PageReading;
  /** The first reading of the whole page. */
  whole: PageReading;
}

function findContent(source: string, options: ReadOptions, wanted: ConvertOptions): Content {
  if (!wanted.onlyMainContent && !wanted.onlyCleanContent) {
    const lenient = { ...options, strictness: 'nothing' } as const;
    const reading = readPage(source, lenient);
    return { source, options: lenient, reading, whole: reading };
  }
  const whole = readPage(source, options);
  const first: Content = { source, options, reading: whole, whole };
  if (options.include) return first;
  if ((wanted.onlyCleanContent || (!whole.structured && whole.menus)) && isWorthSearching(source, whole)) {
    const found = readArticle(first);
    if (found) return found;
  }
  // Rules that leave next to nothing have taken the content for something else.
  for (const strictness of ['elements', 'nothing'] as const) {
    if (whole.keptText >= whole.allText * worthKeeping || !wanted.onlyMainContent) return first;
    const gentler = { ...options, strictness };
    const reading = readPage(source, gentler);
    if (reading.keptText >= whole.allText * worthKeeping) return { source, options: gentler, reading, whole };
  }
  return first;
}

/** Short pages, and those without menus, are all content; the search is too slow for huge ones. */
function isWorthSearching(source: string, { allText, elements, cut }: PageReading): boolean {
  return allText >= worthSearching && elements <= mostSearched && source.length <= longestSearched && !cut;
}

function readArticle({ source, options, whole }: Content): Content | undefined {
  const article = findArticle(source);
  if (article === undefined) return undefined;
  const onlyElements = { ...options, strictness: 'elements' } as const;
  const reading = readPage(article, onlyElements);
  return reading.keptText < whole.allText * worthKeeping
    ? undefined
    : { source: article, options: onlyElements, reading, whole };
}
