import { BufferTarget, CanvasSource, getFirstEncodableVideoCodec, Output, WebMOutputFormat } from 'mediabunny';
import { type RecordedFrame, timesOf } from './recording.ts';

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
    const bitmap = await decode(jpeg);
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

async function decode(jpeg: Uint8Array): Promise<ImageBitmap> {
  return await createImageBitmap(new Blob([jpeg as BlobPart], { type: 'image/jpeg' }));
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
export function jpegSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 < bytes.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
