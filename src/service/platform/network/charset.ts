import { isUtf8 } from 'node:buffer';
import { ResultType, Sniffer } from 'encoding-sniffer/sniffer';
import { createTurn } from '../async.ts';

/** Bytes at the start of a page that the HTML standard searches for a declaration of its encoding. */
const prescanBytes = 1024;
/** Bytes that are searched if the page can't be UTF-8: browsers also obey a declaration further down. */
const longPrescanBytes = 1024 * 1024;
/** Letters of East Asia that make up much of any text, of those whose two bytes are no letters of ASCII: such bytes tell nothing. */
const frequent = {
  'euc-kr':
    /[이다는에의가을로하고사기지자시스어인아리일수장도대한부제정서산상주성전동영경원은나보해구무마내용비문분와소치라세조여오물번호명]/g,
  gb18030:
    /[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日公民工明全三关外高问重物手文体新月表世名号价数量期市品电员]/g,
  'euc-jp': /[ぁ-ヶー]/g,
  big5: /[的不有我個們中來為國到說時對生能而那於著自之後裡用行所種事成方麼學都當動面看天分還部其些樣心本但實日公民明全關高問重物手文體月表號價數期市員]/g,
  shift_jis: /[ぁ-んミ-ヶ]/g,
};
/** A text tells its encoding by this many letters at least, of which the frequent ones have this share. */
const evidence = { letters: 10, share: 0.2 };

/**
 * Decodes a page's bytes as the Encoding and HTML standards do: by byte order mark, Content-Type charset, the page's
 * own declaration, otherwise as UTF-8 if valid, else as it looks like. Never throws: invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  return new TextDecoder(encodingOf(bytes, contentType)).decode(bytes);
}

/** Bytes that are decoded at once. */
const partBytes = 64 * 1024;

/** Decodes as `decodeText` does, in turns: some encodings of East Asia take long. */
export async function decodeInTurns(bytes: Uint8Array, contentType: string | undefined): Promise<string> {
  const decoder = new TextDecoder(encodingOf(bytes, contentType));
  const turn = createTurn();
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += partBytes) {
    if (turn.isOver) await turn.end();
    parts.push(decoder.decode(bytes.subarray(at, at + partBytes), { stream: true }));
  }
  return parts.join('') + decoder.decode();
}

/** Returns the encoding with which `decodeText` decodes. */
export function encodingOf(bytes: Uint8Array, contentType: string | undefined): string {
  const label = declaredIn(bytes, prescanBytes, charsetOf(contentType));
  if (label !== undefined) return label;
  return isUtf8(bytes) ? 'utf-8' : (declaredIn(bytes, longPrescanBytes) ?? guessedEncoding(bytes));
}

/** Returns the encoding of East Asia in which a text is valid and has many of the most frequent letters, else windows-1252. */
export function guessedEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, prescanBytes * 64);
  let [found, most] = ['windows-1252', evidence.share];
  for (const [encoding, letters] of Object.entries(frequent)) {
    // A sample may end within a character, and no whole text does.
    const stream = sample.length < bytes.length;
    const text = tried(() => new TextDecoder(encoding, { fatal: true }).decode(sample, { stream })) ?? '';
    const all = text.match(/\p{Lo}/gu)?.length ?? 0;
    const known = text.match(letters) ?? [];
    if (all < evidence.letters || new Set(known).size < 4 || known.length <= most * all) continue;
    [found, most] = [encoding, known.length / all];
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
export function tried<Result>(decode: () => Result): Result | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
