/** Collects the text of a stream, up to a number of UTF-8 bytes. Never splits a character. */
export interface Output {
  readonly text: string;
  /** Whether output was dropped. */
  readonly truncated: boolean;
  /** Bytes that were pushed, whether kept or dropped. */
  readonly size: number;
  /** Appends bytes and returns the text that was kept. */
  push(chunk: Uint8Array): string;
}

export function createOutput(limit: number): Output {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts: string[] = [];
  let remaining = limit;
  let truncated = false;
  let size = 0;
  return {
    get text() {
      return parts.join('');
    },
    get truncated() {
      return truncated;
    },
    get size() {
      return size;
    },
    push(chunk) {
      size += chunk.length;
      if (truncated || chunk.length === 0) return '';
      const kept = cutText(decoder.decode(chunk, { stream: true }), remaining);
      remaining -= kept.bytes;
      truncated = kept.truncated;
      if (kept.text !== '') parts.push(kept.text);
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
