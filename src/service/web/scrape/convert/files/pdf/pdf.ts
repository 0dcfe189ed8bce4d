import { getDocumentProxy, getMeta } from 'unpdf';
import { listed, shorten } from '../../../../../../contract/shorten.ts';
import { needsPassword, UnreadableFile } from '../file-errors.ts';
import type { FileReading } from '../files.ts';
import { propertyText } from '../html.ts';
import { notRead } from '../office/properties.ts';
import { type Annotation, addAnnotations, unreadOf } from './annotations.ts';
import { addMarks, drawingNeeds, rulesOf, shapesOn } from './drawings.ts';
import { layOut, type PageText } from './layout.ts';
import { directionsOf, type TextItem, turnedBox } from './pieces.ts';

/** Which pages of a PDF to read. */
export interface PdfOptions {
  /** Maximum number of pages to read. */
  maxPages: number;
  /** Pages and ranges such as `1-3,7`; all by default. */
  pageRange?: string | undefined;
  /** Milliseconds after which no further page is read. */
  readingMs?: number | undefined;
  /** Called before each further page is read, and before each is laid out. */
  onPage?: (() => void) | undefined;
}

/** Reads the text of a PDF: headings, paragraphs, lists and tables, by their position on the page. Throws an UnreadableFile. */
export async function readPdf(file: Uint8Array, options: PdfOptions): Promise<FileReading> {
  try {
    // pdf.js doesn't accept a Buffer.
    const bytes = new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
    const characterSets = new Set<string>();
    const pdf = await getDocumentProxy(bytes, {
      // Some fonts name a character set instead of having its tables. These are large, and none of them is here.
      BinaryDataFactory: class {
        async fetch({ kind, filename }: { kind: string; filename: string }): Promise<never> {
          if (kind === 'cMapUrl') characterSets.add(filename.replace('.bcmap', ''));
          throw new Error(`There is no ${filename}.`);
        }
      },
      disableFontFace: true,
      stopAtErrors: false,
      verbosity: 0,
      // Images aren't decoded.
      maxImageSize: 1,
    });
    try {
      return await readPages(pdf, options, characterSets);
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    if (error instanceof Error && error.name === 'PasswordException') throw needsPassword('PDF');
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableFile(`The PDF can't be read: ${shorten(reason)}`, error);
  }
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** @param characterSets those whose text isn't read, while pages are read */
async function readPages(pdf: Pdf, options: PdfOptions, characterSets: ReadonlySet<string>): Promise<FileReading> {
  const { maxPages, pageRange, readingMs, onPage } = options;
  const until = readingMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + readingMs;
  const wanted = pagesIn(pageRange, pdf.numPages);
  if (wanted.length === 0) {
    throw new UnreadableFile(
      `The PDF has ${pdf.numPages} pages, and none of them is in the range ${shorten(pageRange ?? '')}.`,
    );
  }
  const numbers = wanted.slice(0, maxPages);
  const pages: PageText[] = [];
  const withoutText: number[] = [];
  const soFar = { bullets: false, unread: new Set<string>() };
  let late = false;
  for (const number of numbers) {
    late = pages.length > 0 && performance.now() > until;
    if (late) break;
    if (pages.length > 0) onPage?.();
    const page = await pdf.getPage(number);
    const text = await readPage(page, soFar);
    if (text.directions.length === 0) withoutText.push(number);
    pages.push(text);
    page.cleanup();
  }
  const { info } = await getMeta(pdf);
  const [title, author] = [propertyText(info.Title), propertyText(info.Author)];
  const warnings: string[] = [];
  if (pages.length < wanted.length) {
    const reason = late ? ' within the timeout' : '';
    const all = pageRange === undefined ? `${pdf.numPages}` : `${wanted.length} requested`;
    warnings.push(`Only the first ${pages.length} of ${all} pages were read${reason}.`);
  }
  const sets = listed([...characterSets].sort(), 10);
  if (sets !== '') warnings.push(`Text in fonts that only name their character set isn't read (${sets}).`);
  if (withoutText.length > 0) warnings.push(scannedWarning(withoutText, sets !== ''));
  const files = await pdf.getAttachments().catch(() => null);
  if (files && files.size > 0) soFar.unread.add('embedded files');
  warnings.push(...notRead([...soFar.unread].sort()));
  const { html, pages: parts } = layOut(pages, onPage);
  return {
    html,
    pages: parts.map((part, index) => ({ pageNumber: numbers[index] ?? index + 1, html: part })),
    metadata: { ...(title && { title }), ...(author && { author }) },
    numPages: pages.length,
    totalPages: pdf.numPages,
    warnings,
  };
}

type Page = Awaited<ReturnType<Pdf['getPage']>>;

/** @param soFar whether a page so far has bullets as text, and what isn't read of the pages */
async function readPage(page: Page, soFar: { bullets: boolean; unread: Set<string> }): Promise<PageText> {
  const { items, styles } = await page.getTextContent();
  const texts = items.filter((item): item is typeof item & TextItem => 'str' in item);
  const directions = directionsOf(texts, styles);
  // An annotation that is damaged doesn't take the page's text with it.
  const annotations = (await page.getAnnotations().catch(() => [])) as Annotation[];
  const links = addAnnotations(annotations, directions);
  for (const what of unreadOf(annotations, directions)) soFar.unread.add(what);
  const [main] = directions;
  const needs = main && drawingNeeds(main);
  soFar.bullets ||= needs?.bullets === true;
  if (!main || !(needs?.cells || !soFar.bullets)) return { directions, rules: [], links };
  const shapes = (await shapesOn(page)).map((shape) => turnedBox(shape, main.angle));
  addMarks(shapes, main);
  return { directions, rules: rulesOf(shapes), links };
}

/** @param mayHave whether they may have text that isn't read */
function scannedWarning(pages: readonly number[], mayHave: boolean): string {
  const shown = listed(pages.map(String), 50);
  const [have, are] = pages.length === 1 ? [`Page ${shown} has`, 'it is'] : [`Pages ${shown} have`, 'they are'];
  return mayHave ? `${have} no other text.` : `${have} no text: ${are} scanned or empty. Text in images isn't read.`;
}

/** Returns the page numbers of a range such as `1-3,7`, in order; all `count` pages without one. Pages that don't exist are left out. */
function pagesIn(range: string | undefined, count: number): number[] {
  if (range === undefined) return Array.from({ length: count }, (_, index) => index + 1);
  const found = new Set<number>();
  for (const part of range.split(',')) {
    const [from = '', to = from] = part.trim().split('-');
    const last = Math.min(count, to === '' ? count : Number(to));
    for (let page = Math.max(1, Number(from)); page <= last; page++) found.add(page);
  }
  return [...found].sort((one, other) => one - other);
}
