import { Signal } from '../ui/lifecycle.ts';
import type { DeliverySummary } from './receiver/deliveries.ts';
import type { ReceiverUpdate, RefusedRequests } from './receiver/messages.ts';

/** Whether the receiver accepts deliveries. */
export type ReceiverState =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  | { kind: 'listening'; port: number; url: string; publicUrl: string | undefined }
  | { kind: 'failed'; message: string };

/** The number of secrets that deliveries are verified with. */
export type SecretUse = 'none' | 'one' | 'two';

const pageSize = 100;

/** The data of the Webhooks view. */
export class WebhooksStore {
  readonly onChange = new Signal<void>();
  #state: ReceiverState = { kind: 'stopped' };
  #deliveries: readonly DeliverySummary[] = [];
  #total = 0;
  #limit = pageSize;
  #hasDeliveries: boolean;
  #jobId: string | undefined;
  #unseen = 0;
  #visible = false;
  #refused: RefusedRequests | undefined;
  #secretUse: SecretUse = 'none';
  #handler: string | undefined;
  #forwardsNew = false;

  /** @param hasDeliveries whether deliveries were stored when the window was last open */
  constructor(hasDeliveries = false) {
    this.#hasDeliveries = hasDeliveries;
  }

  get state(): ReceiverState {
    return this.#state;
  }

  /** Newest first, at most `limit`. */
  get deliveries(): readonly DeliverySummary[] {
    return this.#deliveries;
  }

  /** The number of stored deliveries, for the shown job or for all. */
  get total(): number {
    return this.#total;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Whether any delivery is stored, as far as is known before the store is opened. */
  get hasDeliveries(): boolean {
    return this.#hasDeliveries;
  }

  /** The job whose deliveries are shown; undefined for all. */
  get jobId(): string | undefined {
    return this.#jobId;
  }

  /** Deliveries received while the view was hidden. */
  get unseen(): number {
    return this.#unseen;
  }

  /** The last refused request since the receiver started. */
  get refused(): RefusedRequests | undefined {
    return this.#refused;
  }

  get secretUse(): SecretUse {
    return this.#secretUse;
  }

  /** The URL of the user's handler. */
  get handler(): string | undefined {
    return this.#handler;
  }

  /** Whether new deliveries are forwarded to the handler automatically. */
  get forwardsNew(): boolean {
    return this.#forwardsNew;
  }

  find(num: number): DeliverySummary | undefined {
    return this.#deliveries.find((delivery) => delivery.num === num);
  }

  setState(state: ReceiverState): void {
    this.#state = state;
    if (state.kind === 'starting') this.#refused = undefined;
    this.onChange.fire();
  }

  setList({ deliveries, total }: { deliveries: readonly DeliverySummary[]; total: number }): void {
    this.#deliveries = deliveries;
    this.#total = total;
    // The total of one job says nothing about the others.
    if (this.#jobId === undefined || total > 0) this.#hasDeliveries = total > 0;
    this.onChange.fire();
  }

  setHandler(handler: string | undefined, forwardsNew: boolean): void {
    this.#handler = handler;
    this.#forwardsNew = forwardsNew && handler !== undefined;
    this.onChange.fire();
  }

  setSecretUse(use: SecretUse): void {
    this.#secretUse = use;
    this.onChange.fire();
  }

  /** Applies an update from the receiver. The list itself is reloaded by the caller. */
  applyUpdate(update: ReceiverUpdate): void {
    if (!this.#visible) this.#unseen += update.arrived;
    if (this.#state.kind === 'listening') this.#refused = update.refused;
    this.onChange.fire();
  }

  /** Sets whether the view is visible. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (!visible || this.#unseen === 0) return;
    this.#unseen = 0;
    this.onChange.fire();
  }

  show(jobId: string | undefined): void {
    this.#jobId = jobId;
    this.#limit = pageSize;
    this.onChange.fire();
  }

  showMore(): void {
    this.#limit += pageSize;
    this.onChange.fire();
  }
}
