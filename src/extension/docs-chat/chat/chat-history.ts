import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { fieldOf } from '../../../webviews/common/messages.ts';
import { visibleText } from '../../ui/text/visible-text.ts';
import type { Evidence } from '../evidence/evidence.ts';
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

/** Reads a saved history. Leaves out entries that are damaged or from another version. */
export function fromHistory(stored: unknown): Turn[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(-maxTurns).flatMap((entry) => readTurn(entry) ?? []);
}

function readTurn(entry: unknown): Turn | undefined {
  const text = (name: string, object: unknown = entry) => asText(fieldOf(object, name));
  const number = (name: string) => {
    const value = fieldOf(entry, name);
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  };
  const list = (name: string) => {
    const value = fieldOf(entry, name);
    return Array.isArray(value) ? (value as unknown[]) : [];
  };
  const state = states.find((known) => known === text('state'));
  const [id, question, askedAt] = [text('id'), text('question'), number('askedAt')];
  if (!id || !question || askedAt === undefined || !state) return undefined;
  const evidence = list('evidence').flatMap((one): Evidence[] => {
    const [pathOrUrl, name] = [text('pathOrUrl', one), text('name', one)];
    if (!pathOrUrl || !name) return [];
    const opens = fieldOf(one, 'opens') === true;
    return [{ pathOrUrl, name, opens, place: text('place', one), reason: text('reason', one) }];
  });
  const failed = text('failed');
  return {
    id,
    question,
    askedAt,
    state,
    answer: text('answer'),
    evidence,
    embedded: fieldOf(entry, 'embedded') === true,
    server: text('server'),
    durationMs: number('durationMs'),
    tokens: number('tokens'),
    followUps: list('followUps').flatMap((one) => asText(one) ?? []),
    ...(failed && { failure: { text: failed, actions: [{ name: 'again', title: l10n.t('Ask Again') }] } }),
  };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? visibleText(value) : undefined;
}

function truncated(answer: string): string {
  return answer.length > maxAnswerLength ? `${answer.slice(0, maxAnswerLength)}…` : answer;
}
