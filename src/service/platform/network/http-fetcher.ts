import type { Dispatcher } from 'undici';
import { shorten } from '../../../contract/shorten.ts';
import { messageOf } from '../errors.ts';
import { keepLast } from '../maps.ts';
import { type AddressPolicy, RefusedTarget } from './address-policy/address-policy.ts';
import { connectionProblem } from './connection-problems.ts';
import {
  acceptEncoding,
  BodyTooLarge,
  type DecodeOptions,
  decodeBody,
  receiveBody,
  UndecodableBody,
} from './content-encoding.ts';
import { createDispatchers, type Dispatchers, isDnsError, proxyFor } from './dispatchers.ts';
import { FetchError, type Fetched, type Fetcher, type FetchRequest } from './fetch.ts';
import { ProxyError, perhapsOfProxy, proxyProblem } from './proxy-problems.ts';
import { createCookies, headersFor, redirectTarget } from './redirects.ts';

export interface HttpFetcherOptions {
  policy: AddressPolicy;
  /** URL of an HTTP proxy; loopback addresses bypass it. */
  proxy?: string | undefined;
  userAgent: string;
}

const defaultMaxRedirects = 20;
/** Policies of requests whose connections are kept at the same time. */
const maxPolicies = 32;

/** Creates a fetcher for HTTP/1.1 and 2 that checks every hop against the address policy. */
export function createHttpFetcher({ policy, proxy, userAgent }: HttpFetcherOptions): Fetcher {
  const shared = createDispatchers({ policy, proxy });
  /** Connections that were made under narrower policies, the most recent ones last. */
  const narrower = new Map<AddressPolicy, Dispatchers>();
  const defaultHeaders = {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': 'en',
  };

  /** What a policy allows to connect to is what it has checked: connections under other policies aren't reused. */
  function dispatchersUnder(own: AddressPolicy | undefined): Dispatchers {
    if (!own) return shared;
    const known = narrower.get(own) ?? createDispatchers({ policy: own, proxy });
    void keepLast(narrower, own, known, maxPolicies)?.end();
    return known;
  }

  async function follow(start: URL, options: FetchRequest, signal: AbortSignal, at: CurrentHop): Promise<Fetched> {
    const callerHeaders = lowerCased(options.headers);
    const cookies = createCookies();
    const maxRedirects = options.maxRedirects ?? defaultMaxRedirects;
    const hops: string[] = [];
    let url = start;
    for (;;) {
      at.url = url.href;
      hops.push(url.href);
      const headers: Record<string, string> = {
        ...defaultHeaders,
        ...headersFor(callerHeaders, start, url),
        'accept-encoding': acceptEncoding,
      };
      const cookie = cookies.header(url);
      if (cookie) headers.cookie = headers.cookie ? `${headers.cookie}; ${cookie}` : cookie;
      const dispatcher = await dispatchersUnder(options.policy).for(url, options.skipTlsVerification ?? false);
      const by = proxyFor(url.hostname, proxy);
      const ask = () =>
        dispatcher.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'GET',
          headers,
          signal,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
      // A server may close an idle connection in the moment in which it is used again.
      const response = await ask()
        .catch((error: unknown) => {
          if (!isClosed(error) || signal.aborted) throw error;
          return ask();
        })
        .catch((error: unknown) => {
          throw (by && proxyProblem(by, rootCause(error))) ?? error;
        });
      const next = maxRedirects > 0 && redirectTarget(response.statusCode, firstValue(response.headers.location), url);
      if (!next) {
        const doubt = perhapsOfProxy(by, url, response.statusCode);
        return { ...(await read(response, url, options, hops, signal)), ...(doubt && { doubt }) };
      }
      void response.body.dump({ limit: 16_384 }).catch(() => undefined);
      if (hops.length > maxRedirects) {
        throw new FetchError('too many redirects', url.href, `The site redirects more than ${maxRedirects} times.`);
      }
      cookies.store(url, response.headers['set-cookie']);
      url = next;
    }
  }

  return {
    async fetch(text, options) {
      const at: CurrentHop = { url: text };
      const url = URL.parse(text);
      if (!url) throw new FetchError('refused', text, `"${shorten(text)}" isn't a valid URL.`);
      const timeout = AbortSignal.timeout(options.timeoutMs);
      const signal = AbortSignal.any([options.signal, timeout]);
      try {
        return await follow(url, options, signal, at);
      } catch (error) {
        if (options.signal.aborted) throw new FetchError('aborted', at.url, 'The fetch was canceled.', error);
        if (timeout.aborted) {
          const seconds = (options.limitMs ?? options.timeoutMs) / 1000;
          throw new FetchError('timeout', at.url, `${shorten(at.url)} didn't load within ${seconds} s.`, error);
        }
        throw toFetchError(error, at.url);
      }
    },
    async close() {
      await Promise.all([shared, ...narrower.values()].map((dispatchers) => dispatchers.close()));
    },
  };
}

