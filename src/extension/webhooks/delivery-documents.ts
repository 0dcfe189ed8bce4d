import { layOutJson } from './json-layout.ts';
import type { StoredDelivery, StoredForwarding } from './receiver/deliveries.ts';

/** The body of a delivery as a document. */
export function deliveryDocument({ body }: Pick<StoredDelivery, 'body'>): string {
  return layOutJson(decode(body));
}

/** A delivery as the request that it came in, its body byte for byte where that is text. */
export function requestDocument({ headers, body }: Pick<StoredDelivery, 'headers' | 'body'>, path: string): string {
  return `POST ${path} HTTP/1.1\n${headerLines(headers)}\n\n${decode(body)}`;
}

/** What a handler was sent and what it answered. */
export function responseDocument(forwarding: StoredForwarding): string {
  const { url, status, statusText, headers, body, cut, error, ms, at, edited } = forwarding;
  const asked = `POST ${url}\n${new Date(at).toISOString()}, ${Math.round(ms)} ms${edited ? ', edited body' : ''}\n`;
  if (status === undefined) return `${asked}\nNo answer: ${error ?? 'for a reason that is not known'}.\n`;
  const text = decode(body);
  const type = headerOf(headers, 'content-type') ?? '';
  const shown = /\bjson\b/i.test(type) && !cut ? layOutJson(text) : text;
  const note = cut ? '\n\n[The answer is longer than 1 MB; the rest was not kept.]\n' : '';
  return `${asked}\nHTTP/1.1 ${status} ${statusText}\n${headerLines(headers)}\n\n${shown}${note}`;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function headerLines(headers: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}`);
  return lines.join('\n');
}

function headerOf(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name);
  return at === -1 ? undefined : headers[at + 1];
}
