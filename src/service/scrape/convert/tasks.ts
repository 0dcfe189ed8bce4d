import { decodeText } from '../../fetch/charset.ts';
import { type ConvertedPage, type ConvertOptions, convertPage } from './convert-page.ts';
import { readPdf } from './read-pdf.ts';

/** A conversion task: the fetched bytes and the requested output. */
export interface ConvertTask {
  /** The format of the bytes. */
  kind: 'html' | 'text' | 'pdf';
  body: Uint8Array;
  contentType: string | undefined;
  /** Whether to return the page's source text too. */
  raw: boolean;
  /** Maximum number of pages of a PDF to read. */
  maxPages: number;
  options: ConvertOptions;
}

export interface ConvertResult extends ConvertedPage {
  raw?: string;
  /** Pages of a PDF that were read. */
  numPages?: number;
}

/** Runs a conversion task. Throws an InvalidSelector or an UnreadablePdf. */
export async function convert(task: ConvertTask): Promise<ConvertResult> {
  if (task.kind === 'pdf') return convertPdf(task);
  // NUL isn't valid in HTML, and many programs treat it as the end of a string.
  const source = decodeText(task.body, task.contentType).replaceAll('\0', '\ufffd');
  const page = task.kind === 'html' ? convertPage(source, task.options) : convertText(source, task);
  return task.raw ? { ...page, raw: source } : page;
}

const emptyPage = { contentLinks: [], images: [], links: [], shell: false };

async function convertPdf({ body, maxPages }: ConvertTask): Promise<ConvertResult> {
  const { markdown, pages, allPages, title, author } = await readPdf(body, maxPages);
  const metadata: Record<string, string> = { ...(title && { title }), ...(author && { author }) };
  const warning = pages < allPages ? `Only the first ${pages} of ${allPages} pages were read.` : undefined;
  return { ...emptyPage, markdown, metadata, numPages: pages, ...(warning && { warning }) };
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
