import { BufferTarget, CanvasSource, getFirstEncodableVideoCodec, Output, WebMOutputFormat } from 'mediabunny';
import { timesOf, type Watched } from './recording.ts';

const bitrate = 2_500_000;

/** Makes a WebM of pictures; undefined where this browser cannot encode video. `onProgress` is told the part that is done. */
export async function webmOf(
  pictures: readonly Watched[],
  onProgress: (part: number) => void,
): Promise<ArrayBuffer | undefined> {
  if (typeof VideoEncoder === 'undefined') return undefined;
  const size = largestSize(pictures);
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
  const times = timesOf(pictures);
  for (const [index, { jpeg }] of pictures.entries()) {
    const bitmap = await decode(jpeg);
    context.clearRect(0, 0, size.width, size.height);
    // A page of another size than the largest stands in the middle.
    context.drawImage(bitmap, (size.width - bitmap.width) >> 1, (size.height - bitmap.height) >> 1);
    bitmap.close();
    const time = times[index];
    if (time) await source.add(time.start, time.duration);
    onProgress((index + 1) / pictures.length);
  }
  await output.finalize();
  return target.buffer ?? undefined;
}

async function decode(jpeg: Uint8Array): Promise<ImageBitmap> {
  return await createImageBitmap(new Blob([jpeg as BlobPart], { type: 'image/jpeg' }));
}

/** Encoders want even sides. */
function largestSize(pictures: readonly Watched[]): { width: number; height: number } {
  let width = 2;
  let height = 2;
  for (const { jpeg } of pictures) {
    const size = jpegSize(jpeg);
    width = Math.max(width, size?.width ?? 0);
    height = Math.max(height, size?.height ?? 0);
  }
  return { width: width + (width % 2), height: height + (height % 2) };
}

/** The size that a JPEG's header names; undefined where there is none. */
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
