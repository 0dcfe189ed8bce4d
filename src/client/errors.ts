/** Identifies a call, without its query, body and key. */
export interface CallName {
  /** Name in the contract's table, such as `createBrowserSession`. */
  endpoint: string;
  /** What the call does, as in "Could not …". */
  purpose: string;
  method: string;
  /** Path with its parameters, without the query. */
  path: string;
  /** Host and port of the server. */
  host: string;
}

export type ClientErrorKind =
  | 'invalid-base-url'
  | 'invalid-key'
  | 'invalid-request'
  | 'api'
  | 'unexpected-response'
  | 'timeout'
  | 'cancelled'
  | 'connection'
  | 'outcome-unknown';

interface Details {
  call?: CallName;
  outcomeUnknown?: boolean;
  cause?: Error;
}

/** Base of all errors of the client. `message` says what happened and what to do, for display; no part contains the key. */
export abstract class ClientError extends Error {
  abstract readonly kind: ClientErrorKind;
  readonly call: CallName | undefined;
  /** The server may have processed the request: check before retrying. Never set for GET. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, { call, outcomeUnknown = false, cause }: Details = {}) {
    super(message, cause && { cause });
    this.name = new.target.name;
    this.call = call;
    this.outcomeUnknown = outcomeUnknown && call?.method !== 'GET';
  }
}

const unknownOutcome = 'The server may have processed the request; it was not sent again. Check before you try again.';

/** The sentence that a lost response adds, for calls that change something. */
function aboutOutcome(call: CallName, unknown: boolean): string {
  return unknown && call.method !== 'GET' ? ` ${unknownOutcome}` : '';
}

/** The address of the server cannot be used. */
export class InvalidBaseUrlError extends ClientError {
  readonly kind = 'invalid-base-url';
}

/** The key cannot be sent in a header. */
export class InvalidKeyError extends ClientError {
  readonly kind = 'invalid-key';
}

/** The request breaks the contract; nothing was sent. */
export class InvalidRequestError extends ClientError {
  readonly kind = 'invalid-request';
  /** What is wrong, including the limit. */
  readonly problem: string;

  constructor(call: CallName, problem: string) {
    super(`Could not ${call.purpose}: ${problem}`, { call });
    this.problem = problem;
  }
}

/** The server returned an error. */
export class ApiError extends ClientError {
  readonly kind = 'api';
  readonly status: number;
  /** The server's own message, safe to show. */
  readonly serverMessage: string | undefined;
  /** The server's error code, such as `BAD_REQUEST`. */
  readonly code: string | undefined;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    call: CallName,
    response: {
      status: number;
      sentence: string;
      hint?: string | undefined;
      serverMessage?: string | undefined;
      code?: string | undefined;
      retryAfterMs?: number | undefined;
      outcomeUnknown?: boolean;
    },
  ) {
    const { status, sentence, hint, serverMessage, code, retryAfterMs, outcomeUnknown = false } = response;
    const what = `Could not ${call.purpose}: ${sentence.replace(/[.\s]+$/, '')} (HTTP ${status} from ${call.host}).`;
    super(`${what}${hint ? ` ${hint}` : ''}${aboutOutcome(call, outcomeUnknown)}`, { call, outcomeUnknown });
    this.status = status;
    this.serverMessage = serverMessage;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The response is not one of the web data API. */
export class UnexpectedResponseError extends ClientError {
  readonly kind = 'unexpected-response';
  readonly status: number;
  /** The first 200 characters of the body, safe to show. */
  readonly bodyStart: string;

  constructor(
    call: CallName,
    response: { status: number; problem: string; bodyStart: string; outcomeUnknown: boolean },
  ) {
    const { status, problem, bodyStart, outcomeUnknown } = response;
    super(
      `Could not ${call.purpose}: unexpected response from ${call.host} (HTTP ${status}): ${problem}.` +
        ` Check that this is the address of a web data server.${aboutOutcome(call, outcomeUnknown)}`,
      { call, outcomeUnknown },
    );
    this.status = status;
    this.bodyStart = bodyStart;
  }
}

/** No complete response arrived within the call's timeout. */
export class CallTimeoutError extends ClientError {
  readonly kind = 'timeout';
  readonly limitMs: number;

  constructor(call: CallName, limitMs: number) {
    super(
      `Could not ${call.purpose}: no response from ${call.host} within ${limitMs / 1000} s.` +
        (call.method === 'GET' ? ' Check the server and the network, then try again.' : aboutOutcome(call, true)),
      { call, outcomeUnknown: true },
    );
    this.limitMs = limitMs;
  }
}

/** The caller's signal cancelled the call. `outcomeUnknown` is set when the request was already sent. */
export class CancelledError extends ClientError {
  readonly kind = 'cancelled';

  constructor(call: CallName, sent: boolean) {
    const outcome = sent && call.method !== 'GET' ? ' The server may still process it.' : '';
    super(`Cancelled: ${call.purpose}.${outcome}`, { call, outcomeUnknown: sent });
  }
}

interface Failure {
  /** Such as ECONNREFUSED; undefined when the failure has none. */
  code: string | undefined;
  sentence: string;
  hint: string;
  cause: Error;
}

/** The connection failed, or was lost before the response was complete. */
export class ConnectionError extends ClientError {
  readonly kind = 'connection';
  readonly code: string | undefined;

  constructor(call: CallName, failure: Failure & { sent: boolean }) {
    super(`Could not ${call.purpose}: ${failure.sentence}${named(failure.code)}. ${failure.hint}`, {
      call,
      cause: failure.cause,
      outcomeUnknown: failure.sent,
    });
    this.code = failure.code;
  }
}

/** A POST was sent but its response was lost: it may have been processed, and was not sent again. */
export class OutcomeUnknownError extends ClientError {
  readonly kind = 'outcome-unknown';
  readonly code: string | undefined;

  constructor(call: CallName, failure: Failure) {
    super(
      `The response to "${call.purpose}" was lost: ${failure.sentence}${named(failure.code)}.${aboutOutcome(call, true)}`,
      { call, cause: failure.cause, outcomeUnknown: true },
    );
    this.code = failure.code;
  }
}

function named(code: string | undefined): string {
  return code === undefined ? '' : ` (${code})`;
}
