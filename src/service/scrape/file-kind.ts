/** What a body is read as: a page, a text, a PDF; undefined for a file that nothing here reads. */
export type FileKind = 'html' | 'text' | 'pdf';

const textTypes =
  /^(text\/|application\/([\w.+-]*\+)?(json|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|x-ndjson|graphql|sql|rtf|x-sh)$)/;

export function kindOfFile(contentType: string | undefined, body: Uint8Array): FileKind | undefined {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  const name = type.trim();
  if (name === 'text/html' || name === 'application/xhtml+xml') return 'html';
  if (name === 'application/pdf' || name === 'application/x-pdf') return 'pdf';
  if (textTypes.test(name)) return 'text';
  if (name !== '' && name !== 'application/octet-stream' && name !== 'binary/octet-stream') return undefined;
  return sniffed(body);
}

/** For bodies that come without a type: by their first bytes. */
function sniffed(body: Uint8Array): FileKind | undefined {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 1024)).toString('latin1');
  if (start.startsWith('%PDF-')) return 'pdf';
  if (/^\s*(<!doctype|<html|<head|<body|<!--|<[a-z][a-z0-9]*[\s>])/i.test(start)) return 'html';
  return body.subarray(0, 1024).some(isBinary) ? undefined : 'text';
}

/** Control characters that no text has. */
function isBinary(byte: number): boolean {
  return byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27;
}
