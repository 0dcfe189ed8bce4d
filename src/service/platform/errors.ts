import { shorten } from '../../contract/shorten.ts';

/** What no message exceeds, whatever it quotes; those that quote an installer are long. */
const longestMessage = 2000;

/** An error that is reported to the API's caller: an HTTP status and a message that says what happened and what to do. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code?: string;
  readonly details?: unknown;
  /** Seconds after which the request may succeed. */
  readonly retryAfter?: number;
  /** Whether the message stays out of the log, because its request is not to be stored. */
  unlogged = false;

  constructor(
    status: number,
    message: string,
    extra: { code?: string; details?: unknown; cause?: unknown; retryAfter?: number } = {},
  ) {
    super(shorten(message, longestMessage), extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'ServiceError';
    this.status = status;
    if (extra.code !== undefined) this.code = extra.code;
    if (extra.details !== undefined) this.details = extra.details;
    if (extra.retryAfter !== undefined) this.retryAfter = extra.retryAfter;
  }
}

/** Returns the message of a caught value, shortened: messages of others quote what they got. */
export function messageOf(error: unknown, maxLength = 500): string {
  return shorten(error instanceof Error ? error.message : String(error), maxLength);
}

/** Returns a message with one full stop at its end. */
export const asSentence = (message: string): string => message.replace(/\.?$/, '.');

/** The error for a request that isn't as it has to be. */
export function badRequest(message: string, details?: unknown): ServiceError {
  return new ServiceError(400, message, { code: 'BAD_REQUEST', details });
}
