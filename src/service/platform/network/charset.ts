import { isUtf8 } from 'node:buffer';
import { ResultType, Sniffer } from 'encoding-sniffer/sniffer';

/** Bytes at the start of a page that the HTML standard searches for a declaration of its encoding. */
const prescanBytes = 1024;
/** Bytes that are searched if the page can't be UTF-8: browsers also obey a declaration further down. */
const longPrescanBytes = 1024 * 1024;

/**
 * Decodes a page's bytes as the Encoding and HTML standards do: by byte order mark, Content-Type charset, the page's
 * own declaration, otherwise as UTF-8 if valid, else windows-1252. Never throws: invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  return new TextDecoder(encodingOf(bytes, contentType)).decode(bytes);
}

/** Returns the encoding with which `decodeText` decodes. */
export function encodingOf(bytes: Uint8Array, contentType: string | undefined): string {
  const label = declaredIn(bytes, prescanBytes, charsetOf(contentType));
  if (label !== undefined) return label;
  return isUtf8(bytes) ? 'utf-8' : (declaredIn(bytes, longPrescanBytes) ?? 'windows-1252');
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
  return sniffer.resultType === ResultType.DEFAULT ? undefined : supported(sniffer.encoding);
}

/** Returns the encoding of a label if a decoder supports it. */
function supported(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
