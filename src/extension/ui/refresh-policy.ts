/** Why the list is read again. */
export type RefreshReason = 'shown' | 'interval' | 'changed' | 'command' | 'created' | 'destroyed' | 'target' | 'trust';

const pollMs = 15_000;
const longestPollMs = 5 * 60_000;
const debounceMs = 100;

/** When to read the list of sessions again: at once for what the person did, by interval only while somebody looks. */
export class RefreshPolicy {
  #refresh: (reason: RefreshReason) => Promise<void>;
  #after: (ms: number, callback: () => void) => () => void;
  /** True where the target tells of changes by itself, so that polling is not needed. */
  #isTold: () => boolean;
  #visible = false;
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
    isTold: () => boolean;
  }) {
    this.#refresh = options.refresh;
    this.#after = options.after;
    this.#now = options.now;
    this.#isTold = options.isTold;
  }

  setVisible(visible: boolean): void {
    if (visible === this.#visible) return;
    this.#visible = visible;
    if (visible) this.request('shown');
    else this.#stopTimer();
  }

  /** Asks for a new list. Requests that come together are one; one that comes while reading goes on follows it. */
  request(reason: RefreshReason): void {
    if (this.#now() < this.#waitUntil && reason !== 'command') return this.#schedule();
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
    this.#again = undefined;
    this.#stopTimer();
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
    if (!this.#visible || (this.#isTold() && this.#failures === 0)) return;
    const backedOff = Math.min(pollMs * 2 ** Math.min(this.#failures, 10), longestPollMs);
    const ms = Math.max(this.#failures === 0 ? pollMs : backedOff, this.#waitUntil - this.#now());
    this.#cancelTimer = this.#after(ms, () => this.#run('interval'));
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
