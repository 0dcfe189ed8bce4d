import { unzipSync } from 'fflate';
import { decodeText } from '../../../../platform/network/charset.ts';
import { needsPassword, UnreadableFile } from './file-errors.ts';
import { parseXml } from './xml.ts';

/** The entries of a ZIP file, which are decompressed only when they're read. */
export type Archive = ReturnType<typeof openArchive>;

/** Limits against archives that decompress to far more than they seem to hold: of entries, and of bytes of those that are read. */
const usual = { entries: 20_000, bytes: 128 * 1024 * 1024 };

/** Opens a ZIP file without decompressing anything. Throws an UnreadableFile. */
export function openArchive(file: Uint8Array, limits = usual) {
  const sizes = new Map<string, number>();
  let entries = 0;
  readable(() =>
    unzipSync(file, {
      filter({ name, size, originalSize }) {
        if (++entries > limits.entries) {
          throw new UnreadableFile(`The file is an archive with more than ${limits.entries} entries.`);
        }
        // Decompression stops at the declared size, so a wrong one can't exceed the limit.
        sizes.set(name, Math.max(size, originalSize));
        return false;
      },
    }),
  );
  const alike = new Map([...sizes.keys()].map((name) => [folded(name), name]));
  const nameOf = (name: string) => (sizes.has(name) ? name : alike.get(folded(name)));
  let left = limits.bytes;
  const select = (wanted: (name: string) => boolean) => {
    for (const [name, size] of sizes) if (wanted(name)) left -= size;
    if (left < 0) {
      throw new UnreadableFile(
        `The file is too large: its content is more than ${limits.bytes / 1024 / 1024} MiB when decompressed.`,
      );
    }
    return readable(() => unzipSync(file, { filter: ({ name }) => wanted(name) }));
  };
  const bytes = (name: string) => {
    const entry = nameOf(name);
    return entry === undefined ? undefined : select((each) => each === entry)[entry];
  };
  const text = (name: string): string | undefined => {
    const content = bytes(name);
    return content && decodeText(content, undefined);
  };
  return {
    names: new Set(sizes.keys()),
    /** Returns the name of the entry that is meant by a name: files are packed on systems that don't tell the case of letters apart. */
    nameOf,
    /** Returns the entries whose names pass the test. Throws as `bytes` does. */
    select,
    /** Returns an entry's bytes; undefined if there's no such entry. Throws an UnreadableFile if too much is decompressed. */
    bytes,
    /** Returns an entry as text, in the encoding that it declares. Throws as `bytes` does. */
    text,
    /** Returns an entry as XML; nothing is in it if there's no such entry. Throws as `bytes` does. */
    xml: (name: string) => parseXml(text(name) ?? ''),
  };

  function readable<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      if (error instanceof UnreadableFile) throw error;
      // Bit 0 of the first entry's flags.
      if ((file[6] ?? 0) & 1) throw needsPassword('archive');
      throw new UnreadableFile('The file is damaged: its archive is incomplete or invalid.', error);
    }
  }
}

/** A name as systems compare it that tell neither the case of letters apart nor how they are composed, nor both slashes. */
function folded(name: string): string {
  return name.normalize().toLowerCase().replaceAll('\\', '/');
}
