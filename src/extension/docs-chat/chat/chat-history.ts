import type { Evidence } from '../evidence/evidence.ts';
import { maskSecrets } from '../question/mask-secrets.ts';
import { visibleText } from '../visible-text.ts';
import { type DocsStore, mostTurns, type Turn } from './chat-store.ts';

const slot = 'webdata.docs';
/** Characters of an answer that are kept over a reload. */
const longestAnswer = 20_000;
const states = ['answered', 'unanswered', 'failed', 'stopped'] as const;

interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Brings back the questions of this workspace's last window, and keeps those of this one for the next. */
export function keepHistory(store: DocsStore, memento: Memento): { dispose(): void } {
  store.restore(fromHistory(memento.get(slot)));
  return store.onChange.on((change) => {
    if (change.kind === 'turn' && change.turn.state === 'asking') return;
    void memento.update(slot, toHistory(store.turns));
  });
}

/** What is kept: questions that have ended, without what looks like a secret, and their answers. */
export function toHistory(turns: readonly Turn[]): unknown[] {
  return turns
    .filter(({ state }) => state !== 'asking')
    .map(({ phase, ...turn }) => ({
      ...turn,
      question: maskSecrets(turn.question),
      answer: turn.answer && cut(turn.answer),
      failure: undefined,
      ...(turn.failure && { failed: maskSecrets(turn.failure.text) }),
    }));
}

/** The questions in a stored history; what is none (another version's, damaged) is left out. */
export function fromHistory(stored: unknown): Turn[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(-mostTurns).flatMap((entry) => readTurn(entry) ?? []);
}

function readTurn(entry: unknown): Turn | undefined {
  const text = (name: string, of: unknown = entry) => asText(fieldOf(of, name));
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
  const rating = (['up', 'down'] as const).find((known) => known === text('rating'));
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
    ...(failed && { failure: { text: failed, actions: [{ name: 'again', title: 'Ask Again' }] } }),
    ...(rating && { rating }),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? visibleText(value) : undefined;
}

function cut(answer: string): string {
  return answer.length > longestAnswer ? `${answer.slice(0, longestAnswer)}…` : answer;
}
