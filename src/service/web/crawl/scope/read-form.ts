import { domainToUnicode } from 'node:url';
import { decoded } from '../../../../contract/lenient-texts.ts';
import type { PageUrl } from './urls.ts';

/** Escapes of one character in UTF-8. */
const escapes =
  /%[0-7][\da-f]|%[c-d][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;
/** Characters that would mean something else without their escape. */
const kept = { path: /[/\\\p{Cc}]/u, url: /[/\\?#&=+\p{Cc}]/u } as const;
/** What is kept of a path, or of a whole URL. */
export type Extent = keyof typeof kept;

/** Returns a path as a person reads it: without escapes whose character means the same, and with composed letters. */
export function readPath(pathname: string): string {
  return readForm(pathname, 'path', (character) => character);
}

/** Returns a URL as a person reads it. */
export function readUrl({ href, hostname }: PageUrl): string {
  const host = hostname.includes('xn--') ? domainToUnicode(hostname) : '';
  return readForm(host === '' ? href : href.replace(hostname, host), 'url', (character) => character);
}

/** Returns a pattern for what `readPath` or `readUrl` return. */
export function readPattern(source: string, extent: Extent): string {
  return readForm(source, extent, (character) => character.replace(/[$()*+./?[\\\]^{|}]/, '\\$&'));
}

/** Whether a pattern is written for a URL with its escapes. */
export function isForEscapes(source: string): boolean {
  return /%(?![\da-f]{2})|xn--/i.test(source);
}

function readForm(text: string, extent: Extent, write: (character: string) => string): string {
  if (!text.includes('%')) return text.normalize('NFC');
  const read = text.replace(escapes, (escaped, at: number) => {
    const character = decoded(escaped);
    // It could be the start of an escape itself.
    const isKept = character === '%' ? /^[\da-f]{2}/i.test(text.slice(at + 3, at + 5)) : kept[extent].test(character);
    return character === escaped || isKept ? escaped.toUpperCase() : write(character);
  });
  return read.replace(/%[\da-f]{2}/gi, (escaped) => escaped.toUpperCase()).normalize('NFC');
}
