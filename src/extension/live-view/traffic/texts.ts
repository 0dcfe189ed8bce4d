import * as l10n from '@vscode/l10n';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import type { ConsoleLine, NetworkExchange } from '../../../contract/sessions/traffic.ts';
import { duration } from '../../ui/text/text.ts';
import { fenced, visibleText } from '../../ui/text/visible-text.ts';

/** Returns a request with all that is known of it, as Markdown. */
export function exchangeText(exchange: NetworkExchange): string {
  const { method, url, status, statusText, protocol, error, requestHeaders, responseHeaders } = exchange;
  const head = (first: string, headers: typeof requestHeaders) =>
    block([first, ...headers.map(({ name, value }) => `${name}: ${value}`)].join('\n'), 'http');
  const answer = [protocol, status, statusText].filter((part) => part !== undefined && part !== null).join(' ');
  const { requestBody, responseBody } = exchange;
  return [
    `# ${l10n.t('Request')}`,
    head(`${method} ${url}`, requestHeaders),
    ...(requestBody ? [bodyBlock(requestBody, headerOf(requestHeaders, 'content-type'))] : []),
    `# ${l10n.t('Response')}`,
    ...(error ? [block(error)] : []),
    ...(answer || responseHeaders.length > 0 ? [head(answer, responseHeaders)] : []),
    responseText(exchange, responseBody),
    `# ${l10n.t('Timing')}`,
    timingText(exchange),
  ]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
}

/** Returns a line of the console with where it comes from, as plain text. */
export function lineText({ level, at, text, url, line, column }: ConsoleLine): string {
  const place = [url, line, column].filter((part) => part !== undefined && part !== null).join(':');
  return visibleText([`${at} ${level}`, ...(place ? [place] : []), '', text, ''].join('\n'));
}

function responseText({ state, mimeType, bytes }: NetworkExchange, body: NetworkExchange['responseBody']): string {
  if (body?.base64) return l10n.t('The body is binary ({0} bytes).', bytes);
  if (body) return body.text ? bodyBlock(body.text, mimeType ?? '') : '';
  return state === 'finished' && bytes > 0
    ? l10n.t("The body ({0} bytes) isn't kept: it is too large or too old.", bytes)
    : '';
}

function timingText({ startedAt, durationMs, timing }: NetworkExchange): string {
  const phases = Object.entries(timing ?? {}).filter(([, ms]) => typeof ms === 'number' && ms >= 0);
  return [
    `- ${l10n.t('Started: {0}', startedAt)}`,
    ...(typeof durationMs === 'number' ? [`- ${l10n.t('Duration: {0}', duration(durationMs))}`] : []),
    ...phases.map(([name, ms]) => `- ${name}: ${duration(Number(ms))}`),
  ].join('\n');
}

function bodyBlock(text: string, type: string): string {
  if (/\bjson\b/i.test(type)) return block(JSON.stringify(jsonIn(text), undefined, 2) ?? text, 'json');
  const [language = ''] = /html|css|javascript|xml/i.exec(type) ?? [];
  return block(text, language.toLowerCase());
}

function block(text: string, language = ''): string {
  return fenced(visibleText(text), language);
}

function headerOf(headers: NetworkExchange['requestHeaders'], wanted: string): string {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value ?? '';
}
