import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

/** Returns the files in a ZIP archive, by path, as functions that read them. */
export function readZip(file: string): Map<string, () => Buffer> {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const count = bytes.readUInt16LE(end + 10);
  const entries = new Map<string, () => Buffer>();
  for (let at = bytes.readUInt32LE(end + 16), index = 0; index < count; index++) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const compressed = bytes.readUInt16LE(at + 10) !== 0;
    const size = bytes.readUInt32LE(at + 20);
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString('utf8', at + 46, at + 46 + (nameLength ?? 0));
    if (!name.endsWith('/')) {
      entries.set(name, () => {
        const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
        const content = bytes.subarray(start, start + size);
        return compressed ? inflateRawSync(content) : content;
      });
    }
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return entries;
}
