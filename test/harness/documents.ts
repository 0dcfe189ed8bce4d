import { strToU8, zipSync } from 'fflate';

const xml = '<?xml version="1.0" encoding="UTF-8"?>';
const office = 'http://schemas.openxmlformats.org';
const officeRelations = `${office}/officeDocument/2006/relationships`;

/** Packs texts and bytes, by name, into a ZIP file. */
export function zipOf(entries: Record<string, string | Uint8Array>): Buffer {
  const files = Object.entries(entries).map(([name, content]) => {
    const bytes = typeof content === 'string' ? strToU8(content) : content;
    // Programs look for the type of a file at its start.
    return [name, name === 'mimetype' ? [bytes, { level: 0 }] : bytes];
  });
  return Buffer.from(zipSync(Object.fromEntries(files)));
}

function relations(targets: Record<string, [type: string, target: string]>): string {
  const list = Object.entries(targets).map(([id, [type, target]]) => {
    const mode = /^https?:/.test(target) ? ' TargetMode="External"' : '';
    return `<Relationship Id="${id}" Type="${officeRelations}/${type}" Target="${target}"${mode}/>`;
  });
  return `${xml}<Relationships xmlns="${office}/package/2006/relationships">${list.join('')}</Relationships>`;
}

/** The properties of an Office document. */
export const coreProperties = `${xml}<cp:coreProperties xmlns:cp="${office}/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The title</dc:title><dc:creator>Ada</dc:creator></cp:coreProperties>`;

