import * as l10n from '@vscode/l10n';
import { type CallName, type ClientError, ConnectionError, OutcomeUnknownError } from './errors.ts';
import { safeLine } from './safe-text.ts';

/** Failures before a byte of the request was sent. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENETDOWN',
  'EPROTO',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_/;

interface Found {
  code?: string;
  syscall?: string;
  /** The innermost message that is not empty. */
  message: string;
}

/** Converts an error of `fetch` to a ClientError. The outcome of a POST that may have been sent is unknown. */
export function connectionFailure(thrown: unknown, call: CallName, redact: (text: string) => string): ClientError {
  const found = innermost(thrown);
  const message = safeLine(redact(withoutUserinfo(found.message)), 300);
  const sent = mayHaveBeenSent(found);
  const { sentence, hint } = describe(found.code, message, call.host);
  // A new error: the one that fetch throws may contain the request's headers.
  const cause = Object.assign(new Error(message), found.code !== undefined && { code: found.code });
  cause.stack = message;
  const failure = { code: found.code, sentence, hint, cause };
  if (sent && call.method === 'POST') return new OutcomeUnknownError(call, failure);
  return new ConnectionError(call, { ...failure, sent });
}

function innermost(thrown: unknown): Found {
  let found: Found = { message: l10n.t('the request failed') };
  let current = thrown;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    const { code, syscall, message } = current as NodeJS.ErrnoException;
    found = {
      message: message || found.message,
      ...(typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)
        ? { code }
        : found.code && { code: found.code }),
      ...(typeof syscall === 'string' ? { syscall } : found.syscall && { syscall: found.syscall }),
    };
    current = current instanceof AggregateError ? (current.errors[0] ?? current.cause) : current.cause;
  }
  return found;
}

function mayHaveBeenSent({ code, syscall, message }: Found): boolean {
  if (code === 'EPROTO') return false;
  if (syscall === 'read' || syscall === 'write') return true;
  if (syscall === 'connect' || syscall === 'getaddrinfo') return false;
  if (code !== undefined && (neverSent.has(code) || certificate.test(code) || code.startsWith('ERR_SSL_')))
    return false;
  return !/before secure TLS connection|establish a socket connection to prox|HTTP Tunneling|^bad port$/i.test(message);
}

function describe(code: string | undefined, message: string, host: string): { sentence: string; hint: string } {
  if (code === 'ECONNREFUSED') {
    return {
      sentence: l10n.t('nothing is listening at {0}', host),
      hint: l10n.t('Start the server, or check its address and port.'),
    };
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return {
      sentence: l10n.t('the host name of {0} was not found', host),
      hint: l10n.t('Check the address and the network.'),
    };
  }
  if (code !== undefined && (certificate.test(code) || code.startsWith('ERR_TLS'))) {
    return {
      sentence: l10n.t("the certificate of {0} isn't trusted", host),
      hint: l10n.t(
        'If your organization has its own certificate authority, install it in the operating system. Otherwise contact the owner of the server.',
      ),
    };
  }
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL')) {
    return {
      sentence: l10n.t('the TLS handshake with {0} failed', host),
      hint: l10n.t('Check whether the address should start with http:// or https://.'),
    };
  }
  if (/prox(y|ies)|HTTP Tunneling/i.test(message)) {
    return {
      sentence: l10n.t('the proxy rejected the connection: {0}', message),
      hint: l10n.t('Check the proxy settings and credentials.'),
    };
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') {
    return {
      sentence: l10n.t('the connection to {0} was lost', host),
      hint: l10n.t('Check the server and the network, then try again.'),
    };
  }
  if (code?.startsWith('HPE_')) {
    return {
      sentence: l10n.t("the response of {0} isn't valid HTTP", host),
      hint: l10n.t('Check that this is the address of a web data server.'),
    };
  }
  return {
    sentence: l10n.t('the connection to {0} failed: {1}', host, message),
    hint: l10n.t('Check the server and the network, then try again.'),
  };
}

/** Error messages of fetch quote URLs, including the credentials in them. */
function withoutUserinfo(text: string): string {
  return text.replace(/\/\/[^\s/@]*@/g, '//');
}
