/** Returns what a page says on one line, in which nothing looks like a reference; '' for what isn't text. */
export function plain(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return String(value)
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .replaceAll(/\[(e\d+)\]/g, '($1)');
}
