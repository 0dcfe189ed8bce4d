import '../common/localization.ts';
import '../common/base.css';
import * as l10n from '@vscode/l10n';
import './style.css';
import { openChannel } from '../common/channel.ts';
import { element, textButton } from '../common/dom.ts';
import type { Events, Requests, ShownTurn, State } from './messages.ts';
import { questionBox } from './question-box.ts';
import { questions, secondary, type TurnHandlers, turnElement } from './turn-view.ts';

const app = document.getElementById('app') as HTMLElement;
const welcome = element('div', { class: 'welcome quiet' });
const log = element('div', {
  class: 'log',
  role: 'log',
  'aria-live': 'polite',
  'aria-label': l10n.t('Questions and answers'),
});
const notice = element('div', { class: 'notice', role: 'status', hidden: true });
const spoken = element('p', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
const scroller = element('div', { class: 'scroller' }, welcome, log);

const turns = new Map<string, ShownTurn>();
let docs = new Set<string>();

const channel = openChannel<Events, Requests>({
  state: showState,
  turn: ({ turn }) => showTurn(turn),
  compose: ({ question, context }) => box.compose(question, context),
});
const saved = channel.state as { draft?: unknown } | undefined;

const handlers: TurnHandlers = {
  isBundledDoc: (file) => docs.has(file),
  ask,
  request: (name, params) => void channel.request(name, params),
  announce: (text) => {
    spoken.textContent = text;
  },
};
const box = questionBox({
  ask,
  stop: () => handlers.request('stop', {}),
  asked: () => [...turns.values()].map(({ question }) => question),
  draft: typeof saved?.draft === 'string' ? saved.draft : '',
  keepDraft: (draft) => channel.keep({ draft }),
});
app.append(spoken, scroller, notice, box.element);

function ask(question: string): void {
  if ([...turns.values()].some(({ state }) => state === 'asking')) return;
  handlers.request('ask', { question });
  box.focus();
}

function showState(state: State): void {
  docs = new Set(state.docs);
  turns.clear();
  for (const turn of state.turns) turns.set(turn.id, turn);
  log.replaceChildren(...state.turns.map((turn) => turnElement(turn, handlers)));
  welcome.replaceChildren(
    element('p', {}, state.welcome),
    questions(l10n.t('Example questions'), state.examples, handlers),
  );
  showNotice(state.notice);
  box.setLimit(state.maxQuestionLength);
  refresh();
  scroller.scrollTop = scroller.scrollHeight;
}

function showTurn(turn: ShownTurn): void {
  const before = turns.get(turn.id);
  turns.set(turn.id, turn);
  const next = turnElement(turn, handlers);
  const old = log.querySelector<HTMLElement>(`[data-turn="${CSS.escape(turn.id)}"]`);
  if (old) replace(old, next);
  else log.append(next);
  refresh();
  if (before?.state !== turn.state) scrollTo(next);
}

/** Replaces a turn and restores the focus within it. */
function replace(old: HTMLElement, next: HTMLElement): void {
  const buttons = (turn: HTMLElement) => [...turn.querySelectorAll<HTMLElement>('button, [tabindex]')];
  const at = buttons(old).indexOf(document.activeElement as HTMLElement);
  old.replaceWith(next);
  if (at >= 0) (buttons(next)[at] ?? next.querySelector<HTMLElement>('.question'))?.focus();
}

/** Scrolls to the end of a turn; to its start if it is taller than the view. */
function scrollTo(turn: HTMLElement): void {
  if (turn.offsetHeight > scroller.clientHeight) turn.scrollIntoView({ block: 'start' });
  else scroller.scrollTop = turn.offsetTop + turn.offsetHeight - scroller.clientHeight + 8;
}

function showNotice(state: State['notice']): void {
  notice.hidden = !state;
  box.setEnabled(!state);
  if (!state) return;
  const { text, action } = state;
  notice.replaceChildren(
    element('p', {}, text),
    textButton(action.title, () => handlers.request('act', { action: action.name }), secondary),
  );
}

function refresh(): void {
  welcome.hidden = turns.size > 0;
  box.setBusy([...turns.values()].some(({ state }) => state === 'asking'));
}
