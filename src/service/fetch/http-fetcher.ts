import { type Dispatcher, request as undiciRequest } from 'undici';
import { messageOf } from '../errors.ts';
import { type AddressPolicy, RefusedTarget } from './address-policy.ts';
import { acceptEncoding, BodyTooLarge, decodeBody, UnknownEncoding } from './content-encoding.ts';
import { createDispatchers, isDnsError } from './dispatchers.ts';
import { FetchError, type Fetched, type Fetcher, type FetchFailure, type FetchRequest } from './fetch.ts';
import { createCookies, headersFor, redirectTarget } from './redirects.ts';

export interface HttpFetcherOptions {
  policy: AddressPolicy;
  /** URL of an HTTP proxy; loopback addresses are reached without it. */
  proxy?: string | undefined;
  userAgent: string;
}

const defaultMaxRedirects = 20;

/** Fetches over HTTP/1.1 and 2, judging every hop before it is asked. */
export function createHttpFetcher({ policy, proxy, userAgent }: HttpFetcherOptions): Fetcher {
  const dispatchers = createDispatchers({ policy, proxy });
  const usual = {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': 'en',
  };

  async function follow(start: URL, options: FetchRequest, signal: AbortSignal, at: Position): Promise<Fetched> {
    const given = lowerCased(options.headers);
    const cookies = createCookies();
    const maxRedirects = options.maxRedirects ?? defaultMaxRedirects;
    const hops: string[] = [];
    let url = start;
    for (;;) {
      at.url = url.href;
      hops.push(url.href);
      const headers: Record<string, string> = {
        ...usual,
        ...headersFor(given, start, url),
        'accept-encoding': acceptEncoding,
      };
      const cookie = cookies.header(url);
      if (cookie) headers.cookie = headers.cookie ? `${headers.cookie}; ${cookie}` : cookie;
      const dispatcher = await dispatchers.for(url, options.skipTlsVerification ?? false);
      const answer = await undiciRequest(withoutHash(url), {
        dispatcher,
        headers,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const next = maxRedirects > 0 && redirectTarget(answer.statusCode, single(answer.headers.location), url);
      if (!next) return await read(answer, url, options, hops, signal);
      void answer.body.dump({ limit: 16_384 }).catch(() => undefined);
      if (hops.length > maxRedirects) {
        throw new FetchError('too many redirects', url.href, `The site redirects more than ${maxRedirects} times.`);
      }
      cookies.store(url, answer.headers['set-cookie']);
      url = next;
    }
  }

  return {
    async fetch(text, options) {
      const at: Position = { url: text };
      const url = URL.parse(text);
      if (!url) throw new FetchError('refused', text, `"${text.slice(0, 200)}" is no URL.`);
      const timeout = AbortSignal.timeout(options.timeoutMs);
      const signal = AbortSignal.any([options.signal, timeout]);
      try {
        return await follow(url, options, signal, at);
      } catch (error) {
        if (options.signal.aborted) throw new FetchError('aborted', at.url, 'The fetch was given up.', error);
        if (timeout.aborted) {
          const seconds = options.timeoutMs / 1000;
          throw new FetchError('timeout', at.url, `${at.url.slice(0, 200)} was not there within ${seconds} s.`, error);
        }
        throw asFetchError(error, at.url);
      }
    },
    close: () => dispatchers.close(),
  };
}

/** The hop that a fetch is at, for its errors. */
interface Position {
  url: string;
}

async function read(
  answer: Dispatcher.ResponseData,
  url: URL,
  options: FetchRequest,
  hops: string[],
  signal: AbortSignal,
): Promise<Fetched> {
  const { maxBytes } = options;
  const truncate = options.onOverflow === 'truncate';
  const pieces: Buffer[] = [];
  let length = 0;
  let truncated = false;
  for await (const piece of answer.body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length <= maxBytes) continue;
    // Leaving the loop ends the transfer.
    truncated = true;
    break;
  }
  if (truncated && !truncate) throw new BodyTooLarge();
  const whole = Buffer.concat(pieces, length).subarray(0, maxBytes);
  const decoded = await decodeBody(whole, single(answer.headers['content-encoding']), maxBytes, truncate);
  signal.throwIfAborted();
  return {
    url: url.href,
    status: answer.statusCode,
    headers: flat(answer.headers),
    body: ownBytes(decoded.body),
    truncated: truncated || decoded.truncated,
    hops,
  };
}

/** Bytes that fill their buffer, so that it may be handed to another thread. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (byteOffset === 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    return new Uint8Array(buffer);
  }
  return new Uint8Array(bytes);
}

function withoutHash(url: URL): URL {
  if (url.hash === '') return url;
  const bare = new URL(url);
  bare.hash = '';
  return bare;
}

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) all[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return all;
}

/** Headers that HTTP itself sets are not the caller's to give. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding', 'upgrade']);

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value])
      .filter(([name = '']) => !ownHeaders.has(name) && !name.startsWith('proxy-')),
  );
}

function asFetchError(error: unknown, url: string): FetchError {
  if (error instanceof FetchError) return error;
  const cause = rootOf(error);
  if (cause instanceof RefusedTarget) return new FetchError('refused', url, cause.message, error);
  const host = URL.parse(url)?.host ?? url.slice(0, 200);
  if (error instanceof BodyTooLarge) {
    return new FetchError('too large', url, `The body from ${host} is longer than is read.`, error);
  }
  if (isDnsError(cause)) {
    return new FetchError('dns', url, `The name ${host} could not be resolved. Is it spelt right?`, error);
  }
  const { code = '' } = cause as { code?: string };
  const reason = cause instanceof UnknownEncoding ? 'encoding' : failureOf(code);
  return new FetchError(reason, url, `${sentences[reason]} ${host}: ${messageOf(cause).slice(0, 300)}`, error);
}

const sentences = {
  tls: 'No secure connection to',
  encoding: 'The body is not what its Content-Encoding says, from',
  timeout: 'No connection in time to',
  connection: 'No answer from',
} as const;

function failureOf(code: string): keyof typeof sentences & FetchFailure {
  if (/^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO|HOSTNAME_MISMATCH)/.test(code))
    return 'tls';
  if (/^(Z_|ERR_BROTLI|ERR__ERROR|ERR_ZSTD|ERR_PADDING|ERR_BUFFER|ZSTD_|ERR_)/.test(code) && !/^ERR_HTTP2/.test(code)) {
    return 'encoding';
  }
  return code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT' ? 'timeout' : 'connection';
}

/** The first thing that went wrong: connections to several addresses fail together, and undici wraps. */
function rootOf(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 5; depth++) {
    if (root instanceof RefusedTarget || isDnsError(root)) return root;
    const inner =
      root instanceof AggregateError ? root.errors[0] : root instanceof Error ? (root.cause ?? undefined) : undefined;
    if (inner === undefined) return root;
    root = inner;
  }
  return root;
}
