import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

/** A body is longer than it may be once decompressed. */
export class BodyTooLarge extends Error {}

/** A body comes in an encoding that nobody here knows. */
export class UnknownEncoding extends Error {}

type OneShot = (input: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const oneShot: Record<string, OneShot> = {
  gzip: promisify(zlib.gunzip) as OneShot,
  deflate: promisify(zlib.inflate) as OneShot,
  'raw deflate': promisify(zlib.inflateRaw) as OneShot,
  br: promisify(zlib.brotliDecompress) as OneShot,
  zstd: promisify(zlib.zstdDecompress) as OneShot,
};
const streams: Record<string, () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress | zlib.ZstdDecompress> = {
  gzip: zlib.createGunzip,
  deflate: zlib.createInflate,
  'raw deflate': zlib.createInflateRaw,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};
/** A body is hardly ever encoded more than once; a chain of encodings is an attack. */
const mostLayers = 3;

/** What every fetch says that it can read. */
export const acceptEncoding = 'gzip, deflate, br, zstd';

/** The codings of a Content-Encoding header, the outermost last. */
export function codingsOf(header: string | undefined): string[] {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim().replace(/^x-/, ''))
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/**
 * Undoes content encodings, outermost first, never making more than `maxBytes`.
 * Throws BodyTooLarge (unless `truncate`), UnknownEncoding, or zlib's error where the body is not what the header says.
 */
export async function decodeBody(
  body: Buffer,
  header: string | undefined,
  maxBytes: number,
  truncate: boolean,
): Promise<{ body: Buffer; truncated: boolean }> {
  const codings = codingsOf(header);
  if (codings.length > mostLayers) throw new UnknownEncoding(`the body is encoded ${codings.length} times over`);
  let current = body;
  let truncated = false;
  for (const coding of codings.reverse()) {
    if (current.length === 0) break;
    const decoder = coding === 'deflate' && !hasZlibHeader(current) ? 'raw deflate' : coding;
    const decode = oneShot[decoder];
    if (!decode) throw new UnknownEncoding(`the content coding "${coding.slice(0, 40)}" is not known`);
    try {
      current = await decode(current, { maxOutputLength: maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      if (!truncate) throw new BodyTooLarge();
      current = await beginningOf(current, decoder, maxBytes);
      truncated = true;
    }
  }
  return { body: current, truncated };
}

/** Some servers send "deflate" without the zlib wrapper that the standard asks for. */
function hasZlibHeader(body: Buffer): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

async function beginningOf(body: Buffer, decoder: string, maxBytes: number): Promise<Buffer> {
  const stream = streams[decoder]?.();
  if (!stream) return Buffer.alloc(0);
  const pieces: Buffer[] = [];
  let length = 0;
  stream.end(body);
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    // Leaving the loop destroys the stream.
    if (length >= maxBytes) break;
  }
  return Buffer.concat(pieces, length).subarray(0, maxBytes);
}
