import { Signal } from '../ui/lifecycle.ts';
import type { DeliverySummary } from './receiver/deliveries.ts';
import type { ReceiverNews, Refused } from './receiver/messages.ts';

/** Whether deliveries are taken. */
export type ReceiverState =
  | { kind: 'stopped' }
  | { kind: 'starting' }
  | { kind: 'listening'; port: number; url: string; publicUrl: string | undefined }
  | { kind: 'failed'; message: string };

/** How far deliveries are verified. */
export type SecretUse = 'none' | 'one' | 'two';

const pageSize = 100;

/** What the Webhooks view shows. */
export class WebhooksStore {
  readonly onChange = new Signal<void>();
  #state: ReceiverState = { kind: 'stopped' };
  #deliveries: readonly DeliverySummary[] = [];
  #total = 0;
  #limit = pageSize;
  #jobId: string | undefined;
  #unseen = 0;
  #watched = false;
  #refused: Refused | undefined;
  #secretUse: SecretUse = 'none';
  #handler: string | undefined;
  #forwardsNew = false;

  get state(): ReceiverState {
    return this.#state;
  }

  /** Newest first; as many as `limit`. */
  get deliveries(): readonly DeliverySummary[] {
    return this.#deliveries;
  }

  /** How many there are, of the job that is shown or of all. */
  get total(): number {
    return this.#total;
  }

  get limit(): number {
    return this.#limit;
  }

  /** The job whose deliveries are shown; undefined: all. */
  get jobId(): string | undefined {
    return this.#jobId;
  }

  /** Deliveries that came while nobody looked. */
  get unseen(): number {
    return this.#unseen;
  }

  /** The last request that was turned away since the receiver listens. */
  get refused(): Refused | undefined {
    return this.#refused;
  }

  get secretUse(): SecretUse {
    return this.#secretUse;
  }

  /** Where the developer's own handler listens. */
  get handler(): string | undefined {
    return this.#handler;
  }

  /** New deliveries go to the handler as they come. */
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

  /** Takes in what the receiver said; the list is read anew by whoever hears of it. */
  hear(news: ReceiverNews): void {
    if (!this.#watched) this.#unseen += news.arrived;
    if (this.#state.kind === 'listening') this.#refused = news.refused;
    this.onChange.fire();
  }

  /** Somebody looks at the view, or no longer. */
  setWatched(watched: boolean): void {
    this.#watched = watched;
    if (!watched || this.#unseen === 0) return;
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
