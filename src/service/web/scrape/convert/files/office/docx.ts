import { strFromU8, strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import type { Archive } from '../archive.ts';
import type { FileReading } from '../files.ts';
import { escaped, parseXml } from '../markup.ts';
import { equationText } from './equations.ts';
import { coreProperties, unreadWarnings } from './properties.ts';

const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

const withEquations = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

/** Reads a Word document. @param keepImages whether embedded images become `data:` URLs */
export async function readDocx(archive: Archive, keepImages: boolean): Promise<FileReading> {
  // Decompressed here, within the limits, and handed on without compression.
  const entries = archive.select(
    (name) => !/^(word\/(media|embeddings|fonts)\/|docProps\/thumbnail)/i.test(name) || keepImages,
  );
  for (const name of withEquations) {
    const part = entries[name];
    if (part) entries[name] = strToU8(equationsAsText(strFromU8(part)));
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
  return { html: value, metadata: coreProperties(archive), warnings: unreadWarnings(archive) };
}

/** Writes the equations of a part as text: mammoth leaves them out. */
function equationsAsText(xml: string): string {
  return xml.replaceAll(
    /<m:oMathPara\b[^>]*>.*?<\/m:oMathPara>|<m:oMath\b[^>]*>.*?<\/m:oMath>/gs,
    (equation) => `<w:r><w:t xml:space="preserve">${escaped(equationText(parseXml(equation)))}</w:t></w:r>`,
  );
}
