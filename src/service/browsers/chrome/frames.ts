import type { Duplex } from 'node:stream';

/** Payload bytes of a large frame that become one fragment: a multiple of four, so that the mask fits the next one. */
const fragmentBytes = 64 * 1024;
const opcodes = { text: 1, binary: 2, firstControl: 8 } as const;
const finalBit = 0x80;
const maxHeaderBytes = 14;
const none = Buffer.alloc(0);

/**
 * Divides the frames that a WebSocket client sends (RFC 6455, section 5), so that they are unmasked as they arrive and not at once:
 * large ones become fragments, and messages of text become binary ones, whose fragments `ws` doesn't join.
 * @param maxBytes frames that are larger stay as they are: `ws` refuses them before they have arrived
 */
export function createDivider(maxBytes: number): (chunk: Buffer) => Buffer[] {
  /** What has arrived of a header. */
  let header = none;
  /** Payload bytes that are still to come: of the fragment, and of the frame after it. */
  let passing = 0;
  let left = 0;
  let isFinal = 0;
  let mask = none;

  /** Returns the header of the next fragment. */
  function fragment(firstBits: number): Buffer {
    passing = Math.min(left, fragmentBytes);
    left -= passing;
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(passing));
    return Buffer.concat([Buffer.of((left === 0 ? isFinal : 0) | firstBits, 0x80 | 127), length, mask]);
  }

  return (chunk) => {
    const parts: Buffer[] = [];
    let from = 0;
    let at = 0;
    /** Puts a part in the place of so many bytes of the chunk. */
    const replace = (bytes: number, part?: Buffer) => {
      if (at > from) parts.push(chunk.subarray(from, at));
      if (part) parts.push(part);
      at += bytes;
      from = at;
    };
    while (at < chunk.length) {
      if (passing > 0) {
        const bytes = Math.min(passing, chunk.length - at);
        at += bytes;
        passing -= bytes;
        if (passing === 0 && left > 0) replace(0, fragment(0));
        continue;
      }
      const before = header.length;
      const seen = before === 0 ? chunk : Buffer.concat([header, chunk.subarray(at, at + maxHeaderBytes)]);
      const begin = before === 0 ? at : 0;
      const size = headerSize(seen, begin);
      if (size === undefined || seen.length - begin < size) {
        replace(chunk.length - at);
        header = Buffer.from(seen.subarray(begin));
        break;
      }
      header = none;
      const first = seen[begin] as number;
      const opcode = first & 15;
      if (opcode === opcodes.text) seen[begin] = (first & ~15) | opcodes.binary;
      const length = lengthOf(seen, begin);
      const isLarge = opcode < opcodes.firstControl && length > fragmentBytes && length <= maxBytes;
      // A frame without a mask is for `ws` to refuse.
      if (isLarge && size === maxHeaderBytes) {
        isFinal = first & finalBit;
        mask = Buffer.from(seen.subarray(begin + size - 4, begin + size));
        left = length;
        replace(size - before, fragment((seen[begin] as number) & ~finalBit));
      } else {
        passing = length;
        if (before === 0) at += size;
        else replace(size - before, seen.subarray(0, size));
      }
    }
    if (from === 0) return [chunk];
    replace(0);
    return parts;
  };
}

/** Divides what arrives on a socket before anything else reads it. Returns what has arrived already: `head`, and what follows it. */
export function divideFrames(socket: Duplex, head: Buffer, maxBytes: number): Buffer {
  const divide = createDivider(maxBytes);
  const waiting: Buffer | null = socket.readableLength > 0 ? socket.read() : null;
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null) =>
    chunk === null ? push(null) : divide(chunk).reduce((goesOn, part) => push(part) && goesOn, true);
  return Buffer.concat(divide(Buffer.concat(waiting ? [head, waiting] : [head])));
}

/** Returns the bytes of a header; undefined if it can't be said yet. */
function headerSize(bytes: Buffer, at: number): number | undefined {
  const second = bytes[at + 1];
  if (second === undefined) return undefined;
  const short = second & 0x7f;
  return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + (second & 0x80 ? 4 : 0);
}

function lengthOf(bytes: Buffer, at: number): number {
  const short = (bytes[at + 1] as number) & 0x7f;
  if (short === 127) return Number(bytes.readBigUInt64BE(at + 2));
  return short === 126 ? bytes.readUInt16BE(at + 2) : short;
}
