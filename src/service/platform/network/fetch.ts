import type { AddressPolicy } from './address-policy/address-policy.ts';

/** Options of a fetch, which follows redirects. */
export interface FetchRequest {
  signal: AbortSignal;
  /** Time limit of the whole fetch: every hop and the complete body. */
  timeoutMs: number;
  /** The time limit that the caller was given, for the error, if it has used a part of that. */
  limitMs?: number;
  /** Maximum number of bytes of the decompressed body. */
  maxBytes: number;
  /** Whether a longer body is an error (the default) or is truncated. */
  onOverflow?: 'fail' | 'truncate';
  /** Added to the default headers, or replacing them. */
  headers?: Readonly<Record<string, string>>;
  /** Accept any certificate. */
  skipTlsVerification?: boolean;
  /** Called before the body takes more memory; the transfer pauses until it resolves. */
  reserve?: ((bytes: number, signal: AbortSignal) => Promise<void> | undefined) | undefined;
  /** Checks every hop, in place of the fetcher's own policy, which it narrows. */
  policy?: AddressPolicy | undefined;
  /** Redirects to follow, 20 by default; 0 returns redirects as they are. */
  maxRedirects?: number;
}

/** Sizes in bytes above which a body counts against a budget. */
export const bodySteps = [256 * 1024, 2 * 1024 * 1024] as const;

/** The response of a fetch. */
export interface Fetched {
  /** The final URL, after redirects. */
  url: string;
  status: number;
  /** Keyed by lowercase name. */
  headers: Readonly<Record<string, string>>;
  /** Decompressed bytes, not decoded to text. */
  body: Uint8Array<ArrayBuffer>;
  truncated: boolean;
  /** Every URL that was requested, in order. */
  hops: string[];
  /** Says that the response may not be from the site. */
  doubt?: string | undefined;
}

/** Fetches pages, robots.txt and sitemaps, within the address policy. */
export interface Fetcher {
  /** Throws a FetchError; a response of any status isn't an error. */
  fetch(url: string, request: FetchRequest): Promise<Fetched>;
  close(): Promise<void>;
}

/** Why a fetch failed. */
export type FetchFailure =
  /** The address policy blocks the URL or a redirect. */
  | 'refused'
  | 'dns'
  | 'tls'
  | 'timeout'
  /** The caller canceled it. */
  | 'aborted'
  | 'too large'
  | 'too many redirects'
  /** The body doesn't match its Content-Encoding. */
  | 'encoding'
  /** No connection could be made: it was refused, or there is no route. */
  | 'unreachable'
  /** The connection failed or broke, or the response isn't HTTP. */
  | 'connection';

export class FetchError extends Error {
  readonly reason: FetchFailure;
  /** The hop that failed. */
  readonly url: string;

  constructor(reason: FetchFailure, url: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'FetchError';
    this.reason = reason;
    this.url = url;
  }
}
