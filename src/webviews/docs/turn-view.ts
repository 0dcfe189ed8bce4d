import * as l10n from '@vscode/l10n';
import { codicon, element, iconButton, pressable, textButton } from '../common/dom.ts';
import type { Checked } from '../common/messages.ts';
import { maxRenderedLength, renderMarkdown } from './markdown.ts';
import type { Requests, ShownEvidence, ShownTurn } from './messages.ts';

/** The style of the buttons of this view. */
export const secondary = 'button secondary';

/** What a question and its answer need from the view. */
export interface TurnHandlers {
  isBundledDoc(file: string): boolean;
  ask(question: string): void;
  request<Name extends keyof Requests>(name: Name, params: Checked<Requests[Name]>): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
}

/** Creates the element of a question with its answer, or with why it has none. */
export function turnElement(turn: ShownTurn, handlers: TurnHandlers): HTMLElement {
  const article = element(
    'article',
    { class: `turn ${turn.state}`, 'data-turn': turn.id, 'data-state': turn.state },
    element('h2', { class: 'question', tabindex: '-1' }, turn.question),
  );
  article.append(...body(turn, handlers));
  return article;
}

function body(turn: ShownTurn, handlers: TurnHandlers): HTMLElement[] {
  switch (turn.state) {
    case 'asking':
      return [
        element('p', { class: 'waiting quiet' }, turn.phase ? l10n.t('Waiting: {0}…', turn.phase) : l10n.t('Asking…')),
      ];
    case 'stopped':
      return [note('circle-slash', l10n.t('Stopped.'), [againButton(turn, handlers)])];
    case 'failed':
      return [failure(turn, handlers)];
    case 'unanswered':
      return [unanswered(turn, handlers), foot(turn, handlers)];
    default:
      return [
        answer(turn, handlers),
        ...evidenceList(turn, handlers),
        foot(turn, handlers),
        ...followUps(turn, handlers),
      ];
  }
}

function answer(turn: ShownTurn, handlers: TurnHandlers): HTMLElement {
  const text = turn.answer ?? '';
  return text.length > maxRenderedLength ? longAnswer(turn, text, handlers) : rendered(turn, text, handlers);
}

function rendered(turn: ShownTurn, text: string, handlers: TurnHandlers): HTMLElement {
  return renderMarkdown(text, {
    evidence: turn.evidence.length,
    isBundledDoc: handlers.isBundledDoc,
    openEvidence: (index) => handlers.request('openEvidence', { id: turn.id, index }),
    openLink: (href) => handlers.request('openLink', { href }),
    codeActions: (code, language) => codeActions(code, language, handlers),
  });
}

function longAnswer(turn: ShownTurn, text: string, handlers: TurnHandlers): HTMLElement {
  return element(
    'div',
    { class: 'long' },
    element('p', { class: 'quiet' }, l10n.t('The answer is too long to format. It starts with:')),
    element('pre', { tabindex: '0' }, text.slice(0, 2_000)),
    textButton(l10n.t('Open Full Answer'), () => handlers.request('openAnswer', { id: turn.id }), secondary),
  );
}

function codeActions(code: string, language: string, handlers: TurnHandlers): HTMLElement {
  return element(
    'div',
    { class: 'code-actions row' },
    element('span', { class: 'language quiet' }, language),
    iconButton('copy', l10n.t('Copy code'), () => {
      handlers.request('copy', { text: code });
      handlers.announce(l10n.t('Copied'));
    }),
    iconButton('insert', l10n.t('Insert at the cursor'), () => handlers.request('insert', { text: code, language })),
  );
}

function unanswered(turn: ShownTurn, handlers: TurnHandlers): HTMLElement {
  const text = (turn.answer ?? '').slice(0, maxRenderedLength) || l10n.t('No answer found.');
  const container = note('question', l10n.t('Not in the docs'), []);
  const add = textButton(l10n.t('Add Docs Source…'), () => handlers.request('act', { action: 'addSource' }), secondary);
  container.append(
    rendered(turn, text, handlers),
    ...(turn.addsSources ? [element('div', { class: 'actions' }, add)] : []),
  );
  return container;
}

function failure(turn: ShownTurn, handlers: TurnHandlers): HTMLElement {
  const { text, actions } = turn.failure ?? { text: l10n.t('No answer received.'), actions: [] };
  const buttons = actions.map(({ name, title }) =>
    name === 'again'
      ? againButton(turn, handlers)
      : textButton(title, () => handlers.request('help', { id: turn.id, action: name }), secondary),
  );
  return note('error', text, buttons);
}

function againButton({ id }: ShownTurn, handlers: TurnHandlers): HTMLButtonElement {
  return textButton(l10n.t('Ask Again'), () => handlers.request('again', { id }), secondary);
}

function note(icon: string, text: string, buttons: HTMLElement[]): HTMLElement {
  const actions = element('div', { class: 'actions' }, ...buttons);
  return element(
    'div',
    { class: 'note' },
    element('p', { class: 'headline' }, codicon(icon), text),
    buttons.length > 0 && actions,
  );
}

function evidenceList(turn: ShownTurn, handlers: TurnHandlers): HTMLElement[] {
  if (turn.evidence.length === 0) return [];
  const items = turn.evidence.map((one, index) =>
    evidenceItem(one, index + 1, () => handlers.request('openEvidence', { id: turn.id, index })),
  );
  return [element('ol', { class: 'evidence', 'aria-label': l10n.t('Evidence') }, ...items)];
}

function evidenceItem({ name, place, reason, opens }: ShownEvidence, number: number, open: () => void): HTMLElement {
  const title = opens
    ? pressable({ class: 'link link-button', role: 'link' }, open, name)
    : element('span', { class: 'left-out quiet', title: l10n.t("This source can't be opened.") }, name);
  const about = [place, reason].filter(Boolean).join(' · ');
  const texts = element('div', {}, title, about !== '' && element('div', { class: 'about quiet' }, about));
  return element('li', {}, element('span', { class: 'ordinal quiet', 'aria-hidden': 'true' }, String(number)), texts);
}

function foot(turn: ShownTurn, handlers: TurnHandlers): HTMLElement {
  const copy = iconButton('copy', l10n.t('Copy answer'), () => {
    handlers.request('copy', { text: (turn.answer ?? '').slice(0, 200_000) });
    handlers.announce(l10n.t('Copied'));
  });
  return element('div', { class: 'foot row' }, element('span', { class: 'about quiet' }, turn.foot ?? ''), copy);
}

function followUps(turn: ShownTurn, handlers: TurnHandlers): HTMLElement[] {
  if (turn.followUps.length === 0) return [];
  return [questions(l10n.t('Related questions'), turn.followUps, handlers)];
}

/** Creates a list of questions that are asked with one click. */
export function questions(name: string, all: readonly string[], handlers: Pick<TurnHandlers, 'ask'>): HTMLElement {
  const items = all.map((question) => {
    const ask = () => handlers.ask(question);
    return element(
      'li',
      {},
      pressable({ class: 'suggestion link-button' }, ask, codicon('arrow-small-right'), question),
    );
  });
  return element('ul', { class: 'suggestions', 'aria-label': name }, ...items);
}
