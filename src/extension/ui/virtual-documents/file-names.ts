const reserved = /^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])(?:\.|$)/i;
const forbidden = /[\p{C}\p{Z}\\/:*?"<>|~$%&{}#`'!@+=;^…()]+/gu;
const maxLength = 80;
/** File systems allow 255: a name also gets an extension and a hash. */
const maxBytes = 200;

/**
 * Builds a file name without extension from untrusted texts: one path segment that is valid on every system.
 * Returns `unnamed` if nothing is left.
 */
export function safeFileName(...parts: readonly (string | undefined)[]): string {
  const words = parts.map((part) => (part ?? '').slice(0, 2_000).normalize('NFC').replace(forbidden, ' ').trim());
  const name = words
    .filter(Boolean)
    .join(' ')
    .replace(/ +/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-{2,}/g, '-');
  const characters = [...name].slice(0, maxLength);
  while (Buffer.byteLength(characters.join('')) > maxBytes) characters.pop();
  const cut = characters.join('').replace(/^[.-]+|[.-]+$/g, '');
  if (cut === '') return 'unnamed';
  return reserved.test(cut) ? `_${cut}` : cut;
}
