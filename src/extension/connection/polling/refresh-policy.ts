import type { PollingLimit } from './rate-limit.ts';

/** Why something is read from the server again. */
export type RefreshReason =
  | 'shown'
  | 'interval'
  | 'changed'
  | 'command'
  | 'created'
  | 'destroyed'
  | 'started'
  | 'target'
  | 'trust';

const usualPollMs = 15_000;
const longestPollMs = 5 * 60_000;
const debounceMs = 100;
const noLimit: PollingLimit = { until: 0, factor: 1 };

/** When to read a view's data again: at once for what the person did, by interval only while somebody looks. */
export class RefreshPolicy {
  #refresh: (reason: RefreshReason) => Promise<void>;
  #after: (ms: number, callback: () => void) => () => void;
  #isTold: () => boolean;
  #pollMs: () => number;
  #limit: PollingLimit;
  #visible = false;
  #watchedUntil = 0;
  #failures = 0;
  #waitUntil = 0;
  #cancelTimer: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #again: RefreshReason | undefined;
  #now: () => number;

  constructor(options: {
    refresh: (reason: RefreshReason) => Promise<void>;
    after: (ms: number, callback: () => void) => () => void;
    now: () => number;
    /** True where the target tells of changes by itself, so that polling is not needed. */
    isTold?: () => boolean;
    /** Milliseconds between two readings while all is well. */
    pollMs?: () => number;
    /** What the server lets all polling of this window do. */
    limit?: PollingLimit;
  }) {
    this.#refresh = options.refresh;
    this.#after = options.after;
    this.#now = options.now;
    this.#isTold = options.isTold ?? (() => false);
    this.#pollMs = options.pollMs ?? (() => usualPollMs);
    this.#limit = options.limit ?? noLimit;
  }

  /** True while somebody looks, or waits for something that was started. */
  get looking(): boolean {
    return this.#visible || this.#now() < this.#watchedUntil;
  }

  setVisible(visible: boolean): void {
    if (visible === this.#visible) return;
    this.#visible = visible;
    if (visible) this.request('shown');
    else if (!this.looking) this.#stopTimer();
  }

  /** Reads by interval for some milliseconds even while nobody looks: something was started and is waited for. */
  watch(ms: number): void {
    this.#watchedUntil = ms === 0 ? 0 : Math.max(this.#watchedUntil, this.#now() + ms);
    if (!this.looking) this.#stopTimer();
  }

  /** Asks for a new reading. Requests that come together are one; one that comes while reading goes on follows it. */
  request(reason: RefreshReason): void {
    if (this.#isHeldBack() && reason !== 'command') return this.#schedule();
    if (this.#running) {
      this.#again = reason;
      return;
    }
    this.#stopTimer();
    if (reason === 'changed') this.#cancelTimer = this.#after(debounceMs, () => this.#run(reason));
    else this.#run(reason);
  }

  /** The last reading worked. */
  succeeded(): void {
    this.#failures = 0;
    this.#waitUntil = 0;
  }

  /** The last reading failed; the server may have asked to wait (429). */
  failed(retryAfterMs: number | undefined): void {
    this.#failures++;
    this.#waitUntil = this.#now() + (retryAfterMs ?? 0);
  }

  dispose(): void {
    this.#visible = false;
    this.#watchedUntil = 0;
    this.#again = undefined;
    this.#stopTimer();
  }

  #isHeldBack(): boolean {
    return this.#now() < Math.max(this.#waitUntil, this.#limit.until);
  }

  #run(reason: RefreshReason): void {
    this.#cancelTimer = undefined;
    this.#running = this.#refresh(reason).finally(() => {
      this.#running = undefined;
      const again = this.#again;
      this.#again = undefined;
      if (again) this.request(again);
      else this.#schedule();
    });
  }

  #schedule(): void {
    this.#stopTimer();
    if (!this.looking || (this.#isTold() && this.#failures === 0)) return;
    const base = this.#pollMs() * this.#limit.factor;
    const slowed = Math.min(base * 2 ** Math.min(this.#failures, 10), Math.max(longestPollMs, base));
    const heldBackMs = Math.max(this.#waitUntil, this.#limit.until) - this.#now();
    this.#cancelTimer = this.#after(Math.max(slowed, heldBackMs), () => this.#runDue());
  }

  /** The time has come, unless another view has met a limit meanwhile or nobody looks any more. */
  #runDue(): void {
    this.#cancelTimer = undefined;
    if (!this.looking) return;
    if (this.#isHeldBack()) this.#schedule();
    else this.#run('interval');
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
