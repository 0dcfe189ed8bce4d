import * as l10n from '@vscode/l10n';
import type * as z from 'zod';
import type { Endpoint } from '../contract/endpoints.ts';
import { describeIssues } from '../contract/errors.ts';
import type { UploadedFile } from '../contract/scrape/parse.ts';
import { type CallName, InvalidRequestError } from './errors.ts';

/** The parts of a request as callers pass them; the contract has the types for each endpoint. */
export interface RequestParts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  /** A file to send as multipart/form-data, with the body as JSON in `options`. */
  file?: UploadedFile;
}

/** A request that is valid by the contract and ready to send. */
export interface PreparedRequest {
  call: CallName;
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
}

const reservedHeaders = new Set([
  'authorization',
  'accept',
  'content-type',
  'content-length',
  'host',
  'connection',
  'cookie',
  'transfer-encoding',
]);

/**
 * Validates a request against the contract and returns its URL, headers and body.
 * Defaults are left to the server.
 * @throws InvalidRequestError with the limit that was exceeded
 */
export function prepareRequest(
  server: { baseUrl: string; host: string; apiKey: string | undefined; isOwn?: boolean },
  name: string,
  entry: Endpoint,
  parts: RequestParts,
  extraHeaders: Readonly<Record<string, string>> = {},
): PreparedRequest {
  const call: CallName = {
    endpoint: name,
    purpose: l10n.t(purposeOf(entry)),
    method: entry.method,
    path: entry.path,
    host: server.isOwn ? l10n.t('the embedded service') : server.host,
    ...(server.isOwn && { isOwn: true }),
  };
  check(call, entry.params, parts.params ?? {});
  check(call, entry.query, parts.query ?? {});
  check(call, entry.body, parts.body ?? {});

  call.path = fillPath(call, entry.path, parts.params ?? {});
  const json = entry.body && JSON.stringify(parts.body ?? {});
  const headers: Record<string, string> = { accept: 'application/json' };
  const form = parts.file && json !== undefined ? createForm(parts.file, json) : undefined;
  const body = form?.content ?? json;
  if (body !== undefined) headers['content-type'] = form?.type ?? 'application/json';
  if (server.apiKey !== undefined) headers.authorization = `Bearer ${server.apiKey}`;
  for (const [header, value] of Object.entries(extraHeaders)) headers[checkHeader(call, header, value)] = value;
  return { call, url: `${server.baseUrl}${call.path}${queryText(entry.query, parts.query ?? {})}`, headers, body };
}

/** Writes a file and its options as multipart/form-data. */
function createForm({ name, contentType, content }: UploadedFile, options: string) {
  const boundary = `----${globalThis.crypto.randomUUID()}`;
  // Escaped as browsers do.
  const fileName = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const text = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="options"',
    '',
    options,
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${fileName}"`,
    `Content-Type: ${contentType ?? 'application/octet-stream'}`,
    '',
    '',
  ].join('\r\n');
  const parts = [Buffer.from(text), content, Buffer.from(`\r\n--${boundary}--\r\n`)];
  return { type: `multipart/form-data; boundary=${boundary}`, content: Buffer.concat(parts) };
}

/** What a call does, in English, as in "Could not …". */
export function purposeOf({ summary }: Pick<Endpoint, 'summary'>): string {
  const [purpose = ''] = summary.split(/[,:;]/);
  return purpose.charAt(0).toLowerCase() + purpose.slice(1);
}

function check(call: CallName, schema: z.ZodObject | undefined, value: unknown): void {
  const result = schema?.safeParse(value);
  if (result && !result.success) throw new InvalidRequestError(call, describeIssues(result.error.issues, value));
}

function fillPath(call: CallName, path: string, params: Record<string, unknown>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(params[name]);
    // Such a segment, encoded or not, would be removed when the URL is resolved.
    if (/^\.{1,2}$/.test(value))
      throw new InvalidRequestError(call, l10n.t('{0}: expected an identifier, got "{1}"', name, value));
    if (!value.isWellFormed()) throw new InvalidRequestError(call, l10n.t('{0}: expected well-formed text', name));
    return encodeURIComponent(value);
  });
}

function queryText(schema: z.ZodObject | undefined, query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const name of Object.keys(schema?.shape ?? {})) {
    const value = query[name];
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size > 0 ? `?${search}` : '';
}

function checkHeader(call: CallName, header: string, value: string): string {
  const name = header.toLowerCase();
  if (!/^[a-z0-9-]{1,100}$/.test(name))
    throw new InvalidRequestError(call, l10n.t('a header name contains invalid characters'));
  if (reservedHeaders.has(name))
    throw new InvalidRequestError(call, l10n.t('the header {0} is set by the client', name));
  if (!/^[\x20-\x7e]{0,4096}$/.test(value)) {
    throw new InvalidRequestError(
      call,
      l10n.t('the header {0} must be at most 4,096 printable ASCII characters', name),
    );
  }
  return name;
}
