/** How a picture travels on the live view's WebSocket: a header of fixed size, then the JPEG. Nothing here needs a library. */

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
