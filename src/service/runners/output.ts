/** Gathers what a stream brings, as text, up to a number of UTF-8 bytes. A character is never split. */
export interface Output {
  readonly text: string;
  /** Whether something had to be left out. */
  readonly truncated: boolean;
  /** Takes bytes as they come, and gives back the text that was kept of them. */
  push(chunk: Uint8Array): string;
}

export function createOutput(limit: number): Output {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts: string[] = [];
  let left = limit;
  let truncated = false;
  return {
    get text() {
      return parts.join('');
    },
    get truncated() {
      return truncated;
    },
    push(chunk) {
      if (truncated || chunk.length === 0) return '';
      const kept = cutText(decoder.decode(chunk, { stream: true }), left);
      left -= kept.bytes;
      truncated = kept.truncated;
      if (kept.text !== '') parts.push(kept.text);
      return kept.text;
    },
  };
}

/** The beginning of a text that fits into so many bytes of UTF-8. */
export function cutText(text: string, limit: number): { text: string; bytes: number; truncated: boolean } {
  // No UTF-16 unit takes more than three bytes.
  const bytes = text.length * 3 <= limit ? Buffer.byteLength(text) : undefined;
  if (bytes !== undefined) return { text, bytes, truncated: false };
  const { read, written } = new TextEncoder().encodeInto(text, Buffer.allocUnsafe(limit));
  return read === text.length
    ? { text, bytes: written, truncated: false }
    : { text: text.slice(0, read), bytes: written, truncated: true };
}
