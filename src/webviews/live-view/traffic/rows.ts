import * as l10n from '@vscode/l10n';
import type { ConsoleLine, NetworkEntry } from '../../../contract/sessions/traffic.ts';
import { byteSize } from '../../common/byte-size.ts';
import { codicon, element } from '../../common/dom.ts';
import { hasFailed, shortUrl } from './entries.ts';

const icons: Readonly<Record<string, string>> = { error: 'error', warning: 'warning', info: 'info' };

/** Returns the row of a line of the console. */
export function lineRow({ level, text, url, line }: ConsoleLine): HTMLElement {
  const at = line ? `:${line}` : '';
  const place = url ? `${url}${at}` : '';
  return element(
    'div',
    {
      class: `traffic-row level-${level}`,
      title: place ? `${text}\n${place}` : text,
    },
    codicon(icons[level] ?? 'blank'),
    element('span', { class: 'spoken' }, `${level}: `),
    element('span', { class: 'traffic-text clipped' }, text.replaceAll(/\s+/g, ' ')),
    element('span', { class: 'traffic-place clipped' }, url ? `${shortUrl(url)}${at}` : ''),
  );
}

/** Returns the row of a request. */
export function requestRow(request: NetworkEntry): HTMLElement {
  const { method, url, type, error, durationMs } = request;
  const [origin = ''] = /^\w+:\/\/[^/?#]*/.exec(url) ?? [];
  const status = statusOf(request);
  const took = typeof durationMs === 'number' ? l10n.t('{0} ms', Math.round(durationMs)) : '';
  return element(
    'div',
    {
      class: hasFailed(request) ? 'traffic-row failed' : 'traffic-row',
      title: [`${method} ${url}`, error].filter(Boolean).join('\n'),
    },
    element('span', { class: 'traffic-status clipped' }, status),
    element('span', { class: 'traffic-method clipped' }, method),
    element(
      'span',
      { class: 'traffic-text clipped' },
      // Without room for all of it, the path says more than the origin.
      element('span', { class: 'traffic-origin' }, origin),
      url.slice(origin.length),
    ),
    element('span', { class: 'traffic-type clipped' }, type),
    element('span', { class: 'traffic-number' }, sizeOf(request)),
    element('span', { class: 'traffic-number' }, took),
  );
}

function statusOf({ state, status }: NetworkEntry): string {
  if (state === 'failed') return l10n.t('failed');
  return typeof status === 'number' ? String(status) : '…';
}

function sizeOf({ bytes, state }: NetworkEntry): string {
  return state === 'finished' ? byteSize(bytes) : '';
}
