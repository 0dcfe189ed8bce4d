import { isUtf8 } from 'node:buffer';
import { ResultType, Sniffer } from 'encoding-sniffer/sniffer';

/** Bytes at the start of a page that the HTML standard searches for a declaration of its encoding. */
const prescanBytes = 1024;
/** Bytes that are searched if the page can't be UTF-8: browsers also obey a declaration further down. */
const longPrescanBytes = 1024 * 1024;
/** The most frequent syllables of Korean, whose bytes are all those of Chinese words too. */
const frequent = /[이다는에의가을로하고사기지자시스어인아리일수장도대한부제정서산상주성전동영경원]/g;
/** Words of common characters, and other characters. */
const eastAsian = {
  'euc-kr': /((?:[\xa1\xa3\xb0-\xc8][\xa1-\xfe]){2,})|[\x80-\xff][\s\S]/g,
  gb18030: /((?:[\xa1\xa3\xb0-\xd7][\xa1-\xfe]){2,})|[\x80-\xff][\s\S]/g,
  'euc-jp': /((?:[\x8e\xa1\xa3-\xa5\xb0-\xcf][\xa1-\xfe]){2,})|[\x80-\xff][\s\S]/g,
  big5: /((?:[\xa1\xa4-\xc6][\x40-\x7e\xa1-\xfe]){2,})|[\x80-\xff][\s\S]/g,
  shift_jis: /((?:[\x81-\x83\x88-\x97][\x40-\xfc]){2,})|[\xa1-\xdf]|[\x80-\xff][\s\S]/g,
};

/**
 * Decodes a page's bytes as the Encoding and HTML standards do: by byte order mark, Content-Type charset, the page's
 * own declaration, otherwise as UTF-8 if valid, else as it looks like. Never throws: invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  return new TextDecoder(encodingOf(bytes, contentType)).decode(bytes);
}

/** Returns the encoding with which `decodeText` decodes. */
export function encodingOf(bytes: Uint8Array, contentType: string | undefined): string {
  const label = declaredIn(bytes, prescanBytes, charsetOf(contentType));
  if (label !== undefined) return label;
  return isUtf8(bytes) ? 'utf-8' : (declaredIn(bytes, longPrescanBytes) ?? guessed(bytes) ?? 'windows-1252');
}

/** Returns the encoding of East Asia in which a text is valid and is, for the most part, words of common characters. */
function guessed(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, prescanBytes * 64);
  const text = Buffer.from(sample).toString('latin1');
  let [found, most]: [string | undefined, number] = [undefined, 0.6];
  for (const [encoding, units] of Object.entries(eastAsian)) {
    let [words, all] = ['', 0];
    for (const [unit, word = ''] of text.matchAll(units)) {
      words += word;
      if (unit.length > 1) all += unit.length;
    }
    if (new Set(words).size < 4 || words.length <= most * all) continue;
    // The sample may end within a character.
    const read = tried(() => new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true }));
    if (read === undefined || (encoding === 'euc-kr' && (read.match(frequent)?.length ?? 0) < 0.05 * all)) continue;
    [found, most] = [encoding, words.length / all];
  }
  return found;
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*(?:"([^"]*)"|'?([^\s;"']+))/i
    .exec(contentType ?? '')
    ?.slice(1)
    .find(Boolean);
}

function declaredIn(bytes: Uint8Array, maxBytes: number, transportLayerEncodingLabel = ''): string | undefined {
  const sniffer = new Sniffer({ maxBytes, transportLayerEncodingLabel });
  sniffer.write(bytes);
  return sniffer.resultType === ResultType.DEFAULT
    ? undefined
    : tried(() => new TextDecoder(sniffer.encoding).encoding);
}

/** Returns what a decoder says; undefined if it doesn't support the label, or the text is invalid. */
function tried(decode: () => string): string | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
