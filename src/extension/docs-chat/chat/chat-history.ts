import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { fields, isBoolean, isNumber, isText, list, oneOf, optional } from '../../../webviews/common/messages.ts';
import { maskSecrets } from '../question/question.ts';
import { type ChatStore, maxTurns, type Turn } from './chat-store.ts';

const storageKey = 'webdata.docs';
/** Characters of an answer that are kept across a reload. */
const maxAnswerLength = 20_000;
const states = ['answered', 'unanswered', 'failed', 'stopped'] as const;

/** Restores the questions of this workspace, and saves them whenever they change. */
export function keepHistory(store: ChatStore, memento: Pick<vscode.Memento, 'get' | 'update'>): { dispose(): void } {
  store.restore(fromHistory(memento.get(storageKey)));
  return store.onChange.on((change) => {
    if (change.kind === 'turn' && change.turn.state === 'asking') return;
    void memento.update(storageKey, toHistory(store.turns));
  });
}

/** Returns the turns to save: finished questions and their answers, with likely secrets masked. */
export function toHistory(turns: readonly Turn[]): unknown[] {
  return turns
    .filter(({ state }) => state !== 'asking')
    .map(({ phase, ...turn }) => ({
      ...turn,
      question: maskSecrets(turn.question),
      answer: turn.answer && truncated(turn.answer),
      failure: undefined,
      ...(turn.failure && { failed: maskSecrets(turn.failure.text) }),
    }));
}

const isSaved = fields({
  id: isText,
  question: isText,
  askedAt: isNumber,
  state: oneOf(states),
  answer: optional(isText),
  evidence: list(
    fields({ pathOrUrl: isText, name: isText, opens: isBoolean, place: optional(isText), reason: optional(isText) }),
  ),
  followUps: list(isText),
  embedded: isBoolean,
  server: optional(isText),
  durationMs: optional(isNumber),
  tokens: optional(isNumber),
  failed: optional(isText),
});

/** Reads a saved history. Leaves out entries that are damaged or from another version. */
export function fromHistory(stored: unknown): Turn[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(-maxTurns).flatMap((entry) => {
    if (!isSaved(entry)) return [];
    const { failed, ...turn } = entry;
    if (failed === undefined) return turn;
    return { ...turn, failure: { text: failed, actions: [{ name: 'again', title: l10n.t('Ask Again') }] } };
  });
}

function truncated(answer: string): string {
  return answer.length > maxAnswerLength ? `${answer.slice(0, maxAnswerLength)}…` : answer;
}
