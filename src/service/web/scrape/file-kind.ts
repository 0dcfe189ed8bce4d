import { ownNames } from '../../platform/own-names.ts';
import type { ConvertTask } from './convert/tasks.ts';

/** The kinds of file that can be scraped. */
export type FileKind = ConvertTask['kind'];

const textTypes =
  /^(text\/|application\/([\w.+-]*\+)?(json|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|x-ndjson|graphql|sql|x-sh)$)/;
const csvTypes = /^(text\/(csv|tab-separated-values|comma-separated-values)|application\/csv)$/;
/** Content types that servers and programs often mix up, so the content of these documents decides. */
const documentTypes =
  /^application\/(rtf|x-rtf|zip|x-zip-compressed|epub\+zip|msword|vnd\.(ms-(excel|word|powerpoint)|openxmlformats-|oasis\.opendocument))/;
const unknownTypes = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/x-download']);

/** First bytes of documents, which take precedence over their content types. */
const signatures: [start: string, kind: FileKind][] = [
  ['%PDF-', 'pdf'],
  ['PK\x03\x04', 'zip'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'ole'],
  ['{\\rtf', 'rtf'],
];

/** Returns a body's kind by its first bytes and its content type; undefined for unsupported files. */
export function kindOfFile(contentType: string | undefined, body: Uint8Array): FileKind | undefined {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 2048)).toString('latin1');
  const signed = signatures.find(([signature]) => start.startsWith(signature));
  if (signed) return signed[1];
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  const name = type.trim();
  if (name === 'text/html' || name === 'application/xhtml+xml') return 'html';
  if (csvTypes.test(name)) return 'csv';
  if (name === 'message/rfc822') return 'email';
  if (textTypes.test(name) && name !== 'text/rtf') return 'text';
  if (name === 'application/pdf' || name === 'application/x-pdf') return detectKind(start) === 'html' ? 'html' : 'pdf';
  if (unknownTypes.has(name) || documentTypes.test(name) || name === 'text/rtf') return detectKind(start);
  return undefined;
}

/** Detects the kind of a text by its start; undefined for binary files. */
function detectKind(start: string): FileKind | undefined {
  if (/^(\xef\xbb\xbf)?\s*(<!doctype html|<html|<head|<body|<!--|<[a-z][a-z0-9]*[\s>])/i.test(start)) return 'html';
  if ([...start].some(isBinary)) return undefined;
  return isMail(start) ? 'email' : 'text';
}

/** Returns whether a text starts with the headers of an e-mail. */
function isMail(start: string): boolean {
  const [headers = ''] = start.split(/\r?\n\r?\n/);
  if (!/^[A-Za-z-]{2,60}: /.test(headers)) return false;
  return (
    /^(from|received|return-path|delivered-to): /im.test(headers) && /^(to|subject|date|message-id): /im.test(headers)
  );
}

/** Returns whether a character doesn't occur in text. */
function isBinary(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 32 && !(code >= 9 && code <= 13) && code !== 27;
}

/** Content types of files by their extension, for uploads. */
const extensionTypes: Record<string, string> = ownNames({
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  eml: 'message/rfc822',
  json: 'application/json',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
});

/** Returns the content type of an uploaded file: that of its extension where the given one says little. */
export function typeOfUpload(fileName: string, contentType: string | undefined): string | undefined {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  const name = type.trim();
  if (!unknownTypes.has(name) && name !== 'text/plain') return contentType;
  const extension = /\.([a-z0-9]{1,10})$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
  return extensionTypes[extension] ?? contentType;
}
