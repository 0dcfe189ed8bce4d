import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { shorten } from '../../../contract/shorten.ts';
import { ownNames } from '../own-names.ts';
import { bodySteps } from './fetch.ts';

/** A decompressed body exceeds the size limit. */
export class BodyTooLarge extends Error {}

/** A body has an unsupported content encoding. */
export class UnknownEncoding extends Error {}

type OneShot = (input: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>;

const oneShot: Record<string, OneShot> = ownNames({
  gzip: promisify(zlib.gunzip) as OneShot,
  deflate: promisify(zlib.inflate) as OneShot,
  'raw deflate': promisify(zlib.inflateRaw) as OneShot,
  br: promisify(zlib.brotliDecompress) as OneShot,
  zstd: promisify(zlib.zstdDecompress) as OneShot,
});
const streams: Record<string, () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress | zlib.ZstdDecompress> =
  ownNames({
    gzip: zlib.createGunzip,
    deflate: zlib.createInflate,
    'raw deflate': zlib.createInflateRaw,
    br: zlib.createBrotliDecompress,
    zstd: zlib.createZstdDecompress,
  });
/** Bodies are rarely encoded more than once; a long chain of encodings is an attack. */
const maxLayers = 3;

/** The Accept-Encoding header of every fetch. */
export const acceptEncoding = 'gzip, deflate, br, zstd';

/** Parses a Content-Encoding header into codings, the outermost last. */
export function codingsOf(header: string | undefined): string[] {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim().replace(/^x-/, ''))
    .filter((coding) => coding !== '' && coding !== 'identity');
}

export interface DecodeOptions {
  maxBytes: number;
  /** Whether a larger body is truncated, instead of an error. */
  truncate: boolean;
  /** Called before the body takes more memory. */
  reserve?(bytes: number): Promise<void> | undefined;
}

/**
 * Decodes content encodings, outermost first, into at most `maxBytes`.
 * Throws BodyTooLarge (unless `truncate`), UnknownEncoding, or zlib's error if the body doesn't match the header.
 */
export async function decodeBody(
  body: Buffer,
  header: string | undefined,
  { maxBytes, truncate, reserve }: DecodeOptions,
): Promise<{ body: Buffer; truncated: boolean }> {
  const codings = codingsOf(header);
  if (codings.length > maxLayers) throw new UnknownEncoding(`the body has ${codings.length} content encodings`);
  let current = body;
  let truncated = false;
  for (const coding of codings.reverse()) {
    if (current.length === 0) break;
    const decoder = coding === 'deflate' && !hasZlibHeader(current) ? 'raw deflate' : coding;
    const decode = oneShot[decoder];
    if (!decode) throw new UnknownEncoding(`the content encoding "${shorten(coding, 40)}" isn't supported`);
    try {
      current = await decodeInSteps(current, decode, maxBytes, reserve);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      if (!truncate) throw new BodyTooLarge();
      current = await decodeStart(current, decoder, maxBytes);
      truncated = true;
    }
  }
  return { body: current, truncated };
}

/** A few bytes can decode to any number: more memory is reserved only once less was not enough. */
async function decodeInSteps(body: Buffer, decode: OneShot, maxBytes: number, reserve: DecodeOptions['reserve']) {
  for (const step of reserve ? bodySteps : []) {
    if (step >= maxBytes) break;
    try {
      return await decode(body, { maxOutputLength: step });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      await reserve?.(step + 1);
    }
  }
  return await decode(body, { maxOutputLength: maxBytes });
}

/** Some servers send "deflate" without the zlib wrapper that the standard requires. */
function hasZlibHeader(body: Buffer): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

async function decodeStart(body: Buffer, decoder: string, maxBytes: number): Promise<Buffer> {
  const stream = streams[decoder]?.();
  if (!stream) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  stream.end(body);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the stream.
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks, length).subarray(0, maxBytes);
}
