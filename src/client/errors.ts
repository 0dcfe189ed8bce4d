import * as l10n from '@vscode/l10n';

/** Identifies a call, without its query, body and key. */
export interface CallName {
  /** Name in the contract's table, such as `createBrowserSession`. */
  endpoint: string;
  /** What the call does, as in "Could not …". */
  purpose: string;
  method: string;
  /** Path with its parameters, without the query. */
  path: string;
  /** Host and port of the server, or what it is. */
  host: string;
  /** The server is the embedded service: its address means nothing to the user. */
  isOwn?: boolean;
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

/** The sentence that a lost response adds, for calls that change something. */
function aboutOutcome(call: CallName, unknown: boolean): string | undefined {
  if (!unknown || call.method === 'GET') return undefined;
  return l10n.t("The server may have processed the request; it wasn't sent again. Check before you try again.");
}

function sentences(...all: (string | undefined)[]): string {
  return all.filter(Boolean).join(' ');
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
    super(l10n.t("Couldn't {0}: {1}", call.purpose, problem), { call });
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
  /** Where a service looked for a browser that it didn't find, as far as it says. */
  readonly searched: readonly string[];

  constructor(
    call: CallName,
    response: {
      status: number;
      sentence: string;
      hint?: string | undefined;
      serverMessage?: string | undefined;
      code?: string | undefined;
      retryAfterMs?: number | undefined;
      searched?: readonly string[] | undefined;
      outcomeUnknown?: boolean;
    },
  ) {
    const { status, sentence, hint, serverMessage, code, retryAfterMs, outcomeUnknown = false } = response;
    const why = sentence.replace(/(?<![.\s])[.\s]+$/, '');
    // A status of success says nothing about a failure.
    const what =
      call.isOwn || status < 400
        ? l10n.t("Couldn't {0}: {1}.", call.purpose, why)
        : l10n.t("Couldn't {0}: {1} (HTTP {2} from {3}).", call.purpose, why, status, call.host);
    super(sentences(what, hint, aboutOutcome(call, outcomeUnknown)), { call, outcomeUnknown });
    this.status = status;
    this.serverMessage = serverMessage;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.searched = response.searched ?? [];
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
      sentences(
        l10n.t(
          "Couldn't {0}: unexpected response from {1} (HTTP {2}): {3}. Check that this is the address of a web data server.",
          call.purpose,
          call.host,
          status,
          problem,
        ),
        aboutOutcome(call, outcomeUnknown),
      ),
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
      sentences(
        l10n.t("Couldn't {0}: no response from {1} within {2} s.", call.purpose, call.host, limitMs / 1000),
        aboutOutcome(call, true) ?? l10n.t('Check the server and the network, then try again.'),
      ),
      { call, outcomeUnknown: true },
    );
    this.limitMs = limitMs;
  }
}

/** The caller's signal canceled the call. `outcomeUnknown` is set when the request was already sent. */
export class CancelledError extends ClientError {
  readonly kind = 'cancelled';

  constructor(call: CallName, sent: boolean) {
    const outcome = sent && call.method !== 'GET' ? l10n.t('The server may still process it.') : undefined;
    super(sentences(l10n.t('Canceled: {0}.', call.purpose), outcome), { call, outcomeUnknown: sent });
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
    super(sentences(l10n.t("Couldn't {0}: {1}.", call.purpose, withCode(failure)), failure.hint), {
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
      sentences(
        l10n.t('The response to "{0}" was lost: {1}.', call.purpose, withCode(failure)),
        aboutOutcome(call, true),
      ),
      { call, cause: failure.cause, outcomeUnknown: true },
    );
    this.code = failure.code;
  }
}

function withCode({ sentence, code }: Failure): string {
  return code === undefined ? sentence : `${sentence} (${code})`;
}
