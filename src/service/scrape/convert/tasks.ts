import { decodeText } from '../../fetch/charset.ts';
import { type ConvertedPage, type ConvertOptions, convertPage } from './convert-page.ts';
import { readPdf } from './read-pdf.ts';

/** What a converter is asked to do: bytes as they were fetched, and what is wanted of them. */
export interface ConvertTask {
  /** What the bytes are taken for. */
  kind: 'html' | 'text' | 'pdf';
  body: Uint8Array;
  contentType: string | undefined;
  /** Give the page back as text too. */
  raw: boolean;
  /** Pages of a PDF that are read. */
  maxPages: number;
  options: ConvertOptions;
}

export interface ConvertResult extends ConvertedPage {
  raw?: string;
  /** Pages of a PDF that were read. */
  numPages?: number;
}

/** Does a task. Throws an InvalidSelector or an UnreadablePdf. */
export async function convert(task: ConvertTask): Promise<ConvertResult> {
  if (task.kind === 'pdf') return convertPdf(task);
  // A NUL is no character of a page, and ends texts in many a program.
  const source = decodeText(task.body, task.contentType).replaceAll('\0', '\ufffd');
  const page = task.kind === 'html' ? convertPage(source, task.options) : convertText(source, task);
  return task.raw ? { ...page, raw: source } : page;
}

const nothing = { contentLinks: [], images: [], links: [], shell: false };

async function convertPdf({ body, maxPages }: ConvertTask): Promise<ConvertResult> {
  const { markdown, pages, allPages, title, author } = await readPdf(body, maxPages);
  const metadata: Record<string, string> = { ...(title && { title }), ...(author && { author }) };
  const warning = pages < allPages ? `Of ${allPages} pages the first ${pages} were read.` : undefined;
  return { ...nothing, markdown, metadata, numPages: pages, ...(warning && { warning }) };
}

/** Files that are text are their own markdown; data is fenced, so that it stays as it is. */
function convertText(source: string, { contentType = '', options }: ConvertTask): ConvertedPage {
  const [type = ''] = contentType.split(';');
  const [, language] = /[/+](json|xml|csv|javascript|css|yaml|toml|typescript)$/i.exec(type.trim()) ?? [];
  const markdown = language ? fenced(source, language.toLowerCase()) : source;
  const html = `<pre>${source.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;
  return { ...nothing, metadata: {}, ...(options.markdown && { markdown }), ...(options.html && { html }) };
}

function fenced(source: string, language: string): string {
  const longest = (source.match(/^ {0,3}`{3,}/gm) ?? []).reduce((most, run) => Math.max(most, run.trim().length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${source.replace(/\n$/, '')}\n${fence}`;
}
