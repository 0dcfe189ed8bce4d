import { tried } from '../../../../platform/network/charset.ts';

/** The bytes of each character of an encoding, as URLs have them. */
const known = new Map<string, ReadonlyMap<string, string>>();

/**
 * Encodes the query of an address on a page in an encoding, as browsers do (URL Standard, section 1.3): for a page in UTF-16,
 * as UTF-8. That is left as it is for ISO-2022-JP, too, where a character has no bytes of its own. What Node.js doesn't decode
 * from the one or two bytes of a character counts as missing in the encoding, as rare syllables in EUC-KR and emoji in gb18030.
 */
export function encodeQuery(address: string, encoding: string): string {
  return address.replace(/(?<=^[^?#]*\?)[^#]*[^\0-\x7f#][^#]*/, (query) => {
    const characters = known.get(encoding) ?? charactersOf(encoding);
    if (characters.size === 0) return query;
    return query.replace(/[^\0-\x7f]/gu, (each) => characters.get(each) ?? `%26%23${each.codePointAt(0)}%3B`);
  });
}

/** Reverses the decoder of an encoding, which takes no table of it. Returns nothing for those that are sent as UTF-8. */
function charactersOf(encoding: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  known.set(encoding, found);
  const decoder = /^(?:utf|iso-2022)/.test(encoding) ? undefined : tried(() => new TextDecoder(encoding));
  if (!decoder) return found;
  const add = (...bytes: number[]): boolean => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if (text < '\xa0' || text.includes('\ufffd') || [...text].length > 1) return false;
    const written = bytes.map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `%${hex(byte)}`));
    // Of the bytes that Big5 has for a character, the last ones are sent.
    if (encoding === 'big5' || !found.has(text)) found.set(text, written.join(''));
    return true;
  };
  for (let lead = 0x80; lead <= 0xff; lead++) {
    if (encoding !== 'gb18030' && add(lead)) continue;
    // What is only decoded (Encoding Standard, section 5).
    if (encoding === 'big5' ? lead < 0xa1 : encoding === 'shift_jis' && (lead === 0xed || lead === 0xee)) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail);
  }
  return found;
}

const hex = (byte: number) => byte.toString(16).toUpperCase();
