/** The kinds of file that can be scraped. */
export type FileKind = 'html' | 'text' | 'pdf';

const textTypes =
  /^(text\/|application\/([\w.+-]*\+)?(json|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|x-ndjson|graphql|sql|rtf|x-sh)$)/;

/** Returns a body's kind by its content type or first bytes; undefined for unsupported files. */
export function kindOfFile(contentType: string | undefined, body: Uint8Array): FileKind | undefined {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  const name = type.trim();
  if (name === 'text/html' || name === 'application/xhtml+xml') return 'html';
  if (name === 'application/pdf' || name === 'application/x-pdf') return 'pdf';
  if (textTypes.test(name)) return 'text';
  if (name !== '' && name !== 'application/octet-stream' && name !== 'binary/octet-stream') return undefined;
  return detectKind(body);
}

/** Detects the kind of a body without a content type by its first bytes. */
function detectKind(body: Uint8Array): FileKind | undefined {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 1024)).toString('latin1');
  if (start.startsWith('%PDF-')) return 'pdf';
  if (/^\s*(<!doctype|<html|<head|<body|<!--|<[a-z][a-z0-9]*[\s>])/i.test(start)) return 'html';
  return body.subarray(0, 1024).some(isBinary) ? undefined : 'text';
}

/** Returns whether a byte is a control character that doesn't occur in text. */
function isBinary(byte: number): boolean {
  return byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27;
}
