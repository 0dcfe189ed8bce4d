import { messageOf } from '../../ui/text/text.ts';
import { failureKind, failureStatus, retryAfterMs } from '../failures.ts';

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

/** Returns the requested wait of a 429; undefined for other errors. */
export function limitOf(error: unknown): { retryAfterMs: number | undefined } | undefined {
  return failureStatus(error) === 429 ? { retryAfterMs: retryAfterMs(error) } : undefined;
}
