import { BufferTarget, CanvasSource, getFirstEncodableVideoCodec, Output, WebMOutputFormat } from 'mediabunny';

/** A frame that was shown. */
export interface RecordedFrame {
  /** Wall-clock milliseconds. */
  at: number;
  jpeg: Uint8Array;
}

/** The least time between recorded frames: enough to follow, and minutes of it fit into memory. */
const minIntervalMs = 95;
/** What every live view keeps in case somebody saves it: the last minutes, within a budget. */
const kept = { bytes: 32 * 1024 * 1024, ms: 5 * 60_000 };
/** How long a stretch in which nothing moves lasts in the video, at most. */
const maxStillMs = 3_000;
const lastFrameMs = 1_000;

/** Keeps the frames that were shown, dropping the oldest first, so that they can be saved later. */
export class Recording {
  #kept: RecordedFrame[] = [];
  /** The newest frame, if it came too soon after the last one kept. */
  #tail: RecordedFrame | undefined;
  #bytes = 0;
  #limit: number;

  constructor(limit = kept.bytes) {
    this.#limit = limit;
  }

  add(frame: RecordedFrame): void {
    const last = this.#kept.at(-1);
    if (last && frame.at - last.at < minIntervalMs) {
      this.#tail = frame;
      return;
    }
    // The last frame before a pause was shown throughout it.
    if (this.#tail && frame.at - this.#tail.at > minIntervalMs) this.#keep(this.#tail);
    this.#tail = undefined;
    this.#keep(frame);
  }

  get frames(): RecordedFrame[] {
    return this.#tail ? [...this.#kept, this.#tail] : [...this.#kept];
  }

  #keep(frame: RecordedFrame): void {
    this.#kept.push(frame);
    this.#bytes += frame.jpeg.byteLength;
    // The second frame tells how long the first one was shown.
    const isOld = () => (this.#kept[1]?.at ?? frame.at) <= frame.at - kept.ms;
    while (this.#kept.length > 1 && (this.#bytes > this.#limit || isOld())) {
      this.#bytes -= this.#kept.shift()?.jpeg.byteLength ?? 0;
    }
  }
}

/** Returns when each frame starts and how long it is shown, in seconds of the video. */
export function timesOf(frames: readonly RecordedFrame[]): { start: number; duration: number }[] {
  let start = 0;
  return frames.map((frame, index) => {
    const next = frames[index + 1];
    const ms = next ? Math.min(Math.max(next.at - frame.at, 1), maxStillMs) : lastFrameMs;
    const time = { start, duration: ms / 1000 };
    start += time.duration;
    return time;
  });
}

const bitrate = 2_500_000;

/** Encodes frames as WebM; undefined if this browser can't encode video. `onProgress` receives the fraction done, 0 to 1. */
export async function webmOf(
  frames: readonly RecordedFrame[],
  onProgress: (fraction: number) => void,
): Promise<ArrayBuffer | undefined> {
  if (typeof VideoEncoder === 'undefined') return undefined;
  const size = largestSize(frames);
  const codec = await getFirstEncodableVideoCodec(['vp8', 'vp9', 'av1'], { ...size, bitrate });
  if (!codec) return undefined;
  const canvas = new OffscreenCanvas(size.width, size.height);
  const context = canvas.getContext('2d', { alpha: false });
  if (!context) return undefined;
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const source = new CanvasSource(canvas, { codec, bitrate, keyFrameInterval: 5 });
  output.addVideoTrack(source);
  await output.start();
  const times = timesOf(frames);
  for (const [index, { jpeg }] of frames.entries()) {
    const bitmap = await createImageBitmap(new Blob([jpeg as BlobPart], { type: 'image/jpeg' }));
    context.clearRect(0, 0, size.width, size.height);
    // Frames smaller than the largest are centered.
    context.drawImage(bitmap, (size.width - bitmap.width) >> 1, (size.height - bitmap.height) >> 1);
    bitmap.close();
    const time = times[index];
    if (time) await source.add(time.start, time.duration);
    onProgress((index + 1) / frames.length);
  }
  await output.finalize();
  return target.buffer ?? undefined;
}

/** Returns the largest width and height, rounded up to even numbers, which encoders require. */
function largestSize(frames: readonly RecordedFrame[]): { width: number; height: number } {
  let width = 2;
  let height = 2;
  for (const { jpeg } of frames) {
    const size = jpegSize(jpeg);
    width = Math.max(width, size?.width ?? 0);
    height = Math.max(height, size?.height ?? 0);
  }
  return { width: width + (width % 2), height: height + (height % 2) };
}

/** Returns the size in the header of a JPEG; undefined if there is none. */
function jpegSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 < bytes.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
