import { parseUrl } from '../../../../contract/addresses.ts';
import type { AttributesFormat } from '../../../../contract/scrape/formats.ts';
import { encodingOf } from '../../../platform/network/charset.ts';
import { type ConvertedPage, type ConvertOptions, convertPage } from './convert-page.ts';
import type { DocumentKind } from './files/files.ts';
import type { PdfOptions } from './files/pdf/pdf.ts';
import { fencedLines } from './markdown/escapes.ts';
import { maxLinks } from './page-tree/content-urls.ts';
import { collectAttributes } from './selectors/tree-selectors.ts';
import { htmlOf, isXhtml } from './xhtml.ts';

/** A conversion task: the fetched bytes and the requested output. */
export interface ConvertTask extends Omit<PdfOptions, 'onPage'> {
  /** The format of the bytes. */
  kind: 'html' | 'text' | DocumentKind;
  body: Uint8Array;
  contentType: string | undefined;
  /** Whether to return the page's source text too. */
  raw: boolean;
  /** How a PDF is divided into its pages: each has its own Markdown, or begins with a marker. */
  division?: { pages: boolean; markers: boolean } | undefined;
  /** Attributes to collect from the whole page. */
  attributes?: AttributesFormat['selectors'] | undefined;
  /** Lists of URLs to return; the others come back empty. */
  lists: { links: boolean; contentLinks: boolean; images: boolean };
  options: ConvertOptions;
}

export interface ConvertResult extends ConvertedPage {
  attributes?: ReturnType<typeof collectAttributes>;
  raw?: string;
  /** Each page of a PDF that was read. */
  pages?: { pageNumber: number; markdown: string }[];
  /** Number of pages of a PDF that were read. */
  numPages?: number;
  /** All pages of the PDF. */
  totalPages?: number;
}

/** Two texts to compare. */
export interface CompareTask {
  kind: 'compare';
  previous: string;
  current: string;
  /** Nothing: the texts are sent as they are. */
  body: Uint8Array;
}

/** What has been sent to a thread. Who sets its claim to 1 first has the task: the thread that starts it, or its sender, who takes it back. */
export interface Claimable {
  claim: Int32Array<SharedArrayBuffer>;
}

/** Runs a conversion task, and tells of each page of a PDF. Throws an InvalidSelector or an UnreadableFile. */
export async function convert(task: ConvertTask, onPage?: () => void): Promise<ConvertResult> {
  if (task.kind !== 'html' && task.kind !== 'text') return convertDocument(task, task.kind, onPage);
  // NUL isn't valid in HTML, and many programs treat it as the end of a string. One stands for any number of them.
  const encoding = encodingOf(task.body, task.contentType);
  const source = new TextDecoder(encoding).decode(task.body).replaceAll(/\0+/g, '\ufffd');
  const html = isXhtml(task.contentType) ? htmlOf(source) : source;
  const page = task.kind === 'html' ? convertPage(html, { encoding, ...task.options }) : convertText(source, task);
  if (task.kind === 'text' && task.options.wording) {
    const { fileWording } = await import('./file-wording.ts');
    const wording = fileWording(source, task.contentType, task.options.url);
    if (wording) page.wording = wording;
  }
  const attributes = task.attributes && (task.kind === 'html' ? collectAttributes(html, task.attributes) : []);
  // Sending long lists from thread to thread takes time.
  for (const name of ['links', 'contentLinks', 'images'] as const) if (!task.lists[name]) page[name] = [];
  return { ...page, ...(task.raw && { raw: source }), ...(attributes && { attributes }) };
}

/** Converts a file to HTML first. Nothing in it is treated as boilerplate, and what it asks browsers to do is ignored. */
async function convertDocument(task: ConvertTask, kind: DocumentKind, onPage?: () => void): Promise<ConvertResult> {
  // Loaded when the first file needs it: most pages don't.
  const { readDocument } = await import('./files/files.ts');
  const { html, pages, metadata, numPages, totalPages, warnings } = await readDocument(kind, task.body, {
    ...task,
    onPage,
    keepImages: !task.options.removeBase64Images,
  });
  const options = { ...task.options, onlyMainContent: false, onlyCleanContent: false };
  const page = convertPage(html, options);
  const { division } = task;
  const parts = (division?.pages || division?.markers ? (pages ?? []) : []).map(({ pageNumber, html: part }) => ({
    pageNumber,
    markdown: convertPage(part, { ...options, markdown: true, html: false }).markdown ?? '',
  }));
  const warning = [...warnings, page.warning].filter(Boolean).join(' ');
  return {
    ...page,
    metadata,
    need: 'no scripts',
    moreButton: undefined,
    nextButton: undefined,
    choices: undefined,
    posted: undefined,
    feeds: undefined,
    refresh: undefined,
    ...(task.attributes && { attributes: collectAttributes(html, task.attributes) }),
    ...(division?.markers && page.markdown !== undefined && parts.length > 0 && { markdown: withMarkers(parts) }),
    ...(division?.pages && pages && { pages: parts }),
    ...(numPages !== undefined && { numPages, totalPages }),
    ...(warning !== '' && { warning }),
  };
}

/** Joins pages as readers of the published API expect them. */
function withMarkers(pages: NonNullable<ConvertResult['pages']>): string {
  return pages
    .map(({ pageNumber, markdown }, index) =>
      index === 0 ? markdown : `---\n\n<!-- page ${pageNumber} -->\n\n${markdown}`,
    )
    .join('\n\n');
}

/** Converts a text file: text is used as Markdown as is, data is put in a code fence. */
function convertText(source: string, { contentType = '', options }: ConvertTask): ConvertedPage {
  const [type = ''] = contentType.split(';');
  const [, language] = /[/+](json|xml|csv|javascript|css|yaml|toml|typescript)$/i.exec(type.trim()) ?? [];
  const markdown = language ? fencedLines(source.replace(/\n$/, ''), language.toLowerCase()).join('\n') : source;
  const html = `<pre>${source.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;
  return {
    need: 'no scripts',
    contentLinks: [],
    images: [],
    links: language === 'xml' ? feedLinks(source, options.url) : [],
    metadata: {},
    ...(options.markdown && { markdown }),
    ...(options.html && { html }),
  };
}

/** Returns where the entries of a feed or sitemap lead. */
function feedLinks(source: string, base: string): string[] {
  const entry =
    /<(?:[\w-]{1,20}:)?(?:link|loc)(\s[^<>]{1,2000})?>\s{0,100}(?:<!\[CDATA\[)?\s{0,100}([^\s<>\]]{0,4000})/gi;
  const found = new Set<string>();
  for (const [, attributes = '', text = ''] of source.matchAll(entry)) {
    const [, , href = text] = /\shref\s{0,5}=\s{0,5}(["'])(.{1,1900}?)\1/i.exec(attributes) ?? [];
    const url = parseUrl(href.replaceAll('&amp;', '&'), base || undefined);
    if (url && /^https?:$/.test(url.protocol) && found.size < maxLinks) found.add(url.href.replace(/#.*$/s, ''));
  }
  return [...found];
}
