import { docx, type PdfText, pdf, wordParagraph } from '../../harness/documents.ts';

const sentence = (number: number) => `Sentence number ${number} of the report tells of ships and of the sea.`;

/** Documents of twenty pages with a heading, text and a table on each. */
export function documents(): Record<string, { body: Buffer; pages: number }> {
  const pages = Array.from({ length: 20 }, (_, page) => page);
  const cells = (page: number) => Array.from({ length: 8 }, (_, row) => [`row ${row}`, `${page}.${row}`, 'kept']);
  const ofPdf = (page: number): PdfText[] => [
    { x: 60, y: 740, size: 18, text: `Chapter ${page}` },
    ...Array.from({ length: 30 }, (_, line) => ({
      x: 60,
      y: 710 - 14 * line,
      size: 11,
      text: sentence(30 * page + line),
    })),
    ...cells(page).flatMap((row, at) => row.map((text, column) => ({ x: 60 + 120 * column, y: 250 - 16 * at, text }))),
  ];
  const ofWord = (page: number) => {
    const rows = cells(page).map(
      (row) => `<w:tr>${row.map((text) => `<w:tc>${wordParagraph(text)}</w:tc>`).join('')}</w:tr>`,
    );
    const texts = Array.from({ length: 6 }, (_, part) =>
      wordParagraph(Array.from({ length: 5 }, (_each, line) => sentence(30 * page + 5 * part + line)).join(' ')),
    );
    return `${wordParagraph(`Chapter ${page}`, 'Heading1')}${texts.join('')}<w:tbl>${rows.join('')}</w:tbl>`;
  };
  return {
    'report.pdf': { body: pdf(pages.map(ofPdf)), pages: pages.length },
    'report.docx': { body: docx(pages.map(ofWord).join('')), pages: pages.length },
  };
}
