import { withoutHidden } from '../../../../contract/shorten.ts';

/** Returns what a page says on one line, in which nothing is hidden or looks like a reference; '' for what isn't text. */
export function plain(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return withoutHidden(String(value).replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' '))
    .trim()
    .replaceAll(forged, '($1)');
}

/** A reference, perhaps with invisible characters in it. */
const forged = /\[(\p{Default_Ignorable_Code_Point}*e[\d\p{Default_Ignorable_Code_Point}]*)\]/gu;
