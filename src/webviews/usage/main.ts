import '../common/localization.ts';
import '../common/base.css';
import './style.css';
import * as l10n from '@vscode/l10n';
import { openChannel } from '../common/channel.ts';
import { element, textButton } from '../common/dom.ts';
import { chart } from './chart.ts';
import type { Events, Requests, ShownMonth, Usage } from './messages.ts';

const app = document.getElementById('app') as HTMLElement;
/** Announced when it changes, so it stays the same element. */
const notice = element('div', { class: 'notice', role: 'status', hidden: true });
const shown = element('div');
app.append(notice, shown);
let chosen: string | undefined;
/** What the notice shows. */
let noticed: string | undefined;

const channel = openChannel<Events, Requests>({ usage: draw });

function draw(usage: Usage): void {
  const hadFocus = shown.querySelector('.chart')?.contains(document.activeElement) ?? false;
  showNotice(usage);
  shown.replaceChildren(...(usage.months.length > 0 ? content(usage) : []));
  app.setAttribute('aria-busy', String(usage.loading));
  if (hadFocus) shown.querySelector<HTMLElement>('[role="option"][tabindex="0"]')?.focus();
}

function content(usage: Usage): HTMLElement[] {
  chosen = usage.months.some(({ name }) => name === chosen) ? chosen : usage.months.at(-1)?.name;
  const tableElement = table(usage, chosen);
  const choose = (name: string) => {
    chosen = name;
    for (const row of tableElement.querySelectorAll<HTMLElement>('tr[data-month]')) {
      row.classList.toggle('chosen', row.dataset.month === name);
    }
  };
  const footnote = usage.footnote === undefined ? [] : [element('p', { class: 'footnote' }, usage.footnote)];
  return [chart(usage, chosen ?? '', choose), tableElement, ...footnote];
}

function showNotice({ notice: said }: Usage): void {
  const next = JSON.stringify(said);
  if (next === noticed) return;
  noticed = next;
  notice.hidden = !said;
  notice.replaceChildren();
  if (!said) return;
  const { text, action } = said;
  notice.append(element('p', {}, text));
  if (action) notice.append(textButton(action.title, () => void channel.request('act', { action: action.name })));
}

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
      element('td', { class: 'key clipped', title: key.name }, key.name),
      amount(key.tokens),
      amount(key.credits),
    ),
  );
}

function amount(text: string): HTMLElement {
  return element('td', { class: 'amount' }, text);
}
