import type { ReceiverCalls } from './calls.ts';
import type { Bounds } from './deliveries.ts';

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
