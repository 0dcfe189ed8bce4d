/** The side of the largest icon that is shown, in pixels: whoever watches decodes it whole, however few bytes it has. */
const mostPixels = 1024;

/** The supported formats: their first bytes, and the sides of what they draw. */
const formats: readonly [type: string, prefix: string, sides: (image: Buffer) => number[]][] = [
  ['image/png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', (png) => [png.readUInt32BE(16), png.readUInt32BE(20)]],
  ['image/x-icon', '\0\0\x01\0', sidesOfIco],
  ['image/gif', 'GIF8', sidesOfGif],
  ['image/jpeg', '\xff\xd8\xff', sidesOfJpeg],
  ['image/webp', 'RIFF', sidesOfWebp],
];

/** Returns the type of an image; undefined if it is none, too large, or says nowhere how large it is. */
export function typeOfImage(image: Buffer): string | undefined {
  const start = image.subarray(0, 16).toString('latin1');
  const [type, , sidesOf] = formats.find(([, prefix]) => start.startsWith(prefix)) ?? [];
  try {
    const sides = sidesOf?.(image) ?? [];
    return sides.length > 0 && sides.every((side) => side <= mostPixels) ? type : undefined;
  } catch {
    // Its end is missing.
    return undefined;
  }
}

/** Each picture is a PNG, or a bitmap with its mask below it. */
function sidesOfIco(ico: Buffer): number[] {
  return Array.from({ length: ico.readUInt16LE(4) }, (_, number) => {
    const picture = ico.subarray(ico.readUInt32LE(18 + 16 * number));
    if (picture[0] === 0x89) return [picture.readUInt32BE(16), picture.readUInt32BE(20)];
    return [picture.readInt32LE(4), picture.readInt32LE(8) / 2].map(Math.abs);
  }).flat();
}

/** Those of the screen, and of the first frame: if that is larger, browsers enlarge the screen. */
function sidesOfGif(gif: Buffer): number[] {
  const sizeOfTable = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  let at = 13 + sizeOfTable(gif.readUInt8(10));
  // Extensions: two bytes, then parts until an empty one.
  while (gif.readUInt8(at) === 0x21) {
    at += 2;
    while (gif.readUInt8(at) > 0) at += 1 + gif.readUInt8(at);
    at++;
  }
  if (gif[at] !== 0x2c) return [];
  const [left = 0, top = 0, width = 0, height = 0] = [1, 3, 5, 7].map((offset) => gif.readUInt16LE(at + offset));
  return [gif.readUInt16LE(6), gif.readUInt16LE(8), left + width, top + height];
}

function sidesOfJpeg(jpeg: Buffer): number[] {
  for (let at = 2; jpeg.readUInt8(at) === 0xff; ) {
    const marker = jpeg.readUInt8(at + 1);
    // These have no length: decoders look for the next one themselves.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd9) || marker === 0xff) return [];
    // Tables, and what programs add; then the frame.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [jpeg.readUInt16BE(at + 5), jpeg.readUInt16BE(at + 7)];
    at += 2 + jpeg.readUInt16BE(at + 2);
  }
  return [];
}

function sidesOfWebp(webp: Buffer): number[] {
  const kind = webp.toString('latin1', 8, 16);
  if (kind === 'WEBPVP8X') return [webp.readUIntLE(24, 3) + 1, webp.readUIntLE(27, 3) + 1];
  if (kind === 'WEBPVP8L') return [0, 14].map((bits) => ((webp.readUInt32LE(21) >> bits) & 0x3fff) + 1);
  if (kind === 'WEBPVP8 ') return [26, 28].map((at) => webp.readUInt16LE(at) & 0x3fff);
  return [];
}
