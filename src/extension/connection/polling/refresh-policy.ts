import type { RateLimit } from './rate-limit.ts';

/** Why a view's data is read again. */
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

/** Returns whether somebody waits for a read, so that it may start the embedded service: a crash or a timer never does. */
export function isAwaited(reason: RefreshReason): boolean {
  return reason === 'shown' || reason === 'command';
}

const defaultPollMs = 15_000;
const maxPollMs = 5 * 60_000;
const debounceMs = 100;

interface RefreshOptions {
  refresh(reason: RefreshReason): Promise<void>;
  after(ms: number, callback: () => void): () => void;
  now(): number;
  /** Whether the target reports changes itself, so that polling isn't needed. */
  isNotified?(): boolean;
  /** Milliseconds between two reads while they succeed. */
  pollMs?(): number;
  /** The rate limit shared by all polling of this window. */
  limit: Pick<RateLimit, 'until' | 'factor'>;
}

/** Decides when a view's data is read again: immediately after a user action, at intervals only while it's visible. */
export class RefreshPolicy {
  #options: Required<RefreshOptions>;
  #visible = false;
  #watchedUntil = 0;
  #failures = 0;
  #cancelTimer: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #again: RefreshReason | undefined;

  constructor(options: RefreshOptions) {
    this.#options = { isNotified: () => false, pollMs: () => defaultPollMs, ...options };
  }

  /** True while the view is visible, or a started task is being watched. */
  get active(): boolean {
    return this.#visible || this.#options.now() < this.#watchedUntil;
  }

  setVisible(visible: boolean): void {
    if (visible === this.#visible) return;
    this.#visible = visible;
    if (visible) this.request('shown');
    else if (!this.active) this.#stopTimer();
  }

  /** Polls for `ms` milliseconds even while the view is hidden, because a task was started. 0 stops it. */
  watch(ms: number): void {
    this.#watchedUntil = ms === 0 ? 0 : Math.max(this.#watchedUntil, this.#options.now() + ms);
    if (!this.active) this.#stopTimer();
  }

  /** Reads again if somebody looks, because the user asked for it. */
  refresh(): void {
    if (this.active) this.request('command');
  }

  /** Requests a read. Simultaneous requests are merged; one that arrives during a read follows it. */
  request(reason: RefreshReason): void {
    if (this.#isHeldBack() && reason !== 'command') return this.#schedule();
    if (this.#running) {
      this.#again = reason;
      return;
    }
    this.#stopTimer();
    if (reason === 'changed') this.#cancelTimer = this.#options.after(debounceMs, () => this.#run(reason));
    else this.#run(reason);
  }

  /** Reports that the last read succeeded. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Reports that the last read failed. */
  failed(): void {
    this.#failures++;
  }

  dispose(): void {
    this.#visible = false;
    this.#watchedUntil = 0;
    this.#again = undefined;
    this.#stopTimer();
  }

  #isHeldBack(): boolean {
    return this.#options.now() < this.#options.limit.until;
  }

  #run(reason: RefreshReason): void {
    this.#cancelTimer = undefined;
    this.#running = this.#options.refresh(reason).finally(() => {
      this.#running = undefined;
      const again = this.#again;
      this.#again = undefined;
      if (again) this.request(again);
      else this.#schedule();
    });
  }

  #schedule(): void {
    this.#stopTimer();
    if (!this.active || (this.#options.isNotified() && this.#failures === 0)) return;
    const base = this.#options.pollMs() * this.#options.limit.factor;
    const slowed = Math.min(base * 2 ** Math.min(this.#failures, 10), Math.max(maxPollMs, base));
    const heldBackMs = this.#options.limit.until - this.#options.now();
    this.#cancelTimer = this.#options.after(Math.max(slowed, heldBackMs), () => this.#runDue());
  }

  /** Reads now, unless another view has hit the limit meanwhile or the view was hidden. */
  #runDue(): void {
    this.#cancelTimer = undefined;
    if (!this.active) return;
    if (this.#isHeldBack()) this.#schedule();
    else this.#run('interval');
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
