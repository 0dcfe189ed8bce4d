/** Returns a text without NUL characters, which PostgreSQL can't store. */
export function plainText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}
