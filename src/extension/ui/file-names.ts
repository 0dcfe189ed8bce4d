const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const forbidden = /[\p{C}\p{Z}\\/:*?"<>|~$%&{}#`'!@+=;^…()]+/gu;
const longest = 80;

/**
 * A file name made of texts that a server or a page gave: one path segment that every system takes, without its ending.
 * `unnamed` where nothing is left.
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
    .slice(0, longest)
    .join('')
    .replace(/^[.-]+|[.-]+$/g, '');
  if (cut === '') return 'unnamed';
  return reserved.test(cut) ? `_${cut}` : cut;
}
