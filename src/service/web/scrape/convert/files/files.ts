import { openArchive } from './archive.ts';
import { readCsv } from './csv.ts';
import { readEbook } from './ebook.ts';
import { needsPassword, UnreadableFile } from './file-errors.ts';
import { readMail } from './mail.ts';
import { readDocx } from './office/docx.ts';
import { readOpenDocument } from './office/open-document.ts';
import { mainPart } from './office/properties.ts';
import { readSlides } from './office/slides.ts';
import { readSpreadsheet } from './office/spreadsheet.ts';
import { type PdfOptions, readPdf } from './pdf/pdf.ts';
import { readRichText } from './rich-text/rich-text.ts';

/** The content of a file that isn't a web page. */
export interface FileReading {
  /** The content as HTML, from which all formats are made. */
  html: string;
  /** Title, author and so on, by the names of a document's metadata. */
  metadata: Record<string, string>;
  /** What is missing from the content, and why; for the user. */
  warnings: string[];
  /** Each page of a PDF that was read, as HTML. */
  pages?: { pageNumber: number; html: string }[];
  /** Number of pages of a PDF that were read. */
  numPages?: number;
  /** All pages of the PDF. */
  totalPages?: number;
}

/** Kinds of files that this folder reads. `zip` is any Office, OpenDocument or EPUB file, `ole` an Office file from before 2007. */
export type DocumentKind = 'pdf' | 'zip' | 'ole' | 'rtf' | 'csv' | 'email';

/** How to read a file. */
export interface ReadOptions extends PdfOptions {
  contentType: string | undefined;
  /** Whether embedded images become `data:` URLs. */
  keepImages: boolean;
}

/** Reads a file that isn't a web page. Throws an UnreadableFile if it's damaged, encrypted or not supported. */
export async function readDocument(kind: DocumentKind, file: Uint8Array, options: ReadOptions): Promise<FileReading> {
  try {
    return await read(kind, file, options);
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    // What the libraries say of a file is for programmers. A stack ends where a file is nested too deeply.
    const what = error instanceof RangeError ? 'is nested too deeply' : "isn't what a file of its kind has";
    throw new UnreadableFile(
      `The file can't be read: its content ${what}. Open it in the program that made it, save a new copy, and try again with that.`,
      error,
    );
  }
}

async function read(kind: DocumentKind, file: Uint8Array, options: ReadOptions): Promise<FileReading> {
  switch (kind) {
    case 'pdf':
      return await readPdf(file, options);
    case 'zip':
      return await readArchive(file, options);
    case 'ole':
      throw oldOffice(file);
    case 'rtf':
      return readRichText(file);
    case 'csv':
      return readCsv(file, options.contentType);
    case 'email':
      return await readMail(file);
  }
}

async function readArchive(file: Uint8Array, { keepImages }: ReadOptions): Promise<FileReading> {
  const archive = openArchive(file);
  const { names } = archive;
  const main = mainPart(archive);
  if (main.startsWith('word/')) return await readDocx(archive, main, keepImages);
  if (main.startsWith('xl/') && main.endsWith('.xml')) return readSpreadsheet(archive, main);
  if (main.startsWith('ppt/')) return readSlides(archive, main);
  if (names.has('xl/workbook.bin')) {
    throw new UnreadableFile("Binary workbooks (.xlsb) aren't supported. Save the file as .xlsx and try again.");
  }
  const type = names.has('mimetype') ? archive.text('mimetype')?.trim() : undefined;
  if (type === 'application/epub+zip' || names.has('META-INF/container.xml')) return readEbook(archive);
  if (names.has('content.xml') && type?.startsWith('application/vnd.oasis.opendocument.')) {
    return readOpenDocument(archive);
  }
  throw new UnreadableFile(
    'The file is an archive, but not a document. Word (.docx), Excel (.xlsx), PowerPoint (.pptx), OpenDocument (.odt, .ods, .odp) and EPUB files are supported; extract other archives first.',
  );
}

/** Explains a file in Microsoft's container format: Office files with a password, and those from before 2007. */
function oldOffice(file: Uint8Array): UnreadableFile {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))) return needsPassword('document');
  return new UnreadableFile(
    "Office files from before 2007 (.doc, .xls, .ppt) aren't supported. Save the file as .docx, .xlsx or .pptx and try again.",
  );
}