/** A Word document with the given paragraphs and tables in WordprocessingML. */
export function docx(body: string, more: Record<string, string | Uint8Array> = {}): Buffer {
  return zipOf({
    '[Content_Types].xml': `${xml}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': relations({ rId1: ['officeDocument', 'word/document.xml'] }),
    'docProps/core.xml': coreProperties,
    'word/_rels/document.xml.rels': relations({ rId9: ['hyperlink', 'https://site.test/page'] }),
    'word/document.xml': `${xml}<w:document xmlns:w="${office}/wordprocessingml/2006/main" xmlns:r="${officeRelations}"><w:body>${body}</w:body></w:document>`,
    ...more,
  });
}

/** A paragraph of a Word document. */
export function wordParagraph(text: string, style = ''): string {
  return `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** A workbook with sheets of rows in SpreadsheetML, by name. */
export function xlsx(sheets: Record<string, string>, more: Record<string, string | Uint8Array> = {}): Buffer {
  const names = Object.keys(sheets);
  const parts = ['workbook', 'styles', 'sharedStrings', ...names.map((_, index) => `worksheets/sheet${index + 1}`)];
  const types = parts.map((part) => {
    const kind = part === 'workbook' ? 'sheet.main' : part.replace(/s\/.*/, '');
    return `<Override PartName="/xl/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
  });
  const entries = {
    '[Content_Types].xml': `${xml}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${types.join('')}</Types>`,
    '_rels/.rels': relations({ rId1: ['officeDocument', 'xl/workbook.xml'] }),
    'docProps/core.xml': coreProperties,
    'xl/workbook.xml': `${xml}<workbook xmlns:r="${officeRelations}"><sheets>${names
      .map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations({
      ...Object.fromEntries(
        names.map((_, index) => [`rId${index + 1}`, ['worksheet', `worksheets/sheet${index + 1}.xml`]]),
      ),
      styles: ['styles', 'styles.xml'],
      strings: ['sharedStrings', 'sharedStrings.xml'],
    }),
    'xl/styles.xml': `${xml}<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy\\ hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="9"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${xml}<sst><si><t>Name</t></si><si><r><t>Rich </t></r><r><t>text</t></r><rPh sb="0" eb="4"><t>reading</t></rPh></si></sst>`,
    ...Object.fromEntries(
      names.map((name, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `${xml}<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...more,
  };
  return zipOf(declared(entries, { 'workbook|worksheet|styleSheet|sst': `xmlns="${office}/spreadsheetml/2006/main"` }));
}

/** Declares namespaces in the parts whose first element has one of those names, as programs write them. */
function declared<Part>(entries: Record<string, Part>, namespaces: Record<string, string>): Record<string, Part> {
  return Object.fromEntries(
    Object.entries(entries).map(([name, part]) => {
      if (typeof part !== 'string') return [name, part];
      const found = Object.entries(namespaces).map(([elements, names]) => [
        new RegExp(`^((?:<\\?[^>]*>)?<(?:${elements})(?=[ >]))(?![^>]* xmlns=)`),
        `$1 ${names}`,
      ]) as [RegExp, string][];
      return [name, found.reduce((text, [start, names]) => text.replace(start, names), part as string)];
    }),
  ) as Record<string, Part>;
}

/** A presentation with the shapes of its slides in PresentationML; `notes` is spoken on the first one. */
export function pptx(slides: readonly string[], notes = ''): Buffer {
  const drawing = `xmlns:a="${office}/drawingml/2006/main" xmlns:p="${office}/presentationml/2006/main" xmlns:r="${officeRelations}"`;
  const entries: Record<string, string> = {
    'docProps/core.xml': coreProperties,
    'ppt/presentation.xml': `${xml}<p:presentation ${drawing}><p:sldIdLst>${slides
      .map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    // The order of the list counts, not that of the names.
    'ppt/_rels/presentation.xml.rels': relations(
      Object.fromEntries(
        slides.map((_, index) => [`rId${index + 1}`, ['slide', `slides/slide${slides.length - index}.xml`]]),
      ),
    ),
  };
  slides.forEach((shapes, index) => {
    const name = `slide${slides.length - index}.xml`;
    entries[`ppt/slides/${name}`] = `${xml}<p:sld ${drawing}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
    entries[`ppt/slides/_rels/${name}.rels`] = relations({
      rId5: ['hyperlink', 'https://site.test/slide'],
      ...(index === 0 && notes !== '' && { rId6: ['notesSlide', '../notesSlides/notesSlide1.xml'] }),
    });
  });
  if (notes !== '') {
    entries['ppt/notesSlides/notesSlide1.xml'] =
      `${xml}<p:notes ${drawing}><p:cSld><p:spTree>${slideShape('body', notes)}</p:spTree></p:cSld></p:notes>`;
  }
  return zipOf(entries);
}

/** A shape of a slide: a placeholder of that type, or a text box. Paragraphs are lines, nested by their tabs. */
export function slideShape(placeholder: string, text: string): string {
  const paragraphs = text.split('\n').map((line) => {
    const level = line.length - line.trimStart().length;
    return `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${line.trim()}</a:t></a:r></a:p>`;
  });
  const kind = placeholder && `<p:ph type="${placeholder}"/>`;
  return `<p:sp><p:nvSpPr><p:nvPr>${kind}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs.join('')}</p:txBody></p:sp>`;
}

/** An OpenDocument file whose body is `kind` with that content. */
export function openDocument(kind: 'text' | 'spreadsheet' | 'presentation', content: string, more = {}): Buffer {
  const urn = 'urn:oasis:names:tc:opendocument:xmlns';
  const spaces = [
    ...['office', 'text', 'table', 'draw', 'style', 'presentation', 'number', 'meta', 'chart', 'form'].map(
      (name) => `xmlns:${name}="${urn}:${name}:1.0"`,
    ),
    ...['fo', 'svg'].map((name) => `xmlns:${name}="${urn}:${name === 'fo' ? 'xsl-fo' : name}-compatible:1.0"`),
    'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"',
  ].join(' ');
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const files = Object.entries({ '/': type, 'content.xml': 'text/xml', 'meta.xml': 'text/xml' }).map(
    ([path, media]) => `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${media}"/>`,
  );
  const styles = `<office:automatic-styles><style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles>`;
  const entries = {
    mimetype: type,
    'META-INF/manifest.xml': `${xml}<manifest:manifest xmlns:manifest="${urn}:manifest:1.0">${files.join('')}</manifest:manifest>`,
    'meta.xml': `${xml}<office:document-meta><office:meta><dc:title>The title</dc:title><dc:creator>Ada</dc:creator></office:meta></office:document-meta>`,
    'content.xml': `${xml}<office:document-content>${styles}<office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
    ...more,
  };
  return zipOf(declared(entries, { 'office:document-\\w+': spaces }));
}

/** An EPUB book with those chapters, as XHTML bodies. */
export function epub(chapters: readonly string[], more: Record<string, string> = {}): Buffer {
  const items = chapters.map(
    (_, index) => `<item id="c${index}" href="text/chapter%20${index}.xhtml" media-type="application/xhtml+xml"/>`,
  );
  const spine = chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('');
  return bookOf({
    'META-INF/container.xml': `${xml}<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    'OEBPS/book.opf': `${xml}<package><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The title</dc:title><dc:creator>Ada</dc:creator><dc:language>en</dc:language></metadata><manifest>${items.join('')}</manifest><spine>${spine}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((body, index) => [
        `OEBPS/text/chapter ${index}.xhtml`,
        `${xml}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`,
      ]),
    ),
    ...more,
  });
}

/** Packs the parts of an EPUB book into a file. */
export function bookOf(entries: Record<string, string | Uint8Array>): Buffer {
  const namespaces = {
    container: 'version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"',
    package: 'version="3.0" xmlns="http://www.idpf.org/2007/opf"',
  };
  return zipOf(declared({ mimetype: 'application/epub+zip', ...entries }, namespaces));
}

/** A line of text on a page of a PDF: its position in points from the lower left corner, its size, and its angle in degrees. */
export interface PdfText {
  x: number;
  y: number;
  size?: number;
  angle?: number;
  /** Whether the letters from `a` on are those of the Hebrew alphabet from alef on. */
  hebrew?: boolean;
  /** Whether all letters have one width. */
  code?: boolean;
  text: string;
}

/** A page of a PDF with more than text. */
export interface PdfPage {
  texts: readonly PdfText[];
  /** Operators of PDF that draw. */
  drawn?: string;
  /** The filter of what is drawn, which is then its bytes in Latin-1, such as `/Filter /FlateDecode`. */
  filter?: string;
  /** How far a viewer turns the page clockwise, in degrees. */
  rotate?: number;
  /** Dictionaries of annotations, without their brackets. */
  annotations?: readonly string[];
}

const toHebrew =
  '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfrange <20> <40> <0020> <61> <7b> <05d0> endbfrange endcmap end end';

/** A PDF with those pages; a page without text is like a scanned one. `trailer` adds entries to its trailer. */
export function pdf(pages: readonly (readonly PdfText[] | PdfPage)[], trailer = ''): Buffer {
  const objects: string[] = ['<< /Type /Catalog /Pages 2 0 R >>', ''];
  const kids: string[] = [];
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  objects.push('<< /Title (The title) /Author (Ada) >>');
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding /ToUnicode 7 0 R >>');
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>');
  objects.push(`<< /Length ${toHebrew.length} >>\nstream\n${toHebrew}\nendstream`);
  for (const page of pages) {
    const {
      texts,
      drawn = '',
      filter = '',
      rotate = 0,
      annotations = [],
    }: PdfPage = 'texts' in page ? page : { texts: page };
    const lines = texts.map(({ x, y, size = 12, angle = 0, hebrew, code, text }) => {
      const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
      const matrix = [cos, sin, -sin, cos].map((each) => each.toFixed(5)).join(' ');
      return `BT /F${hebrew ? 2 : code ? 3 : 1} ${size} Tf ${matrix} ${x} ${y} Tm (${text.replaceAll(/[()\\]/g, '\\$&')}) Tj ET`;
    });
    const stream = [...lines, drawn].join('\n');
    objects.push(`<< ${filter} /Length ${Buffer.byteLength(stream, 'latin1')} >>\nstream\n${stream}\nendstream`);
    const annots = annotations.map((each) => `<< /Type /Annot ${each} >>`).join(' ');
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate ${rotate} /Resources << /Font << /F1 3 0 R /F2 5 0 R /F3 6 0 R >> >> /Contents ${objects.length} 0 R /Annots [${annots}] >>`,
    );
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`;
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  file += offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
