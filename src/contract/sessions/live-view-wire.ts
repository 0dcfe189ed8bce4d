/**
 * The part of a live view's WebSocket protocol that needs no library, so that the viewer in a browser can import it.
 * A frame is a header of fixed size followed by the JPEG; all other messages are JSON (live-view.ts).
 */

/** Bits of `modifiers`, as in CDP. */
export const modifierBits = { alt: 1, ctrl: 2, meta: 4, shift: 8 } as const;

/** Maximum characters of a `text` message; longer texts are split. */
export const maxTextPiece = 8_000;

/** Bytes of the files that a viewer can give a file chooser, and of each binary message that carries them. */
export const fileLimits = { total: 100_000_000, piece: 48_000 } as const;

/** Widths and heights that a viewer can give the page, in CSS pixels. */
export const viewportLimits = { min: 100, max: 4_096 } as const;

/** WebSocket subprotocol of these messages. A server that doesn't choose it has only the page at that URL. */
export const liveProtocol = 'web-data-live-view';

/** Query of a socket's URL: opens the URL for control only to watch, and to size the page. */
export const watchOnlyQuery = 'watch';

/** Whether the path and query of a socket's URL ask only to watch. */
export function isWatchOnly(url: string): boolean {
  return url.endsWith(`?${watchOnlyQuery}`);
}

/** Returns the URL of a download's file. `control` is the URL of a live view to control its session. */
export function downloadUrl(control: URL | string, id: string): string {
  const url = new URL(control);
  url.search = '';
  url.pathname += `/downloads/${encodeURIComponent(id)}`;
  return url.href;
}

/** Close codes of the socket. */
export const liveCloseCodes = {
  /** The session ended; the last message says why. In the range for applications. */
  ended: 4410,
  /** The viewer has not acknowledged a frame for too long. */
  tooSlow: 1013,
} as const;

/** A frame: one picture of a tab. */
export interface Frame {
  /** Sequence number on one socket, used to acknowledge the frame. */
  seq: number;
  /** When the browser drew it, in wall-clock milliseconds. */
  at: number;
  /** Size of the page's viewport in CSS pixels, the unit of mouse positions. */
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

/** Reads a frame; undefined when it is not a frame of this version. The JPEG is a view of the same bytes. */
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
