import { codePoint } from 'dingbat-to-unicode';
import { decodeText } from '../../../../../platform/network/charset.ts';

/** Names of code pages, where they aren't `windows-` and the number. */
const names: Record<number, string> = {
  437: 'ibm866',
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  54936: 'gb18030',
  65001: 'utf-8',
};
/** Code pages of fonts by their `\fcharset`; the others are those of the document. */
const ofFonts: Record<number, number> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};
const withTwoBytes = /^(shift_jis|gbk|euc-kr|big5|gb18030)$/;
/** The `\fcharset` of fonts with symbols in the place of letters. */
const symbolCharset = 2;

/** How a font's bytes are read. */
export type Charset = string | 'symbol' | undefined;

/** Returns the charset of a code page by its number. */
export function charsetOfPage(page: number): string {
  return names[page] ?? `windows-${page}`;
}

/** Returns the charset of a font by its `\fcharset`; undefined: that of the document. */
export function charsetOfFont(charset: number): Charset {
  if (charset === symbolCharset) return 'symbol';
  const page = ofFonts[charset];
  return page === undefined ? undefined : charsetOfPage(page);
}

/** Returns the symbols of a font. Of one whose symbols aren't known, only bullets are. */
export function symbolsOf(bytes: readonly number[], fontName: string): string {
  const [name = ''] = /^\s*[^;]*/.exec(fontName) ?? [];
  const unknown = (byte: number) => (byte === 0xb7 || byte === 0xa7 ? '\u2022' : '');
  return bytes.map((byte) => codePoint(name.trim(), byte)?.string ?? unknown(byte)).join('');
}

export function decoded(bytes: readonly number[], charset: string): string {
  return decodeText(Uint8Array.from(bytes), `text/plain; charset=${charset}`);
}

/** Returns whether bytes end in the middle of a character: its second byte may be written as a letter. */
export function isUnfinished(bytes: readonly number[], charset: string): boolean {
  return bytes.length > 0 && withTwoBytes.test(charset) && decoded(bytes, charset).endsWith('\ufffd');
}
