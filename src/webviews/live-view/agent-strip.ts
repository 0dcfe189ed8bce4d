import * as l10n from '@vscode/l10n';
import type { Channel } from '../common/channel.ts';
import { codicon, element, textButton } from '../common/dom.ts';
import type { AgentShown, Answer, Requests } from './messages.ts';

/** The lines below the bar that say what an agent does in the session, with what a person can do about it. */
export class AgentStrip {
  readonly element = element('section', { class: 'agent', 'aria-label': l10n.t('Agent'), hidden: true });
  #request: Channel<Requests>['request'];
  #state = element('p', { class: 'agent-text', role: 'status' });
  #buttons = element('span', { class: 'agent-buttons' });
  #requests = element('div', { class: 'agent-requests', role: 'list' });
  #spoken = element('p', { class: 'spoken', role: 'alert' });
  #shown = '';

  constructor(request: Channel<Requests>['request']) {
    this.#request = request;
    const line = element('div', { class: 'agent-line row' }, codicon('hubot'), this.#state, this.#buttons);
    this.element.append(line, this.#requests, this.#spoken);
  }

  show(agent: AgentShown | null): void {
    // What hasn't changed keeps its focus.
    const text = JSON.stringify(agent);
    if (text === this.#shown) return;
    this.#shown = text;
    this.element.hidden = agent === null;
    const focused = document.activeElement?.getAttribute('data-action');
    this.element.dataset.paused = String(agent?.paused === true);
    this.#state.textContent = agent ? sentence(agent.text ?? l10n.t('{0} has used this session', agent.name)) : '';
    this.#buttons.replaceChildren(...(agent ? this.#buttonsOf(agent) : []));
    const requests = agent?.requests ?? [];
    this.#requests.replaceChildren(...requests.map((request) => this.#requestElement(request)));
    this.#spoken.textContent = requests.map((request) => request.text).join('. ');
    if (focused) this.element.querySelector<HTMLElement>(`[data-action="${CSS.escape(focused)}"]`)?.focus();
  }

  #buttonsOf({ paused, controlled, recorded }: AgentShown): HTMLElement[] {
    const pause = paused ? l10n.t('Resume Agent') : l10n.t('Pause Agent');
    return [
      // While a person is in control, releasing control hands the session back.
      controlled
        ? this.#button(l10n.t('Hand Back'), 'pause', () => void this.#request('control', { take: false }))
        : this.#button(
            pause,
            'pause',
            () => void this.#request('pause', { paused: !paused }),
            paused ? '' : 'secondary',
          ),
      ...(recorded
        ? [this.#button(l10n.t('Save as Snippet'), 'snippet', () => void this.#request('saveSnippet', {}), 'secondary')]
        : []),
    ];
  }

  #requestElement({ id, text, detail, host }: AgentShown['requests'][number]): HTMLElement {
    const answer = (name: string, how: Answer, kind?: string) =>
      this.#button(name, `${how} ${id}`, () => void this.#request('answer', { id, answer: how }), kind);
    const always = host ? l10n.t('Allow {0} in This Session', host) : l10n.t('Allow in This Session');
    return element(
      'div',
      { class: 'agent-request row', role: 'listitem', 'data-request': id },
      element('p', { class: 'agent-text' }, `${text}.`),
      detail ? element('p', { class: 'agent-detail' }, detail) : undefined,
      element(
        'span',
        { class: 'agent-buttons' },
        answer(l10n.t('Allow Once'), 'once'),
        answer(always, 'session', 'secondary'),
        answer(l10n.t('Deny'), 'deny', 'secondary'),
      ),
    );
  }

  #button(name: string, action: string, onPress: () => void, kind = ''): HTMLElement {
    const button = textButton(name, onPress, `button ${kind}`.trim());
    button.dataset.action = action;
    return button;
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
