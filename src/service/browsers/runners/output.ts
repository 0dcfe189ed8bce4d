/** Collects the text of a stream, up to a number of UTF-8 bytes. Never splits a character. */
export type Output = ReturnType<typeof createOutput>;

/** @param wholeLimit up to how many bytes the text is kept besides, if its end is cut */
export function createOutput(limit: number, wholeLimit = 0) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** What was cut. */
  let rest = '';
  let remaining = limit;
  const output = {
    text: '',
    truncated: false,
    /** Bytes that were pushed, whether kept or dropped. */
    size: 0,
    /** The whole text, if it was to be kept and has been cut. */
    get whole(): string | undefined {
      return output.truncated && output.size <= wholeLimit ? output.text + rest : undefined;
    },
    /** Appends bytes and returns the text that was kept. */
    push(chunk: Uint8Array): string {
      output.size += chunk.length;
      const isKept = output.size <= wholeLimit;
      if (!isKept) rest = '';
      if (output.truncated && !isKept) return '';
      const text = decoder.decode(chunk, { stream: true });
      const kept = cutText(text, output.truncated ? 0 : remaining);
      remaining -= kept.bytes;
      output.truncated ||= kept.truncated;
      output.text += kept.text;
      if (output.truncated) rest += text.slice(kept.text.length);
      return kept.text;
    },
  };
  return output;
}

/** Cuts a text to at most `limit` bytes of UTF-8. */
export function cutText(text: string, limit: number): { text: string; bytes: number; truncated: boolean } {
  // A UTF-16 code unit is at most three bytes.
  if (text.length * 3 <= limit) return { text, bytes: Buffer.byteLength(text), truncated: false };
  const { read, written } = new TextEncoder().encodeInto(text, Buffer.allocUnsafe(limit));
  return { text: text.slice(0, read), bytes: written, truncated: read < text.length };
}
