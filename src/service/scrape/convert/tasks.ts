import { decodeText } from '../../fetch/charset.ts';
import { type ConvertedPage, type ConvertOptions, convertPage } from './convert-page.ts';
import type { DocumentKind } from './files/files.ts';
import { type AttributeQuery, type AttributeValues, collectAttributes } from './selectors/attributes.ts';

/** A conversion task: the fetched bytes and the requested output. */
export interface ConvertTask {
  /** The format of the bytes. */
  kind: 'html' | 'text' | DocumentKind;
  body: Uint8Array;
  contentType: string | undefined;
  /** Whether to return the page's source text too. */
  raw: boolean;
  /** Maximum number of pages of a PDF to read, and which ones: a range such as `1-3,7`, all by default. */
  maxPages: number;
  pageRange?: string | undefined;
  /** Milliseconds after which no further page of a PDF is read. */
  readingMs?: number | undefined;
  /** Attributes to collect from the whole page. */
  attributes?: readonly AttributeQuery[] | undefined;
  /** Lists of URLs to return; the others come back empty. */
  lists: { links: boolean; contentLinks: boolean; images: boolean };
  options: ConvertOptions;
}

export interface ConvertResult extends ConvertedPage {
  attributes?: AttributeValues[];
  raw?: string;
  /** Pages of a PDF that were read. */
  numPages?: number;
}

/** Runs a conversion task. Throws an InvalidSelector or an UnreadableFile. */
export async function convert(task: ConvertTask): Promise<ConvertResult> {
  if (task.kind !== 'html' && task.kind !== 'text') return convertDocument(task, task.kind);
  // NUL isn't valid in HTML, and many programs treat it as the end of a string.
  const source = decodeText(task.body, task.contentType).replaceAll('\0', '\ufffd');
  const page = task.kind === 'html' ? convertPage(source, task.options) : convertText(source, task);
  const attributes = task.attributes && (task.kind === 'html' ? collectAttributes(source, task.attributes) : []);
  // Sending long lists from thread to thread takes time.
  for (const name of ['links', 'contentLinks', 'images'] as const) if (!task.lists[name]) page[name] = [];
  return { ...page, ...(task.raw && { raw: source }), ...(attributes && { attributes }) };
}

const emptyPage = { contentLinks: [], images: [], links: [], shell: false };

/** Converts a file to HTML first. Nothing in it is treated as boilerplate, and what it asks browsers to do is ignored. */
async function convertDocument(task: ConvertTask, kind: DocumentKind): Promise<ConvertResult> {
  // Loaded when the first file needs it: most pages don't.
  const { readDocument } = await import('./files/files.ts');
  const { html, metadata, numPages, warnings } = await readDocument(kind, task.body, {
    contentType: task.contentType,
    maxPages: task.maxPages,
    pageRange: task.pageRange,
    readingMs: task.readingMs,
    keepImages: !task.options.removeBase64Images,
  });
  const page = convertPage(html, { ...task.options, onlyMainContent: false, onlyCleanContent: false });
  const warning = [...warnings, page.warning].filter(Boolean).join(' ');
  return {
    ...page,
    metadata,
    shell: false,
    refresh: undefined,
    ...(task.attributes && { attributes: collectAttributes(html, task.attributes) }),
    ...(numPages !== undefined && { numPages }),
    ...(warning !== '' && { warning }),
  };
}

/** Converts a text file: text is used as Markdown as is, data is put in a code fence. */
function convertText(source: string, { contentType = '', options }: ConvertTask): ConvertedPage {
  const [type = ''] = contentType.split(';');
  const [, language] = /[/+](json|xml|csv|javascript|css|yaml|toml|typescript)$/i.exec(type.trim()) ?? [];
  const markdown = language ? fenced(source, language.toLowerCase()) : source;
  const html = `<pre>${source.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;
  return { ...emptyPage, metadata: {}, ...(options.markdown && { markdown }), ...(options.html && { html }) };
}

function fenced(source: string, language: string): string {
  const longest = (source.match(/^ {0,3}`{3,}/gm) ?? []).reduce((most, run) => Math.max(most, run.trim().length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${source.replace(/\n$/, '')}\n${fence}`;
}
