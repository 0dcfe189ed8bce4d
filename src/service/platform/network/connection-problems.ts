import { shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../errors.ts';

/** Why a connection failed, and a message to show. */
export interface ConnectionProblem {
  reason: 'tls' | 'timeout' | 'unreachable' | 'connection';
  message: string;
}

/** Error codes of Node, OpenSSL and Chrome, without their prefixes, and what they mean for a host. */
const problems: readonly (readonly [RegExp, ConnectionProblem['reason'], (host: string, port: string) => string])[] = [
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/,
    'tls',
    (host) => `The certificate of ${host} is self-signed. To accept it, set skipTlsVerification.`,
  ],
  [
    /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|CERT_DATE_INVALID)$/,
    'tls',
    (host) => `The certificate of ${host} has expired or isn't valid yet. To accept it, set skipTlsVerification.`,
  ],
  [
    /^(TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH|CERT_COMMON_NAME_INVALID)$/,
    'tls',
    (host) => `The certificate of ${host} is for a different host name. To accept it, set skipTlsVerification.`,
  ],
  [/^CERT_REVOKED$/, 'tls', (host) => `The certificate of ${host} was revoked.`],
  [
    /^(UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_)/,
    'tls',
    (host) => `The certificate of ${host} isn't trusted. To accept it, set skipTlsVerification.`,
  ],
  [
    /^(SSL_)?(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|PROTOCOL_ERROR|RECORD_LAYER_FAILURE|UNEXPECTED_MESSAGE|TLSV1_ALERT_UNRECOGNIZED_NAME|TLSV1_UNRECOGNIZED_NAME|UNRECOGNIZED_NAME_ALERT)$/,
    'tls',
    (host, port) => `${host} doesn't offer HTTPS on port ${port}.`,
  ],
  [
    /^(SSL_)?(UNSUPPORTED_PROTOCOL|VERSION_OR_CIPHER_MISMATCH|NO_SHARED_CIPHER|NO_PROTOCOLS_AVAILABLE|DH_KEY_TOO_SMALL|.*PROTOCOL_VERSION|.*HANDSHAKE_FAILURE|.*INSUFFICIENT_SECURITY)$/,
    'tls',
    (host) => `${host} offers only TLS versions or ciphers that aren't supported.`,
  ],
  [
    /^(SSL_.*CERTIFICATE_REQUIRED|SSL_CLIENT_AUTH_CERT_NEEDED|BAD_SSL_CLIENT_AUTH_CERT)$/,
    'tls',
    (host) => `${host} requires a client certificate, which isn't supported.`,
  ],
  [/^(SSL_|TLS_|BAD_SSL_|EPROTO)/, 'tls', (host) => `Couldn't establish a secure connection to ${host}.`],
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|TIMED_OUT|CONNECTION_TIMED_OUT)$/,
    'timeout',
    (host) => `The connection to ${host} timed out.`,
  ],
  [
    /^(ECONNREFUSED|CONNECTION_REFUSED)$/,
    'unreachable',
    (host, port) => `${host} refused the connection on port ${port}.`,
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|CONNECTION_RESET|CONNECTION_CLOSED|EMPTY_RESPONSE)$/,
    'connection',
    (host) => `${host} closed the connection without a complete response.`,
  ],
  // A check of undici's parser, such as that a status is at least 100.
  [/^ASSERTION$/, 'connection', (host) => `${host} sent a response that isn't valid HTTP.`],
  [
    /^(EHOSTUNREACH|ENETUNREACH|ADDRESS_UNREACHABLE|INTERNET_DISCONNECTED|NETWORK_CHANGED)$/,
    'unreachable',
    (host) => `${host} can't be reached from this network.`,
  ],
];

/**
 * Explains a failed connection.
 * @param code `code` of a Node error, or Chrome's error text
 * @returns undefined for an unknown code
 */
export function connectionProblem(code: string, url: string): ConnectionProblem | undefined {
  const { hostname = shorten(url), port = '', protocol } = URL.parse(url) ?? {};
  const bare = code.replace(/^net::/, '').replace(/^ERR_/, '');
  for (const [pattern, reason, explain] of problems) {
    if (!pattern.test(bare)) continue;
    return { reason, message: explain(hostname, port || (protocol === 'http:' ? '80' : '443')) };
  }
  return undefined;
}

/** Explains in a sentence why a server that the settings name can't be reached. */
export function whyUnreachable(error: unknown, url: string): string {
  const cause = (error as { cause?: unknown }).cause ?? error;
  const problem = connectionProblem(String((cause as { code?: unknown }).code), url);
  // Its certificate can't be accepted by an option of the request.
  const [why = ''] = (problem?.message ?? `${messageOf(cause)}.`).split(' To accept it');
  return why;
}
