import { zipSync } from 'fflate';
import mammoth from 'mammoth';
import type { Archive } from '../archive.ts';
import type { FileReading } from '../files.ts';
import { coreProperties, macroWarnings } from './properties.ts';

const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

/** Reads a Word document. @param keepImages whether embedded images become `data:` URLs */
export async function readDocx(archive: Archive, keepImages: boolean): Promise<FileReading> {
  // Decompressed here, within the limits, and handed on without compression.
  const entries = archive.select(
    (name) => !/^(word\/(media|embeddings|fonts)\/|docProps\/thumbnail)/i.test(name) || keepImages,
  );
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
  return { html: value, metadata: coreProperties(archive), warnings: macroWarnings(archive, 'word/vbaProject.bin') };
}
