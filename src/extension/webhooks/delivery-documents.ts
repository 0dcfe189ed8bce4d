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
/** The most characters that indentation adds: it would make a gigabyte of 10 MB of brackets. */
const maxAdded = 16 * 1024 * 1024;
/** Tokens of JSON, but only the beginning of a string: for a long one, an expression that skips escapes runs out of memory. */
const tokens = /[{}[\],:"]|[^\s{}[\],:"]+/g;

/**
 * Indents JSON, changing only its whitespace: long numbers, duplicate keys and unusual escapes stay as they were sent.
 * Returns text unchanged that isn't JSON, or that indentation would make much longer.
 */
export function formatJson(text: string): string {
  let laidOut = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(Math.min(depth, maxIndentDepth))}`;
  tokens.lastIndex = 0;
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    let [token] = found;
    const closes = token === '}' || token === ']';
    if (closes) depth = Math.max(depth - 1, 0);
    if (token === '"') {
      tokens.lastIndex = endOfString(text, found.index);
      token = text.slice(found.index, tokens.lastIndex);
    }
    const opened = before === '{' || before === '[';
    if (closes ? !opened : opened || before === ',') laidOut += line();
    laidOut += token === ':' ? ': ' : token;
    if (laidOut.length > text.length + maxAdded) return text;
    if (token === '{' || token === '[') depth++;
    before = token;
  }
  return jsonIn(text) === undefined ? text : `${laidOut}\n`;
}

/** Returns where a string of JSON ends: behind the next quotation mark that isn't escaped, or at the end of the text. */
function endOfString(text: string, start: number): number {
  let end = start;
  let escapes: number;
  do {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
  } while (escapes % 2 === 1);
  return end + 1;
}
