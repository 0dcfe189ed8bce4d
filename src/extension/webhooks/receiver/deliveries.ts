import type { ReceiverCalls } from './calls.ts';
import type { ParsedDelivery } from './parse-delivery.ts';

/** How a delivery was verified: with the current secret, with the old one, or not, because no secret was set. */
export type Verification = 'verified' | 'verified by the old secret' | 'unverified';

/** A delivery in the list. Times are in milliseconds since 1970. */
export interface DeliverySummary extends ParsedDelivery {
  num: number;
  receivedAt: number;
  verification: Verification;
  /** The size of the body in bytes. */
  size: number;
  /** How often the same delivery was received again. */
  repeats: number;
  /** How often its id was received again with a different body. */
  conflicts: number;
  /** The responses of the user's handler, newest first. */
  forwardings: ForwardingSummary[];
}

export interface StoredDelivery extends DeliverySummary {
  /** Names and values alternating, as received. */
  headers: string[];
  body: Uint8Array;
}

/** A handler's response, or why there was none. */
export interface ForwardingSummary {
  num: number;
  at: number;
  url: string;
  /** Whether it was sent with a changed body. */
  edited: boolean;
  status: number | undefined;
  error: string | undefined;
  ms: number;
}

export interface StoredForwarding extends ForwardingSummary {
  statusText: string;
  headers: string[];
  body: Uint8Array;
  /** Whether the body was truncated. */
  cut: boolean;
}

/** A job that has deliveries. */
export interface JobSummary {
  jobId: string;
  count: number;
  kind: string;
  lastAt: number;
}

/** The limits of what is stored. */
export interface Bounds {
  deliveries: number;
  ageMs: number;
  /** The total size of all bodies in bytes. */
  bytes: number;
}

/** The receiver's settings. All of them can change while it runs. */
export interface ReceiverSettings {
  secrets: readonly string[];
  publicHosts: readonly string[];
  bounds: Bounds;
  /** The URL that new deliveries are forwarded to; undefined to forward none. */
  forwardTo: string | undefined;
}

/** The last refused request, and the number of refused requests since the receiver started. */
export interface RefusedRequests {
  status: number;
  error: string;
  host: string;
  count: number;
}

/** What happened since the last update. The thread sends updates at most a few times a second. */
export interface ReceiverUpdate {
  /** The number of new deliveries. */
  arrived: number;
  /** Ids that were received again with a different body. */
  conflicts: string[];
  /** Why deliveries couldn't be forwarded automatically, or the outcome not be stored. */
  failures: string[];
  refused: RefusedRequests | undefined;
}

export interface ToThread {
  id: number;
  name: keyof ReceiverCalls;
  params: unknown;
}
export type FromThread =
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'failure'; id: number; message: string; code: string | undefined }
  | { kind: 'update'; update: ReceiverUpdate };
