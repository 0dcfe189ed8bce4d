/**
 * Returns the start of a text that is kept for long. What `slice` returns keeps the whole text in memory: V8 only notes where
 * in it the part is.
 */
export function keptText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : structuredClone(text.slice(0, maxLength));
}
