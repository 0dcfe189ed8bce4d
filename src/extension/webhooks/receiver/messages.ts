import type {
  Bounds,
  DeliverySummary,
  ForwardingSummary,
  JobSummary,
  StoredDelivery,
  StoredForwarding,
} from './deliveries.ts';

/** How the receiver is to be; all of it may change while it runs. */
export interface ReceiverSettings {
  secrets: readonly string[];
  publicHosts: readonly string[];
  bounds: Bounds;
  /** Where new deliveries are forwarded to as they come; undefined: nowhere. */
  forwardTo: string | undefined;
}

/** What the extension asks of the receiver's thread. */
export interface ReceiverCalls {
  /** Opens the store of recorded deliveries. */
  open: { params: { directory: string; settings: ReceiverSettings }; result: { movedAside: string | undefined } };
  configure: { params: ReceiverSettings; result: undefined };
  /** Rejects with an error that has Node's `code`. */
  listen: { params: { port: number }; result: { port: number } };
  stopListening: { params: undefined; result: undefined };
  list: {
    params: { jobId: string | undefined; limit: number };
    result: { deliveries: DeliverySummary[]; total: number };
  };
  jobs: { params: undefined; result: JobSummary[] };
  get: { params: { num: number }; result: StoredDelivery | undefined };
  forwarding: { params: { num: number }; result: StoredForwarding | undefined };
  clear: { params: undefined; result: undefined };
  /** Sends a delivery to a handler, with another body if one is given. `call` is what `giveUp` names. */
  forward: {
    params: { num: number; url: string; body: Uint8Array | undefined; call: string };
    result: ForwardingSummary;
  };
  giveUp: { params: { call: string }; result: undefined };
}
export type ReceiverCallName = keyof ReceiverCalls;

/** A refused request: the last one, and how many there were since the receiver listens. */
export interface Refused {
  status: number;
  error: string;
  host: string;
  count: number;
  at: number;
}

/** What the thread says by itself, a few times a second at most. */
export interface ReceiverNews {
  /** Deliveries that were not there before. */
  arrived: number;
  /** Ids that came again with another body since the last news. */
  conflicts: string[];
  refused: Refused | undefined;
}

export type ToThread = {
  [Name in ReceiverCallName]: { id: number; name: Name; params: ReceiverCalls[Name]['params'] };
}[ReceiverCallName];
export type FromThread =
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'failure'; id: number; message: string; code: string | undefined }
  | { kind: 'news'; news: ReceiverNews };
