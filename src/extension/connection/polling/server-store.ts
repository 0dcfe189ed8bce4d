import * as l10n from '@vscode/l10n';
import { Signal } from '../../ui/lifecycle.ts';
import { timeOfDay } from '../../ui/text/dates.ts';
import { ago, label, messageOf } from '../../ui/text/text.ts';
import { failureKind, failureStatus } from '../failures.ts';

/** All data of a view has changed, or only its state. */
export type StoreChange = { kind: 'all' } | { kind: 'state' };

/**
 * What a view reads from the server, and whether that is up to date.
 * `Change` and `Own` are changes and states that only this view has.
 */
export abstract class ServerStore<Change = never, Own = never> {
  readonly onChange = new Signal<StoreChange | Change>();
  protected readonly now: () => number;
  #state: ServerState | Own = { kind: 'not-started' };
  #updatedAt: number | undefined;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  get state(): ServerState | Own {
    return this.#state;
  }

  /** When it was last read; undefined before the first read. */
  get updatedAt(): number | undefined {
    return this.#updatedAt;
  }

  /** Sets why it can't be read again: what is known stays, and is shown as stale. */
  setState(state: ServerState | Own): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.onChange.fire({ kind: 'state' });
  }

  /** Removes everything: the target has changed, or the service is gone. */
  clear(state: ServerState | Own): void {
    this.forget();
    this.#updatedAt = undefined;
    this.#state = state;
    this.onChange.fire({ kind: 'all' });
  }

  protected abstract forget(): void;

  protected noteRead(): void {
    this.#updatedAt = this.now();
    this.#state = { kind: 'ready' };
  }
}

/** The state that a view shows with its rows, or instead of them. */
export type ServerState =
  | { kind: 'not-started' }
  | { kind: 'loading' }
  | { kind: 'ready' }
  | { kind: 'restricted' }
  | { kind: 'signed-out'; message: string }
  | { kind: 'unreachable'; message: string }
  /** The server responds, but doesn't have this endpoint. */
  | { kind: 'not-offered'; message: string }
  | { kind: 'limited'; message: string; until: number };

const notOffered = new Set([404, 405, 501]);

/** Returns the view state for a failed read; undefined if the failure says nothing about the server. */
export function serverStateOf(error: unknown, limitedUntil: number): ServerState | undefined {
  const message = messageOf(error);
  const status = failureStatus(error);
  const kind = failureKind(error);
  const noKey = error instanceof Error && error.name === 'UserError';
  if (status === 401 || status === 403 || kind === 'invalid-key' || noKey) return { kind: 'signed-out', message };
  if (status === 429) return { kind: 'limited', message, until: limitedUntil };
  if (status !== undefined && notOffered.has(status)) return { kind: 'not-offered', message };
  if (kind === 'invalid-request' || kind === 'cancelled') return undefined;
  return { kind: 'unreachable', message };
}

/** Returns the message above rows that are out of date; undefined if they are current, or if the welcome text shows it. */
export function staleMessage(
  state: ServerState,
  look: { rows: number; updatedAt: number | undefined; now: number },
): string | undefined {
  if (look.rows === 0) return undefined;
  const age = look.updatedAt === undefined ? '' : ` ${l10n.t('Updated {0}.', ago(look.now - look.updatedAt))}`;
  if (state.kind === 'limited') return `${limitedText(state, look.now)}${age}`;
  if (state.kind === 'unreachable' || state.kind === 'signed-out' || state.kind === 'not-offered')
    return `${label(state.message, 300)}${age}`;
  return undefined;
}

/** Returns that a server limits requests, and when the next read is if it has to wait. */
export function limitedText({ until }: { until: number }, now: number): string {
  return until > now
    ? l10n.t('The server is rate limiting requests. Retrying at {0}.', timeOfDay(until, true))
    : l10n.t('The server is rate limiting requests.');
}

/** Returns the description beside the name of a view that is waiting for a rate limit. */
export function limitWords(state: ServerState): string | undefined {
  return state.kind === 'limited' && state.until > Date.now()
    ? l10n.t('limited until {0}', timeOfDay(state.until, true))
    : undefined;
}
