const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const forbidden = /[\p{C}\p{Z}\\/:*?"<>|~$%&{}#`'!@+=;^…()]+/gu;
const maxLength = 80;

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
  const cut = [...name]
    .slice(0, maxLength)
    .join('')
    .replace(/^[.-]+|[.-]+$/g, '');
  if (cut === '') return 'unnamed';
  return reserved.test(cut) ? `_${cut}` : cut;
}
