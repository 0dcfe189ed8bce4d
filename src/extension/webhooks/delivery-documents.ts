import * as l10n from '@vscode/l10n';
import { jsonIn } from '../../contract/lenient-texts.ts';
import { headerPairs, headerValues } from '../../contract/raw-headers.ts';
import type { StoredDelivery, StoredForwarding } from './receiver/deliveries.ts';

/** Formats the body of a delivery as a document. */
export function deliveryDocument({ body }: Pick<StoredDelivery, 'body'>): string {
  return formatJson(decode(body));
}

/** Formats a delivery as the HTTP request it was received as; a text body is unchanged. */
export function requestDocument({ headers, body }: Pick<StoredDelivery, 'headers' | 'body'>): string {
  return `POST /webhooks HTTP/1.1\n${headerLines(headers)}\n\n${decode(body)}`;
}

/** Formats the request sent to a handler and its response. */
export function responseDocument(forwarding: StoredForwarding): string {
  const { url, status, statusText, headers, body, cut, error, ms, at, edited } = forwarding;
  const took = [new Date(at).toISOString(), `${Math.round(ms)} ms`, ...(edited ? [l10n.t('edited body')] : [])].join(
    ', ',
  );
  const request = `POST ${url}\n${took}\n`;
  if (status === undefined) return `${request}\n${l10n.t('No response: {0}.', error ?? l10n.t('unknown error'))}\n`;
  const text = decode(body);
  const [type = ''] = headerValues({ rawHeaders: headers }, 'content-type');
  const shown = /\bjson\b/i.test(type) && !cut ? formatJson(text) : text;
  const note = cut ? `\n\n[${l10n.t('The response was truncated at 1 MB.')}]\n` : '';
  return `${request}\nHTTP/1.1 ${status} ${statusText}\n${headerLines(headers)}\n\n${shown}${note}`;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function headerLines(headers: readonly string[]): string {
  const lines = headerPairs(headers).map(([name, value]) => `${name}: ${value}`);
  return lines.join('\n');
}

const maxIndentDepth = 60;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * Indents JSON, changing only its whitespace: long numbers, duplicate keys and unusual escapes stay as they were sent.
 * Returns text that isn't JSON unchanged.
 */
export function formatJson(text: string): string {
  if (jsonIn(text) === undefined) return text;
  const found = text.match(tokens) ?? [];
  const parts: string[] = [];
  let depth = 0;
  const line = () => parts.push('\n', '  '.repeat(Math.min(depth, maxIndentDepth)));
  for (const [index, token] of found.entries()) {
    const next = found[index + 1];
    if (token === '{' || token === '[') {
      parts.push(token);
      if (next === '}' || next === ']') continue;
      depth++;
      line();
    } else if (token === '}' || token === ']') {
      const before = found[index - 1];
      if (before !== '{' && before !== '[') {
        depth--;
        line();
      }
      parts.push(token);
    } else if (token === ',') {
      parts.push(token);
      line();
    } else parts.push(token === ':' ? ': ' : token);
  }
  return `${parts.join('')}\n`;
}
