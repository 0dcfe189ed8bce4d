import { strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { decodeText } from '../../../../../platform/network/charset.ts';
import type { Archive } from '../archive.ts';
import type { FileReading } from '../files.ts';
import { coreProperties, partOf, relationshipsOf, unreadWarnings } from './properties.ts';
import { createWordLists, withNumbers } from './word-lists.ts';
import { hidingStyles, looksOfStyles, outlineLevels, rewritePart } from './word-part.ts';

/** What paragraphs and text become, by the names that Word, LibreOffice and pandoc give their styles. */
const styleNames: Record<string, readonly string[]> = {
  'h1:fresh': ['Title'],
  'p:fresh': ['Subtitle'],
  'blockquote > p:fresh': ['Quote', 'Intense Quote', 'Quotations', 'Block Text'],
  "pre:separator('\\n')": ['HTML Preformatted', 'Preformatted Text', 'Source Code'],
  code: ['HTML Code', 'Source Text', 'Verbatim Char'],
};
const styleMap = Object.entries(styleNames).flatMap(([element, names]) =>
  names.map((name) => `${element === 'code' ? 'r' : 'p'}[style-name='${name}'] => ${element}`),
);

/**
 * Reads a Word document.
 * @param main the name of its main part
 * @param keepImages whether embedded images become `data:` URLs
 */
export async function readDocx(archive: Archive, main: string, keepImages: boolean): Promise<FileReading> {
  // Decompressed here, within the limits, and handed on without compression.
  const entries = archive.select(
    (name) => !/^(word\/(media|embeddings|fonts)\/|docProps\/thumbnail)/i.test(name) || keepImages,
  );
  const relations = relationshipsOf(archive, main);
  const part = (kind: string) => partOf(relations, main, kind);
  const styles = archive.xml(part('styles'));
  const outline = outlineLevels(styles);
  const hiding = hidingStyles(styles);
  const lists = createWordLists(archive.xml(part('numbering')), styles);
  for (const name of [main, part('footnotes'), part('endnotes')]) {
    const entry = entries[name];
    if (entry) entries[name] = strToU8(rewritePart(decodeText(entry, undefined), outline, lists, hiding));
  }
  const document = Buffer.from(zipSync(entries, { level: 0 }));
  const { value } = await mammoth.convertToHtml(
    { buffer: document },
    {
      styleMap: [...styleMap, ...looksOfStyles(styles)],
      externalFileAccess: false,
      convertImage: mammoth.images.imgElement(async (image) => ({
        src: keepImages ? `data:${image.contentType};base64,${await image.readAsBase64String()}` : '',
      })),
    },
  );
  return {
    html: withoutPlaces(withNumbers(value)),
    metadata: coreProperties(archive),
    warnings: unreadWarnings(
      archive,
      [...relations.values()].some(({ type }) => type === 'aFChunk'),
    ),
  };
}

/** Links into a file lead nowhere in its Markdown, and boxes to check are none there outside of lists. */
function withoutPlaces(html: string): string {
  return html
    .replaceAll(/ ?<a href="#[^"]*">\u2191<\/a>/g, '')
    .replaceAll(/<a [^>]*?href="#[^"]*"[^>]*>(.*?)<\/a>/gs, '$1')
    .replaceAll(/(?<!<li[^>]*>)<input type="checkbox"( checked="checked")? ?\/>/g, (_, checked?: string) =>
      checked === undefined ? '\u2610' : '\u2611',
    );
}
