import type { ScrapeDocument } from '../../../contract/scrape/scrape.ts';
import { jsonOf } from '../../platform/large-json.ts';
import { packText, storedObject, unpackBytes } from '../../platform/storage/storage.ts';

/** A document's JSON: as it is, or compressed and the other empty. */
export interface PackedDocument {
  document: string;
  packed: Uint8Array | null;
}

/** Shorter documents are stored as they are: compressing them saves no page of the file. */
const shortestPacked = 2048;

/** Returns a document as it is stored. */
export async function packDocument(document: ScrapeDocument, shortest = shortestPacked): Promise<PackedDocument> {
  const text = await jsonOf(document);
  if (typeof text === 'string' && text.length < shortest) return { document: text, packed: null };
  return { document: '', packed: await packText(text) };
}

/** Returns the JSON of a stored document, compressed ones in UTF-8. Rejects if it can't be read. */
export async function unpackDocument({ document, packed }: PackedDocument): Promise<string | Buffer> {
  if (packed !== null) return await unpackBytes(packed);
  storedObject(document);
  return document;
}
