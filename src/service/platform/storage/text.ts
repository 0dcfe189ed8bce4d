import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { createZstdDecompress, constants as zlib, zstdCompress, zstdCompressSync } from 'node:zlib';
import { joined } from '../large-json.ts';

/** Returns a text without NUL characters, which PostgreSQL can't store. */
export function plainText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

/** Parses the JSON of an object that was stored. Throws if it is anything else. */
export function storedObject<Value extends object>(text: string): Value {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('Expected an object.');
  return value as Value;
}

/** PostgreSQL's indexes hold no texts of more than 2,700 bytes. */
const longestKey = 1000;

/** Returns a text that is equal for equal texts and short enough for an index: itself, or a digest. */
export function indexable(text: string): string {
  if (text.length <= longestKey) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Longer texts are compressed on another thread, which takes several times the processor time of compressing in place. */
const longestAtOnce = 64 * 1024;
const compress = promisify(zstdCompress);
// The checksum ensures that what is read is what was stored.
const level = { params: { [zlib.ZSTD_c_compressionLevel]: 1, [zlib.ZSTD_c_checksumFlag]: 1 } };
/** For texts compressed in place: a smaller window is set up faster, and results keep less of their buffers alive. */
const inPlace = {
  params: { ...level.params, [zlib.ZSTD_c_windowLog]: 16, [zlib.ZSTD_c_hashLog]: 13 },
  chunkSize: 4096,
};

/** Compresses a text, or its UTF-8, for storage. */
export async function packText(text: string | Uint8Array): Promise<Uint8Array> {
  return text.length <= longestAtOnce ? zstdCompressSync(text, inPlace) : await compress(text, level);
}

/** Returns the UTF-8 of a text that `packText` compressed. Rejects if it is damaged. */
export async function unpackBytes(packed: Uint8Array): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createZstdDecompress().end(packed)) chunks.push(chunk);
  return await joined(chunks);
}

/** Returns a text that `packText` compressed. Rejects if it is damaged. */
export async function unpackText(packed: Uint8Array): Promise<string> {
  return (await unpackBytes(packed)).toString();
}
