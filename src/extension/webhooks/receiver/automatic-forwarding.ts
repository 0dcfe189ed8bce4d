import type { DeliveryStore } from './delivery-store/delivery-store.ts';

interface Parts {
  store: Pick<DeliveryStore, 'after' | 'newest'>;
  /** Sends a delivery and stores the outcome. */
  send(num: number, url: string, signal: AbortSignal): Promise<unknown>;
  onForwarded(): void;
  onFailure(error: unknown): void;
  /** Milliseconds until the store is read again after a failure. */
  retryMs?: number;
}

/** New deliveries waiting to be forwarded; any more are only recorded. */
const queueLimit = 10_000;

/** Forwards new deliveries to a handler, one at a time and in the order received. A failure delays it and ends nothing. */
export class AutomaticForwarding {
  #parts: Parts;
  #url: string | undefined;
  #last = 0;
  #running = false;
  #again = false;
  #sending = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Forwards deliveries received from now on to a handler, or none. A handler that is no longer used isn't waited for. */
  setHandler(url: string | undefined): void {
    if (url === this.#url) return;
    if (this.#url === undefined) this.#last = this.#parts.store.newest();
    this.#url = url;
    this.#sending.abort();
    this.#sending = new AbortController();
    this.wake();
  }

  /** Looks for deliveries to forward. */
  wake(): void {
    this.#again = true;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    const { store, send, onForwarded, onFailure, retryMs = 5_000 } = this.#parts;
    this.#running = true;
    try {
      while (this.#again && this.#url !== undefined) {
        this.#again = false;
        const next = store.after(this.#last);
        if (next === undefined) continue;
        this.#again = true;
        this.#last = Math.max(next, store.newest() - queueLimit);
        if (this.#url === undefined) return;
        // The delivery may have been cleared in the meantime.
        await send(next, this.#url, this.#sending.signal).catch(onFailure);
        onForwarded();
      }
    } catch (error) {
      onFailure(error);
      setTimeout(() => this.wake(), retryMs).unref();
    } finally {
      this.#running = false;
    }
  }
}
