import type { Duplex } from 'node:stream';
import * as zlib from 'node:zlib';
import { ReceivedBytes } from '../../../contract/received-bytes.ts';
import { shorten } from '../../../contract/shorten.ts';
import { nextTurn } from '../async.ts';
import { messageOf } from '../errors.ts';
import { ownNames } from '../own-names.ts';

/** A decompressed body exceeds the size limit. */
export class BodyTooLarge extends Error {}

/** A body has an unsupported content encoding, or isn't encoded as its headers say. */
export class UndecodableBody extends Error {}

const decoders: Record<string, () => Duplex> = ownNames({
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
 * Throws BodyTooLarge (unless `truncate`) or UndecodableBody.
 */
export async function decodeBody(
  body: Buffer,
  header: string | undefined,
  options: DecodeOptions,
): Promise<{ body: Buffer; truncated: boolean }> {
  const codings = codingsOf(header);
  if (codings.length > maxLayers) throw new UndecodableBody(`the body has ${codings.length} content encodings`);
  let decoded = { body, truncated: false };
  for (const coding of codings.reverse()) {
    if (decoded.body.length === 0) break;
    const createDecoder = decoders[coding === 'deflate' && !hasZlibHeader(decoded.body) ? 'raw deflate' : coding];
    if (!createDecoder) throw new UndecodableBody(`the content encoding "${shorten(coding, 40)}" isn't supported`);
    const { body: inner, truncated } = await decode(decoded.body, createDecoder(), options);
    decoded = { body: inner, truncated: decoded.truncated || truncated };
  }
  return decoded;
}

async function decode(body: Buffer, decoder: Duplex, options: DecodeOptions) {
  decoder.end(body);
  try {
    return await receiveBody(decoder, options);
  } catch (error) {
    throw error === decoder.errored ? new UndecodableBody(messageOf(error)) : error;
  }
}

/** Receives at most `maxBytes` of a stream. Throws BodyTooLarge if there are more (unless `truncate`). */
export async function receiveBody(stream: AsyncIterable<Buffer>, { maxBytes, truncate, reserve }: DecodeOptions) {
  const received = new ReceivedBytes();
  for await (const chunk of stream) {
    received.push(chunk);
    // Leaving the loop destroys the decoder, or aborts the transfer.
    if (received.length > maxBytes) break;
    await reserve?.(received.length);
  }
  const truncated = received.length > maxBytes;
  if (truncated && !truncate) throw new BodyTooLarge();
  return { body: (await received.wholeInTurns(nextTurn)).subarray(0, maxBytes), truncated };
}

/** Some servers send "deflate" without the zlib wrapper that the standard requires. */
function hasZlibHeader(body: Buffer): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}
