/** How a delivery was told to be genuine: by the secret, by the one before it, or not at all since there is none. */
export type Verification = 'verified' | 'verified by the old secret' | 'unverified';

/** A delivery as it is listed. Times are milliseconds since 1970. */
export interface DeliverySummary {
  num: number;
  webhookId: string;
  receivedAt: number;
  type: string;
  jobId: string;
  success: boolean;
  error: string | undefined;
  verification: Verification;
  /** Bytes of the body. */
  size: number;
  pageUrl: string | undefined;
  pages: number;
  hasMarkdown: boolean;
  /** How often it came again. */
  repeats: number;
  /** How often its id came again with another body. */
  conflicts: number;
  /** What the developer's handler made of it, newest first. */
  forwardings: ForwardingSummary[];
}

export interface StoredDelivery extends DeliverySummary {
  /** Names and values in turn, as they came. */
  headers: string[];
  body: Uint8Array;
}

/** What a handler answered, or why it did not. */
export interface ForwardingSummary {
  num: number;
  at: number;
  url: string;
  /** Sent with another body than it came with. */
  edited: boolean;
  status: number | undefined;
  error: string | undefined;
  ms: number;
}

export interface StoredForwarding extends ForwardingSummary {
  /** The request as it went out. */
  requestHeaders: string[];
  requestBody: Uint8Array;
  statusText: string;
  headers: string[];
  body: Uint8Array;
  /** The body was longer than what is kept. */
  cut: boolean;
}

/** A job that deliveries speak of. */
export interface JobSummary {
  jobId: string;
  count: number;
  kind: string;
  lastAt: number;
}

/** What is kept. */
export interface Bounds {
  deliveries: number;
  ageMs: number;
  /** Bytes of all bodies together. */
  bytes: number;
}