/** The current hop of a fetch, for error messages. */
interface CurrentHop {
  url: string;
}

async function read(
  response: Dispatcher.ResponseData,
  url: URL,
  options: FetchRequest,
  hops: string[],
  signal: AbortSignal,
): Promise<Fetched> {
  const limits: DecodeOptions = {
    maxBytes: options.maxBytes,
    truncate: options.onOverflow === 'truncate',
    reserve: (bytes) => options.reserve?.(bytes, signal),
  };
  const received = await receiveBody(response.body, limits);
  const decoded = await decodeBody(received.body, firstValue(response.headers['content-encoding']), limits);
  signal.throwIfAborted();
  return {
    url: url.href,
    status: response.statusCode,
    headers: joined(response.headers),
    body: transferable(decoded.body),
    truncated: received.truncated || decoded.truncated,
    hops,
  };
}

/** Returns bytes that fill their buffer, so that it can be transferred to another thread. */
function transferable(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (byteOffset === 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
    return new Uint8Array(buffer);
  }
  return new Uint8Array(bytes);
}

function firstValue(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) all[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return all;
}

/** Headers that callers can't set. */
const reservedHeaders = new Set(
  'host connection keep-alive content-length transfer-encoding accept-encoding expect upgrade'.split(' '),
);

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value])
      .filter(([name = '']) => !reservedHeaders.has(name) && !name.startsWith('proxy-')),
  );
}

function toFetchError(error: unknown, url: string): FetchError {
  if (error instanceof FetchError) return error;
  const cause = rootCause(error);
  if (cause instanceof ProxyError) return new FetchError('connection', url, cause.message, error);
  if (cause instanceof RefusedTarget) return new FetchError('refused', url, cause.message, error);
  const host = shorten(URL.parse(url)?.host ?? url);
  if (error instanceof BodyTooLarge) {
    return new FetchError('too large', url, `The response from ${host} exceeds the size limit.`, error);
  }
  const code = String((cause as { code?: unknown }).code ?? '');
  if (isDnsError(cause) && code !== 'ETIMEDOUT') {
    return new FetchError('dns', url, `The host name ${host} couldn't be resolved. Check its spelling.`, error);
  }
  const problem = connectionProblem(code, url);
  if (problem) return new FetchError(problem.reason, url, problem.message, error);
  const reason = cause instanceof UndecodableBody ? 'encoding' : 'connection';
  return new FetchError(reason, url, `${messages[reason]} ${host}: ${shorten(messageOf(cause), 300)}`, error);
}

const messages = {
  encoding: "Couldn't decode the Content-Encoding of the response from",
  connection: 'No response from',
} as const;

/** Whether a connection was closed before its response began. */
function isClosed(error: unknown): boolean {
  return /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(String((error as { code?: unknown }).code));
}

/** Returns the root cause: connections to several addresses fail together, and undici wraps errors. */
function rootCause(error: unknown): unknown {
  let root = error;
  for (let depth = 0; depth < 5; depth++) {
    if (root instanceof RefusedTarget || root instanceof ProxyError || isDnsError(root)) return root;
    const inner =
      root instanceof AggregateError ? root.errors[0] : root instanceof Error ? (root.cause ?? undefined) : undefined;
    if (inner === undefined) return root;
    root = inner;
  }
  return root;
}
