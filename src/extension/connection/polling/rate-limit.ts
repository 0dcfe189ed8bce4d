import { Signal } from '../../ui/lifecycle.ts';

/** What polling asks before it reads: not before `until` (milliseconds since 1970), and `factor` times as seldom. */
export interface PollingLimit {
  readonly until: number;
  readonly factor: number;
}

const firstWaitMs = 30_000;
const longestWaitMs = 60 * 60_000;
const mostFactor = 8;
/** After this long without a 429 polling becomes twice as frequent again. */
const forgetMs = 2 * 60_000;

/** The one limit that all views of a window share: a 429 to any of them slows all of them. */
export class RateLimit implements PollingLimit {
  readonly onChange = new Signal<void>();
  #now: () => number;
  #until = 0;
  #factor = 1;
  #lastHit = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get until(): number {
    return this.#until;
  }

  get factor(): number {
    const forgotten = Math.floor(Math.max(0, this.#now() - Math.max(this.#lastHit, this.#until)) / forgetMs);
    return Math.max(1, this.#factor / 2 ** Math.min(forgotten, 10));
  }

  /** True while the server's wish to be left alone holds. */
  get active(): boolean {
    return this.#now() < this.#until;
  }

  /** The server answered 429; `retryAfterMs` where it said for how long. Several answers to one burst count once. */
  hit(retryAfterMs: number | undefined): void {
    const now = this.#now();
    const factor = this.active ? this.#factor : Math.min(this.factor * 2, mostFactor);
    const waitMs = Math.min(retryAfterMs ?? (firstWaitMs * factor) / 2, longestWaitMs);
    this.#factor = factor;
    this.#lastHit = now;
    this.#until = Math.max(this.#until, now + waitMs);
    this.onChange.fire();
  }

  /** Another server knows nothing of it. */
  reset(): void {
    if (this.#until === 0 && this.#factor === 1) return;
    this.#until = 0;
    this.#factor = 1;
    this.#lastHit = 0;
    this.onChange.fire();
  }
}
