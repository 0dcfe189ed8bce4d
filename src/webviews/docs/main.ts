import './style.css';
import { openChannel } from '../common/channel.ts';
import { element, textButton } from '../common/dom.ts';
import type { Events, Requests, ShownTurn, State } from './messages.ts';
import { questionBox } from './question-box.ts';
import { questions, type TurnHandlers, turnElement } from './turn-view.ts';

const app = document.getElementById('app') as HTMLElement;
const welcome = element('div', { class: 'welcome' });
const log = element('div', { class: 'log', role: 'log', 'aria-live': 'polite', 'aria-label': 'Questions and answers' });
const notice = element('div', { class: 'notice', hidden: true });
const spoken = element('p', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
const scroller = element('div', { class: 'scroller' }, welcome, log);

const turns = new Map<string, ShownTurn>();
let texts = new Set<string>();

const channel = openChannel<Events, Requests>({
  state: showState,
  turn: ({ turn }) => showTurn(turn),
  compose: ({ question, context }) => box.compose(question, context),
});
const kept = channel.state as { draft?: unknown } | undefined;

const handlers: TurnHandlers = {
  isText: (file) => texts.has(file),
  ask,
  request: (name, params) => void channel.request(name, params as never).catch(() => undefined),
  say: (text) => {
    spoken.textContent = text;
  },
};
const box = questionBox({
  ask,
  stop: () => handlers.request('stop', {}),
  asked: () => [...turns.values()].map(({ question }) => question),
  draft: typeof kept?.draft === 'string' ? kept.draft : '',
  keepDraft: (draft) => channel.keep({ draft }),
});
app.append(spoken, scroller, notice, box.element);

function ask(question: string): void {
  if ([...turns.values()].some(({ state }) => state === 'asking')) return;
  handlers.request('ask', { question });
  box.focus();
}

function showState(state: State): void {
  texts = new Set(state.texts);
  turns.clear();
  for (const turn of state.turns) turns.set(turn.id, turn);
  log.replaceChildren(...state.turns.map((turn) => turnElement(turn, handlers)));
  welcome.replaceChildren(
    element('p', {}, state.welcome),
    questions('Questions to begin with', state.examples, handlers),
  );
  showNotice(state.notice);
  box.setLimit(state.longestQuestion);
  refresh();
  scroller.scrollTop = scroller.scrollHeight;
}

function showTurn(turn: ShownTurn): void {
  const before = turns.get(turn.id);
  turns.set(turn.id, turn);
  const made = turnElement(turn, handlers);
  const old = log.querySelector<HTMLElement>(`[data-turn="${CSS.escape(turn.id)}"]`);
  if (old) replace(old, made);
  else log.append(made);
  refresh();
  if (before?.state !== turn.state) show(made);
}

/** What had the focus within a question has it again. */
function replace(old: HTMLElement, made: HTMLElement): void {
  const buttons = (of: HTMLElement) => [...of.querySelectorAll<HTMLElement>('button, [tabindex]')];
  const at = buttons(old).indexOf(document.activeElement as HTMLElement);
  old.replaceWith(made);
  if (at >= 0) (buttons(made)[at] ?? made.querySelector<HTMLElement>('.question'))?.focus();
}

/** The answer, from the question on where it is longer than the view. */
function show(made: HTMLElement): void {
  if (made.offsetHeight > scroller.clientHeight) made.scrollIntoView({ block: 'start' });
  else scroller.scrollTop = made.offsetTop + made.offsetHeight - scroller.clientHeight + 8;
}

function showNotice(state: State['notice']): void {
  notice.hidden = !state;
  box.setEnabled(!state);
  if (!state) return;
  const { text, action } = state;
  notice.replaceChildren(
    element('p', {}, text),
    textButton(action.title, () => handlers.request('act', { action: action.name })),
  );
}

function refresh(): void {
  welcome.hidden = turns.size > 0;
  box.setBusy([...turns.values()].some(({ state }) => state === 'asking'));
}
