import { extractText, getDocumentProxy, getMeta } from 'unpdf';

/** The text of a PDF, page by page. */
export interface PdfReading {
  markdown: string;
  /** Pages that were read, and pages in total. */
  pages: number;
  allPages: number;
  title: string | undefined;
  author: string | undefined;
}

/** A file isn't a valid PDF, or needs a password. */
export class UnreadablePdf extends Error {
  constructor(reason: string) {
    super(`The PDF can't be read: ${reason.slice(0, 200)}`);
    this.name = 'UnreadablePdf';
  }
}

/** Reads the text of the first `maxPages` pages of a PDF as paragraphs. Throws an UnreadablePdf. */
export async function readPdf(bytes: Uint8Array, maxPages: number): Promise<PdfReading> {
  try {
    const pdf = await getDocumentProxy(bytes, { disableFontFace: true, stopAtErrors: false });
    try {
      const { info } = await getMeta(pdf);
      const { text, totalPages } = await extractText(pdf, { mergePages: false });
      const pages = text.slice(0, maxPages);
      return {
        markdown: pages.map(paragraphs).filter(Boolean).join('\n\n'),
        pages: pages.length,
        allPages: totalPages,
        title: textOf(info.Title),
        author: textOf(info.Author),
      };
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (error) {
    throw new UnreadablePdf(error instanceof Error ? error.message : String(error));
  }
}

function paragraphs(page: string): string {
  return page
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 2000) : undefined;
}
