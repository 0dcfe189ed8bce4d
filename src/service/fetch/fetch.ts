/** One fetch of a URL, redirects followed. */
export interface FetchRequest {
  signal: AbortSignal;
  /** Wall-clock limit of the whole fetch: every hop, and the body to its end. */
  timeoutMs: number;
  /** Bytes that a body may have once decompressed. */
  maxBytes: number;
  /** What becomes of a longer body: an error (the default), or its beginning with `truncated`. */
  onOverflow?: 'fail' | 'truncate';
  /** Added to, or in the place of, the headers that every fetch sends. */
  headers?: Readonly<Record<string, string>>;
  /** Accept any certificate. */
  skipTlsVerification?: boolean;
  /** Hops that are followed, 20 unless it is said; 0 gives redirects back as they come. */
  maxRedirects?: number;
}

/** What a fetch brought. */
export interface Fetched {
  /** After redirects. */
  url: string;
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** Without content encodings; in no way decoded to text. */
  body: Uint8Array<ArrayBuffer>;
  truncated: boolean;
  /** Every URL that was asked, the first first. */
  hops: string[];
}

/** Fetches pages, robots.txt and sitemaps where the address policy lets it. */
export interface Fetcher {
  /** Throws a FetchError; an answer of any status is no error. */
  fetch(url: string, request: FetchRequest): Promise<Fetched>;
  close(): Promise<void>;
}

/** Why a fetch brought nothing. */
export type FetchFailure =
  /** The address policy forbids the URL or where it leads. */
  | 'refused'
  | 'dns'
  | 'tls'
  | 'timeout'
  /** The caller gave it up. */
  | 'aborted'
  | 'too large'
  | 'too many redirects'
  /** The body is not what its Content-Encoding says. */
  | 'encoding'
  /** No connection, or one that broke, or an answer that is no HTTP. */
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
