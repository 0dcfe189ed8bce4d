import * as l10n from '@vscode/l10n';
import { element } from '../common/dom.ts';
import type { ShownMonth, Usage } from './messages.ts';

/** Returns the same figures as a table, newest month first. */
export function table(usage: Usage, chosen: string | undefined): HTMLElement {
  const heads = [l10n.t('Month'), ...(usage.byApiKey ? [l10n.t('API key')] : []), l10n.t('Tokens'), l10n.t('Credits')];
  const head = element('tr', {}, ...heads.map((name) => element('th', { scope: 'col' }, name)));
  const rows = [...usage.months].reverse().flatMap((month) => monthRows(month, usage.byApiKey, month.name === chosen));
  return element(
    'table',
    {},
    element('caption', { class: 'spoken' }, l10n.t('Usage by month')),
    element('thead', {}, head),
    element('tbody', {}, ...rows),
  );
}

function monthRows(month: ShownMonth, byApiKey: boolean, isChosen: boolean): HTMLElement[] {
  const attributes = { 'data-month': month.name, class: isChosen ? 'chosen' : undefined };
  const name = (span = 1) => element('th', { scope: 'row', rowspan: String(span) }, month.name);
  if (!byApiKey) return [element('tr', attributes, name(), amount(month.tokens), amount(month.credits))];
  const keys = month.keys.length > 0 ? month.keys : [{ name: '—', tokens: month.tokens, credits: month.credits }];
  return keys.map((key, index) =>
    element(
      'tr',
      attributes,
      index === 0 && name(keys.length),
      element('td', { class: 'key', title: key.name }, key.name),
      amount(key.tokens),
      amount(key.credits),
    ),
  );
}

function amount(text: string): HTMLElement {
  return element('td', { class: 'amount' }, text);
}
