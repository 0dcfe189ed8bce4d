/**
 * What both ends of a live view's WebSocket need and what needs no library, so that the viewer in a browser may import it.
 * A picture travels as a header of fixed size, then the JPEG; everything else is JSON (live-view.ts).
 */

/** Bits of `modifiers`, as CDP has them. */
export const modifierBits = { alt: 1, ctrl: 2, meta: 4, shift: 8 } as const;

/** Characters of one `text` message; longer texts are sent in pieces. */
export const maxTextPiece = 8_000;

/** Sides that a viewer can give the page, in CSS pixels. */
export const viewportLimits = { min: 100, max: 4_096 } as const;

/** Query of a socket's URL: opens the URL for control only to watch, and to size the page. */
export const watchOnlyQuery = 'watch';

/** Whether the path and query of a socket's URL ask only to watch. */
export function isWatchOnly(url: string): boolean {
  return url.endsWith(`?${watchOnlyQuery}`);
}

/** Close codes of the socket. */
export const liveCloseCodes = {
  /** The session has ended; a message said why. In the range for applications. */
  ended: 4410,
  /** The viewer has not acknowledged a picture for a long time. */
  tooSlow: 1013,
} as const;

/** A picture of a tab. */
export interface Frame {
  /** Counts up on one socket; an acknowledgement names it. */
  seq: number;
  /** Wall-clock milliseconds of the moment that the browser drew it. */
  at: number;
  /** Size of the page's viewport in CSS pixels: what positions of the mouse are given in. */
  width: number;
  height: number;
}

export const frameHeaderBytes = 24;
const version = 1;

/** The header of a frame, big-endian: version, 3 bytes unused, seq, time, width and height. */
export function writeFrameHeader(into: Uint8Array, frame: Frame): void {
  const view = new DataView(into.buffer, into.byteOffset, frameHeaderBytes);
  view.setUint8(0, version);
  view.setUint32(4, frame.seq);
  view.setFloat64(8, frame.at);
  view.setUint32(16, frame.width);
  view.setUint32(20, frame.height);
}

/** Reads a frame; undefined when it is none of this version. The JPEG is a view of the same bytes. */
export function readFrame(bytes: Uint8Array): (Frame & { jpeg: Uint8Array }) | undefined {
  if (bytes.byteLength <= frameHeaderBytes || bytes[0] !== version) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    seq: view.getUint32(4),
    at: view.getFloat64(8),
    width: view.getUint32(16),
    height: view.getUint32(20),
    jpeg: bytes.subarray(frameHeaderBytes),
  };
}
