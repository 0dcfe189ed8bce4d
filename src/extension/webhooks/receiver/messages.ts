import type {
  Bounds,
  DeliverySummary,
  ForwardingSummary,
  JobSummary,
  StoredDelivery,
  StoredForwarding,
} from './deliveries.ts';

/** The receiver's settings. All of them can change while it runs. */
export interface ReceiverSettings {
  secrets: readonly string[];
  publicHosts: readonly string[];
  bounds: Bounds;
  /** The URL that new deliveries are forwarded to; undefined to forward none. */
  forwardTo: string | undefined;
}

/** The calls from the extension to the receiver's thread. */
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
  /** Sends a delivery to a handler, with a different body if one is given. `call` identifies the call for `cancelForward`. */
  forward: {
    params: { num: number; url: string; body: Uint8Array | undefined; call: string };
    result: ForwardingSummary;
  };
  cancelForward: { params: { call: string }; result: undefined };
}
export type ReceiverCallName = keyof ReceiverCalls;

/** The last refused request, and the number of refused requests since the receiver started. */
export interface RefusedRequests {
  status: number;
  error: string;
  host: string;
  count: number;
  at: number;
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

export type ToThread = {
  [Name in ReceiverCallName]: { id: number; name: Name; params: ReceiverCalls[Name]['params'] };
}[ReceiverCallName];
export type FromThread =
  | { kind: 'result'; id: number; result: unknown }
  | { kind: 'failure'; id: number; message: string; code: string | undefined }
  | { kind: 'update'; update: ReceiverUpdate };
