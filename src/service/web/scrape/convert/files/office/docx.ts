import { strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import { decodeText } from '../../../../../platform/network/charset.ts';
import type { Archive } from '../archive.ts';
import type { FileReading } from '../files.ts';
import { coreProperties, partOf, relationshipsOf, unreadWarnings } from './properties.ts';
import { createWordLists, withNumbers } from './word-lists.ts';
import { outlineLevels, rewritePart } from './word-part.ts';

const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

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
  const lists = createWordLists(archive.xml(part('numbering')), styles);
  for (const name of [main, part('footnotes'), part('endnotes')]) {
    const entry = entries[name];
    if (entry) entries[name] = strToU8(rewritePart(decodeText(entry, undefined), outline, lists));
  }
  const document = Buffer.from(zipSync(entries, { level: 0 }));
  const { value } = await mammoth.convertToHtml(
    { buffer: document },
    {
      styleMap,
      externalFileAccess: false,
      convertImage: mammoth.images.imgElement(async (image) => ({
        src: keepImages ? `data:${image.contentType};base64,${await image.readAsBase64String()}` : '',
      })),
    },
  );
  return { html: withNumbers(value), metadata: coreProperties(archive), warnings: unreadWarnings(archive) };
}
