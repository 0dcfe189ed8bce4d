import { strFromU8, strToU8, zipSync } from 'fflate';
import mammoth from 'mammoth';
import type { Archive } from '../archive.ts';
import type { FileReading } from '../files.ts';
import { escaped } from '../html.ts';
import { descendants, parseXml } from '../xml.ts';
import { equationText } from './equations.ts';
import { coreProperties, unreadWarnings } from './properties.ts';

const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const mathNamespace = /\/officeDocument\/(?:2006\/)?math["']/;
const withEquations = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];

/** Reads a Word document. @param keepImages whether embedded images become `data:` URLs */
export async function readDocx(archive: Archive, keepImages: boolean): Promise<FileReading> {
  // Decompressed here, within the limits, and handed on without compression.
  const entries = archive.select(
    (name) => !/^(word\/(media|embeddings|fonts)\/|docProps\/thumbnail)/i.test(name) || keepImages,
  );
  for (const name of withEquations) {
    const part = entries[name];
    const xml = part && strFromU8(part);
    if (xml && mathNamespace.test(xml)) entries[name] = strToU8(equationsAsText(xml));
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
  const root = parseXml(xml);
  const equations = [...descendants(root, 'm:oMathPara'), ...descendants(root, 'm:oMath')];
  let text = '';
  let from = 0;
  for (const equation of equations.sort((one, other) => (one.startIndex ?? 0) - (other.startIndex ?? 0))) {
    const { startIndex, endIndex } = equation;
    // A paragraph of equations contains them.
    if (startIndex === null || endIndex === null || startIndex < from) continue;
    const shown = escaped(equationText(equation));
    text += `${xml.slice(from, startIndex)}<r xmlns="${word}"><t xml:space="preserve">${shown}</t></r>`;
    from = endIndex + 1;
  }
  return text + xml.slice(from);
}
