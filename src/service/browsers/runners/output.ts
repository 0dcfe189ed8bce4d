/** Collects the text of a stream, up to a number of UTF-8 bytes. Never splits a character. */
export type Output = ReturnType<typeof createOutput>;

/** @param wholeLimit up to how many bytes the text is kept besides, if its end is cut */
export function createOutput(limit: number, wholeLimit = 0) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts: string[] = [];
  /** What was cut. */
  const rest: string[] = [];
  let remaining = limit;
  let truncated = false;
  let size = 0;
  return {
    get text(): string {
      return parts.join('');
    },
    /** Whether output was dropped. */
    get truncated(): boolean {
      return truncated;
    },
    /** Bytes that were pushed, whether kept or dropped. */
    get size(): number {
      return size;
    },
    /** The whole text, if it was to be kept and has been cut. */
    get whole(): string | undefined {
      return truncated && size <= wholeLimit ? [...parts, ...rest].join('') : undefined;
    },
    /** Appends bytes and returns the text that was kept. */
    push(chunk: Uint8Array): string {
      size += chunk.length;
      if (size > wholeLimit) rest.length = 0;
      if (truncated && size > wholeLimit) return '';
      const text = decoder.decode(chunk, { stream: true });
      const kept = cutText(text, truncated ? 0 : remaining);
      remaining -= kept.bytes;
      truncated ||= kept.truncated;
      parts.push(kept.text);
      if (truncated) rest.push(text.slice(kept.text.length));
      return kept.text;
    },
  };
}

/** Cuts a text to at most `limit` bytes of UTF-8. */
export function cutText(text: string, limit: number): { text: string; bytes: number; truncated: boolean } {
  // A UTF-16 code unit is at most three bytes.
  const bytes = text.length * 3 <= limit ? Buffer.byteLength(text) : undefined;
  if (bytes !== undefined) return { text, bytes, truncated: false };
  const { read, written } = new TextEncoder().encodeInto(text, Buffer.allocUnsafe(limit));
  return read === text.length
    ? { text, bytes: written, truncated: false }
    : { text: text.slice(0, read), bytes: written, truncated: true };
}
