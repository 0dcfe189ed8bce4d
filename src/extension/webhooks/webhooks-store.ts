import { Signal } from '../ui/lifecycle.ts';
import type { DeliverySummary, ReceiverUpdate, RefusedRequests } from './receiver/deliveries.ts';

/** Whether the receiver accepts deliveries. */
export type ReceiverState =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  | { kind: 'listening'; port: number; url: string; publicUrl: string | undefined }
  | { kind: 'failed'; message: string };

/** The number of secrets that deliveries are verified with. */
export type SecretUse = 'none' | 'one' | 'two';

const pageSize = 100;

/** What the Webhooks view shows. */
interface Shown {
  state: ReceiverState;
  /** Newest first, at most `limit`. */
  deliveries: readonly DeliverySummary[];
  /** The number of stored deliveries, for the shown job or for all. */
  total: number;
  limit: number;
  /** Whether any delivery is stored, as far as is known before the store is opened. */
  hasDeliveries: boolean;
  /** The job whose deliveries are shown; undefined for all. */
  jobId: string | undefined;
  /** Deliveries received while the view was hidden. */
  unseen: number;
  /** The last refused request since the receiver started. */
  refused: RefusedRequests | undefined;
  secretUse: SecretUse;
  /** The URL of the user's handler. */
  handler: string | undefined;
  /** Whether new deliveries are forwarded to the handler automatically. */
  forwardsNew: boolean;
}

/** The data of the Webhooks view. */
export class WebhooksStore {
  readonly onChange = new Signal<void>();
  #shown: Readonly<Shown>;
  #visible = false;

  /** @param hasDeliveries whether deliveries were stored when the window was last open */
  constructor(hasDeliveries = false) {
    const none = { deliveries: [], total: 0, jobId: undefined, unseen: 0, refused: undefined, handler: undefined };
    const state = { kind: 'stopped' } as const;
    this.#shown = { ...none, state, limit: pageSize, hasDeliveries, secretUse: 'none', forwardsNew: false };
  }

  get shown(): Readonly<Shown> {
    return this.#shown;
  }

  find(num: number): DeliverySummary | undefined {
    return this.shown.deliveries.find((delivery) => delivery.num === num);
  }

  setState(state: ReceiverState): void {
    this.#change({ state, ...(state.kind === 'starting' && { refused: undefined }) });
  }

  setList({ deliveries, total }: { deliveries: readonly DeliverySummary[]; total: number }): void {
    // The total of one job says nothing about the others.
    const saysAll = this.shown.jobId === undefined || total > 0;
    this.#change({ deliveries, total, ...(saysAll && { hasDeliveries: total > 0 }) });
  }

  setHandler(handler: string | undefined, forwardsNew: boolean): void {
    this.#change({ handler, forwardsNew: forwardsNew && handler !== undefined });
  }

  setSecretUse(secretUse: SecretUse): void {
    this.#change({ secretUse });
  }

  /** Applies an update from the receiver. The list itself is reloaded by the caller. */
  applyUpdate({ arrived, refused }: ReceiverUpdate): void {
    const { unseen, state } = this.shown;
    this.#change({
      ...(!this.#visible && { unseen: unseen + arrived }),
      ...(state.kind === 'listening' && { refused }),
    });
  }

  /** Sets whether the view is visible. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (visible && this.shown.unseen > 0) this.#change({ unseen: 0 });
  }

  show(jobId: string | undefined): void {
    this.#change({ jobId, limit: pageSize });
  }

  showMore(): void {
    this.#change({ limit: this.shown.limit + pageSize });
  }

  #change(changes: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...changes };
    this.onChange.fire();
  }
}
