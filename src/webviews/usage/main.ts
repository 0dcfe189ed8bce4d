import '../common/localization.ts';
import '../common/base.css';
import './style.css';
import { openChannel } from '../common/channel.ts';
import { element, textButton } from '../common/dom.ts';
import { chart } from './chart.ts';
import type { Events, Requests, Usage } from './messages.ts';
import { table } from './table.ts';

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
