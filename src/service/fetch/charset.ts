/** Bytes at the start of a page that are searched for a `meta` with its encoding. */
const prescanBytes = 1024;

/**
 * Decodes a page's bytes as the Encoding and HTML standards do: by byte order mark, Content-Type charset, the page's
 * own declaration, otherwise as UTF-8 if valid, else windows-1252. Never throws: invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  const label = byteOrderMark(bytes) ?? supported(charsetOf(contentType)) ?? supported(declaredIn(bytes));
  if (label !== undefined) return new TextDecoder(label).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i
    .exec(contentType ?? '')
    ?.slice(1)
    .find(Boolean);
}

/** Returns the encoding of a label if a decoder supports it. */
function supported(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label.trim()).encoding;
  } catch {
    return undefined;
  }
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, prescanBytes)).toString(
    'latin1',
  );
  const visible = start.replace(/<!--[\s\S]*?(-->|$)/g, '');
  const [, xml] = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']+)["']/i.exec(visible) ?? [];
  const label = declaredInMeta(visible) ?? xml;
  // A page whose meta is readable as ASCII isn't UTF-16, whatever it declares.
  return label !== undefined && /^utf-?16/i.test(label.trim()) ? 'utf-8' : label;
}

function declaredInMeta(text: string): string | undefined {
  for (const [tag] of text.matchAll(/<meta[\s/][^>]*>/gi)) {
    const [, quoted, bare] = /[\s/]charset\s*=\s*(?:["']\s*([^"'>]*)|([^\s"'/>]+))/i.exec(tag) ?? [];
    if (quoted ?? bare) return quoted ?? bare;
    if (!/http-equiv\s*=\s*["']?content-type/i.test(tag)) continue;
    const [, label] = /content\s*=\s*["'][^"']*charset\s*=\s*([^\s;"']+)/i.exec(tag) ?? [];
    if (label) return label;
  }
  return undefined;
}
