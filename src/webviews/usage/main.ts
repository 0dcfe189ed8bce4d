import '../common/localization.ts';
import '../common/view-name.css';
import './style.css';
import { openChannel } from '../common/channel.ts';
import { element } from '../common/dom.ts';
import { chart } from './chart.ts';
import type { Events, Requests, Usage } from './messages.ts';
import { table } from './table.ts';

const app = document.getElementById('app') as HTMLElement;
let chosen: string | undefined;

const channel = openChannel<Events, Requests>({ usage: draw });

function draw(usage: Usage): void {
  const hadFocus = app.querySelector('.chart')?.contains(document.activeElement) ?? false;
  app.replaceChildren(...notice(usage), ...(usage.months.length > 0 ? content(usage) : []));
  app.setAttribute('aria-busy', String(usage.loading));
  if (hadFocus) app.querySelector<HTMLElement>('[role="option"][tabindex="0"]')?.focus();
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
  return [chart(usage, chosen ?? '', choose), tableElement];
}

function notice({ notice: said }: Usage): HTMLElement[] {
  if (!said) return [];
  const { text, action } = said;
  const box = element('div', { class: 'notice', role: 'status' }, element('p', {}, text));
  if (action) {
    const button = element('button', { class: 'button', type: 'button' }, action.title);
    button.addEventListener('click', () => void channel.request('act', { action: action.name }));
    box.append(button);
  }
  return [box];
}
