import '../common/localization.ts';
import '../common/base.css';
import './style.css';
import * as l10n from '@vscode/l10n';
import { openChannel } from '../common/channel.ts';
import { element, textButton } from '../common/dom.ts';
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
  const footnote = usage.footnote === undefined ? [] : [element('p', { class: 'quiet' }, usage.footnote)];
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

/** The colors of the chart, which keys get in order. Not charts-orange, which is transparent in some themes. */
const colors = [
  ...['blue', 'purple', 'green', 'yellow', 'red'].map((name) => `var(--vscode-charts-${name})`),
  'var(--vscode-terminal-ansiCyan)',
  'var(--vscode-terminal-ansiMagenta)',
  'var(--vscode-descriptionForeground)',
];

/** Returns a chart with a bar per month, stacked by API key if known. Arrow keys move between the months. */
function chart(usage: Usage, chosen: string, onChoose: (name: string) => void): HTMLElement {
  const caption = usage.byApiKey ? l10n.t('Tokens by month and API key') : l10n.t('Tokens by month');
  const bars = usage.months.map((month) => bar(month, month.name === chosen));
  const list = element(
    'div',
    { class: 'bars', role: 'listbox', 'aria-label': caption, 'aria-orientation': 'horizontal' },
    ...bars,
  );
  const choose = (index: number) => {
    const month = usage.months[index];
    if (!month) return;
    for (const [at, one] of bars.entries()) {
      one.setAttribute('aria-selected', String(at === index));
      one.tabIndex = at === index ? 0 : -1;
    }
    bars[index]?.focus();
    detail.replaceChildren(...details(month));
    onChoose(month.name);
  };
  for (const [index, one] of bars.entries()) one.addEventListener('click', () => choose(index));
  list.addEventListener('keydown', (event) => {
    const at = bars.findIndex((one) => one.tabIndex === 0);
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(bars.length - 1, next)));
  });
  const shown = usage.months.find(({ name }) => name === chosen);
  // Screen readers read the same from the options.
  const detail = element('p', { class: 'detail quiet', 'aria-hidden': 'true' }, ...(shown ? details(shown) : []));
  const axis = element(
    'div',
    { class: 'axis quiet', 'aria-hidden': 'true' },
    element('span', {}, usage.highest),
    element('span', {}, '0'),
  );
  return element(
    'figure',
    { class: 'chart' },
    element('figcaption', { class: 'quiet' }, caption),
    element('div', { class: 'plot' }, axis, list),
    detail,
    ...legend(usage),
  );
}

function bar(month: ShownMonth, isChosen: boolean): HTMLElement {
  const parts = month.keys.length > 0 ? month.keys : [{ share: month.share, color: 0 }];
  const column = element('div', { class: 'column' });
  for (const { share, color } of [...parts].reverse()) {
    const part = colored('div', 'part', color);
    part.style.height = `${Math.max(0, Math.min(1, share)) * 100}%`;
    column.append(part);
  }
  const keys = month.keys.map(({ name, tokens }) => `${name} ${tokens}`).join(', ');
  const { name, spoken, tokens, credits } = month;
  // The name that is seen comes first, so that it can be said to a voice control.
  const heading = name === '—' ? spoken : name;
  const words = keys
    ? l10n.t('{0}: {1} tokens, {2} credits, by key: {3}', heading, tokens, credits, keys)
    : l10n.t('{0}: {1} tokens, {2} credits', heading, tokens, credits);
  const option = element('div', {
    class: 'bar',
    role: 'option',
    'aria-label': words,
    'aria-selected': String(isChosen),
    title: words,
    tabindex: isChosen ? '0' : '-1',
  });
  option.append(
    column,
    element('span', { class: 'month quiet', 'aria-hidden': 'true' }, month.name.replace(/ \d+$/, '')),
  );
  return option;
}

function details({ spoken, tokens, credits }: ShownMonth): (HTMLElement | string)[] {
  return [element('strong', {}, spoken), ' ', l10n.t('{0} tokens · {1} credits', tokens, credits)];
}

function legend({ legend: names, byApiKey }: Usage): HTMLElement[] {
  if (!byApiKey || names.length === 0) return [];
  const items = names.map((name, index) => {
    const swatch = colored('span', 'swatch', index);
    swatch.setAttribute('aria-hidden', 'true');
    return element('li', { class: 'row' }, swatch, name);
  });
  return [element('ul', { class: 'legend', 'aria-label': l10n.t('API keys') }, ...items)];
}

function colored(tag: 'div' | 'span', name: string, color: number): HTMLElement {
  const created = element(tag, { class: name });
  created.style.background = colors[color % colors.length] ?? '';
  return created;
}
