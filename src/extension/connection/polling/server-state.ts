import { messageOf } from '../../ui/text.ts';
import { failureKind, failureStatus, retryAfterMs } from '../failures.ts';

/** What a view has to say about its rows, or in place of them. */
export type ServerState =
  | { kind: 'not-started' }
  | { kind: 'loading' }
  | { kind: 'ready' }
  | { kind: 'restricted' }
  | { kind: 'signed-out'; message: string }
  | { kind: 'unreachable'; message: string }
  /** The server is there, but does not offer this. */
  | { kind: 'not-offered'; message: string }
  | { kind: 'limited'; message: string; until: number };

const notOffered = new Set([404, 405, 501]);

/** What a failed reading means for its view; undefined when it says nothing about the server as a whole. */
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

/** True for a 429, with what the server asks for. */
export function limitOf(error: unknown): { retryAfterMs: number | undefined } | undefined {
  return failureStatus(error) === 429 ? { retryAfterMs: retryAfterMs(error) } : undefined;
}
